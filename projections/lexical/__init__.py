"""`lexical`: which terms occur in which turn."""
