"""The order in which facts arrive moves nothing."""

import os
import random
from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from smriti_es.engine import Engine
from smriti_es.events.key_form import key_form

LONG = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
START = 1_780_394_400_000_000  # 2026-06-02T10:00:00Z
SECOND = 1_000_000
TIMES = (
    "2019",
    "2024-03",
    "2025-02-03",
    "2026-06-02T09:00:00Z",
    "2026-06-02T14:30:00+05:30",
    "2027",
)

statements = st.lists(
    st.tuples(
        st.sampled_from(("user", "USER", "Rachel")),
        st.sampled_from(("old Pune", "OLD  pune", "old Oslo", "old Bergen")),
        st.sampled_from(("", "project:Atlas")),
        st.sampled_from(TIMES),
        st.sampled_from(TIMES),
        st.sampled_from((None, None, "2025-06", "2028")),
        st.booleans(),
    ),
    max_size=9,
)


@settings(max_examples=2_000 if LONG else 20)
@given(stated=statements, seed=st.integers(0, 2**32))
def test_the_order_of_arrival_moves_no_interval(
    stated: list[tuple[Any, ...]], seed: int, places: Any
) -> None:
    found = []
    shuffled = random.Random(seed).sample(stated, len(stated))
    for arrival in (stated, shuffled):
        with Engine.open(
            places.named(":memory:"),
            embedder=None,
            extractor=None,
            clock=count(START, SECOND).__next__,
        ) as engine:
            for subject, value, scope, valid_from, said_at, valid_to, multi in arrival:
                ends = None if valid_to is not None and valid_to <= valid_from else valid_to
                engine.assert_fact(
                    subject,
                    "lives_in",
                    value,
                    scope=scope,
                    valid_from=valid_from,
                    said_at=said_at,
                    valid_to=ends,
                    multi=multi,
                )
            found.append(_intervals(engine))
    assert found[0] == found[1]


def _intervals(engine: Engine) -> list[Any]:
    """How everything stands, without a position: those say in which order it came."""
    facts = {each.fact.position: each.fact for each in engine.history(valid_at="2026-06-01")}

    def content(position: int | None) -> Any:
        if position is None:
            return None
        fact = facts[position]
        return (key_form(fact.subject), key_form(fact.object), fact.scope, fact.valid_from)

    return sorted(
        (content(f.position), f.valid_to or 0, f.status, content(f.superseded_by) or ())
        for f in facts.values()
        if f.folded_into is None
    )
