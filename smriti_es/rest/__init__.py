"""The REST server: the engine's verbs over HTTP, for whoever has a key."""
