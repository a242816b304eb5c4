"""Under the trust of then a read shows what was withheld since, and nothing else that is hidden."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput, NotFound

Marks = Callable[[Any], set[str]]
# What was quarantined after the moment that is asked about, by what it is planted in; what had been
# proposed by then was not believed then either.
FACTS = {"qheldturn", "qaloneturn", "qheldsession", "qalonesession", "qheldfact", "qalonefact"}
ENDS = {"qheldend", "qaloneend"}
TURNS = {"qheldturn", "qaloneturn", "qheldsession", "qalonesession", "qpendingquote"}
# What these reads show by design (see the walk of every verb); of this nothing was withheld.
ALWAYS = {"quntrusted", "qleftout", "qscoped"}

OPTIONS: Mapping[str, list[dict[str, Any]]] = {
    "facts": [
        {"statuses": None},
        {},
        {"entity": "qheldfact"},
        {"object": "common ground qheldturn"},
        {"kinds": ["digest"], "statuses": None},
        {"tags": ["common"]},
    ],
    "history": [{}, {"subject": "orchard"}, {"where": {"common": "yes"}}],
}


def answers(view: Any, facts: tuple[int, ...], verb: str, **trust: Any) -> Iterator[Any]:
    """Everything that a verb gives."""
    if verb == "explain":
        for position in facts:
            try:
                yield view.explain(position, **trust)
            except NotFound:
                continue
    elif verb == "diff":
        yield view.diff(0, view.head, **trust)
    else:
        yield from (getattr(view, verb)(**given, **trust) for given in OPTIONS[verb])


VIEWS: Mapping[str, Callable[[Any], Any]] = {
    "at": lambda p: nullcontext(p.memory.at(p.before, trust="then")),
    "replay": lambda p: p.memory.replay(p.before, trust="then"),
}


@pytest.mark.parametrize("viewpoint", VIEWS)
@pytest.mark.parametrize(
    ("verb", "withheld_since"),
    [("facts", FACTS), ("history", FACTS), ("explain", FACTS | ENDS | TURNS), ("diff", FACTS)],
)
def test_a_view_of_then_shows_what_was_withheld_since_and_no_more(
    hidden: Any, marks: Marks, viewpoint: str, verb: str, withheld_since: set[str]
) -> None:
    with VIEWS[viewpoint](hidden) as view:
        found = marks(list(answers(view, hidden.facts, verb)))
    assert found - ALWAYS == withheld_since - {"qpendingquote"}


@pytest.mark.parametrize("viewpoint", VIEWS)
@pytest.mark.parametrize(
    ("verb", "shown"), [("turns", TURNS), ("sessions", {"qheldsession", "qalonesession"})]
)
def test_lists_of_then_show_what_was_withheld_since_with_a_label(
    hidden: Any, marks: Marks, viewpoint: str, verb: str, shown: set[str]
) -> None:
    with VIEWS[viewpoint](hidden) as view:
        listed = getattr(view, verb)(limit=10_000)
    assert marks([each for each in listed if each.withheld]) == shown
    assert marks([each for each in listed if not each.withheld]) <= ALWAYS


@pytest.mark.parametrize("verb", ["facts", "history", "explain", "diff"])
def test_what_is_withheld_now_is_shown_by_no_read_of_now(
    hidden: Any, marks: Marks, verb: str
) -> None:
    found = marks(list(answers(hidden.memory, hidden.facts, verb, trust="then")))
    of_the_past = FACTS | ENDS if verb == "diff" else set()
    assert found - ALWAYS <= of_the_past


@pytest.mark.parametrize("verb", ["search", "context"])
@pytest.mark.parametrize("viewpoint", VIEWS)
def test_nothing_for_a_model_is_answered_under_the_trust_of_then(
    hidden: Any, viewpoint: str, verb: str
) -> None:
    with (
        VIEWS[viewpoint](hidden) as view,
        pytest.raises(InvalidInput, match="never answered under the trust of then"),
    ):
        getattr(view, verb)("Where does folk live?")


@pytest.mark.parametrize("verb", ["search", "context"])
def test_nor_where_it_is_asked_for_as_a_filter(hidden: Any, verb: str) -> None:
    memory: Engine = hidden.memory
    with pytest.raises(InvalidInput, match="never answered under the trust of then"):
        getattr(memory, verb)("Where does folk live?", trust="then")
