"""The digests that bear on a question: those that sum up the facts which it found.

Only a question that counts gets any, unless the profile wants them for every one. They stand beside
the answer: a digest is never ranked, so it takes no place of a fact or a turn and moves no score.
That it bears on the question is told by the facts in it, which were found by their own words and
meaning.
"""

from collections import Counter
from dataclasses import replace
from typing import Final

from sqlalchemy import select

from smriti_es.beliefs import BeliefReader, Fact, FactStatus
from smriti_es.events.catalogue.facts import DIGEST
from smriti_es.policy import ReadPolicy, fact_filter
from smriti_es.recall.reader import Ranked

DIGESTS_MAX: Final = 4
# How deep in the ranking the facts are looked for, and how many of them make a digest matter.
_DEPTH: Final = 40
_FACTS_MIN: Final = 2


def digests_for(beliefs: BeliefReader, ranked: Ranked, policy: ReadPolicy) -> tuple[Fact, ...]:
    """Give the digests for a ranking, at most four, those first that sum up most of what it found.

    Of two with equally many, the one that sums up less besides comes first.

    Args:
        beliefs: Knows both times; only digests that hold then are given, with staleness told.
        ranked: What was found; for a question that does not count there are none, unless its
            profile wants them.
        policy: What the read may see.
    """
    wanted = fact_filter(policy)
    if wanted is None or not (ranked.question.counts or ranked.profile.digests):
        return ()
    premise = beliefs.tables.facts.premise.c
    best = [position for position, is_fact in ranked.best(_DEPTH) if is_fact]
    rows = beliefs.connection.execute(
        select(premise.position).where(premise.log == beliefs.log, premise.premise.in_(best))
    )
    found = Counter(rows.scalars())
    positions = tuple(position for position, count in found.items() if count >= _FACTS_MIN)
    digests = beliefs.facts(
        replace(wanted, digests=True, kinds=(DIGEST,), positions=positions),
        statuses=(FactStatus.CURRENT,),
    )
    digests.sort(key=lambda each: (-found[each.position], len(each.because), each.position))
    return tuple(digests[:DIGESTS_MAX])
