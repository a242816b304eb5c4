"""The memory as the long-term store of LangGraph: documents under a namespace and a key.

Every value that is put is a turn of an agent in the session of its namespace, so that it is found
by meaning and by words, dated, and kept as it was when it is replaced. Source:
https://reference.langchain.com/python/langgraph/store/.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, unquote
from uuid import uuid4

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from smriti_es.adapters.langgraph_filters import holds
from smriti_es.engine import Engine
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.errors import NotFound
from smriti_es.results import RecordedTurn

_KIND: Final = "langgraph"
_UNINDEXED: Final = "langgraph-unindexed"
_KINDS: Final = (_KIND, _UNINDEXED)
_KEY: Final = "langgraph_key"
_CREATED: Final = "langgraph_created"
_VALUE: Final = "langgraph_value"
_PAGE: Final = 1_000
_FETCH_MAX: Final = 10_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

Namespace = tuple[str, ...]


class SmritiStore(BaseStore):
    """Long-term memory of LangGraph graphs, kept in a memory.

    Give it to `graph.compile(store=...)`. A value that is replaced or deleted is quarantined: no
    read gives it any more, the log still has it; `Engine.erase` takes it away for good. Whatever
    is quarantined or erased is gone from the store, too. Items do not expire.

    Args:
        engine: The memory; it is for the caller to close.
        fields: Paths into a value whose texts say what it is about, as `index` of `put`; None:
            every text in it.
    """

    __slots__ = ("_engine", "_fields")

    def __init__(self, engine: Engine, *, fields: Sequence[str] | None = None) -> None:
        self._engine = engine
        self._fields = fields

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order: what is read is as it was before anything is put.

        Raises:
            InvalidInput: A value, a key or a namespace is too large; see `Limits`.
        """
        asked = list(ops)
        results = [None if isinstance(op, PutOp) else self._read(op) for op in asked]
        # Of several values for one key the last one counts.
        puts = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        for op in puts.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the same in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            turn = next(self._of_key(op.namespace, op.key), None)
            return None if turn is None else Item(**self._item(turn))
        if isinstance(op, SearchOp):
            return list(self._searched(op))
        if isinstance(op, ListNamespacesOp):
            return self._listed(op)
        raise ValueError(f"no operation of a store: {op!r}")

    def _put(self, op: PutOp) -> None:
        before = list(self._of_key(op.namespace, op.key))
        if op.value is not None:
            self._record(op, op.value, before)
        for turn in before:
            self._engine.quarantine(turn=turn.position, reason="replaced or deleted in its store")

    def _record(self, op: PutOp, value: Mapping[str, Any], before: Sequence[RecordedTurn]) -> None:
        text = "" if op.index is False else self._text(value, op.index)
        metadata = {_KEY: op.key}
        if before:
            metadata[_CREATED] = str(before[0].metadata.get(_CREATED, before[0].known))
        message = {
            "role": "assistant",
            "content": text if text.strip() else f"[{op.key}]",
            "kind": _KIND if text.strip() else _UNINDEXED,
            "id": uuid4().hex,
            "metadata": metadata,
            # As text, for a memory leaves pictures and sound out of what is no text.
            _VALUE: json.dumps(dict(value), ensure_ascii=False),
        }
        self._engine.add([message], session=_session(op.namespace))

    def _text(self, value: Mapping[str, Any], index: Sequence[str] | None) -> str:
        paths = self._fields if index is None else index
        if paths is None:
            return "\n".join(_texts(value))
        return "\n".join(text for path in paths for text in get_text_at_path(value, path))

    def _of_key(self, namespace: Namespace, key: str) -> Iterator[RecordedTurn]:
        """Give what stands under a key, newest first: more than one after a crash alone."""
        return self._turns([_session(namespace)], where={_KEY: key})

    def _turns(self, sessions: Sequence[str], **filters: Any) -> Iterator[RecordedTurn]:
        after: int | None = None
        while True:
            try:
                page = self._engine.turns(
                    sessions=sessions,
                    spaces=[self._engine._opened.space],
                    kinds=_KINDS,
                    newest=True,
                    limit=_PAGE,
                    after=after,
                    **filters,
                )
            except NotFound:
                return
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].position

    def _namespaces(self) -> list[Namespace]:
        """Give every namespace under which something stands."""
        found: list[Namespace] = []
        after: int | None = None
        while True:
            page = self._engine.sessions(
                spaces=[self._engine._opened.space], limit=_PAGE, after=after
            )
            found += [_namespace(each.name) for each in page if each.name.startswith(_PREFIX)]
            if len(page) < _PAGE:
                break
            after = page[-1].position
        return sorted(each for each in found if any(self._turns([_session(each)])))

    def _searched(self, op: SearchOp) -> list[SearchItem]:
        length = len(op.namespace_prefix)
        within = [
            _session(each)
            for each in self._namespaces()
            if each[:length] == tuple(op.namespace_prefix)
        ]
        if not within:
            return []
        wanted = op.offset + op.limit
        if op.query:
            found = self._ranked(op.query, within, op.filter, wanted)
        else:
            found = self._matching(((each, None) for each in self._turns(within)), op.filter)
        return [item for _, item in zip(range(wanted), found, strict=False)][op.offset :]

    def _ranked(
        self, query: str, within: Sequence[str], wanted: Mapping[str, Any] | None, enough: int
    ) -> Iterator[SearchItem]:
        """Give the items that answer a query, best first; more are fetched while a filter drops."""
        k = max(1, enough)
        while True:
            hits = self._engine.search(
                query,
                k=min(k, _FETCH_MAX),
                sessions=within,
                spaces=[self._engine._opened.space],
                kinds=[_KIND],
            )
            turns = [(hit.turn, hit.score) for hit in hits if hit.turn is not None]
            items = list(self._matching(turns, wanted))
            if len(items) >= enough or len(hits) < k or k >= _FETCH_MAX:
                return iter(items)
            k *= 4

    def _matching(
        self,
        turns: Iterable[tuple[RecordedTurn, float | None]],
        wanted: Mapping[str, Any] | None,
    ) -> Iterator[SearchItem]:
        seen: set[tuple[str, str]] = set()
        for turn, score in turns:
            place = (turn.session, str(turn.metadata[_KEY]))
            if place in seen:
                continue
            seen.add(place)
            item = SearchItem(**self._item(turn), score=score)
            if all(holds(item.value.get(key), value) for key, value in (wanted or {}).items()):
                yield item

    def _item(self, turn: RecordedTurn) -> dict[str, Any]:
        (recorded,) = self._engine.events(turn.position, turn.position + 1)
        event = recorded.event
        assert isinstance(event, TurnRecorded), "a turn is recorded by no other event"
        return {
            "namespace": _namespace(turn.session),
            "key": str(turn.metadata[_KEY]),
            "value": json.loads(event.extra[_VALUE]),
            "created_at": _instant(int(turn.metadata.get(_CREATED, turn.known))),
            "updated_at": _instant(turn.known),
        }

    def _listed(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        found = {
            each[: op.max_depth]
            for each in self._namespaces()
            if all(_matches(condition, each) for condition in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]


_PREFIX: Final = "langgraph:"


def _session(namespace: Namespace) -> str:
    return _PREFIX + "/".join(quote(label, safe="") for label in namespace)


def _namespace(session: str) -> Namespace:
    return tuple(unquote(label) for label in session.removeprefix(_PREFIX).split("/"))


def _instant(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def _texts(value: object) -> Iterator[str]:
    """Give every text inside a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _texts(entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _texts(entry)


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    prefix = condition.match_type == "prefix"
    part = namespace[: len(path)] if prefix else namespace[len(namespace) - len(path) :]
    return all(label in ("*", given) for label, given in zip(path, part, strict=True))
