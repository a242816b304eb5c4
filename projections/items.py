"""What can be found: turns and facts, each by its position, as text for words and for meaning."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from smriti_es.events.catalogue import FactAsserted, TurnRecorded
from smriti_es.events.catalogue.facts import DIGEST
from smriti_es.events.records import RecordedEvent


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be found.

    Attributes:
        recorded: The event that it is.
        words: Text for the lexical index.
        meaning: Text to embed: with the speaker, without whom recall halves, and with the scope.
    """

    recorded: RecordedEvent
    words: str
    meaning: str


def items(events: Iterable[RecordedEvent]) -> Iterator[Item]:
    """Pick the turns and facts whose content is still there.

    A digest is left out: it is found through the facts that it sums up.
    """
    for recorded in events:
        match recorded.event:
            case TurnRecorded() as turn:
                text = f"{turn.name}: {turn.text}" if turn.name else turn.text
                yield Item(recorded, text, text)
            case FactAsserted() as fact if fact.kind != DIGEST:
                keys = " ".join(fact.search_keys)
                scope = f" scope:{fact.scope}" if fact.scope else ""
                yield Item(recorded, f"{fact.statement} {keys}", fact.statement + scope)
            case _:
                continue
