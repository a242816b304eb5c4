"""What every surface that listens on a port shares: keys, and where it may listen."""
