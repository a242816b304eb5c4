"""The knobs of an engine, with what each costs."""

from dataclasses import dataclass, field

from smriti_es.captured import Limits
from smriti_es.events.database import BUSY_TIMEOUT_MS
from smriti_es.recall.evidence import PackSettings
from smriti_es.recall.weights import RecallSettings


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine behaves; nothing here changes what is stored.

    Attributes:
        busy_timeout_ms: How long a write waits for another process before `StorageBusy`.
        embed_in_background: Embed new turns in a thread of this process. Off: only
            `wait_for_vectors` and `add(wait_for="vectors")` embed.
        extract_in_background: Run a slow extractor in a thread of its own, and a fast one on
            opening; off: only `extract_pending` does. A fast one always runs before `add` returns.
        graph_threshold: From how many vectors on an hnswlib graph says which are worth comparing.
            It takes 1.7 KB a vector of 384 numbers, on disk and in memory; comparing 100,000 takes
            some ten milliseconds, beside the look-up of words.
        async_threads: How many calls of an `AsyncEngine` run at once, at least 1.
        limits: How much a caller may hand in at once.
        recall: Weights of the ranking.
        packing: Limits of a context.
    """

    busy_timeout_ms: int = BUSY_TIMEOUT_MS
    embed_in_background: bool = True
    extract_in_background: bool = True
    graph_threshold: int = 200_000
    async_threads: int = 8
    limits: Limits = field(default_factory=Limits)
    recall: RecallSettings = field(default_factory=RecallSettings)
    packing: PackSettings = field(default_factory=PackSettings)
