"""The log as a bundle of files that an outsider can check: written, read and checked here."""
