"""A conversation as a framework keeps it: items in order, the newest withheld when it is popped."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from smriti_es.engine import Engine
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.errors import NotFound
from smriti_es.results import RecordedTurn

_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Conversation:
    """One session of a memory, whose turns are items of a framework.

    Attributes:
        engine: The memory.
        session: Name of the session, unique within the space that the engine writes to.
        beside: Under which key of a message the item itself is kept, as JSON.
    """

    engine: Engine
    session: str
    beside: str

    def add(self, said: Sequence[tuple[dict[str, Any], Mapping[str, Any] | None]]) -> None:
        """Record items, all of them or none: of each a message, and the item where it is kept.

        Each has an id of its own: an item that is popped and added again is said again.
        """
        messages = [
            message | {"id": uuid4().hex} | ({} if item is None else {self.beside: _json(item)})
            for message, item in said
        ]
        if messages:
            self.engine.add(messages, session=self.session)

    def items(self, limit: int | None = None) -> list[Any]:
        """Give the items, or the newest of them, oldest first."""
        newest: list[RecordedTurn] = []
        for turn in self.newest_first():
            if len(newest) == limit:
                break
            newest.append(turn)
        return [self.item(turn) for turn in reversed(newest)]

    def newest_first(self) -> Iterator[RecordedTurn]:
        """Give the turns that may be read, newest first."""
        after: int | None = None
        while True:
            try:
                page = self.engine.turns(
                    sessions=[self.session],
                    spaces=[self.engine._opened.space],
                    newest=True,
                    limit=_PAGE,
                    after=after,
                )
            except NotFound:
                return  # nothing has been said yet
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].position

    def item(self, turn: RecordedTurn) -> Any:
        """Give the item that a turn is: as it was kept, else by what the turn says."""
        (recorded,) = self.engine.events(turn.position, turn.position + 1)
        event = recorded.event
        kept = event.extra.get(self.beside) if isinstance(event, TurnRecorded) else None
        return {"role": turn.role, "content": turn.text} if kept is None else json.loads(kept)

    def withhold(self, turns: Sequence[RecordedTurn], reason: str) -> None:
        """Quarantine turns, with all that was derived from them."""
        for turn in turns:
            self.engine.quarantine(turn=turn.position, reason=reason)


def _json(item: Mapping[str, Any]) -> str:
    # As text, for a memory leaves pictures and sound out of what is no text.
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))
