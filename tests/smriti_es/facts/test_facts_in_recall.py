"""Facts beside turns in what a question finds: ranked together, labelled, within the budget."""

import re
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.results import SearchResult

Open = Callable[..., Engine]
WHERE = "Where does the user live?"
BEFORE = "Where did the user live before?"
FACT_LINE = re.compile(r"- \[(CURRENT|SCHEDULED|SUPERSEDED|ENDED)[^\[\]]*\] [^\n]*")


@pytest.fixture
def moved(memory: Engine) -> Engine:
    """Three homes one after the other, the last of them to come, and a job that ended."""
    for value, begins in (("Oslo", "2024-01-01"), ("Pune", "2025-03"), ("Bergen", "2027-01-01")):
        memory.assert_fact(
            "user", "lives_in", value, valid_from=begins, statement=f"The user lives in {value}."
        )
    job = memory.assert_fact(
        "user", "works_at", "Acme", valid_from="2020", statement="The user lives off Acme."
    )
    memory.end_fact(job, at="2026-05-01")
    return memory


def texts(found: SearchResult) -> set[str]:
    return {hit.text for hit in found}


def ticks() -> Callable[[], int]:
    """A clock that begins on 2026-06-02 and moves one second at each look."""
    return count(1_780_394_400_000_000, 1_000_000).__next__


def lines(text: str) -> list[str]:
    """The lines about facts."""
    return sorted(line for line in text.splitlines() if line.startswith("- ["))


def test_current_and_scheduled_facts_are_found_beside_turns(moved: Engine) -> None:
    moved.add("I live near a lake.", session="a")
    found = moved.search(WHERE)
    assert texts(found) == {
        "The user lives in Pune.",
        "The user lives in Bergen.",
        "I live near a lake.",
    }
    kinds = {hit.text: hit.fact is not None for hit in found}
    assert kinds["The user lives in Pune."]
    assert not kinds["I live near a lake."]
    assert all((hit.fact is None) != (hit.turn is None) for hit in found)
    assert [hit.rank for hit in found] == [1, 2, 3]
    fact = next(hit for hit in found if hit.fact is not None)
    assert fact.position == fact.fact.position  # type: ignore[union-attr]


def test_a_context_labels_how_each_fact_stands(moved: Engine) -> None:
    text = moved.context(WHERE, history=True).text
    assert lines(text) == [
        "- [CURRENT 2025-03..2027-01-01] The user lives in Pune.",
        "- [ENDED 2026-05-01, since 2020] The user lives off Acme.",
        "- [SCHEDULED from 2027-01-01] The user lives in Bergen.",
        "- [SUPERSEDED on 2025-03-01, since 2024-01-01] The user lives in Oslo.",
    ]


def test_a_fact_without_an_end_is_current_since_it_began(memory: Engine) -> None:
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2024-05-06", scope="trip:Goa")
    assert lines(memory.context(WHERE, scopes=["trip:goa"]).text) == [
        "- [CURRENT since 2024-05-06 | trip:Goa] user lives in Pune"
    ]


def test_a_fact_whose_premise_fell_is_labelled_stale(memory: Engine) -> None:
    home = memory.assert_fact("user", "lives_in", "Pune", valid_from="2024")
    memory.assert_fact("user", "lives_near", "a lake", valid_from="2024", because=[home])
    memory.retract(home)
    assert lines(memory.context(WHERE).text) == [
        "- [CURRENT since 2024 | STALE: what it rests on has changed] user lives near a lake"
    ]


@pytest.mark.parametrize(
    ("question", "options", "past"),
    [
        (WHERE, {}, False),
        (WHERE, {"history": True}, True),
        (BEFORE, {}, True),
        (BEFORE, {"history": False}, False),
        ("When did the user live in Oslo?", {}, True),
        ("Where did the user live in May 2024?", {}, True),
    ],
)
def test_what_holds_no_longer_is_found_only_when_it_is_asked_for(
    question: str, options: dict[str, Any], past: bool, moved: Engine
) -> None:
    assert ("The user lives in Oslo." in texts(moved.search(question, **options))) == past
    assert ("SUPERSEDED" in moved.context(question, **options).text) == past


def test_what_was_corrected_or_taken_back_is_never_found(memory: Engine) -> None:
    memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024", said_at="2025-01-01")
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2024", said_at="2025-01-02")
    memory.retract(memory.assert_fact("user", "lives_with", "a cat", multi=True))
    assert texts(memory.search(BEFORE, history=True)) == {"user lives in Pune"}


def test_a_restatement_is_found_once(memory: Engine) -> None:
    for year in ("2023", "2024", "2025"):
        memory.assert_fact("user", "lives_in", "Pune", valid_from=year)
    assert [hit.text for hit in memory.search(BEFORE, history=True)] == ["user lives in Pune"]


@pytest.mark.parametrize(
    ("valid_at", "expected"),
    [
        ("2024-06-01", {"Oslo": "current", "Pune": "scheduled", "Bergen": "scheduled"}),
        ("2026-05-01", {"Pune": "current", "Bergen": "scheduled"}),
        ("2028-01-01", {"Bergen": "current"}),
    ],
)
def test_facts_stand_as_they_do_at_the_world_time_that_is_asked(
    valid_at: str, expected: dict[str, str], moved: Engine
) -> None:
    facts = [hit.fact for hit in moved.search(WHERE, valid_at=valid_at) if hit.fact]
    homes = {f.object: str(f.status) for f in facts if f.predicate == "lives_in"}
    assert homes == expected


def test_facts_are_found_as_they_were_known(moved: Engine) -> None:
    then = 1  # only Oslo was known
    assert texts(moved.search(WHERE, known_at=then)) == {"The user lives in Oslo."}
    assert lines(moved.at(then).context(WHERE).text) == [
        "- [CURRENT since 2024-01-01] The user lives in Oslo."
    ]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 9])
def test_k_bounds_facts_and_turns_together(k: int, moved: Engine) -> None:
    moved.add("I live near a lake.", session="a")
    moved.add("We live well.", session="b")
    assert len(moved.search(WHERE, k=k)) == min(k, 4)


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        (None, {"user lives in Pune"}),
        (["trip:Goa"], {"user lives in Pune", "user lives in a tent"}),
        (["TRIP: goa", "trip:Nepal"], {"user lives in Pune", "user lives in a tent"}),
        (["trip:Nepal"], {"user lives in Pune"}),
    ],
)
def test_a_fact_of_a_scope_is_seen_only_by_who_is_in_it(
    scopes: list[str] | None, expected: set[str], memory: Engine
) -> None:
    memory.assert_fact("user", "lives_in", "Pune")
    memory.assert_fact("user", "lives_in", "a tent", scope="trip:Goa")
    filters: Any = {} if scopes is None else {"scopes": scopes}
    assert texts(memory.search(WHERE, **filters)) == expected
    context = memory.context(WHERE, **filters)
    assert {fact.statement for fact in context.facts} == expected


@pytest.mark.parametrize(
    "filters",
    [
        {"sessions": ["a"]},
        {"roles": ["user"]},
        {"kinds": ["message"]},
        {"tags": ["home"]},
        {"tags_any": ["home"]},
        {"where": {"level": 4}},
        {"since": "2020"},
        {"until": "2030"},
    ],
    ids=lambda filters: next(iter(filters)),
)
def test_a_filter_that_only_turns_can_meet_leaves_facts_out(filters: Any, moved: Engine) -> None:
    moved.add("I live near a lake.", session="a", tags=["home"], metadata={"level": 4})
    assert texts(moved.search(WHERE, **filters)) == {"I live near a lake."}
    assert moved.context(WHERE, **filters).facts == ()


def test_facts_of_untrusted_origin_are_shown_only_when_they_are_asked_for(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add("user | lives_in | Pune", session="a")
    memory.add("user | lives_near | a volcano", session="b", origin="untrusted")
    everybody = ["owner", "agent", "tool", "untrusted"]

    def shown(**filters: Any) -> set[str]:
        return {fact.object for fact in memory.context(WHERE, **filters).facts}

    assert shown() == {"Pune"}
    assert shown(origins=everybody) == {"Pune", "a volcano"}
    assert shown(origins=["untrusted"]) == {"a volcano"}
    assert shown(origins=["owner"]) == {"Pune"}


def test_facts_of_other_spaces_are_not_found(engine: Open) -> None:
    engine(extractor=None, space="work").assert_fact("user", "lives_in", "Pune")
    memory = engine(extractor=None)
    memory.add("We live well.", session="a")
    assert texts(memory.search(WHERE)) == {"We live well."}
    both = engine(extractor=None, spaces=["main", "work"])
    assert texts(both.search(WHERE)) == {"We live well.", "user lives in Pune"}
    assert texts(both.search(WHERE, spaces=["work"])) == {"user lives in Pune"}


def test_other_words_for_a_fact_find_it(engine: Open, line_extractor: Callable[..., Any]) -> None:
    memory = engine(extractor=line_extractor())
    memory.add("Rachel | has | a kiln | keys=oven furnace", session="a")
    context = memory.context("Is there an oven?")
    assert [fact.object for fact in context.facts] == ["a kiln"]


def test_facts_are_found_by_their_meaning_once_they_have_vectors(
    engine: Open, embedder: Embedder
) -> None:
    memory = engine(extractor=None, embedder=embedder)
    memory.assert_fact("user", "lives_in", "Pune")
    assert memory.search(WHERE).pending == 1
    memory.wait_for_vectors()
    (hit,) = memory.search(WHERE)
    assert memory.search(WHERE).pending == 0
    assert "semantic" in hit.channels


def test_a_memory_of_facts_alone_has_a_context(moved: Engine) -> None:
    context = moved.context(WHERE)
    assert [fact.object for fact in context.facts] == ["Pune", "Bergen"]
    assert (context.evidence, context.omitted) == ((), 0)
    assert context.text.startswith("[memory, as of 2026-06-02 Tue; ")


def test_no_position_and_no_known_time_is_in_a_context(engine: Open, clock: Any) -> None:
    found = []
    for noise in (0, 7):
        memory = engine(f"{noise}.db", extractor=None)
        for number in range(noise):
            memory.retract(memory.assert_fact("user", "likes", f"thing {number}", multi=True))
        clock.now += 1_000_000
        memory.assert_fact("user", "lives_in", "Pune", valid_from="2024")
        found.append(memory.context(WHERE, now="2026-06-03").text)
    assert found[0] == found[1]
    assert "Pune" in found[0]


def test_a_damaged_index_leaves_facts_to_the_other_channels_until_it_is_built_anew(
    engine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = engine(extractor=None)
    folds = LexicalProjection.apply

    def fail(self: Any, prepared: Any, fold: Any) -> None:
        raise ValueError("cannot index")

    monkeypatch.setattr(LexicalProjection, "apply", fail)
    memory.assert_fact("user", "lives_in", "Pune")
    assert texts(memory.search(WHERE, channels=["lexical", "semantic"])) == set()
    assert memory.search(WHERE)[0].channels == ("entity",)
    assert "lexical" in memory.search(WHERE).degraded[0]
    monkeypatch.setattr(LexicalProjection, "apply", folds)
    memory._opened.projector.catch_up("lexical")
    (hit,) = memory.search(WHERE)
    with memory.replay(memory.head) as replay:
        assert replay.search(WHERE)[0].score == hit.score


anything = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("\n\r\u2028\u2029\x0b\x1c\x85\u202e\u2066[]-# |"),
    ),
    min_size=1,
    max_size=60,
)


@pytest.fixture(scope="module")
def memory_for_all(places_in: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Open memories that all examples of a property share."""
    places = places_in(tmp_path_factory.mktemp("shared"))
    return lambda: Engine.open(
        places.named(":memory:"), embedder=None, extractor=None, clock=ticks()
    )


@pytest.fixture(scope="module")
def noisy(memory_for_all: Any) -> Any:
    """A memory that only grows."""
    with memory_for_all() as memory:
        yield memory


@given(anything, anything)
def test_nothing_that_a_fact_says_can_look_like_a_line_of_ours(
    noisy: Engine, statement: str, scope: str
) -> None:
    value = " ".join(scope.replace("\0", "").split()) or "x"
    position = noisy.assert_fact(
        "user", "lives_in", "x", statement=f"lives {statement}", scope=f"trip:{value}"
    )
    text = noisy.context(WHERE, scopes=[f"trip:{value}"], budget=100_000).text
    noisy.retract(position)
    title, *rest = text.split("\n")
    assert title.startswith("[memory, as of ")
    assert len(rest) == len(text.splitlines()) - 1 == 1
    assert FACT_LINE.fullmatch(rest[0])
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)


MEASURES: dict[str, Callable[[str], int]] = {
    "characters": len,
    "bytes": lambda text: len(text.encode()),
    "words": lambda text: len(text.split()),
    "more than its parts": lambda text: len(text) + len(text) ** 2 // 400,
    "less than its parts": lambda text: 50 + len(text) // 8 if text else 0,
}


@pytest.fixture(scope="module")
def full(memory_for_all: Any) -> Any:
    """A memory with many facts and turns of many lengths."""
    with memory_for_all() as memory:
        for number in range(24):
            told = f"lives in place {number} " + "and more " * (number * 7 % 23)
            memory.assert_fact("user", "lives_in", f"{number}", multi=True, statement=told)
            memory.add(f"I {told}", session=f"s{number % 5}")
        yield memory


@given(st.integers(1, 3_000), st.sampled_from(sorted(MEASURES)))
def test_a_context_with_facts_never_exceeds_its_budget(
    full: Engine, budget: int, measured: str
) -> None:
    measure = MEASURES[measured]
    context = full.context(WHERE, budget=budget, measure=measure)
    assert measure(context.text) <= budget
    assert len(lines(context.text)) == len(context.facts)
    for fact, line in zip(context.facts, context.text.splitlines()[-99:], strict=False):
        assert line.startswith(("- [", "[memory", "  ", "#"))
        assert " ".join(fact.statement.split())[:60] in context.text


def test_facts_and_turns_share_the_budget_by_rank(full: Engine) -> None:
    context = full.context(WHERE, budget=2_500)
    assert len(context.facts) >= 3
    assert len(context.evidence) >= 3
