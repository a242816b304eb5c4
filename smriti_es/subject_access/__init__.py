"""Everything that a memory holds on somebody, written to a file for whoever asks for it."""
