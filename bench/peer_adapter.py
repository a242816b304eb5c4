"""This library as the harness of peers drives it: one file, put among its adapters.

The harness subtracts the time inside its embedder; what it hands in is stored and embedded as it is
(`speaker: text`), and a session's turns have their vectors when `add` returns, as with every peer.
`tokens` has the library use its own default embedder instead, with late interaction.
"""

from pathlib import Path
from typing import Any, Final

from adapters.base import Adapter  # type: ignore[import-not-found]  # of the harness

from smriti_es import CallableEmbedder, Engine, MiniLMEmbedder, Settings, __version__

_DIMENSION: Final = 384


class SmritiES(Adapter):  # type: ignore[misc]  # of the harness
    """A memory of one file."""

    durability = "SQLite WAL, synchronous=FULL: one commit a session, then one for its vectors"

    def imports(self) -> None:
        """Say which version this is; it is imported already."""
        self.version = __version__
        self.turn_of: dict[str, str] = {}

    def open(self, path: str, embedder: Any) -> None:
        """Open or make the memory in a folder."""
        own = CallableEmbedder(embedder.embed, dimension=_DIMENSION, model="the harness's vectors")
        self.memory = Engine.open(
            Path(path, "memory.db"),
            embedder=MiniLMEmbedder() if self.kw.get("tokens") else own,
            extractor=None,
            settings=Settings(embed_in_background=False),
        )

    def add(self, session_id: str, turns: list[Any]) -> None:
        """Record one session and make its vectors."""
        messages = [{"role": "user", "content": turn.stored} for turn in turns]
        added = self.memory.add(messages, session=session_id, at=turns[0].ts)
        for position, turn in zip(added.positions, turns, strict=True):
            self.turn_of[str(position)] = turn.id
        self.memory.wait_for_vectors()

    def search(self, query: str, k: int, now: str) -> list[tuple[str, float]]:
        """Give turns, best first."""
        found = self.memory.search(query, k=k, now=now)
        return [(self.turn_of[str(hit.position)], float(hit.score)) for hit in found]

    def close(self) -> None:
        """Close the memory."""
        self.memory.close()

    def state(self) -> dict[str, str]:
        """Give which turn lies at which position."""
        return self.turn_of

    def load_state(self, state: dict[str, str]) -> None:
        """Take that up in another process."""
        self.turn_of = dict(state)
