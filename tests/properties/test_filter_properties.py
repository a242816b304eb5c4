"""A filter finds exactly what it says, in lists and in searches, whatever else is in the file."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.filters import matches, parse_filter
from smriti_es.results import RecordedTurn
from smriti_es.settings import Settings

Shared = Callable[..., Engine]
NUMBERS = count()
# Each example records turns in one memory, which only grows: many cost more than their number.
often = settings(max_examples=1_000 if os.environ.get("SMRITI_ES_GUARANTEES") == "1" else 50)
ROLES = ("user", "assistant", "system", "tool")
TAGS = ("garden", "kiln", "Ärger", "a b", "%")
EPOCH = datetime(2026, 5, 1, tzinfo=UTC)

KEYS = st.sampled_from(["level", "topic", "Тема", "a.b"])
TEXTS = st.sampled_from(["", "kiln", "Kiln", "kilns", "ä", "z", "😀", "%", "1", "true"])
INTEGERS = st.integers(-3, 3) | st.sampled_from([2**53, -(2**53)])
REALS = st.sampled_from([0.5, -0.5, 1.0, 2.0, -0.0, 1e300, 5e-324])
SCALARS = TEXTS | INTEGERS | REALS | st.booleans()
METADATA = st.dictionaries(KEYS, SCALARS | st.lists(SCALARS, max_size=3), max_size=3)


def comparisons() -> st.SearchStrategy[Any]:
    orderable = TEXTS | INTEGERS | REALS
    ends = st.one_of(
        st.tuples(TEXTS, TEXTS).map(sorted), st.tuples(INTEGERS | REALS, INTEGERS).map(sorted)
    )
    operations = st.one_of(
        st.dictionaries(st.sampled_from(["eq", "ne"]), SCALARS, min_size=1),
        st.fixed_dictionaries({"in": st.lists(SCALARS, max_size=3)}),
        st.dictionaries(st.sampled_from(["gt", "gte", "lt", "lte"]), orderable, min_size=1),
        st.fixed_dictionaries({"range": ends}),
        st.fixed_dictionaries({"contains": TEXTS.filter(bool)}),
    )
    return st.dictionaries(KEYS, SCALARS | operations, min_size=1, max_size=2)


FILTERS = st.recursive(
    comparisons(),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"$and": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"$or": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"$not": inner}),
    ),
    max_leaves=4,
)


def above_zero(texts: list[str]) -> list[list[float]]:
    """Vectors of which any two have a cosine above 0: the semantic channel compares every turn."""
    return [[1.0, 1.0 + len(text) % 5, 1.0 + sum(map(ord, text)) % 7] for text in texts]


@pytest.fixture(scope="module")
def shared(places_in: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Open engines on one memory that all examples share; each uses sessions of its own."""
    place = places_in(tmp_path_factory.mktemp("shared")).another()
    opened: dict[tuple[tuple[str, object], ...], Engine] = {}

    def open_engine(*, semantic: bool = False, **options: Any) -> Engine:
        key = tuple(sorted({**options, "semantic": semantic}.items()))
        if key not in opened:
            embedder = CallableEmbedder(above_zero, model="above-zero", dimension=3)
            opened[key] = Engine.open(
                place,
                embedder=embedder if semantic else None,
                settings=Settings(embed_in_background=False),
                **options,
            )
        return opened[key]

    yield open_engine
    for engine in opened.values():
        engine.close()


@dataclass(frozen=True)
class Said:
    """A turn about to be recorded."""

    text: str
    role: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    day: int
    kind: str

    def message(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "content": self.text,
            "tags": list(self.tags),
            "metadata": self.metadata,
            "timestamp": EPOCH + timedelta(days=self.day),
            "kind": self.kind,
        }


TURNS = st.lists(
    st.builds(
        Said,
        text=st.sampled_from(["A pear.", "Two pears, and a plum.", "Nothing of the kind.", "梨"]),
        role=st.sampled_from(ROLES),
        tags=st.lists(st.sampled_from(TAGS), max_size=3).map(tuple),
        metadata=METADATA,
        day=st.integers(0, 6),
        kind=st.sampled_from(["message", "note"]),
    ),
    min_size=1,
    max_size=8,
)


def record(memory: Engine, turns: Sequence[Said]) -> tuple[str, list[RecordedTurn]]:
    """Record turns as a session of its own; gives its name and what was stored."""
    session = f"session {next(NUMBERS)}"
    memory.add([turn.message() for turn in turns], session=session)
    stored = memory.turns(sessions=[session])
    assert [turn.text for turn in stored] == [turn.text for turn in turns]
    return session, stored


@often
@given(turns=TURNS, where=FILTERS)
def test_a_filter_on_metadata_lists_what_its_plain_meaning_says(
    shared: Shared, turns: list[Said], where: dict[str, Any]
) -> None:
    memory = shared()
    session, stored = record(memory, turns)
    condition = parse_filter(where)
    expected = [turn.position for turn in stored if matches(condition, turn.metadata)]
    assert [t.position for t in memory.turns(sessions=[session], where=where)] == expected


@often
@given(metadata=METADATA, where=FILTERS)
def test_a_filter_on_sessions_means_the_same(
    shared: Shared, metadata: dict[str, Any], where: dict[str, Any]
) -> None:
    memory = shared(tenant="sessions")
    name, tag = f"session {next(NUMBERS)}", f"tag {next(NUMBERS)}"
    memory.add("A pear.", session=name, session_metadata=metadata, session_tags=[tag])
    expected = [name] if matches(parse_filter(where), metadata) else []
    assert [session.name for session in memory.sessions(tags=[tag], where=where)] == expected


NARROWINGS = st.fixed_dictionaries(
    {},
    optional={
        "where": FILTERS,
        "tags": st.lists(st.sampled_from(TAGS), min_size=1, max_size=2),
        "tags_any": st.lists(st.sampled_from(TAGS), min_size=1, max_size=3),
        "roles": st.lists(st.sampled_from(ROLES), min_size=1, max_size=2),
        "kinds": st.lists(st.sampled_from(["message", "note"]), min_size=1, max_size=2),
        "since": st.integers(0, 6).map(lambda day: EPOCH + timedelta(days=day)),
        "until": st.integers(0, 6).map(lambda day: EPOCH + timedelta(days=day)),
    },
)


def passes(turn: RecordedTurn, narrowed: Mapping[str, Any]) -> bool:
    said_at = EPOCH + timedelta(microseconds=turn.said_at - int(EPOCH.timestamp()) * 1_000_000)
    return (
        matches(parse_filter(narrowed.get("where")), turn.metadata)
        and set(narrowed.get("tags", ())) <= set(turn.tags)
        and ("tags_any" not in narrowed or bool(set(narrowed["tags_any"]) & set(turn.tags)))
        and ("roles" not in narrowed or turn.role in narrowed["roles"])
        and ("kinds" not in narrowed or turn.kind in narrowed["kinds"])
        and ("since" not in narrowed or said_at >= narrowed["since"])
        and ("until" not in narrowed or said_at < narrowed["until"])
    )


@often
@given(turns=TURNS, narrowed=NARROWINGS)
def test_every_filter_lists_what_its_plain_meaning_says(
    shared: Shared, turns: list[Said], narrowed: dict[str, Any]
) -> None:
    memory = shared()
    session, stored = record(memory, turns)
    expected = [turn.position for turn in stored if passes(turn, narrowed)]
    found = memory.turns(sessions=[session], **narrowed)
    assert [turn.position for turn in found] == expected
    newest = memory.turns(sessions=[session], newest=True, limit=2, **narrowed)
    assert [turn.position for turn in newest] == expected[::-1][:2]


@often
@given(turns=TURNS, narrowed=NARROWINGS, k=st.integers(1, 9))
def test_a_filtered_search_is_never_short_and_never_shows_what_the_filter_leaves_out(
    shared: Shared, turns: list[Said], narrowed: dict[str, Any], k: int
) -> None:
    memory = shared(semantic=True, tenant="searched")
    session, stored = record(memory, turns)
    memory.wait_for_vectors()
    expected = {turn.position for turn in stored if passes(turn, narrowed)}
    whole = memory.search("How many pears?", k=100, sessions=[session], **narrowed)
    assert {hit.position for hit in whole} == expected
    some = memory.search("How many pears?", k=k, sessions=[session], **narrowed)
    assert list(some) == list(whole)[:k]
    shown = memory.context("How many pears?", sessions=[session], **narrowed)
    assert {each.position for each in shown.evidence} <= expected


def test_a_search_for_more_than_the_channels_nominate_is_not_short(shared: Shared) -> None:
    memory = shared(semantic=True, tenant="many")
    texts = [f"Pear number {number}." for number in range(450)]
    memory.add(
        [
            {"role": "user", "content": text, "tags": ["even"] * (n % 2)}
            for n, text in enumerate(texts)
        ],
        session="many",
    )
    memory.wait_for_vectors()
    assert len(memory.search("zebra", k=449)) == 449
    assert len(memory.search("pear", k=500)) == 450
    assert len(memory.search("zebra", k=400, tags=["even"])) == 225


def test_a_filter_as_large_as_is_allowed_is_answered(shared: Shared) -> None:
    memory = shared()
    session, _ = record(
        memory, [Said("A pear.", "user", (), {"level": 7, "topic": "last"}, 0, "note")]
    )
    choices = [[f"{number} {choice}" for choice in range(499)] for number in range(60)]
    where = {"$or": [{"topic": {"in": [*each, number]}} for number, each in enumerate(choices)]}
    assert memory.turns(sessions=[session], where=where) == []
    where["$or"].append({"topic": {"in": [*choices[0], "last"]}})
    assert len(memory.turns(sessions=[session], where=where)) == 1


@often
@given(before=TURNS, others=TURNS, more=TURNS)
def test_what_a_read_may_not_see_moves_no_score(
    shared: Shared, before: list[Said], others: list[Said], more: list[Said]
) -> None:
    memory = shared(semantic=True, tenant="scored")
    session, _ = record(memory, before)
    memory.wait_for_vectors()

    def scores() -> list[Any]:
        found = memory.search("How many pears and plums?", k=50, explain=True, sessions=[session])
        return [(hit.position, hit.score, hit.channels, hit.explanation) for hit in found]

    expected = scores()
    record(memory, others)
    record(shared(semantic=True, tenant="scored", space="elsewhere"), more)
    record(shared(semantic=True, tenant="another"), more)
    memory.wait_for_vectors()
    shared(semantic=True, tenant="another").wait_for_vectors()
    assert scores() == expected
    memory._opened.reader.visible.forget()
    memory._opened.reader.semantic.forget()
    assert scores() == expected
