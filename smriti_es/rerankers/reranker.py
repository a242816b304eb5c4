"""What a reranker is: anything that says how well texts answer a question."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from smriti_es.results import Hit

# A judge's word on one text; None where it has none.
Score = float | None


class Reranker(Protocol):
    """Judges texts.

    Attributes:
        endpoint: Where it sends what it is handed, as an address; None: nowhere.
    """

    @property
    def endpoint(self) -> str | None:
        """Where texts are sent, or None."""
        ...

    def rerank(self, query: str, docs: Sequence[str]) -> Sequence[Score]:
        """Say how well each text answers a question.

        Args:
            query: The question.
            docs: The texts, in the order of the ranking so far.

        Returns:
            One score for each, higher is better; None, or a number that is not finite, for a text
            that could not be judged.
        """
        ...


@runtime_checkable
class HitReranker(Protocol):
    """A reranker that wants to know more than the text; it is asked so instead of by `rerank`."""

    def rerank_hits(self, query: str, hits: "Sequence[Hit]") -> Sequence[Score]:
        """Say how well each hit answers a question; see `Reranker.rerank`.

        Args:
            query: The question.
            hits: Turns and facts, in the order of the ranking so far, with scores and channels.
        """
        ...
