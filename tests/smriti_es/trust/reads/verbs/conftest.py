"""How every verb that reads is walked: with which arguments, and what it may show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from smriti_es.recall.profiles import CHANNELS, PROFILES

SECRET = "project:Secret"
QUESTIONS = (
    "How many things do folk share on common ground?",
    "How many things does an orchard share on common ground?",
    "How many things does a vineyard share on common ground?",
    "Where does folk live, where grove, where meadow, and where willow?",
)
ALL_ORIGINS = ["owner", "agent", "tool", "untrusted"]
ALL_STATUSES = ["current", "scheduled", "superseded", "ended", "corrected", "retracted"]
LATER = "2026-06-03"
Marks = Callable[[Any], set[str]]

# Marks by what they are planted in.
SESSIONS = {"qelsewhere", "qstranger", "qheldsession", "qalonesession", "qerasedsession"}
TURNS = {*SESSIONS, "quntrusted", "qheldturn", "qaloneturn", "qerasedturn"}
SAID = {*TURNS, "qpendingquote"}
FACTS = {
    *(*TURNS, "qscoped", "qheldfact", "qalonefact", "qproposed", "qrejected"),
    *("qerasedfact", "qerasedproposal"),
}
ENDS = {"qheldend", "qaloneend", "qerasedend"}
STATED_ENDS = {"qproposedend", "qrejectedend"}
ERASED = {
    *("qerasedturn", "qerasedsession", "qerasedfact", "qerasedname", "qerasedend"),
    "qerasedproposal",
}


@dataclass(frozen=True)
class Asked:
    """A value of an option.

    Attributes:
        value: The value.
        shows: What it is there to show: by naming it, one may read it.
        hides: What the verb shows without it, and not with it.
    """

    value: Any
    shows: frozenset[str] = frozenset()
    hides: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Walk:
    """How a verb is walked.

    Attributes:
        comes_back: Marks that it gives once all was released, approved and named: the control.
        bases: Arguments that every call has; each of these in turn.
        options: Values of every other option, each tried beside the first base.
        beside: Of how many bases each option is tried, instead.
        shows: What it shows by design, and why that is right stands beside it.
    """

    comes_back: set[str]
    bases: Sequence[Mapping[str, Any]] = ({},)
    options: Mapping[str, Sequence[Asked]] = field(default_factory=dict)
    shows: set[str] = field(default_factory=set)
    beside: int = 1


def _each(*values: Any) -> list[Asked]:
    return [Asked(value) for value in values]


Options = Mapping[str, Sequence[Asked]]
SCOPED, UNTRUSTED = frozenset({"qscoped"}), frozenset({"quntrusted"})
NAMED, EVERY_SCOPE = Asked([SECRET], shows=SCOPED), Asked(None, shows=SCOPED)
ORIGINS = [*_each(ALL_ORIGINS), Asked(["owner", "agent"], hides=UNTRUSTED)]
ABOUT = {"subject": _each(None, "folk", "orchard", "vineyard"), "predicate": _each(None, "shares")}
VALUES = _each(None, *(f"common ground {mark}" for mark in sorted(FACTS)))
# Under the trust of then, what is read as of then is walked beside this file.
TRUST = _each(None, "today")
LABELS = {
    "tags": _each(["common"]),
    "tags_any": _each(["common", "q"]),
    "where": _each({"common": "yes"}),
}
FILTERS = {
    **LABELS,
    "spaces": _each(["main"]),
    "sessions": _each(["plain"], *([f"session {mark}"] for mark in sorted(SESSIONS))),
    "roles": _each(["user"], ["assistant", "user"]),
    "kinds": _each(["note"]),
    "since": _each("2026-01-01"),
    "until": _each(LATER),
    "scopes": [Asked(["project:Other"]), NAMED],
}


def _walks(before: int, after: int, facts: Sequence[int]) -> dict[str, Walk]:
    """Give how every verb that reads is walked; positions come from the memory."""
    times = {
        "known_at": _each(before, after),
        "valid_at": _each("2026-06-02T10:00:30Z", LATER),
    }
    page = {"after": _each(None, -1, before // 2), "limit": _each(10_000)}
    return {
        **_walks_of_questions(times),
        **_walks_of_lists(times["known_at"], page),
        **_walks_of_facts(times),
        **_walks_of_beliefs(times, before, after, facts),
        **_walks_of_owners(page, facts),
        # Reasons of failures may quote a turn; all else are counts.
        "status": Walk({"qelsewhere", "qstranger", "qheldsession", "qerasedsession"}),
        "world_time": Walk(set(), options=times),
        **{name: Walk(set()) for name in ("head", "provisional", "timezone", "single_valued")},
        **{name: Walk(set()) for name in ("trust", "describe_data_flow")},
        # Positions of what a counterfactual replay left out; and what was believed because of it,
        # for whoever left it out.
        "without": Walk(set()),
        "changes": Walk(set(), shows={"qleftout"}),
    }


def _walks_of_questions(times: Options) -> dict[str, Walk]:
    asking = {
        **FILTERS,
        **times,
        "now": _each(LATER),
        "history": _each(True, False),
        "profile": _each(*PROFILES, "auto"),
        "channels": _each(*([each] for each in CHANNELS)),
        "rerank": _each(False, None),
    }
    return {
        "search": Walk(
            FACTS | SAID,
            [{"question": each, "k": 10_000} for each in QUESTIONS],
            {**asking, "explain": _each(True), "origins": ORIGINS},
            # A search may be read by a person; only a context is made for a model.
            {"quntrusted"},
        ),
        "context": Walk(
            FACTS | SAID,
            [{"question": each, "budget": 500_000} for each in QUESTIONS],
            {
                **asking,
                "measure": _each(len, lambda text: len(text.split())),
                "origins": [*_each(["owner"]), Asked(ALL_ORIGINS, shows=UNTRUSTED)],
            },
        ),
    }


def _walks_of_lists(known_at: Sequence[Asked], page: Options) -> dict[str, Walk]:
    listed = {**page, "known_at": known_at, "tags": LABELS["tags"], "where": LABELS["where"]}
    return {
        "turns": Walk(
            SAID,
            options={
                **FILTERS,
                **listed,
                "newest": _each(True),
                "scopes": _each(["project:Other"], [SECRET]),
                "origins": ORIGINS,
            },
            shows={"quntrusted"},
        ),
        "sessions": Walk(SESSIONS, options={**listed, "spaces": _each(["main"])}),
    }


def _walks_of_facts(times: Options) -> dict[str, Walk]:
    return {
        "facts": Walk(
            FACTS,
            [{"statuses": None}, {}],
            {
                **times,
                **LABELS,
                **ABOUT,
                "object": VALUES,
                "entity": _each("folk", *sorted(FACTS)),
                "scopes": [Asked([]), Asked(["project:Other"]), NAMED, EVERY_SCOPE],
                "origins": ORIGINS,
                "kinds": _each(["knowledge", "digest"]),
                "statuses": _each(None, ALL_STATUSES),
                "trust": TRUST,
            },
            {"quntrusted"},
        ),
    }


def _walks_of_beliefs(
    times: Options, before: int, after: int, facts: Sequence[int]
) -> dict[str, Walk]:
    narrowed = [Asked([], hides=SCOPED), Asked(["project:Other"], hides=SCOPED), EVERY_SCOPE]
    of_beliefs: Options = {"scopes": narrowed, "trust": TRUST}
    by_origin: Options = {**of_beliefs, "origins": ORIGINS}
    # Every scope, unless scopes are named.
    shows = {"quntrusted", "qscoped"}
    return {
        "history": Walk(
            FACTS,
            options={**times, **LABELS, **ABOUT, **by_origin, "object": VALUES},
            shows=shows,
        ),
        "explain": Walk(
            {*FACTS, *ENDS},
            [{"position": each} for each in facts],
            {"valid_at": _each(LATER), "known_at": _each(before), **by_origin},
            shows,
            beside=len(facts),
        ),
        "diff": Walk(
            FACTS,
            [{"earlier": 0, "later": after}, {"earlier": before, "later": after}],
            {**LABELS, **ABOUT, **of_beliefs},
            shows,
        ),
        "names_of": Walk(
            {"qstranger", "qsharedname", "qerasedname"},
            [{"name": each} for each in ("folk", "orchard", "vineyard")],
            # Who is who belongs to the whole memory, as its profile of trust does, not to a space:
            # an alias joins the histories of a name in every space.
            shows={"qsharedname"},
        ),
    }


def _walks_of_owners(page: Options, facts: Sequence[int]) -> dict[str, Walk]:
    named: list[dict[str, Any]] = [
        {"session": "plain"},
        {"session": "session qelsewhere"},
        {"turn": 3},
    ]
    return {
        "review": Walk(
            {"qelsewhere", "qstranger", "qpendingquote", "qrejectedend"},
            options=page,
            # What waits is read here, and nowhere else, so that an owner can decide on it.
            shows={"qproposed", "qproposedend"},
        ),
        # An owner's own words: which session was named, and why; nothing of what was said.
        "quarantines": Walk(set(), shows={"qheldsession", "qalonesession"}),
        # Again an owner's own words: what forbids an erasure, and how long what is kept; of every
        # space, as an erasure that goes by an entity or a time takes from every space.
        "holds": Walk({"qelsewhere", "qstranger"}, shows={"qelsewhere"}),
        "retention": Walk({"qelsewhere", "qstranger", "qerasedsession"}, shows={"qelsewhere"}),
        "impact": Walk(
            set(),  # positions
            [*({"fact": each} for each in facts), *named, {"origin": "agent"}, {"actor": "local"}],
            {"cascade": _each(True, False)},
        ),
    }


@pytest.fixture(scope="session")
def walks_of() -> Callable[..., dict[str, Walk]]:
    """Give how every verb is walked, of the position before anything was hidden, the last one, and
    those of all facts.
    """
    return _walks


@pytest.fixture(scope="module")
def walks(hidden: Any) -> dict[str, Walk]:
    """How the verbs of the memory are walked of which nothing that was planted may be read."""
    return _walks(hidden.before, hidden.after, hidden.facts)


@pytest.fixture(scope="session")
def in_the_log() -> set[str]:
    """The marks that stand in the log: what is erased does not, and another tenant has its own."""
    return {*FACTS, *SAID, *ENDS, *STATED_ENDS, "qleftout", "qsharedname"} - ERASED - {"qstranger"}
