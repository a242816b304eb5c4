"""A client of the REST server: the engine's verbs over HTTP, with the engine's own values."""

from smriti_es.client.memory_client import MemoryClient

__all__ = ["MemoryClient"]
