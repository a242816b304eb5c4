"""Which statements of a key may stand: what is trusted less never moves what is trusted more.

A pure function of what was said and by whom, like the chain itself: it does not matter what came
first, and a statement that was held back stands by itself once nothing opposes it any longer.
Source: design page on trust, "Who may change what stands".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from smriti_es.chain import Link, StatedEnd, Statement
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.trust import TrustPolicy


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody's statement, or stated end, of a key.

    Attributes:
        position: Its place in the log.
        said: What was said.
        origin: Whose word it is.
        approved: Whether an owner let it stand.
        orphaned: Whether it waited for a statement's sake that was erased: it still waits.
    """

    position: int
    said: Statement | StatedEnd
    origin: str
    approved: bool = False
    orphaned: bool = False


@dataclass(frozen=True, slots=True)
class Admission:
    """What stands, and what waits.

    Attributes:
        links: The place of each statement that stands, by position.
        against: Of each claim that waits, the statement that it would have moved; `NOBODY` when a
            rule alone holds it back.
    """

    links: Mapping[int, Link]
    against: Mapping[int, int]


# Gives the chain of some of a key's claims.
ChainOf = Callable[[Sequence[Claim]], Mapping[int, Link]]


def admit(claims: Sequence[Claim], policy: TrustPolicy, chain_of: ChainOf) -> Admission:
    """Decide which claims of a key stand.

    Rank by rank, the most trusted first: a claim stands if with it every statement of a higher rank
    keeps its place.

    Args:
        claims: All of the key that may stand at all.
        policy: Whose word counts for more.
        chain_of: Gives the chain of claims.
    """
    against = {
        claim.position: NOBODY
        for claim in claims
        if claim.orphaned or policy.needs_review(claim.origin, approved=claim.approved)
    }

    def rank_of(claim: Claim) -> int:
        return policy.rank(claim.origin, approved=claim.approved)

    standing: list[Claim] = []
    links: Mapping[int, Link] = {}
    allowed = [claim for claim in claims if claim.position not in against]
    for _, group in groupby(sorted(allowed, key=rank_of), key=rank_of):
        equals = list(group)
        together = chain_of([*standing, *equals])
        # Mostly nobody opposes anybody, and one look at all of them is enough.
        if _moved(links, together) is None:
            standing += equals
            links = together
            continue
        kept = [*standing]
        for claim in sorted(equals, key=_order):
            moved = _moved(links, chain_of([*kept, claim]))
            if moved is None:
                kept.append(claim)
            else:
                against[claim.position] = moved
        standing = kept
        links = chain_of(standing)
    return Admission(links, against)


def _moved(before: Mapping[int, Link], after: Mapping[int, Link]) -> int | None:
    """Give the first statement whose place is another one than before."""
    return next((each for each in sorted(before) if after[each] != before[each]), None)


def _order(claim: Claim) -> tuple[bool, tuple[int, int, str, str, int]]:
    """Order claims by what they say: statements first, and never by when they arrived."""
    said = claim.said
    if isinstance(said, Statement):
        return (False, said.order)
    return (True, (said.valid_to, said.said_at, said.value, "", claim.position))
