"""A memory as an agent may use it: it records as an agent and reads what may be shown to a model.

Every surface that a model reaches goes through this: the engine that it holds lowers what is
recorded to the agent's origin and refuses the verbs of an owner.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from smriti_es.answer import Answer
from smriti_es.beliefs import Fact
from smriti_es.captured import TimeGiven
from smriti_es.engine import Engine
from smriti_es.events.errors import NotFound
from smriti_es.fact_history import Explanation, FactHistory
from smriti_es.policy import SHOWN_ORIGINS, Filters
from smriti_es.results import Added, Context, SearchResult, Status

# What is told of a fact that holds no longer, beside what holds.
EVERY_STATUS: Final = ("current", "scheduled", "superseded", "ended", "corrected")


@dataclass(frozen=True, slots=True)
class AgentMemory:
    """What an agent may do.

    Attributes:
        engine: A memory that was opened with `origin="agent"`.
        session: The conversation that is meant when none is named.
        scopes: The scopes that the agent is in: facts of these and unscoped ones are read.
    """

    engine: Engine
    session: str
    scopes: tuple[str, ...] = field(default=())

    def remember(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        session: str = "",
        at: TimeGiven | None = None,
        tags: Sequence[str] = (),
    ) -> Added:
        """Record what was said; see `Engine.add`."""
        return self.engine.add(messages, session=session or self.session, at=at, tags=tags)

    def recall(self, question: str, *, budget: int, **asked: Any) -> Context:
        """Gather evidence as text; see `Engine.context`."""
        return self.engine.context(question, budget=budget, **self._shown(asked))

    def search(self, question: str, *, k: int | None, **asked: Any) -> SearchResult:
        """Find turns and facts; see `Engine.search`."""
        return self.engine.search(question, k=k, **self._shown(asked))

    def facts_about(
        self,
        entity: str,
        *,
        predicate: str | None = None,
        valid_at: TimeGiven | None = None,
        known_at: int | TimeGiven | None = None,
        past: bool = False,
    ) -> Answer[Fact]:
        """Read facts in which somebody or something is named; see `Engine.facts`."""
        return self.engine.facts(
            None,
            predicate,
            entity=entity,
            valid_at=valid_at,
            known_at=known_at,
            scopes=self.scopes,
            origins=SHOWN_ORIGINS,
            statuses=EVERY_STATUS if past else ("current",),
        )

    def add_fact(
        self, subject: str, predicate: str, object: str, **said: Any
    ) -> tuple[int | None, bool]:
        """State a fact; see `Engine.assert_fact`.

        Returns:
            Its position, None when exactly this was recorded before, and whether it waits for an
            owner's word.
        """
        position = self.engine.assert_fact(subject, predicate, object, **said)
        if position < 0:
            return None, False
        try:
            self.engine.explain(position)
        except NotFound:
            return position, True
        return position, False

    def history(
        self,
        subject: str,
        *,
        predicate: str | None = None,
        known_at: int | TimeGiven | None = None,
    ) -> Answer[FactHistory]:
        """Read every statement about something; see `Engine.history`."""
        return self.engine.history(
            subject,
            predicate,
            known_at=known_at,
            scopes=self.scopes,
            origins=SHOWN_ORIGINS,
        )

    def explain(self, position: int) -> Explanation:
        """Say why a fact is believed; see `Engine.explain`."""
        return self.engine.explain(position, scopes=self.scopes, origins=SHOWN_ORIGINS)

    def stats(self) -> Status:
        """Say what there is, and how well it is."""
        return self.engine.status()

    def _shown(self, asked: Mapping[str, Any]) -> Any:
        """Narrow what is asked to what may be shown to a model."""
        bound: Filters = {"origins": SHOWN_ORIGINS}
        if self.scopes:
            bound["scopes"] = self.scopes
        return {**asked, **bound}
