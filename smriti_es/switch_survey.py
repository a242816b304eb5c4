"""What it costs to make vectors: counted over what is embedded, or estimated from a sample."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from smriti_es.embedding import EmbedTurns, about_tokens
from smriti_es.events.records import RecordedEvent
from smriti_es.projections.folding_together import BATCH
from smriti_es.projections.items import items
from smriti_es.projections.projector import Progress, Projector
from smriti_es.projections.vectors.projection import EmbeddedText, VectorsProjection
from smriti_es.projections.vectors.tables import STORED
from smriti_es.projections.vectors.token_rows import PIECES_MAX

# Enough for the speed of a model, few enough for a service that is paid by the text.
SAMPLE: Final = 128


@dataclass(slots=True)
class Cost:
    """What was, or would be, embedded.

    Attributes:
        items: How many turns and facts.
        characters: Of their texts.
        tokens: About how many tokens a model reads of them.
        size_bytes: Bytes of their vectors and token vectors, indexes apart.
        seconds: How long it takes.
    """

    items: int = 0
    characters: int = 0
    tokens: int = 0
    size_bytes: int = 0
    seconds: float = 0.0

    def count(self, texts: Sequence[str]) -> None:
        """Add texts to what is embedded."""
        self.items += len(texts)
        self.characters += sum(map(len, texts))
        self.tokens += sum(map(about_tokens, texts))


@dataclass(frozen=True, slots=True)
class CountedTurns:
    """Embeds turns, and counts what that costs.

    Attributes:
        inner: What embeds them.
        cost: What it cost so far, without the time.
    """

    inner: EmbedTurns
    cost: Cost = field(default_factory=Cost)

    @property
    def identity(self) -> str:
        """Identity of the embedder as canonical JSON."""
        return self.inner.identity

    def embed_texts(self, texts: Sequence[str]) -> list[EmbeddedText]:
        """Embed texts, one entry each, in order; see `EmbedTurns`."""
        outcomes = self.inner.embed_texts(texts)
        self.cost.count(texts)
        self.cost.size_bytes += sum(map(_stored_bytes, outcomes))
        return outcomes


@dataclass(slots=True)
class Survey:
    """Looks through a log for what would be embedded, and measures a sample of it.

    Attributes:
        projector: The runner of the log.
        projection: The vectors as the embedder would make them.
        turns: Embeds the sample.
        withheld: How many turns and facts the embedder would not be shown.
    """

    projector: Projector
    projection: VectorsProjection
    turns: EmbedTurns
    withheld: int = 0

    def cost(self, start: int, progress: Progress) -> Cost:
        """Estimate what it costs to embed everything from a position on.

        Raises:
            EmbedderError: The embedder fails on the sample.
        """
        cost, sample, stride = Cost(), list[str](), 1
        for texts in self._texts(start, progress):
            for text in texts:
                if cost.items % stride == 0:
                    sample.append(text)
                if len(sample) > SAMPLE:  # of a long log every second, every fourth ...
                    sample, stride = sample[::2], 2 * stride
                cost.count([text])
        if sample:
            measured = self._measured(sample)
            share = cost.characters / max(1, measured.characters)
            cost.seconds = measured.seconds * share
            cost.size_bytes = round(measured.size_bytes * share)
        return cost

    def _texts(self, start: int, progress: Progress) -> Iterator[list[str]]:
        size = self.projector.log.head + 1
        while start < size:
            progress("look", start, size)
            events = self.projector.events_from(start, BATCH)
            if not events:
                break
            start += len(events)
            yield self._shown(self.projector.without_skipped(self.projection.name, events))
        progress("look", size, size)

    def _shown(self, events: Sequence[RecordedEvent]) -> list[str]:
        found = {item.recorded.position: item.meaning for item in items(events)}
        withheld = self.projection.withheld_among(list(found)) if found else frozenset()
        self.withheld += len(withheld)
        return [text for position, text in found.items() if position not in withheld]

    def _measured(self, sample: Sequence[str]) -> Cost:
        """Embed a sample; the first text apart, for with it a model is loaded."""
        self.turns.embed_texts(sample[:1])
        counted = CountedTurns(self.turns)
        started = time.monotonic()
        counted.embed_texts(sample)
        counted.cost.seconds = time.monotonic() - started
        return counted.cost


def _stored_bytes(outcome: EmbeddedText) -> int:
    vectors = 0 if outcome.vectors is None else outcome.vectors.size * STORED.itemsize
    return int(vectors + sum(each.size for each in outcome.tokens[:PIECES_MAX]))
