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
from smriti_es.extraction.pattern_clauses import clauses, sentences
from smriti_es.extraction.pattern_families import family_of, sentence
from smriti_es.extraction.pattern_matching import Finding, Saying, findings
from smriti_es.extraction.pattern_people import KIN_WORDS, apposed
from smriti_es.extraction.pattern_table import TRIGGERS
from smriti_es.extraction.pattern_words import OTHERS_LABELS, OWN_LABELS
from smriti_es.extraction.predicates import ATTITUDE
from smriti_es.extraction.scope_validation import normal_scope
from smriti_es.projections.speakers import GENERIC_NAMES, speaker_in_text, speaker_of

TURN_LENGTH_MAX = 8_000  # characters; whatever is longer was pasted, and "I" is somebody else
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
    # Nothing leaves this process.
    endpoint: str | None = None

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
            if turn.role != "user" or turn.origin == "tool" or _is_quoted(turn):
                continue
            if len(turn.text) > TURN_LENGTH_MAX:
                reason = f"longer than {TURN_LENGTH_MAX:,} characters: likely not the speaker's own"
                dropped.append(DroppedItem(reason, {"turn": turn.position}))
                continue
            facts += _once(_of_turn(turn, Saying(turn.said_at, zone)))
        return Extraction(tuple(facts), tuple(dropped))


def _is_quoted(turn: SourceTurn) -> bool:
    """Tell whether a turn begins with a label such as "Lyrics: ", after which nobody is himself."""
    return not turn.speaker and speaker_in_text(turn.text) in OTHERS_LABELS


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
    said = sentence(who, finding.predicate, value.shown or value.object, ended=finding.ends)
    return ExtractedFact(
        subject=subject,
        predicate=finding.predicate,
        object=value.object,
        statement=_within(finding.scope.words, said),
        evidence=(Evidence(turn.position, turn.text[start:end]),),
        scope=normal_scope(finding.scope.key),
        kind=family.kind,
        valid_from=None if finding.ends else time.at,
        valid_to=time.at if finding.ends else None,
        precision=time.precision,
        time_text=time.text,
        entities=_entities(who, finding),
        search_keys=family.keys,
        single=family.single,
        ends=finding.ends,
    )


def _within(scope: str, said: str) -> str:
    """Put the words of a scope before a sentence."""
    if not scope:
        return said
    if said.startswith(_USER_SHOWN):
        said = f"{said[0].lower()}{said[1:]}"
    return f"{scope[0].upper()}{scope[1:]}, {said}"


def _entities(who: str, finding: Finding) -> tuple[str, ...]:
    owner = who.split("'s ")[0].removeprefix("The ")
    names = [] if owner == _USER else [owner]
    _, attitude, thing = finding.predicate.partition(ATTITUDE)
    thing = thing.replace("_", " ") if attitude else finding.value.object
    names += _NAME.findall(thing) or ([thing] if thing else [])
    return tuple(dict.fromkeys(names))


def _subject(turn: SourceTurn, finding: Finding) -> tuple[str, str]:
    """Give the subject as it is kept, and as a sentence begins with it."""
    about = finding.value.about
    if about and not about.startswith("'s "):
        return about, f"The {about}"
    if finding.subject:
        return finding.subject + about, finding.subject + about
    speaker = speaker_of(turn.speaker, turn.text)
    if speaker is None or speaker in GENERIC_NAMES or (not turn.speaker and speaker in OWN_LABELS):
        return _USER + about, _USER_SHOWN + about
    shown = turn.speaker or re.split("[:\uff1a]", turn.text, maxsplit=1)[0].strip()
    return speaker + about, shown + about


def _once(facts: Iterable[ExtractedFact]) -> Iterator[ExtractedFact]:
    seen: set[tuple[str, str, str, str, bool]] = set()
    for fact in facts:
        key = (fact.subject, fact.predicate, fact.object.casefold(), fact.scope, fact.ends)
        if key not in seen:
            seen.add(key)
            yield fact
