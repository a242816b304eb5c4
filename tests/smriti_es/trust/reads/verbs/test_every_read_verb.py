"""Every public verb and every option of it is asked for what may not be read, and gives none of it.

The verbs and their options are found by looking at the classes: one that the tables here do not
know fails a test.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, get_args, get_type_hints

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import NotFound
from smriti_es.replaying import Replay
from smriti_es.view import View

Marks = Callable[[Any], set[str]]
# What is no read of what may be believed, and why.
AUDIT = {
    "events": "the log itself, for whoever owns the memory: what is withheld still stands in it",
    "export_audit": "the owner's bundle for an auditor: the log, as far as the owner discloses it",
    "export": "the owner's answer to whom it holds something on: what is withheld is held, too",
    "export_conversations": "writes what `turns` and `sessions` give to a file; both are walked",
    "verify": "the owner's audit: positions and hashes of the log and its rows",
    "check": "the owner's audit: positions and hashes of the rows of projections",
    "doctor": "the owner's audit: digests of projections, and counts of vectors",
    "embedder_state": "names of models, and counts of vectors",
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
    *(
        "open",
        "close",
        "add",
        "add_many",
        "import_file",
        "alias",
        "unalias",
        "approve",
        "reject",
        "edit",
    ),
    *("assert_fact", "end_fact", "retract", "retract_end", "quarantine", "release"),
    *("change_trust", "rebuild", "rebuild_all", "repair", "skip", "switch_embedder"),
    "wait_for_vectors",
    *("erase", "finish_erasures", "readmit_value", "set_retention", "sweep"),
    *("place_hold", "release_hold"),
    *("checkpoint", "witness", "rotate_key", "accept_restore"),
    # What these two show to a model is tested beside this file.
    *("observe", "extract_pending"),
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


def _answers(view: Any, verb: str, walk: Any) -> Iterator[tuple[dict[str, Any], set[str], Any]]:
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


def test_every_public_verb_is_in_exactly_one_table(hidden: Any, walks: dict[str, Any]) -> None:
    memory = hidden.memory
    with memory.replay(hidden.after) as replay:
        there = _public(memory) | _public(memory.at(hidden.after)) | _public(replay)
    tables = [set(walks), set(AUDIT), set(VIEWPOINTS), WRITES]
    assert set().union(*tables) == there
    assert sum(map(len, tables)) == len(there)


@pytest.mark.parametrize("of", [Engine, View, Replay])
def test_every_option_of_every_verb_is_walked(of: type, walks: dict[str, Any]) -> None:
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
    hidden: Any, walks: dict[str, Any], marks: Marks, viewpoint: str
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
    opened: Any, walks_of: Callable[..., Any], marks: Marks, viewpoint: str
) -> None:
    walks = walks_of(opened.before, opened.after, opened.facts)
    strangers = walks_of(0, opened.stranger.head, range(1, opened.stranger.head))
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


def _naming(walk: Any) -> Any:
    """Leave only the values of options that are there to show something."""
    options = {name: [each for each in walk.options[name] if each.shows] for name in walk.options}
    return replace(walk, options=options)


def _marks_of(view: Any, verb: str, walk: Any, marks: Marks) -> set[str]:
    return set().union(*(marks(answer) for _, _, answer in _answers(view, verb, walk)))


def test_what_a_verb_shows_by_design_is_shown_by_it(
    hidden: Any, walks: dict[str, Any], marks: Marks
) -> None:
    for verb, walk in walks.items():
        if verb not in OF_REPLAYS:
            shown = _marks_of(hidden.memory, verb, walk, marks) - {"qleftout"}
            named = {mark for each in walk.options.values() for a in each for mark in a.shows}
            assert (verb, shown) == (verb, walk.shows | named)


def test_an_audit_reads_all_of_the_log_and_nothing_of_another_tenant(
    hidden: Any, marks: Marks, in_the_log: set[str]
) -> None:
    found = marks([recorded.event for recorded in hidden.memory.events()])
    assert found == in_the_log
    assert marks(hidden.memory.verify()) == set()
