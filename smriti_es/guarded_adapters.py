"""Adapters behind the guard: each call is checked against the profile and redacted first.

A refusal while a memory is in use becomes the error that the adapter itself would raise, so that it
degrades an answer, or is recorded as a failed extraction, like any model out of reach.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from smriti_es.egress import EgressPolicy, endpoint_of, under
from smriti_es.embedders import Embedder, EmbedderIdentity, FloatMatrix
from smriti_es.embedders.tokens import TokenEmbedder, TokenVectors, token_space_of
from smriti_es.events.errors import (
    EgressRefused,
    EmbedderError,
    ExtractionError,
    RerankerError,
    SmritiError,
)
from smriti_es.extraction.arbitration import Arbiter, Verdict
from smriti_es.extraction.contract import Extraction, Extractor, SourceTurn
from smriti_es.extraction.fact_digest import FactDigest
from smriti_es.redaction import Redactor
from smriti_es.rerankers.reranker import HitReranker, Reranker, Score

if TYPE_CHECKING:
    from smriti_es.extraction.digest_writer import Digest, DigestWriter
    from smriti_es.results import Hit

_T = TypeVar("_T")
_D = TypeVar("_D")


@dataclass(frozen=True, slots=True)
class Guard:
    """What stands between a memory and one of its adapters.

    Attributes:
        policy: Where text may go; None: anywhere.
        redactor: Takes credentials out of what is sent, or None.
    """

    policy: EgressPolicy | None
    redactor: Redactor | None

    def needed_for(self, adapter: object) -> bool:
        """Tell whether anything is to be checked or changed on the way to an adapter."""
        if self.policy is not None:
            return True
        return self.redactor is not None and endpoint_of(adapter) is not None

    def check(self, kind: str, adapter: object) -> None:
        """Refuse an adapter that may not send text to where it sends it.

        Raises:
            EgressRefused: The profile does not allow it.
        """
        if self.policy is not None:
            self.policy.check(kind, endpoint_of(adapter))

    @contextmanager
    def sending(
        self, kind: str, adapter: object, error: type[SmritiError] | None = None
    ) -> Iterator[None]:
        """Check an adapter, and let the policy hold for whatever it sends inside.

        Args:
            kind: What it is, in words.
            adapter: The adapter.
            error: What to raise instead of the refusal, or None.
        """
        try:
            self.check(kind, adapter)
            with under(self.policy):
                yield
        except EgressRefused as refused:
            if error is None:
                raise
            # Like an outage: what waits is kept waiting until the adapter may be used again.
            raise error(str(refused), hint=refused.hint, retryable=True) from refused

    def outgoing(self, adapter: object, value: _T) -> _T:
        """Take credentials out of what is handed to an adapter that may send it on."""
        if self.redactor is None or endpoint_of(adapter) is None:
            return value
        cleaned: _T = self.redactor.value(value)
        return cleaned

    def outgoing_fields(self, adapter: object, values: Sequence[_D]) -> list[_D]:
        """Take credentials out of the fields of values; see `outgoing`."""
        if self.redactor is None or endpoint_of(adapter) is None:
            return list(values)
        return [self.redactor.fields_of(each) for each in values]


class GuardedEmbedder:
    """An embedder whose texts are checked and redacted."""

    def __init__(self, inner: Embedder, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard

    @property
    def identity(self) -> EmbedderIdentity:
        """What made the vectors."""
        with self._guard.sending("the embedder", self._inner, EmbedderError):
            return self._inner.identity

    @property
    def endpoint(self) -> str | None:
        """Where texts are sent, as the embedder says it."""
        return endpoint_of(self._inner)

    @property
    def weak(self) -> bool:
        """True when the vectors compare spelling rather than meaning."""
        return self._inner.weak

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts, without the credentials in them if they may leave the process.

        Raises:
            EmbedderError: The embedder failed, or may not be used any more.
        """
        with self._guard.sending("the embedder", self._inner, EmbedderError):
            return self._inner.embed(self._guard.outgoing(self._inner, list(texts)))

    @property
    def token_space(self) -> str | None:
        """The space of the token vectors; None: there are none."""
        with self._guard.sending("the embedder", self._inner, EmbedderError):
            return token_space_of(self._inner)

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        """Embed texts with their tokens; see `embed`.

        Raises:
            EmbedderError: The embedder failed, or may not be used any more.
        """
        inner = cast(TokenEmbedder, self._inner)
        with self._guard.sending("the embedder", self._inner, EmbedderError):
            return inner.embed_tokens(self._guard.outgoing(self._inner, list(texts)))


class GuardedExtractor:
    """An extractor whose turns are checked and redacted, and so are the facts that it finds."""

    def __init__(self, inner: Extractor, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard

    @property
    def name(self) -> str:
        """Name and version; kept with every fact."""
        return self._inner.name

    @property
    def model(self) -> str:
        """The model behind it, or ""."""
        return self._inner.model

    @property
    def prompt_digest(self) -> str:
        """SHA-256 of the prompt in use, or ""."""
        return self._inner.prompt_digest

    @property
    def immediate(self) -> bool:
        """Whether it is fast enough to run before `add` returns."""
        return self._inner.immediate

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        """Find facts in turns, without the credentials in them if they may leave the process.

        Raises:
            ExtractionError: The extractor failed, or may not be used any more.
        """
        with self._guard.sending("the extractor", self._inner, ExtractionError):
            shown = self._guard.outgoing_fields(self._inner, turns)
            found: Extraction = self._inner.extract(shown, timezone=timezone)
        if self._guard.redactor is None:
            return found
        # Turns that were recorded before anything was redacted are extracted from, too.
        cleaned: Extraction = _redacted(found, self._guard.redactor)
        return cleaned


class GuardedReranker:
    """A reranker whose question and hits are checked and redacted."""

    def __init__(self, inner: Reranker, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard

    @property
    def endpoint(self) -> str | None:
        """Where texts are sent, as the reranker says it."""
        return endpoint_of(self._inner)

    def rerank(self, query: str, docs: Sequence[str]) -> Sequence[Score]:
        """Judge texts, without the credentials in them if they may leave the process.

        Raises:
            RerankerError: The profile does not allow where they would be sent.
        """
        with self._guard.sending("the reranker", self._inner, RerankerError):
            shown = self._guard.outgoing(self._inner, [query, *docs])
            return self._inner.rerank(shown[0], shown[1:])

    def rerank_hits(self, query: str, hits: "Sequence[Hit]") -> Sequence[Score]:
        """Judge hits likewise, by whichever of the two ways the reranker has.

        Raises:
            RerankerError: The profile does not allow where they would be sent.
        """
        inner = self._inner
        if not isinstance(inner, HitReranker):
            return self.rerank(query, [hit.text for hit in hits])
        with self._guard.sending("the reranker", inner, RerankerError):
            shown = [self._clean(hit) for hit in hits]
            return inner.rerank_hits(self._guard.outgoing(inner, query), shown)

    def _clean(self, hit: "Hit") -> "Hit":
        turn, fact = hit.turn, hit.fact
        if turn is not None:
            (turn,) = self._guard.outgoing_fields(self._inner, [turn])
        if fact is not None:
            (fact,) = self._guard.outgoing_fields(self._inner, [fact])
        return replace(hit, turn=turn, fact=fact)


class GuardedArbiter:
    """An arbiter whose facts are checked and redacted."""

    def __init__(self, inner: Arbiter, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard
        self.model = str(getattr(inner, "model", type(inner).__name__))

    def decide(self, new: FactDigest, candidates: Sequence[FactDigest]) -> Verdict:
        """Decide about a new fact."""
        with self._guard.sending("the arbiter", self._inner):
            shown = self._guard.outgoing_fields(self._inner, [new, *candidates])
            return self._inner.decide(shown[0], shown[1:])


class GuardedWriter:
    """A writer of digests whose facts are checked and redacted."""

    def __init__(self, inner: "DigestWriter", guard: Guard) -> None:
        self._inner = inner
        self._guard = guard
        self.name = inner.name
        self.model = inner.model
        self.prompt_digest = inner.prompt_digest

    def write(self, label: str, facts: Sequence[FactDigest]) -> "Digest":
        """Sum up facts.

        Raises:
            EgressRefused: The profile does not allow where they would be sent.
            ExtractionError: The model is out of reach.
        """
        with self._guard.sending("the writer", self._inner):
            shown = self._guard.outgoing_fields(self._inner, facts)
            return self._inner.write(self._guard.outgoing(self._inner, label), shown)


def _redacted(found: Any, redactor: Redactor) -> Any:
    """Redact the facts of an extraction; whatever else an extractor gave is refused elsewhere."""
    if not isinstance(found, Extraction) or not found.facts:
        return found
    return replace(found, facts=tuple(redactor.fields_of(fact) for fact in found.facts))
