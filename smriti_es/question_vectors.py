"""Questions as an embedder reads them, each embedded once."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from smriti_es.embedders import Embedder, FloatMatrix, embed_checked
from smriti_es.embedders.tokens import TokenVectors, embed_tokens_checked, token_space_of

_QUERIES_KEPT: Final = 256


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """A question as an embedder reads it.

    Attributes:
        vector: (dimension,) float32, unit length.
        tokens: Its token vectors; None: the embedder gives none.
    """

    vector: FloatMatrix
    tokens: TokenVectors | None = None


class QueryVectors:
    """Embeds questions, each once: a search and a context of the same question share the vector."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._kept: OrderedDict[str, EmbeddedQuestion] = OrderedDict()
        self._door = threading.Lock()

    def of(self, question: str) -> EmbeddedQuestion:
        """Give the vector of a question, and its token vectors where there are any.

        Raises:
            EmbedderError: The embedder failed.
        """
        with self._door:
            if question in self._kept:
                self._kept.move_to_end(question)
                return self._kept[question]
        embedded = self._embedded(question)
        with self._door:
            self._kept[question] = embedded
            while len(self._kept) > _QUERIES_KEPT:
                self._kept.popitem(last=False)
        return embedded

    def _embedded(self, question: str) -> EmbeddedQuestion:
        if token_space_of(self.embedder) is None:
            return EmbeddedQuestion(embed_checked(self.embedder, [question])[0])
        vectors, (tokens,) = embed_tokens_checked(self.embedder, [question])
        return EmbeddedQuestion(vectors[0], tokens if len(tokens.spans) else None)
