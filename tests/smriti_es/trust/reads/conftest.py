"""A memory in which something is planted for every reason not to show it, each under its own mark.

`hidden` is that memory as it is read by somebody who may see none of it; `opened` is the same after
everything was released and approved, read with every space: what was planted comes back.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from re import findall
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import ExtractionError
from smriti_es.extraction.chat import Message, Reply
from smriti_es.extraction.contract import ExtractedFact, Extraction, SourceTurn
from smriti_es.extraction.digest_writer import DigestWriter
from smriti_es.settings import Settings

# The mark of what is planted, and why it may not be read.
PLANTS: Mapping[str, str] = {
    "qelsewhere": "it is in another space",
    "qstranger": "it is another tenant's",
    "qscoped": "it applies in a scope that is not named",
    "quntrusted": "nobody vouches for it, and a model is not shown it unasked",
    "qheldturn": "its turn is quarantined, with what rests on it",
    "qaloneturn": "its turn is quarantined, without what rests on it",
    "qheldsession": "its session is quarantined, with what rests on it",
    "qalonesession": "its session is quarantined, without what rests on it",
    "qheldfact": "it is a quarantined fact, or rests on one",
    "qalonefact": "it is a quarantined fact, without what rests on it",
    "qheldend": "it is a quarantined end, with cascade",
    "qaloneend": "it is a quarantined end, without cascade",
    "qproposed": "it is a fact that waits for review",
    "qproposedend": "it is an end that waits for review",
    "qpendingquote": "it is said by a quarantined turn that a proposal quotes",
    "qrejected": "it is a fact that was turned down",
    "qrejectedend": "it is an end that was turned down",
    "qerasedturn": "its turn is erased, with what rested on it",
    "qerasedsession": "its session is erased, with what rested on it and what named it",
    "qerasedfact": "it is stated of somebody of whom everything is erased, or rested on that",
    "qerasedname": "it is a name of somebody of whom everything is erased",
    "qerasedend": "it is an erased end",
    "qerasedproposal": "it waited for review and is erased",
}
SECRET = "project:Secret"
# 2026-06-02T10:00:00Z, and a second.
START, SECOND = 1_780_394_400_000_000, 1_000_000
_LABELS: Mapping[str, Any] = {"tags": ["common"], "metadata": {"common": "yes"}}
_CIPHER = r"cipher-(\w+)"


@dataclass
class Deciphering:
    """Reads lines as facts, and knows what a turn means by `cipher-x`: the mark `qx`.

    So a mark is in a fact and in the model's raw reply, and the turn, which may be read, has none.
    """

    lines: Any
    immediate: bool = True
    name: str = "deciphering/1"
    model: str = "scripted"
    prompt_digest: str = ""
    shown: list[str] = field(default_factory=list)

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        self.shown += [turn.text for turn in turns]
        for turn in turns:
            if "FAIL" in turn.text:
                raise ExtractionError(f"cannot read {turn.text!r}")
        read = self.lines.extract(turns, timezone=timezone)
        facts = tuple(map(_deciphered, read.facts))
        reply = "\n".join(fact.statement for fact in facts)
        return Extraction(facts, replies=(reply,) if facts else ())


def _deciphered(fact: ExtractedFact) -> ExtractedFact:
    marks = [f"q{found}" for found in findall(_CIPHER, fact.evidence[0].quote)]
    value = fact.object.replace("cipher-", "q")
    return replace(fact, object=value, statement=" ".join([fact.statement, *marks]))


class Summing:
    """A model that writes one sentence, and keeps what it was shown."""

    model = "scripted"

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[Sequence[Message]] = []

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        self.asked.append(messages)
        return Reply(self.text, {"calls": 1})


@dataclass(frozen=True)
class Planted:
    """A memory with everything in it.

    Attributes:
        memory: Reads it.
        stranger: Reads the log of another tenant in the same file.
        before: Position of the last event before anything was withheld or reviewed.
        facts: Positions of all facts of the memory.
    """

    memory: Engine
    stranger: Engine
    before: int
    facts: tuple[int, ...]

    @property
    def after(self) -> int:
        """Position of the last event."""
        return self.memory.head


@dataclass
class Planting:
    """Plants, and notes what is to be quarantined or erased."""

    memory: Engine
    quarantines: list[dict[str, Any]] = field(default_factory=list)
    erasures: list[dict[str, Any]] = field(default_factory=list)

    def say(self, mark: str, *, session: str = "plain", **options: Any) -> int:
        """Say something with a mark in all that a turn carries."""
        turn = {
            "role": "user",
            "name": f"Speaker {mark}",
            "content": f"folk | shares | common ground {mark}",
            "id": f"id {mark}",
        }
        noted = {"common": "yes", "note": mark}
        labels: dict[str, Any] = {"tags": ["common", mark], "metadata": noted}
        added = self.memory.add(turn, session=session, kind="note", **labels, **options)
        return added.positions[0]

    def tell(self, *lines: str, role: str = "user", session: str = "plain", **options: Any) -> int:
        """Say lines as they are."""
        turn = {"role": role, "content": "\n".join(lines)}
        added = self.memory.add(turn, session=session, kind="note", **_LABELS, **options)
        return added.positions[0]

    def state(self, value: str, *, subject: str = "folk", **options: Any) -> int:
        """State that somebody shares something, with whatever marks the value has."""
        marks = findall(r"q\w+", value)
        given = {"entities": [subject, *marks], **_LABELS, "multi": True, **options}
        return self.memory.assert_fact(subject, "shares", f"common ground {value}", **given)

    def session(self, mark: str) -> dict[str, Any]:
        """Give the name and the labels of a session, with a mark in each."""
        return {
            "session": f"session {mark}",
            "session_tags": ["common", mark],
            "session_metadata": {"common": "yes", "note": mark},
        }

    def everything(self, mark: str, because: Sequence[int] = ()) -> None:
        """Plant one of each kind where nobody may look."""
        self.say(mark, **self.session(mark))
        self.memory.add(f"FAIL {mark}", session=f"session {mark}")
        self.state(f"by itself {mark}", because=because)
        self.memory.end_fact(self.state(f"that ended {mark}"), reason=mark)
        self.memory.assert_fact("folk", "lives_in", "Pune")
        self.memory.assert_fact("folk", "lives_in", mark, origin="agent")
        self.sum_up("folk", f"Folk share {mark}.")
        self.keep(mark)

    def keep(self, mark: str) -> int:
        """Say of a session how long it is to be kept; gives the position of its hold."""
        self.memory.set_retention(timedelta(days=9_999), session=f"session {mark}", reason=mark)
        return self.memory.place_hold(session=f"session {mark}", authority=mark, reason=mark)

    def sum_up(self, subject: str, text: str) -> None:
        """Write the digests of a subject."""
        self.memory.observe(writer=DigestWriter(Summing(text)), subject=subject)

    def turns(self) -> None:
        """Plant what is withheld by its turn or session."""
        self.say("quntrusted", origin="untrusted")
        self.say("qleftout", session="leftout")
        self.quarantines.append({"turn": self.say("qheldturn")})
        alone = self.tell("folk | shares | common ground kept | note=qaloneturn")
        self.quarantines.append({"turn": alone, "cascade": False})
        self.say("qheldsession", **self.session("qheldsession"))
        self.memory.add("FAIL qheldsession", session="session qheldsession")
        self.quarantines.append({"session": "session qheldsession"})
        kept = "folk | shares | common ground kept as well | note=qalonesession"
        self.tell(kept, **self.session("qalonesession"))
        self.quarantines.append({"session": "session qalonesession", "cascade": False})

    def facts(self, plain: int) -> None:
        """Plant what is withheld by itself, or applies elsewhere."""
        self.state("qscoped", scope=SECRET, because=[plain])
        sibling = "folk | shares | common ground of a sibling"
        self.tell("folk | shares | common ground cipher-heldfact", sibling)
        (told,) = self.memory.facts(object="common ground qheldfact")
        held = self.state("of an orchard qheldfact", subject="orchard")
        self.state("of an orchard", subject="orchard")
        self.state("that follows qheldfact", because=[held])
        self.sum_up("orchard", "The orchard shares qheldfact.")
        self.quarantines += [{"fact": told.position}, {"fact": held}]
        alone = self.state("qalonefact")
        self.state("that stays", because=[alone])
        self.quarantines.append({"fact": alone, "cascade": False})
        for mark, cascade in (("qheldend", True), ("qaloneend", False)):
            end = self.memory.end_fact(self.state(f"not {cascade}"), reason=mark)
            self.quarantines.append({"fact": end, "cascade": cascade})

    def proposals(self, plain: int) -> None:
        """Plant what an assistant says against the owner."""
        for who in ("folk", "grove", "meadow"):
            self.memory.assert_fact(who, "lives_in", "Pune", **_LABELS)
            self.memory.assert_fact(who, "works_at", "Acme", **_LABELS)
        shared = "folk | shares | common ground of an assistant"
        self.tell("folk | lives_in | cipher-proposed", shared, role="assistant")
        follows: dict[str, Any] = {"origin": "agent", "because": [plain]}
        self.memory.assert_fact("folk", "lives_in", "a place qproposed", **follows)
        ended = "{} | works_at | Acme | ended | note=cipher-{}"
        self.tell(ended.format("folk", "proposedend"), role="assistant")
        self.tell("grove | lives_in | cipher-rejected", shared, role="assistant")
        self.tell(ended.format("grove", "rejectedend"), role="assistant")
        quoted = self.tell("meadow | lives_in | Rome | note=qpendingquote", role="assistant")
        self.quarantines.append({"turn": quoted, "cascade": False})

    def erased(self) -> None:
        """Plant what is to be erased."""
        self.erasures.append({"turn": self.say("qerasedturn")})
        self.say("qerasedsession", **self.session("qerasedsession"))
        self.memory.add("FAIL qerasedsession", session="session qerasedsession")
        self.memory.release_hold(self.keep("qerasedsession"), reason="qerasedsession")
        self.erasures.append({"session": "session qerasedsession"})
        self.tell("vineyard | shares | common ground cipher-erasedfact")
        held = self.state("of a vineyard qerasedfact", subject="vineyard")
        self.state("that follows qerasedfact", because=[held])
        self.sum_up("vineyard", "The vineyard shares qerasedfact.")
        self.memory.alias("qerasedname", "vineyard")
        self.erasures.append({"entity": "Vineyard"})
        end = self.memory.end_fact(self.state("that was"), reason="qerasedend")
        self.erasures.append({"fact": end})
        self.memory.assert_fact("willow", "lives_in", "Pune", **_LABELS)
        waits = self.memory.assert_fact("willow", "lives_in", "qerasedproposal", origin="agent")
        self.erasures.append({"fact": waits})


@pytest.fixture(scope="module")
def planted(
    places_in: Callable[[Path], Any],
    tmp_path_factory: pytest.TempPathFactory,
    line_extractor: Callable[..., Any],
) -> Iterator[Callable[..., Planted]]:
    """Plant everything in a new file; `opened` releases and approves all of it again."""
    clock = count(START, SECOND)
    with ExitStack() as closing:

        def plant(*, opened: bool) -> Planted:
            place = places_in(tmp_path_factory.mktemp("planted")).named("memory.db")

            def on(**options: Any) -> Engine:
                memory = Engine.open(
                    place,
                    embedder=None,
                    extractor=Deciphering(line_extractor()),
                    settings=Settings(embed_in_background=False),
                    clock=lambda: next(clock),
                    **options,
                )
                return closing.enter_context(memory)

            memory, stranger = on(), on(tenant="stranger")
            planting = Planting(memory)
            plain = planting.state("for itself")
            planting.turns()
            planting.facts(plain)
            planting.proposals(plain)
            planting.erased()
            both = on(space="elsewhere", spaces=["main", "elsewhere"])
            Planting(both).everything("qelsewhere", because=[plain])
            both.alias("qsharedname", "folk")
            Planting(stranger).everything("qstranger")
            stranger.alias("qstranger", "folk")
            before = memory.head
            _hide(planting, opened=opened)
            facts = tuple(
                each.position for each in both.events() if each.header.type == "FactAsserted"
            )
            return Planted(both if opened else memory, stranger, before, facts)

        yield plant


def _hide(planting: Planting, *, opened: bool) -> None:
    memory = planting.memory
    for target in () if opened else planting.erasures:
        assert memory.erase(**target).position is not None
    for target in planting.quarantines:
        at = memory.quarantine(**target)
        if opened:
            memory.release(at)
    for proposal in memory.review():
        if proposal.subject in ("folk", "willow") and opened:
            memory.approve(proposal.position)
        elif proposal.subject == "grove" and not opened:
            memory.reject(proposal.position)
        elif proposal.subject == "grove" and proposal.what == "fact":
            memory.approve(proposal.position)  # its end waits on


@pytest.fixture(scope="module")
def hidden(planted: Callable[..., Planted]) -> Planted:
    """The memory of which nothing that was planted may be read."""
    return planted(opened=False)


@pytest.fixture(scope="module")
def opened(planted: Callable[..., Planted]) -> Planted:
    """The memory of which everything that was planted may be read."""
    return planted(opened=True)


@pytest.fixture(scope="session")
def summing() -> Callable[[str], Summing]:
    """Make a model that writes one sentence."""
    return Summing


@pytest.fixture(scope="session")
def marks() -> Callable[[Any], set[str]]:
    """Give the marks that occur anywhere in an answer, whatever it is made of."""

    def of(answer: Any) -> set[str]:
        return set(findall(r"q[a-z]+", " ".join(_texts(answer)).casefold())) & {
            *PLANTS,
            "qleftout",
            "qsharedname",
        }

    return of


def _texts(value: Any) -> Iterator[str]:
    """Write out everything in a value, however deep."""
    if is_dataclass(value):
        for each in fields(value):
            yield from _texts(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from (str(name), *_texts(each))
    elif isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from _texts(each)
    else:
        yield str(value)
