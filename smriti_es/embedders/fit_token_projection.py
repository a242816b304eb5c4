"""Make the file that tells which dimensions of a model's token vectors are worth keeping.

    python -m smriti_es.embedders.fit_token_projection MODEL_FOLDER projection.npy

They are the leading part of the second moment of its token vectors over texts that belong to
nobody: all words of its own vocabulary in a fixed shuffled order, twelve in a text. So whoever has
the model can make the file again. On LoCoMo it finds as much as a projection that was made from the
conversations themselves.
"""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy

from smriti_es.embedders.onnx import OnnxEmbedder
from smriti_es.embedders.token_projection import TOKEN_DIMENSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORDS_PER_TEXT: Final = 12


def fit_projection(embedder: OnnxEmbedder, words: Sequence[str]) -> "NDArray[numpy.float16]":
    """Make the projection of a model from words, as this module says.

    Args:
        embedder: The model.
        words: The words; their order does not matter.

    Returns:
        (dimension, at most 128) float16, orthogonal columns, the weightiest first.
    """
    dimension = embedder.identity.dimension
    moment = numpy.zeros((dimension, dimension))
    for text in _texts(words):
        rows = embedder.raw_tokens(text).astype(numpy.float64)
        rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
        moment += rows.T @ rows
    _, vectors = numpy.linalg.eigh(moment)
    leading = vectors[:, ::-1][:, :TOKEN_DIMENSION]
    # An eigenvector has no direction of its own: the largest of its numbers is made positive.
    largest = leading[numpy.abs(leading).argmax(axis=0), range(leading.shape[1])]
    projection: NDArray[numpy.float16] = (leading * numpy.sign(largest)).astype(numpy.float16)
    return projection


def words_of(vocabulary: Iterable[str]) -> list[str]:
    """Pick the whole words of ASCII letters from a tokenizer's vocabulary."""
    return [w for w in vocabulary if w.isascii() and w.isalpha() and len(w) > 1]


def _texts(words: Sequence[str]) -> Iterator[str]:
    # By their hashes: an order that no release of Python changes.
    shuffled = sorted(set(words), key=lambda word: hashlib.sha256(word.encode()).digest())
    for start in range(0, len(shuffled), _WORDS_PER_TEXT):
        yield " ".join(shuffled[start : start + _WORDS_PER_TEXT])


def main(arguments: Sequence[str]) -> None:
    """Write the projection of the model in a folder to a file."""
    folder, out = arguments
    embedder = OnnxEmbedder(folder, threads=1, batch_size=1)
    numpy.save(out, fit_projection(embedder, words_of(embedder.vocabulary)), allow_pickle=False)


if __name__ == "__main__":
    main(sys.argv[1:])
