"""Vectors without a model: spelling hashed into a fixed number of buckets.

They find texts that share words or parts of words, not texts that mean the same. They keep the
engine whole where no model is installed, and make tests exact.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import sqrt

from smriti_es.embedders.checked import checked_matrix
from smriti_es.embedders.embedder import FloatMatrix
from smriti_es.embedders.identity import EmbedderIdentity
from smriti_es.events.guard import assert_outside_transaction

# Goes up whenever a text would get another vector than before.
_REVISION = "1"
_WORD = re.compile(r"\w+")
_WORD_WEIGHT = 1.0
# A word has about ten n-grams; together they weigh a little more than the word itself.
_NGRAM_WEIGHT = 0.4
_NGRAM_SIZES = (3, 4)
# A script such as Chinese says in two characters what takes a Latin word five.
_NGRAM_SIZES_DENSE = (2, 3)


class HashEmbedder:
    """Embed by signed feature hashing of words and of the character n-grams inside them.

    The same text gives the same vector in every process and on every machine. Unrelated texts come
    out near 0, since each feature falls on a random side of its bucket.

    Args:
        dimension: Buckets, that is numbers in a vector; fewer means more collisions.

    Source: Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (ICML 2009).
    """

    weak = True
    # Nothing leaves this process.
    endpoint: str | None = None

    def __init__(self, dimension: int = 256) -> None:
        self.identity = EmbedderIdentity(
            kind="hash",
            model="words-and-ngrams",
            revision=_REVISION,
            dimension=dimension,
            pooling="mean",
            normalised=True,
            max_tokens=0,
        )

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts: (count, dimension) float32, unit length, row order = text order.

        Raises:
            CallInsideTransaction: A write transaction is open.
        """
        import numpy

        assert_outside_transaction("the hash embedder")
        dimension = self.identity.dimension
        matrix = numpy.zeros((len(texts), dimension))
        for row, text in zip(matrix, texts, strict=True):
            for word, count in Counter(_words(text)).items():
                for bucket, weight in _word_features(word, dimension):
                    row[bucket] += weight * sqrt(count)
            if not row.any():  # no word at all, or features that cancelled each other out
                row[_bucket(f"text {text}", dimension)[0]] = 1.0
        return checked_matrix(matrix, count=len(texts), dimension=dimension)


def _words(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return (match[0] for match in _WORD.finditer(folded))


@lru_cache(maxsize=4096)
def _word_features(word: str, dimension: int) -> tuple[tuple[int, float], ...]:
    features = [_feature(f"word {word}", _WORD_WEIGHT, dimension)]
    marked = f"<{word}>"
    for size in _NGRAM_SIZES if word.isascii() else _NGRAM_SIZES_DENSE:
        features += [
            _feature(f"ngram {marked[start : start + size]}", _NGRAM_WEIGHT, dimension)
            for start in range(len(marked) - size + 1)
        ]
    return tuple(features)


def _feature(name: str, weight: float, dimension: int) -> tuple[int, float]:
    bucket, sign = _bucket(name, dimension)
    return bucket, sign * weight


def _bucket(name: str, dimension: int) -> tuple[int, int]:
    """A feature's place and side; the built-in hash would differ from process to process."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return (number >> 1) % dimension, 1 if number & 1 else -1
