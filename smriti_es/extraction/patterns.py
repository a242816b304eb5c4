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
from smriti_es.extraction.pattern_people import apposed
from smriti_es.projections.speakers import GENERIC_NAMES, speaker_of

_NAME = re.compile(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")


class PatternExtractor:
    """The extractor without a model: deterministic, offline, safe to call from any thread.

    Only what a user or a named speaker said is read, in English; "I" is the speaker's name where
    there is one, else `user`.
    """

    name = "pattern/1"
    model = ""
    prompt_digest = ""

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
    for found in sentences(turn.text):
        stated = False
        for clause in clauses(found):
            if clause.shared and not stated:
                continue
            stated = False
            for finding in findings(clause, saying):
                stated = not finding.ends
                yield _fact(turn, finding, turn.text[clause.start : clause.end])
        for predicate, value, start, end in apposed(found):
            yield _fact(turn, Finding(predicate, value, None), turn.text[start:end])


def _fact(turn: SourceTurn, finding: Finding, quote: str) -> ExtractedFact:
    ...


def _once(facts: Iterable[ExtractedFact]) -> Iterator[ExtractedFact]:
    seen: set[tuple[str, str, str, str, bool]] = set()
    for fact in facts:
        key = (fact.subject, fact.predicate, fact.object.casefold(), fact.scope, fact.ends)
        if key not in seen:
            seen.add(key)
            yield fact
