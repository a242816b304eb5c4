"""The middle floor: what follows from the log. Imports `events` alone."""
