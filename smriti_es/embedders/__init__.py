"""Embedders: adapters that turn texts into vectors, and the checks that no vector escapes.

Importing this package loads neither numpy nor a model nor an HTTP client; each is loaded where
it is used.
"""

from smriti_es.embedders.callable import CallableEmbedder
from smriti_es.embedders.checked import embed_checked
from smriti_es.embedders.chunking import chunk_spans, chunks
from smriti_es.embedders.default import default_embedder
from smriti_es.embedders.embedder import Embedder, FloatMatrix
from smriti_es.embedders.hashing import HashEmbedder
from smriti_es.embedders.http import HttpEmbedder
from smriti_es.embedders.identity import EmbedderIdentity
from smriti_es.embedders.minilm import MiniLMEmbedder
from smriti_es.embedders.multilingual import MultilingualEmbedder
from smriti_es.embedders.onnx import OnnxEmbedder

__all__ = [
    "CallableEmbedder",
    "Embedder",
    "EmbedderIdentity",
    "FloatMatrix",
    "HashEmbedder",
    "HttpEmbedder",
    "MiniLMEmbedder",
    "MultilingualEmbedder",
    "OnnxEmbedder",
    "chunk_spans",
    "chunks",
    "default_embedder",
    "embed_checked",
]
