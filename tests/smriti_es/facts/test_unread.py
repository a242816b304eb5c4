"""An answer says in how many of the turns that it saw nobody has looked for facts yet."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.settings import Settings

Open = Callable[..., Engine]
Extracting = Callable[..., Any]
OSLO = "Rachel | lives_in | Oslo"
BROKEN = "Rachel | FAIL | Pune"
WHERE = "Where does Rachel live?"
BY_HAND = Settings(embed_in_background=False, extract_in_background=False)
FAILED_ONCE = "extraction: failed for 1 turn; `smriti-es extract retry` tries again"


def unread(memory: Any, **options: Any) -> int:
    """What a search and a context say; they say the same."""
    found: int = memory.search(WHERE, **options).unread
    assert memory.context(WHERE, **options).unread == found
    return found


def told(memory: Any) -> list[str]:
    """What did not take part, without the missing embedder of these memories."""
    return [said for said in memory.search(WHERE).degraded if not said.startswith("semantic")]


@pytest.fixture
def waiting(engine: Open, line_extractor: Extracting) -> Engine:
    """Two turns in one session and one in another, which nobody has read yet."""
    memory = engine(extractor=line_extractor(immediate=False), settings=BY_HAND)
    memory.add(
        [{"role": "user", "content": OSLO}, {"role": "user", "content": "Rain."}], session="a"
    )
    memory.add("Snow.", session="b")
    return memory


def test_turns_that_wait_are_counted_until_they_were_read(waiting: Engine) -> None:
    assert unread(waiting) == 3
    assert told(waiting) == []
    waiting.extract_pending()
    assert unread(waiting) == 0


def test_only_turns_that_the_read_may_see_are_counted(waiting: Engine) -> None:
    assert unread(waiting, sessions=["a"]) == 2
    assert unread(waiting, sessions=["b"]) == 1


def test_an_extractor_that_reads_at_once_leaves_none(
    engine: Open, line_extractor: Extracting
) -> None:
    memory = engine(extractor=line_extractor(), settings=BY_HAND)
    memory.add(OSLO, session="a")
    assert unread(memory) == 0


def test_turns_that_an_extraction_failed_on_are_counted_and_told(
    engine: Open, line_extractor: Extracting
) -> None:
    memory = engine(extractor=line_extractor(), settings=BY_HAND)
    memory.add(OSLO, session="a")
    memory.add(BROKEN, session="b")
    assert unread(memory) == 1
    assert told(memory) == [FAILED_ONCE]
    assert unread(memory, sessions=["a"]) == 0
    assert FAILED_ONCE in memory.context(WHERE).degraded


def test_once_it_went_well_nothing_is_told(engine: Open, line_extractor: Extracting) -> None:
    lines = line_extractor(broken=True)
    memory = engine(extractor=lines, settings=BY_HAND)
    memory.add(OSLO, session="a")
    memory.add("Rachel | likes | rain", session="b")
    assert told(memory) == [FAILED_ONCE.replace("1 turn", "2 turns")]
    lines.broken = False
    memory.extract_pending()
    assert (unread(memory), told(memory)) == (0, [])


def test_a_turn_that_waits_and_failed_is_counted_once(
    engine: Open, line_extractor: Extracting
) -> None:
    engine(extractor=line_extractor(), settings=BY_HAND).add(BROKEN, session="a")
    # Another process knows how far extraction came when that was last written down.
    other = engine(extractor=None, read_only=True)
    assert unread(other) == 1
    assert told(other) == [FAILED_ONCE]


def test_where_nobody_ever_extracts_nothing_waits(memory: Engine) -> None:
    memory.add("Rain.", session="a")
    assert unread(memory) == 0


def test_an_engine_without_an_extractor_counts_what_others_have_left(
    waiting: Engine, engine: Open
) -> None:
    waiting.close()
    assert unread(engine(extractor=None)) == 3


def test_the_past_waits_for_nothing_and_is_as_in_a_replay(waiting: Engine) -> None:
    waiting.add(BROKEN, session="c")
    waiting.extract_pending(retry=False)
    assert told(waiting) == [FAILED_ONCE]
    head = waiting.head
    assert unread(waiting, known_at=head) == unread(waiting.at(head)) == 0
    with waiting.replay(head) as replay:
        assert replay.search(WHERE) == waiting.at(head).search(WHERE)
