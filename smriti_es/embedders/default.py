"""Which embedder the engine takes when it is given none."""

from smriti_es.embedders.embedder import Embedder
from smriti_es.embedders.hashing import HashEmbedder
from smriti_es.embedders.minilm import MiniLMEmbedder, minilm_installed


def default_embedder() -> Embedder:
    """Return the best embedder that is installed and needs no network.

    Returns:
        MiniLMEmbedder when the extra `minilm` is installed, else a HashEmbedder, whose `weak` says
        that it does not know what texts mean.
    """
    return MiniLMEmbedder() if minilm_installed() else HashEmbedder()
