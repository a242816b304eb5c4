"""The web page: a memory to look at, rendered here and readable without a script."""
