"""The poisoning drill: a session that is quarantined, or erased, leaves a memory that never saw it.

Source: design page on trust, "Quarantine, lineage, blast radius".
"""

import os
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smriti_es.engine import Engine

# Whether each session is poison, and what is said in it.
Life = list[tuple[bool, list[tuple[str, int, str]]]]

often = settings(max_examples=200 if os.environ.get("SMRITI_ES_GUARANTEES") == "1" else 8)
NOW = "2026-12-01"
QUESTIONS = ("Where do I live?", "What do I like?", "Where did I work in 2026?", "Pune or Rome")

_PLACES = st.sampled_from(["Pune", "Rome", "Oslo"])
_SAYINGS = st.one_of(
    _PLACES.map("I live in {}.".format),
    _PLACES.map("I moved to {} last month.".format),
    st.sampled_from(["Acme", "Initech"]).map("I work at {}.".format),
    st.just("I no longer work at Acme."),
    st.sampled_from(["tea", "rain"]).map("I like {}.".format),
    st.just("What shall we cook tonight?"),
)
_WORDS = st.tuples(_SAYINGS, st.integers(1, 28), st.sampled_from(["user", "assistant"]))
_LIVES = st.lists(st.tuples(st.booleans(), st.lists(_WORDS, min_size=1, max_size=3)), max_size=6)


def tell(memory: Engine, name: str, words: list[tuple[str, int, str]], month: int) -> None:
    turns = [
        {"role": role, "content": text, "timestamp": f"2026-{month:02}-{day:02}T10:00:00Z"}
        for text, day, role in words
    ]
    memory.add(turns, session=name)


def live_and_erase(life: Life, erased: Engine, clean: Engine, **options: Any) -> None:
    """Tell one memory everything and erase what is poison; tell the other one only the rest."""
    for month, (is_poison, words) in enumerate(life, 1):
        tell(erased, f"session {month}", words, month)
        if not is_poison:
            tell(clean, f"session {month}", words, month)
    for month, (is_poison, _) in enumerate(life, 1):
        if is_poison:
            erased.erase(session=f"session {month}", **options)


def seen(memory: Engine) -> dict[str, Any]:
    """Everything that a model could be shown, without positions."""
    facts = memory.facts(statuses=None, scopes=None, valid_at=NOW)
    return {
        "facts": [(f.subject, f.predicate, f.object, f.status, f.interval) for f in facts],
        "waits": [(p.what, p.object, p.origin) for p in memory.review()],
        "turns": [(t.session, t.text) for t in memory.turns()],
        "hits": [
            [(h.text, round(h.score, 9)) for h in memory.search(q, now=NOW, history=True).hits]
            for q in QUESTIONS
        ],
        "context": [memory.context(q, now=NOW, history=True).text for q in QUESTIONS],
    }


@often
@given(life=_LIVES)
def test_a_quarantined_session_leaves_a_memory_that_never_saw_it(
    life: Life, open_memory: Callable[[], Engine]
) -> None:
    with closing(open_memory()) as poisoned, closing(open_memory()) as clean:
        for month, (is_poison, words) in enumerate(life, 1):
            if is_poison:
                tell(poisoned, f"poison {month}", words, month)
            else:
                tell(poisoned, f"session {month}", words, month)
                tell(clean, f"session {month}", words, month)
        for each in poisoned.sessions():
            if each.name.startswith("poison"):
                poisoned.quarantine(session=each.name)
        assert seen(poisoned) == seen(clean)
        assert poisoned.verify().ok


@often
@given(life=_LIVES)
def test_what_is_released_leaves_a_memory_that_never_quarantined_it(
    life: Life, open_memory: Callable[[], Engine]
) -> None:
    with closing(open_memory()) as held, closing(open_memory()) as free:
        quarantines = []
        for month, (is_held, words) in enumerate(life, 1):
            for memory in (held, free):
                tell(memory, f"session {month}", words, month)
            if is_held:
                quarantines.append(held.quarantine(session=f"session {month}"))
        for each in quarantines:
            held.release(each)
        assert seen(held) == seen(free)
        assert held.verify().ok


@often
@given(life=_LIVES)
def test_a_session_that_is_erased_as_never_true_leaves_a_memory_that_never_saw_it(
    life: Life, open_memory: Callable[[], Engine]
) -> None:
    with closing(open_memory()) as erased, closing(open_memory()) as clean:
        live_and_erase(life, erased, clean, predecessor="reopen")
        assert seen(erased) == seen(clean)
        assert erased.verify().ok


@often
@given(life=_LIVES)
def test_what_an_erased_session_had_replaced_is_all_that_differs_from_never_having_seen_it(
    life: Life, open_memory: Callable[[], Engine]
) -> None:
    with closing(open_memory()) as erased, closing(open_memory()) as clean:
        live_and_erase(life, erased, clean)
        lapsed = {f[:3] for f in seen(erased)["facts"] if f[3] == "lapsed"}
        kept, never = (
            [f for f in seen(memory)["facts"] if f[:3] not in lapsed] for memory in (erased, clean)
        )
        assert kept == never
        assert seen(erased)["turns"] == seen(clean)["turns"]
        assert erased.verify().ok


@pytest.fixture
def open_memory(engine: Callable[..., Engine]) -> Callable[[], Engine]:
    """Open an empty memory in memory, with the patterns as its extractor."""
    return lambda: engine(":memory:", embedder=None)
