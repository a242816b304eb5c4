"""The verbs that lead into the past, and give something that has every read there."""

from smriti_es.blast_radius import Named, target_of
from smriti_es.captured import TimeGiven
from smriti_es.events.errors import InvalidInput
from smriti_es.fact_reads import FactReads
from smriti_es.replaying import Replay, counterfactual, replayed
from smriti_es.trust_of_then import Trust, is_then
from smriti_es.view import View
from smriti_es.within_spaces import assert_within_spaces


class PastVerbs(FactReads):
    """Views and replays; the engine has them, a view of the past does not."""

    def at(self, known_at: int | TimeGiven, *, trust: Trust = "today") -> View:
        """Give a view of what was known at a time, or at a position; it has every read.

        Args:
            known_at: A knowledge time, or a position.
            trust: "then" shows what was trusted then, with a label on what is withheld today
                (`withheld`): for owners and auditors, so such a view refuses `search` and
                `context`. "today" withholds from the past, too, what is withheld now.

        Raises:
            NotFound: The log did not exist at that time, or is not that long.
        """
        then = is_then(trust, default=False)
        with self._opened.database.read() as connection:
            return View(self._opened, self._moment_at(connection, known_at), then=then)

    def replay(
        self,
        known_at: int | TimeGiven,
        *,
        without: Named | None = None,
        trust: Trust = "today",
    ) -> Replay:
        """Fold the log up to a time into a memory of its own, and answer from that.

        It needs no projection of this memory; `at` gives the same answers, from the projections.
        Close it, or use it in a `with` block.

        Args:
            known_at: A knowledge time, or a position.
            without: What to leave out, with everything that rests on it, as in `quarantine`; for
                example `{"session": "s2"}`. It then tells what would be believed without that, and
                `Replay.without` what was left out.
            trust: As in `at`.

        Raises:
            InvalidInput: Something is to be left out under the trust of then.
            NotFound: The log did not exist at that time, or there is no such thing to leave out.

        Cost: One pass over the log up to that time, held in memory.
        """
        left_out = None if without is None else target_of(without)
        if left_out is not None and left_out.kind in ("turn", "fact"):
            assert_within_spaces(self._opened, (left_out.name,))
        then = is_then(trust, default=False)
        if left_out is not None and then:
            raise InvalidInput(
                'without and trust="then" do not go together',
                hint="What would be believed without something is told under the trust of today.",
            )
        with self._opened.database.read() as connection:
            moment = self._moment_at(connection, known_at)
        if left_out is not None:
            return counterfactual(self._opened, moment, left_out)
        return replayed(self._opened, moment, then=then)
