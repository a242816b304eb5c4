"""Every public verb and every option of it is asked for what may not be read, and gives none of it.

The verbs and their options are found by looking at the classes: one that the tables here do not
know fails a test.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, get_args, get_type_hints

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import NotFound
from smriti_es.replaying import Replay
from smriti_es.view import View

SECRET = "project:Secret"
QUESTIONS = (
    "How many things do folk share on common ground?",
    "How many things does an orchard share on common ground?",
    "Where does folk live, where grove, and where meadow?",
)
ALL_ORIGINS = ["owner", "agent", "tool", "untrusted"]
ALL_STATUSES = ["current", "scheduled", "superseded", "ended", "corrected", "retracted"]
LATER = "2026-06-03"
Marks = Callable[[Any], set[str]]

# Marks by what they are planted in.
SESSIONS = {"qelsewhere", "qstranger", "qheldsession", "qalonesession"}
TURNS = {*SESSIONS, "quntrusted", "qheldturn", "qaloneturn"}
SAID = {*TURNS, "qpendingquote"}
FACTS = {*TURNS, "qscoped", "qheldfact", "qalonefact", "qproposed", "qrejected"}
ENDS = {"qheldend", "qaloneend"}
STATED_ENDS = {"qproposedend", "qrejectedend"}


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
ABOUT = {"subject": _each(None, "folk", "orchard"), "predicate": _each(None, "shares")}
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
# What is no read of what may be believed, and why.
AUDIT = {
    "events": "the log itself, for whoever owns the memory: what is withheld still stands in it",
    "export": "the owner's answer to whom it holds something on: what is withheld is held, too",
    "verify": "the owner's audit: positions and hashes of the log and its rows",
    "check": "the owner's audit: positions and hashes of the rows of projections",
    "checkpoints": "the owner's audit: hashes of the log",
    "signing_keys": "the owner's audit: public keys",
    "prove": "the owner's audit: hashes, and a header, in which nothing is said",
    "prove_consistency": "the owner's audit: hashes of the log",
    "verify_receipt": "the owner's audit: whoever has a text learns which positions were in it",
}
VIEWPOINTS = {
    "at": "gives a view, which is walked like the memory itself",
    "replay": "gives a replay, which is walked like the memory itself",
}
OF_REPLAYS = {"without", "changes"}
WRITES = {
    *("open", "close", "add", "add_many", "alias", "unalias", "approve", "reject", "edit"),
    *("assert_fact", "end_fact", "retract", "retract_end", "quarantine", "release"),
    *("change_trust", "rebuild", "skip", "wait_for_vectors"),
    *("checkpoint", "witness", "rotate_key", "accept_restore"),
    # What these two show to a model is tested beside this file.
    *("observe", "extract_pending"),
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
        "status": Walk({"qelsewhere", "qstranger", "qheldsession"}),
        "world_time": Walk(set(), options=times),
        **{name: Walk(set()) for name in ("head", "provisional", "timezone", "single_valued")},
        **{name: Walk(set()) for name in ("trust", "describe_data_flow")},
        # Positions of what a counterfactual replay left out; and what was believed because of it,
        # for whoever left it out.
        "without": Walk(set()),
        "changes": Walk(set(), shows={"qleftout"}),
    }


def _walks_of_questions(times: Options) -> dict[str, Walk]:
    asking = {**FILTERS, **times, "now": _each(LATER), "history": _each(True, False)}
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
    # Every scope, unless scopes are named.
    shows = {"quntrusted", "qscoped"}
    return {
        "history": Walk(
            FACTS,
            options={**times, **LABELS, **ABOUT, **of_beliefs, "object": VALUES},
            shows=shows,
        ),
        "explain": Walk(
            {*FACTS, *ENDS},
            [{"position": each} for each in facts],
            {"valid_at": _each(LATER), "known_at": _each(before), **of_beliefs},
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
            {"qstranger", "qsharedname"},
            [{"name": each} for each in ("folk", "orchard")],
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
        "impact": Walk(
            set(),  # positions
            [*({"fact": each} for each in facts), *named, {"origin": "agent"}, {"actor": "local"}],
            {"cascade": _each(True, False)},
        ),
    }


def _public(view: Any) -> set[str]:
    return {name for name in dir(view) if not name.startswith("_")}


def _options(of: type, verb: str) -> set[str]:
    """Give the names of a verb's options; those of `**filters` one by one."""
    called = inspect.getattr_static(of, verb)
    if not inspect.isfunction(called):
        return set()
    names = set()
    for name, parameter in inspect.signature(called).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            (spread,) = get_args(get_type_hints(called)[name])
            names |= set(get_type_hints(spread))
        elif name != "self":
            names.add(name)
    return names


def _answers(view: Any, verb: str, walk: Walk) -> Iterator[tuple[dict[str, Any], set[str], Any]]:
    """Call a verb in every way; gives the arguments, what they may show, and the answer."""
    for number, base in enumerate(walk.bases):
        yield dict(base), walk.shows, _answer(view, verb, base)
        for option, values in walk.options.items() if number < walk.beside else ():
            for asked in values:
                given = {**base, option: asked.value}
                yield given, walk.shows - asked.hides | asked.shows, _answer(view, verb, given)


def _answer(view: Any, verb: str, given: Mapping[str, Any]) -> Any:
    reading = getattr(view, verb)
    if not callable(reading):
        return reading
    try:
        return reading(**given)
    except NotFound:
        return None  # it says no more than the name that it was given


@pytest.fixture(scope="module")
def walks(hidden: Any) -> dict[str, Walk]:
    return _walks(hidden.before, hidden.after, hidden.facts)


def test_every_public_verb_is_in_exactly_one_table(hidden: Any, walks: dict[str, Walk]) -> None:
    memory = hidden.memory
    with memory.replay(hidden.after) as replay:
        there = _public(memory) | _public(memory.at(hidden.after)) | _public(replay)
    tables = [set(walks), set(AUDIT), set(VIEWPOINTS), WRITES]
    assert set().union(*tables) == there
    assert sum(map(len, tables)) == len(there)


@pytest.mark.parametrize("of", [Engine, View, Replay])
def test_every_option_of_every_verb_is_walked(of: type, walks: dict[str, Walk]) -> None:
    walked = {
        verb: {*walk.options, *(name for base in walk.bases for name in base)}
        for verb, walk in walks.items()
    }
    there = {verb: _options(of, verb) for verb in _public(of) & set(walks)}
    assert {verb: walked[verb] for verb in there} == there


VIEWS: Mapping[str, Callable[[Any], Any]] = {
    "now": lambda p: nullcontext(p.memory),
    "at the head": lambda p: nullcontext(p.memory.at(p.after)),
    "before it was withheld": lambda p: nullcontext(p.memory.at(p.before)),
    "replayed": lambda p: p.memory.replay(p.after),
    "replayed as before": lambda p: p.memory.replay(p.before),
    "replayed without": lambda p: p.memory.replay(p.after, without={"session": "leftout"}),
}


@pytest.mark.parametrize("viewpoint", VIEWS)
def test_nothing_that_may_not_be_read_comes_back(
    hidden: Any, walks: dict[str, Walk], marks: Marks, viewpoint: str
) -> None:
    left_in = set() if viewpoint == "replayed without" else {"qleftout"}
    leaks = []
    with VIEWS[viewpoint](hidden) as view:
        for verb in sorted(_public(view) & set(walks)):
            for given, shows, answer in _answers(view, verb, walks[verb]):
                found = marks(answer) - shows - left_in
                leaks += [(verb, given, sorted(found))] if found else []
    assert leaks == []


@pytest.mark.parametrize("viewpoint", ["now", "at the head", "replayed"])
def test_all_of_it_comes_back_where_it_may_be_read(
    opened: Any, marks: Marks, viewpoint: str
) -> None:
    walks = _walks(opened.before, opened.after, opened.facts)
    strangers = _walks(0, opened.stranger.head, range(1, opened.stranger.head))
    if viewpoint != "now":
        walks = {verb: _naming(walk) for verb, walk in walks.items()}
    with VIEWS[viewpoint](opened) as view:
        there = sorted(_public(view) & set(walks))
        back = {verb: _marks_of(view, verb, walks[verb], marks) for verb in there}
    for verb in set(there) - OF_REPLAYS:
        plainly = replace(strangers[verb], options={})
        back[verb] |= _marks_of(opened.stranger, verb, plainly, marks) & {"qstranger"}
    wrong = {verb: (back[verb] - {"qleftout"}) ^ walks[verb].comes_back for verb in there}
    assert {verb: sorted(marked) for verb, marked in wrong.items() if marked} == {}


def _naming(walk: Walk) -> Walk:
    """Leave only the values of options that are there to show something."""
    options = {name: [each for each in walk.options[name] if each.shows] for name in walk.options}
    return replace(walk, options=options)


def _marks_of(view: Any, verb: str, walk: Walk, marks: Marks) -> set[str]:
    return set().union(*(marks(answer) for _, _, answer in _answers(view, verb, walk)))


def test_what_a_verb_shows_by_design_is_shown_by_it(
    hidden: Any, walks: dict[str, Walk], marks: Marks
) -> None:
    for verb, walk in walks.items():
        if verb not in OF_REPLAYS:
            shown = _marks_of(hidden.memory, verb, walk, marks) - {"qleftout"}
            named = {mark for each in walk.options.values() for a in each for mark in a.shows}
            assert (verb, shown) == (verb, walk.shows | named)


def test_an_audit_reads_all_of_the_log_and_nothing_of_another_tenant(
    hidden: Any, marks: Marks
) -> None:
    found = marks([recorded.event for recorded in hidden.memory.events()])
    assert found == {*FACTS, *SAID, *ENDS, *STATED_ENDS, "qleftout", "qsharedname"} - {"qstranger"}
    assert marks(hidden.memory.verify()) == set()
