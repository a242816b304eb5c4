"""Questions as an embedder reads them, each embedded once."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from smriti_es.embedders import Embedder, FloatMatrix, embed_checked
from smriti_es.embedders.tokens import TokenVectors, embed_tokens_checked, token_space_of
from smriti_es.projections.vectors.projection import canonical_identity

_QUERIES_KEPT: Final = 256


@dataclass(frozen=True, slots=True)
class Known:
    """What an embedder says that it is.

    Attributes:
        identity: Its identity, as generations of vectors carry it.
        token_space: Space of its token vectors; None: it gives none.
    """

    identity: str
    token_space: str | None


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
    """Embeds questions, each once: a search and a context of the same question share the vector.

    Attributes:
        embedder: The embedder, for as long as this lives: another one has another of these, so that
            a vector and what it may be compared with never part.
        known: What it says that it is; None until it could be asked.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.known: Known | None = None
        self._kept: OrderedDict[str, EmbeddedQuestion] = OrderedDict()
        self._door = threading.Lock()

    def learn(self) -> Known:
        """Ask the embedder what it is, once.

        Raises:
            EmbedderError: It does not say.
        """
        if self.known is None:
            identity = canonical_identity(self.embedder.identity.to_dict())
            self.known = Known(identity, token_space_of(self.embedder))
        return self.known

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
