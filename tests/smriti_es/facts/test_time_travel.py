"""A moment in knowledge time: how it is found, and what is seen of it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.events.instants import format_instant, to_datetime
from smriti_es.time_travel import Moment, find_moment
from smriti_es.view import View

Open = Callable[..., Engine]
Story = Callable[..., list[str]]


def moment(memory: Engine, known_at: Any) -> Moment:
    opened = memory._opened
    with opened.database.read() as connection:
        return find_moment(connection, opened.log, known_at, opened.zone)


def known(memory: Engine, position: int) -> int:
    (recorded,) = memory.events(position, position + 1)
    return recorded.header.known


@pytest.fixture
def moved(memory: Engine) -> Engine:
    """Oslo at 1; Pune at 2 with its consequence at 3; an end at 4 with its own at 5."""
    memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024-01-01")
    pune = memory.assert_fact("user", "lives_in", "Pune", valid_from="2025-01-01")
    memory.end_fact(pune, at="2026-01-01")
    assert memory.head == 5
    return memory


@pytest.mark.parametrize(("position", "end"), [(0, 0), (1, 1), (2, 3), (3, 3), (4, 5), (5, 5)])
def test_a_position_is_taken_to_the_end_of_its_commit(
    position: int, end: int, moved: Engine
) -> None:
    assert moment(moved, position) == Moment(end, known(moved, end), provisional=False)


@pytest.mark.parametrize("position", [-1, 6, 10**15])
def test_a_position_outside_the_log_is_none(position: int, moved: Engine) -> None:
    with pytest.raises(NotFound):
        moment(moved, position)


@pytest.mark.parametrize("nothing", [True, "soon", "", [1], None])
def test_what_is_neither_a_position_nor_a_time_is_refused(nothing: Any, moved: Engine) -> None:
    with pytest.raises(InvalidInput):
        moment(moved, nothing)


@pytest.mark.parametrize("end", [0, 1, 3])
def test_a_time_finds_the_last_commit_known_by_then(end: int, moved: Engine) -> None:
    at, following = known(moved, end), known(moved, end + 1)
    for time in (at, at + 1, following - 1):
        assert moment(moved, format_instant(time)) == Moment(end, at, provisional=False)
        assert moment(moved, to_datetime(time)) == Moment(end, at, provisional=False)


def test_a_time_at_or_past_the_head_is_provisional(moved: Engine) -> None:
    last = known(moved, 5)
    for time in (format_instant(last), format_instant(last + 1), "2200-01-01"):
        assert moment(moved, time) == Moment(5, last, provisional=True)


def test_a_time_without_an_offset_is_read_in_the_zone_of_the_memory(engine: Open) -> None:
    memory = engine(extractor=None, timezone="Asia/Kolkata")  # founded at 15:30 there
    assert moment(memory, "2026-06-02T15:30:00").position == 0
    with pytest.raises(NotFound):
        moment(memory, "2026-06-02T10:00:00")


@pytest.mark.parametrize("before", ["2026-06-02T09:59:59.999999Z", "2026", "1999-01-01"])
def test_before_the_log_existed_nothing_was_known(before: str, moved: Engine) -> None:
    for read in (moved.at, moved.replay):
        with pytest.raises(NotFound):
            read(before)
    with pytest.raises(NotFound):
        moved.facts(known_at=before)


def test_half_a_commit_is_never_seen_also_when_the_clock_steps_back(
    memory: Engine, clock: Any
) -> None:
    memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024-01-01")
    clock.now -= 3_600_000_000
    pune = memory.assert_fact("user", "lives_in", "Pune", valid_from="2025-01-01")
    assert known(memory, pune) == known(memory, pune - 1) + 1
    for position in (pune, pune + 1):
        seen = memory.at(position).facts(valid_at="2026-01-01", statuses=None)
        assert [(fact.object, fact.status) for fact in seen] == [
            ("Oslo", "superseded"),
            ("Pune", "current"),
        ]
    assert [fact.object for fact in memory.facts(known_at=format_instant(known(memory, 1)))] == [
        "Oslo"
    ]


def test_a_view_sees_intervals_as_they_were_believed_then(moved: Engine, story: Story) -> None:
    assert story(moved.at(1)) == ["Oslo 2024-01-01.. current"]
    assert story(moved.at(2)) == [
        "Oslo 2024-01-01..2025-01-01 superseded",
        "Pune 2025-01-01.. current",
    ]
    assert story(moved)[1] == "Pune 2025-01-01..2026-01-01 ended"


def test_both_times_may_be_asked_at_once(memory: Engine) -> None:
    """What was known in July of June, and in September of June: a late fact in the middle."""
    memory.assert_fact("user", "lives_in", "Oslo", valid_from="2025-01-01")
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2025-06-01")
    july = memory.head
    memory.assert_fact("user", "lives_in", "Bergen", valid_from="2025-03-01")
    (then,) = memory.facts(valid_at="2025-04-01", known_at=july)
    (now,) = memory.facts(valid_at="2025-04-01")
    assert (then.object, then.interval[1]) == ("Oslo", "2025-06-01T00:00:00.000000Z")
    assert (now.object, now.interval[1]) == ("Bergen", "2025-06-01T00:00:00.000000Z")


def test_when_it_ended_and_when_that_was_learned_are_two_times(memory: Engine, clock: Any) -> None:
    """Hyderabad until June, as was learned in July."""
    july = clock.now + 30 * 86_400_000_000
    memory.assert_fact("user", "lives_in", "Hyderabad", valid_from="2026-01-01")
    clock.now = july
    memory.assert_fact("user", "lives_in", "Bengaluru", valid_from="2026-06-01")
    clock.now = july + 30 * 86_400_000_000
    ended, learned = memory.history("user", "lives_in")[0].revisions
    assert ended.known_to == learned.known_from >= july
    assert memory.history("user", "lives_in")[0].fact.interval[1] == "2026-06-01T00:00:00.000000Z"
    for asked, expected in {
        (None, None): "Bengaluru",
        ("2026-02-01", None): "Hyderabad",
        ("2026-02-01", "2026-08-01"): "Hyderabad",
        (None, "2026-06-03"): "Hyderabad",
        ("2026-06-20", "2026-06-20"): "Hyderabad",
        ("2026-06-20", None): "Bengaluru",
    }.items():
        (fact,) = memory.facts("user", "lives_in", valid_at=asked[0], known_at=asked[1])
        assert fact.object == expected, asked


def test_the_world_time_of_a_view_is_no_later_than_its_knowledge_time(
    memory: Engine, clock: Any
) -> None:
    memory.assert_fact("user", "works_at", "Acme", valid_from="2024")
    memory.assert_fact("user", "works_at", "Birch", valid_from="2026-07-01")
    then = memory.head
    clock.now += 365 * 86_400_000_000
    assert [fact.object for fact in memory.facts()] == ["Birch"]
    assert [fact.object for fact in memory.at(then).facts()] == ["Acme"]
    assert [f.object for f in memory.at(then).facts(statuses=["scheduled"])] == ["Birch"]
    assert [f.object for f in memory.at(then).facts(valid_at="2026-07-01")] == ["Birch"]
    with memory.replay(then) as replay:
        assert [fact.object for fact in replay.facts()] == ["Acme"]


def test_a_view_of_the_past_leaks_nothing_that_came_later(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    (first,) = memory.add("Rachel | lives_in | Oslo | from=2024", session="a").facts
    then = memory.head
    view = memory.at(then)
    memory.add("Rachel | lives_in | Oslo | from=2025", session="a")
    memory.add("Rachel | lives_in | Pune | from=2026", session="b")
    memory.alias("Rae", "Rachel")
    derived = memory.assert_fact("Rachel", "pays", "tax", because=[first])
    memory.retract(first)
    (fact,) = view.facts("Rachel")
    assert (fact.restated_by, fact.superseded_by, fact.valid_to) == ((), None, None)
    ((revision,),) = [each.revisions for each in view.history()]
    assert (revision.known_to, revision.state) == (None, "admitted")
    assert view.facts("Rae") == []
    assert view.names_of("Rae") == ("rae",)
    assert [cause.type for cause in view.explain(first).decided] == []
    assert [turn.text for turn in view.turns()] == ["Rachel | lives_in | Oslo | from=2024"]
    assert [(session.name, session.turns) for session in view.sessions()] == [("a", 1)]
    assert view.head == then == list(view.events())[-1].position
    found = view.search("Rachel Pune tax Oslo", history=True)
    assert [hit.position for hit in found] == [view.turns()[0].position]
    known = view.context("Rachel Pune tax Oslo", history=True).facts
    assert [each.position for each in known] == [first]
    for later in (derived, derived + 1):
        with pytest.raises(NotFound):
            view.explain(later)


def test_a_view_cannot_be_asked_beyond_what_it_knows(moved: Engine, story: Story) -> None:
    view = moved.at(1)
    assert story(view, known_at=5) == story(view, known_at="2200-01-01") == story(view)
    assert view.facts(known_at=5) == view.facts()
    assert story(moved.at(5), known_at=1) == story(view)


def test_a_view_stays_as_it_is_whatever_is_written(moved: Engine, story: Story) -> None:
    view = moved.at(moved.head)
    before = (story(view), view.context("where does the user live?").text)
    moved.assert_fact("user", "lives_in", "Bergen", valid_from="2025-06-01")
    moved.retract(1)
    assert (story(view), view.context("where does the user live?").text) == before


def test_a_view_has_every_read_and_no_write(moved: Engine) -> None:
    view = moved.at(1)
    for read in ("facts", "history", "explain", "search", "context", "turns", "sessions", "events"):
        assert callable(getattr(view, read))
    for write in ("add", "assert_fact", "retract", "end_fact", "alias", "unalias", "rebuild"):
        assert not hasattr(view, write)


def test_a_replay_needs_no_projection_of_the_live_memory(
    moved: Engine, story: Story, tamper: Any
) -> None:
    expected = story(moved.at(3))
    with moved._opened.database.write() as connection:
        for table in ("fact_v3_g1", "fact_revision_v1_g1", "turn_v1_g1", "document_v2_g1"):
            connection.exec_driver_sql(f"DELETE FROM {table}")
    with moved.replay(3) as replay:
        assert story(replay) == expected
        assert isinstance(replay, View)


def test_a_replay_changes_nothing_in_the_live_memory(moved: Engine) -> None:
    before = (moved.head, moved.status())
    with moved.replay(3) as replay:
        replay.context("where does the user live?")
        assert (replay.head, replay.timezone) == (3, "UTC")
    assert moved.head == before[0]
    assert moved.status().events == before[1].events
    assert moved.verify().ok


def test_a_replay_verifies_as_a_log_of_its_own(moved: Engine) -> None:
    from smriti_es.events.verification import verify_log

    with moved.replay(2) as replay:
        assert verify_log(replay._opened.log).ok
        assert [e.leaf for e in replay.events()] == [e.leaf for e in moved.events(0, 4)]


def test_what_changed_between_two_moments_is_told_with_its_cause(moved: Engine, told: Any) -> None:
    changes = moved.diff(1, 5)
    assert [(c.kind, c.position, c.cause) for c in changes] == [
        ("re-dated", 1, 3),
        ("believed", 2, 5),
    ]
    oslo, pune = changes
    assert oslo.before is not None
    assert told(oslo.before) == "Oslo 2024-01-01.. current"
    assert told(oslo.after) == "Oslo 2024-01-01..2025-01-01 superseded"
    assert pune.before is None
    assert told(pune.after) == "Pune 2025-01-01..2026-01-01 ended"


def test_every_kind_of_change_is_told(memory: Engine) -> None:
    def kinds(start: int) -> list[tuple[str, int]]:
        return [(change.kind, change.position) for change in memory.diff(start, memory.head)]

    oslo = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024")
    again = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2026")
    start = memory.head
    assert kinds(0) == [("believed", oslo), ("believed", again)]
    pune = memory.assert_fact("user", "lives_in", "Pune", valid_from="2025")
    assert kinds(start) == [("re-dated", oslo), ("reopened", again), ("believed", pune)]
    parted = memory.head
    memory.retract(pune)
    assert kinds(parted) == [("re-dated", oslo), ("restated", again), ("no longer believed", pune)]
    assert kinds(start) == []
    assert kinds(memory.head) == []


def test_changes_are_told_of_one_subject_predicate_or_scope(memory: Engine) -> None:
    rachel = memory.assert_fact("Rachel", "lives_in", "Oslo")
    user = memory.assert_fact("user", "lives_in", "Pune", scope="project:Atlas")
    memory.alias("Rae", "Rachel")

    def positions(**narrowed: Any) -> list[int]:
        return [change.position for change in memory.diff(0, memory.head, **narrowed)]

    assert positions() == [rachel, user]
    assert positions(subject="rae") == [rachel]
    assert positions(predicate="Lives in") == [rachel, user]
    assert positions(scopes=[]) == [rachel]
    assert positions(predicate="likes") == []


def test_an_alias_alone_changes_no_belief(memory: Engine) -> None:
    memory.assert_fact("Rae", "likes", "tea", multi=True)
    start = memory.head
    memory.alias("Rae", "Rachel")
    assert memory.diff(start, memory.head, subject="Rachel") == []
    changed = memory.assert_fact("Rachel", "likes", "tea", multi=True)
    memory.end_fact(2 - 1, at=datetime(2030, 1, 1, tzinfo=UTC))
    told = memory.diff(start, memory.head, subject="Rachel")
    assert [(c.kind, c.position) for c in told] == [("re-dated", 1), ("believed", changed)]


def test_the_later_of_two_moments_must_not_lie_before_the_earlier(moved: Engine) -> None:
    with pytest.raises(InvalidInput):
        moved.diff(5, 1)
    with pytest.raises(NotFound):
        moved.diff(0, 99)


def test_a_view_compares_what_it_knows_itself_and_no_more(moved: Engine, told: Any) -> None:
    changes = moved.at(3).diff(1, "2200-01-01")
    assert [(c.kind, told(c.fact)) for c in changes] == [
        ("re-dated", "Oslo 2024-01-01..2025-01-01 superseded"),
        ("believed", "Pune 2025-01-01.. current"),
    ]
    with moved.replay(3) as replay:
        assert replay.diff(1, "2200-01-01") == changes
