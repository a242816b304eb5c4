"""Rerankers: judges that read the best candidates of a question and put them in order anew."""

from smriti_es.rerankers.http import HttpReranker
from smriti_es.rerankers.onnx import OnnxReranker
from smriti_es.rerankers.reranker import HitReranker, Reranker
from smriti_es.rerankers.system_one import SystemOneReranker, Usage

__all__ = [
    "HitReranker",
    "HttpReranker",
    "OnnxReranker",
    "Reranker",
    "SystemOneReranker",
    "Usage",
]
