"""Finds facts without a model: English statements of a speaker about himself or a named subject.

Precision comes before recall: what a pattern does not understand whole, it leaves alone. What each
understands, and what none does, is written in docs/patterns.md. Source: design page on surfaces,
"Extraction".
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from zoneinfo import ZoneInfo

from smriti_es.extraction.contract import (
    DroppedItem,
    Evidence,
    ExtractedFact,
    Extraction,
    SourceTurn,
)
from smriti_es.extraction.pattern_clauses import TURN_LENGTH_MAX, clauses, sentences
from smriti_es.extraction.pattern_families import family_of, sentence
from smriti_es.extraction.pattern_matching import Finding, Saying, findings
from smriti_es.extraction.pattern_people import KIN_WORDS, apposed
from smriti_es.extraction.pattern_table import TRIGGERS
from smriti_es.extraction.predicates import ATTITUDE
from smriti_es.extraction.scope_validation import normal_scope
from smriti_es.projections.speakers import GENERIC_NAMES, speaker_of

_USER, _USER_SHOWN = "user", "The user"
_NAME = re.compile(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")


class PatternExtractor:
    """The extractor without a model: deterministic, offline, safe to call from any thread.

    Only what a user or a named speaker said is read, in English; "I" is the speaker's name where
    there is one, else `user`.
    """

    name = "pattern/1"
    model = ""
    prompt_digest = ""
    immediate = True

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        """Find facts in turns of one session; each turn is read by itself.

        Args:
            turns: The turns, in the order in which they were said.
            timezone: IANA name of the zone in which days are counted.

        Returns:
            The facts in the order of the text. A turn too long to be somebody's own words stands
            under `dropped`.

        Raises:
            ZoneInfoNotFoundError: There is no such zone.
        """
        zone = ZoneInfo(timezone)
        facts: list[ExtractedFact] = []
        dropped: list[DroppedItem] = []
        for turn in turns:
            if turn.role != "user" or turn.origin == "tool":
                continue
            if len(turn.text) > TURN_LENGTH_MAX:
                reason = f"longer than {TURN_LENGTH_MAX:,} characters: likely not the speaker's own"
                dropped.append(DroppedItem(reason, {"turn": turn.position}))
                continue
            facts += _once(_of_turn(turn, Saying(turn.said_at, zone)))
        return Extraction(tuple(facts), tuple(dropped))


def _of_turn(turn: SourceTurn, saying: Saying) -> Iterator[ExtractedFact]:
    for found in sentences(turn.text, _may_say_something):
        before: Finding | None = None  # what the clause before states, for one that adds to it
        for clause in clauses(found):
            if clause.shared and (before is None or before.ends):
                continue
            subject = before.subject if before and clause.shared else None
            before = None
            for finding in findings(clause, saying, subject):
                before = finding
                yield _fact(turn, finding, clause.start, clause.end)
        for predicate, value, start, end in apposed(found):
            yield _fact(turn, Finding(predicate, value, None), start, end)


def _may_say_something(words: frozenset[str]) -> bool:
    return not (TRIGGERS.isdisjoint(words) and KIN_WORDS.isdisjoint(words))


def _fact(turn: SourceTurn, finding: Finding, start: int, end: int) -> ExtractedFact:
    value, time, family = finding.value, finding.time, family_of(finding.predicate)
    subject, who = _subject(turn, finding)
    shown = value.shown or value.object
    said = sentence(who, finding.predicate, shown, ended=finding.ends)
    if words := finding.scope.words:
        begun = f"{said[0].lower()}{said[1:]}" if who == _USER_SHOWN else said
        said = f"{words[0].upper()}{words[1:]}, {begun}"
    known = who.split("'s ")[0]
    names = [] if known == _USER_SHOWN else [known]
    _, attitude, thing = finding.predicate.partition(ATTITUDE)
    thing = thing.replace("_", " ") if attitude else value.object
    names += _NAME.findall(thing) or ([thing] if thing else [])
    return ExtractedFact(
        subject=subject,
        predicate=finding.predicate,
        object=value.object,
        statement=said,
        evidence=(Evidence(turn.position, turn.text[start:end]),),
        scope=normal_scope(finding.scope.key),
        kind=family.kind,
        valid_from=None if finding.ends else time.at,
        valid_to=time.at if finding.ends else None,
        precision=time.precision,
        time_text=time.text,
        entities=tuple(dict.fromkeys(names)),
        search_keys=family.keys,
        single=family.single,
        ends=finding.ends,
    )


def _subject(turn: SourceTurn, finding: Finding) -> tuple[str, str]:
    """Give the subject as it is kept, and as a sentence begins with it."""
    about = finding.value.about
    if about and not about.startswith("'s "):
        return about, f"The {about}"
    if finding.subject:
        subject, who = finding.subject, finding.subject
    else:
        speaker = speaker_of(turn.speaker, turn.text)
        if speaker is None or speaker in GENERIC_NAMES:
            subject, who = _USER, _USER_SHOWN
        else:
            subject, who = speaker, turn.speaker or _shown_name(turn.text)
    return subject + about, who + about


def _shown_name(text: str) -> str:
    return re.split("[:\uff1a]", text, maxsplit=1)[0].strip()


def _once(facts: Iterable[ExtractedFact]) -> Iterator[ExtractedFact]:
    seen: set[tuple[str, str, str, str, bool]] = set()
    for fact in facts:
        key = (fact.subject, fact.predicate, fact.object.casefold(), fact.scope, fact.ends)
        if key not in seen:
            seen.add(key)
            yield fact
