"""A proxy for OpenAI-compatible services that remembers what passes through and recalls it."""
