"""The referee: what somebody who had heard every claim would answer, in plain Python.

It shares no code with the engine, and nothing of it is fast.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from bench.histories import Claim, Key


class Ledger:
    """Every claim of a history, ready to be asked as of any time.

    Args:
        claims: The claims, in the order in which they were said.
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._claims: dict[Key, list[Claim]] = defaultdict(list)
        for claim in claims:
            self._claims[claim.key].append(claim)

    def value(self, key: Key, valid_at: datetime, known_at: datetime) -> str | None:
        """Give the one value that a key had at a time, as far as it was known at another.

        Args:
            key: One that has a value at a time.
            valid_at: The time that is asked about.
            known_at: Nothing said after this counts.
        """
        run: list[Claim] = []
        for claim in sorted(self._standing(key, known_at), key=lambda c: (c.at, c.said_at)):
            if claim.at > valid_at:
                break
            if run and (run[-1].value != claim.value or self._over(key, run, claim.at, known_at)):
                run = []
            run.append(claim)
        if not run or self._over(key, run, valid_at, known_at):
            return None
        return run[0].value

    def values(self, key: Key, valid_at: datetime, known_at: datetime) -> frozenset[str]:
        """Give all values that a key had at a time, each for itself."""
        standing = self._standing(key, known_at)
        return frozenset(
            claim.value
            for claim in standing
            if claim.at <= valid_at and not self._over(key, [claim], valid_at, known_at)
        )

    def is_many(self, key: Key) -> bool:
        """Tell whether a key may have several values at once."""
        return any(claim.many for claim in self._claims.get(key, ()))

    def _standing(self, key: Key, known_at: datetime) -> list[Claim]:
        """List the statements that were known and not taken back."""
        known = [claim for claim in self._claims.get(key, ()) if claim.said_at < known_at]
        taken_back = {claim.takes_back for claim in known}
        return [c for c in known if c.act == "states" and c.number not in taken_back]

    def _over(self, key: Key, run: list[Claim], by: datetime, known_at: datetime) -> bool:
        """Tell whether a value was said to have ended between its beginning and a time."""
        return any(
            claim.act == "ends"
            and claim.said_at < known_at
            and claim.value == run[0].value
            and run[0].at < claim.at <= by
            for claim in self._claims.get(key, ())
        )
