"""The verbs of a memory that lies behind a server."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from smriti_es.answer import Answer, KnownTo
from smriti_es.belief_changes import BeliefChange
from smriti_es.beliefs import Fact
from smriti_es.blast_radius import BlastRadius
from smriti_es.client.calling import Calling
from smriti_es.client.values import value_of
from smriti_es.fact_history import Cause, Explanation, FactHistory, Revision
from smriti_es.keeping_verbs import Erasure
from smriti_es.results import Added, Context, RecordedSession, RecordedTurn, SearchResult, Status
from smriti_es.reviewing import Proposal
from smriti_es.trust_verbs import StandingQuarantine


class MemoryClient(Calling):
    """A memory behind a REST server, with the verbs of `Engine` and its values.

    What a verb takes and raises is told there; times are text, as in 2026-06-02T10:00:00Z. Lists
    come in pages, which are fetched as they are needed.
    """

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]],
        *,
        session: str,
        idempotency_key: str | None = None,
        **said: Any,
    ) -> Added:
        """Record what was said; see `Engine.add`."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        listed = [messages] if isinstance(messages, str | Mapping) else list(messages)
        body = {"messages": listed, "session": session, **said}
        return value_of(Added, self._post("/v1/turns", body, headers=headers))

    def search(self, question: str, **asked: Any) -> SearchResult:
        """Find turns and facts; see `Engine.search`."""
        return value_of(SearchResult, self._post("/v1/search", {"question": question, **asked}))

    def context(self, question: str, **asked: Any) -> Context:
        """Gather evidence as text; see `Engine.context`."""
        return value_of(Context, self._post("/v1/context", {"question": question, **asked}))

    def turns(self, **asked: Any) -> Iterator[RecordedTurn]:
        """List turns, page by page; see `Engine.turns`."""
        for item in self._items("/v1/turns", **asked):
            yield value_of(RecordedTurn, item)

    def sessions(self, **asked: Any) -> Iterator[RecordedSession]:
        """List sessions, page by page; see `Engine.sessions`."""
        for item in self._items("/v1/sessions", **asked):
            yield value_of(RecordedSession, item)

    def facts(
        self, subject: str | None = None, predicate: str | None = None, **asked: Any
    ) -> Answer[Fact]:
        """Read what is believed; see `Engine.facts`. `scopes` and `statuses` may be None: any."""
        for name, switch in (("scopes", "all_scopes"), ("statuses", "any_status")):
            if name in asked and asked[name] is None:
                asked[switch] = True
        pages = self._pages("/v1/facts", subject=subject, predicate=predicate, **asked)
        return _answer(list(pages), lambda item: value_of(Fact, item))

    def history(
        self, subject: str | None = None, predicate: str | None = None, **asked: Any
    ) -> Answer[FactHistory]:
        """Read every statement with each belief about it; see `Engine.history`."""
        pages = self._pages("/v1/history", subject=subject, predicate=predicate, **asked)
        return _answer(list(pages), lambda item: value_of(FactHistory, item))

    def explain(self, position: int, **asked: Any) -> Explanation:
        """Say why a fact is believed; see `Engine.explain`. What events say is given as JSON."""
        told = self._get(f"/v1/facts/{position}", **asked)
        return Explanation(
            value_of(Fact, told["fact"]),
            tuple(_cause(each) for each in told["rests_on"]),
            tuple(_cause(each) for each in told["decided"]),
            tuple(value_of(Revision, each) for each in told["revisions"]),
            told["head"],
            told["provisional"],
        )

    def diff(self, earlier: int | str, later: int | str, **asked: Any) -> Answer[BeliefChange]:
        """List what changed between two knowledge times; see `Engine.diff`."""
        page = self._get("/v1/diff", earlier=earlier, later=later, **asked)
        return _answer([page], lambda item: value_of(BeliefChange, item))

    def status(self) -> Status:
        """Say what there is, and how well it is; the location is the address of the server."""
        told = self._get("/v1/status")
        return value_of(Status, told, location=self._address)

    def assert_fact(self, subject: str, predicate: str, object: str, **said: Any) -> int:
        """State a fact; gives its position, -1 when exactly this was recorded before."""
        body = {"subject": subject, "predicate": predicate, "object": object, **said}
        position = self._post("/v1/facts", body)["position"]
        return -1 if position is None else cast("int", position)

    def end_fact(self, position: int, *, at: str | None = None, reason: str = "") -> int:
        """Say that a fact's value holds no longer; gives the position of the end."""
        told = self._post(f"/v1/facts/{position}/end", {"at": at, "reason": reason})
        return cast("int", told["position"])

    def retract(self, position: int, *, reason: str = "") -> None:
        """Say that a fact was never true."""
        self._post(f"/v1/facts/{position}/retract", {"reason": reason})

    def retract_end(self, position: int, *, reason: str = "") -> None:
        """Take back a stated end."""
        self._post(f"/v1/ends/{position}/retract", {"reason": reason})

    def alias(self, alias: str, canonical: str, *, reason: str = "") -> None:
        """Say that two names are the same entity."""
        body = {"alias": alias, "canonical": canonical, "reason": reason}
        self._post("/v1/aliases", body)

    def unalias(self, alias: str, *, reason: str = "") -> None:
        """Say that an alias is not the same entity after all."""
        self._post("/v1/aliases/remove", {"alias": alias, "reason": reason})

    def review(self) -> Iterator[Proposal]:
        """List what waits for an owner's word; what approving changes is given as JSON."""
        for item in self._items("/v1/review"):
            yield value_of(Proposal, item)

    def approve(self, position: int, *, reason: str = "") -> None:
        """Let a proposal stand as if the owner had said it."""
        self._post(f"/v1/review/{position}/approve", {"reason": reason})

    def reject(self, position: int, *, reason: str = "") -> None:
        """Turn a proposal down."""
        self._post(f"/v1/review/{position}/reject", {"reason": reason})

    def edit(self, position: int, **said: Any) -> int:
        """Turn a proposed fact down and state it corrected; gives the position of the new fact."""
        return cast("int", self._post(f"/v1/review/{position}/edit", said)["position"])

    def quarantine(self, **named: Any) -> int:
        """Withhold something; gives the position of the quarantine."""
        return cast("int", self._post("/v1/quarantines", named)["position"])

    def release(self, quarantine: int, *, reason: str = "") -> None:
        """Lift a quarantine."""
        self._post(f"/v1/quarantines/{quarantine}/release", {"reason": reason})

    def quarantines(self) -> list[StandingQuarantine]:
        """List the quarantines that are not lifted."""
        listed = self._get("/v1/quarantines")["items"]
        return [value_of(StandingQuarantine, each) for each in listed]

    def impact(self, **named: Any) -> BlastRadius:
        """Tell everything that would not be there without something."""
        return value_of(BlastRadius, self._post("/v1/impact", named))

    def erase(self, **named: Any) -> Erasure:
        """Erase something and everything that was derived from it; see `Engine.erase`."""
        return value_of(Erasure, self._post("/v1/erasures", named))

    def events(self, *, content: bool = False) -> Iterator[dict[str, Any]]:
        """Read the log itself, page by page, as JSON."""
        yield from self._items("/v1/events", content=content)

    def verify(self, *, projections: bool = False) -> dict[str, Any]:
        """Recompute the log from its bytes; gives what was found, as JSON."""
        told = self._post("/v1/log/verify", {"projections": projections})
        return cast("dict[str, Any]", told)


def _answer(pages: Sequence[Any], read: Callable[[Any], Any]) -> Answer[Any]:
    known = KnownTo(pages[0]["head"], pages[0]["provisional"])
    return Answer([read(item) for page in pages for item in page["items"]], known)


def _cause(told: Mapping[str, Any]) -> Cause:
    return value_of(Cause, told, content=told["event"])
