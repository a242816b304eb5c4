"""The benches: `python -m bench` measures recall, the log and search, and writes what it found."""
