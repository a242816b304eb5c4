"""Freeze events of every type and version: their exact bytes, hash, key and values.

Run this once a type or a version was added to the catalogue, and commit what it wrote:

    python tests/golden/freeze.py

It writes `<type>.<version>.jsonl` where there is no such file yet and never touches one that
exists: what a release has written, every later one must read. To freeze a new version of a type,
change its events in `EVENTS` to the new form; the old file stays.

A line holds `case`, `header` and `leaf` and `key` in hex, `body` in base64, and `event`: the fields
that were set, as they were at the time.
"""

import base64
import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import MISSING, fields
from itertools import count
from pathlib import Path
from typing import Any

from smriti_es.events import ed25519
from smriti_es.events.catalogue import (
    EVENT_TYPES,
    AliasRemoved,
    ArbitrationDecided,
    ContextServed,
    EmbedderChanged,
    EntityAliased,
    Erased,
    ErasureCompleted,
    Event,
    ExtractionCompleted,
    ExtractionFailed,
    FactAdmitted,
    FactApproved,
    FactAsserted,
    FactEnded,
    FactEndRetracted,
    FactIntervalRevised,
    FactLapsed,
    FactProposed,
    FactReaffirmed,
    FactRejected,
    FactReopened,
    FactRetracted,
    FactSuperseded,
    HoldPlaced,
    HoldReleased,
    LogRestored,
    ProjectionSkipped,
    Quarantined,
    Released,
    RetentionSet,
    SessionStarted,
    SettingsChanged,
    TenantDestroyed,
    TombstonesCleared,
    TurnRecorded,
)
from smriti_es.events.checkpoint import checkpoint_text, origin_of
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.header import Actor
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.log import EventLog
from smriti_es.events.log_keys import LogKey, endorsement_message, key_of_log, rotation
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import Founding, open_log
from smriti_es.events.signed_note import NoteSignature, SignedNote
from smriti_es.migrate import migrate

_KEYS = [
    key_of_log("0f" * 16, ed25519.public_key_of(bytes([each]) * ed25519.SECRET_BYTES))
    for each in (0, 1)
]
_TEXT = checkpoint_text(origin_of("0f" * 16, None), 7, bytes(32))
_SIGNATURE = NoteSignature(
    _KEYS[0].name, _KEYS[0].id, ed25519.sign(bytes(ed25519.SECRET_BYTES), _TEXT.encode())
)
_NOTE = str(SignedNote(_TEXT, (_SIGNATURE,)))

# By type and case. Every log begins with a `LogOpened`, which is its only one.
EVENTS: dict[str, dict[str, Event]] = {
    "LogOpened": {},
    "EmbedderChanged": {
        "minimal": EmbedderChanged(generation=1),
        "full": EmbedderChanged(
            generation=2,
            embedder={
                "dimension": 384,
                "kind": "onnx",
                "max_tokens": 256,
                "model": "minilm",
                "normalised": True,
                "pooling": "mean",
                "revision": "r1",
            },
        ),
    },
    "ProjectionSkipped": {
        "minimal": ProjectionSkipped(projection="lexical", target=0),
        "full": ProjectionSkipped(projection="turns", target=0, reason="A test, said its owner."),
    },
    "SessionStarted": {
        "minimal": SessionStarted(session="s1", space="main"),
        "full": SessionStarted(
            session="Reise nach Gen\u00e8ve",
            space="family",
            tags=["2026", "travel"],
            metadata={"channel": "chat", "score": 0.5, "shared": False},
        ),
    },
    "TurnRecorded": {
        "minimal": TurnRecorded(session=0, ordinal=0, origin="owner", role="user", text="hi"),
        "full": TurnRecorded(
            session=0,
            ordinal=1,
            origin="agent",
            role="assistant",
            text='\u0909\u0938\u0928\u0947: "I moved"\n\tto Lisbon \\ \U0001f600',
            name="Asha",
            said_at=1_683_504_000_000_000,
            said_precision="day",
            said_text="8 May 2023",
            content=[{"type": "text", "text": "I moved"}, {"type": "image", "size_bytes": 12}],
            source_id="message-17",
            kind="note",
            tags=["moving"],
            metadata={"confidence": 0.1, "draft": True, "thread": None},
            tool_calls=[{"id": "c1", "name": "search", "arguments": {"q": "Lisbon"}}],
            tool_call_id="c0",
            extra={"reasoning": "She said so."},
        ),
        "odd characters": TurnRecorded(
            session=0,
            ordinal=2,
            origin="untrusted",
            role="tool",
            text="\x00\x1f\x7f\u2028\ufeff\ue000e\u0301\u00e9",
        ),
    },
    "ExtractionCompleted": {
        "minimal": ExtractionCompleted(session=0, turns=[1], extractor="pattern/1"),
        "full": ExtractionCompleted(
            session=0,
            turns=[1, 2],
            extractor="llm/1",
            model="qwen3:8b",
            prompt="5f" * 32,
            replies=['{"facts": []}', "```json\n[]\n```"],
            accepted=2,
            dropped=[{"reason": "no turn says so", "item": '{"statement": "x"}'}],
            status="corrected",
            usage={"calls": 2, "tokens_in": 812},
            details={"chunks": 1, "scopes": [{"outcome": "corrected"}], "note": None},
        ),
    },
    "ExtractionFailed": {
        "minimal": ExtractionFailed(session=0, turns=[1], extractor="llm/1", error="timed out"),
        "full": ExtractionFailed(
            session=0,
            turns=[1, 2],
            extractor="llm/1",
            error="HTTP 401 \u2014 not allowed",
            retryable=False,
            attempt=3,
        ),
    },
    "FactAsserted": {
        "minimal": FactAsserted(
            origin="owner",
            fact="0" * 32,
            space="main",
            subject="user",
            predicate="lives_in",
            object="Pune",
            statement="The user lives in Pune.",
            said_at=1_780_394_400_000_000,
            valid_from=1_780_394_400_000_000,
        ),
        "full": FactAsserted(
            origin="untrusted",
            fact="9c" * 16,
            space="family",
            subject="Rachel  O\u2019Neil",
            predicate="attitude_to:gen\u00e8ve",
            object="positive",
            statement='Rachel likes "Gen\u00e8ve".',
            said_at=1_683_504_000_000_000,
            valid_from=-31_536_000_000_000,
            scope="project:Atlas",
            single=True,
            valid_precision="year",
            valid_to=1_700_000_000_000_000,
            valid_text="since 1969",
            kind="preference",
            evidence=[{"turn": 1, "quote": "I love Gen\u00e8ve"}],
            because=[0],
            entities=["Gen\u00e8ve"],
            search_keys=["Geneva", "city"],
            source="llm/1",
            tags=["travel"],
            metadata={"confidence": 0.9},
        ),
    },
    "FactEnded": {
        "minimal": FactEnded(
            space="main", subject="user", predicate="works_at", valid_to=1, said_at=2
        ),
        "full": FactEnded(
            space="main",
            subject="Rachel",
            predicate="works_at",
            valid_to=1_777_593_600_000_000,
            said_at=1_780_394_400_000_000,
            object="acme",
            scope="project:Atlas",
            valid_precision="month",
            valid_text="in May",
            reason="She quit.",
            evidence=[{"turn": 1, "quote": "I quit in May"}],
            source="pattern/1",
        ),
    },
    "FactEndRetracted": {
        "minimal": FactEndRetracted(end=0),
        "full": FactEndRetracted(end=1, reason="She stayed."),
    },
    "FactRetracted": {
        "minimal": FactRetracted(fact=0),
        "full": FactRetracted(fact=1, reason="A joke."),
    },
    "FactSuperseded": {
        "minimal": FactSuperseded(fact=0, by=1, valid_to=1_777_593_600_000_000),
    },
    "FactReopened": {
        "minimal": FactReopened(fact=0),
        "full": FactReopened(fact=1, valid_to=1_777_593_600_000_000),
    },
    "FactIntervalRevised": {
        "minimal": FactIntervalRevised(fact=0, by=-1),
        "full": FactIntervalRevised(fact=0, by=1, valid_to=1_777_593_600_000_000),
    },
    "FactReaffirmed": {
        "minimal": FactReaffirmed(fact=1, standing=0),
    },
    "ArbitrationDecided": {
        "minimal": ArbitrationDecided(fact=1, target=-1, action="add"),
        "full": ArbitrationDecided(
            fact=1,
            target=0,
            action="supersede",
            candidates=[0],
            statement="The user likes coffee.",
            reply='{"action": "supersede", "target": 0}',
            status="decided",
            model="qwen3:8b",
        ),
    },
    "EntityAliased": {
        "minimal": EntityAliased(alias="Rae", canonical="Rachel"),
        "full": EntityAliased(
            alias="R\u00e1e", canonical="Rachel O\u2019Neil", reason="She said so."
        ),
    },
    "AliasRemoved": {
        "minimal": AliasRemoved(aliased=0),
        "full": AliasRemoved(aliased=1, reason="Another Rachel."),
    },
    "FactProposed": {
        "by a rule": FactProposed(fact=1, against=-1),
        "against a fact": FactProposed(fact=1, against=0),
    },
    "FactAdmitted": {
        "minimal": FactAdmitted(fact=0),
        "full": FactAdmitted(fact=0, valid_to=1_683_504_000_000_000),
    },
    "FactApproved": {
        "minimal": FactApproved(fact=0),
        "full": FactApproved(fact=0, valid_to=1_683_504_000_000_000, reason="She told me."),
    },
    "FactRejected": {
        "minimal": FactRejected(fact=0),
        "full": FactRejected(
            fact=0, reason="It made that up.", tombstones=["0a" * 32], origin="agent"
        ),
    },
    "Quarantined": {
        "minimal": Quarantined(ranges=[[0, 0]], part_of=-1),
        "full": Quarantined(
            ranges=[[0, 0], [1, 1]],
            part_of=-1,
            target={"session": "Reise nach Gen\u00e8ve"},
            cascade=True,
            reason="Somebody else spoke.",
        ),
        "continued": Quarantined(ranges=[[1, 1]], part_of=0),
    },
    "Released": {
        "minimal": Released(quarantine=0),
        "full": Released(quarantine=0, reason="It was her after all."),
    },
    "ContextServed": {
        "minimal": ContextServed(kind="search", head=0, digest="0" * 64),
        "full": ContextServed(kind="context", head=1, digest="9f" * 32, items=[1, 0]),
    },
    "FactLapsed": {"minimal": FactLapsed(fact=0)},
    "Erased": {
        "minimal": Erased(ranges=[], part_of=-1, predecessor="lapse"),
        "full": Erased(
            ranges=[[9, 9]],
            part_of=-1,
            predecessor="reopen",
            predecessors=[[1, 1]],
            named="session",
            reason="She asked for it.",
            turns=[
                {
                    "session": "1b" * 32,
                    "position": 0,
                    "ordinal": 3,
                    "said": "2c" * 32,
                    "timed": "3d" * 32,
                    "source": "4e" * 32,
                }
            ],
            values=["5f" * 32],
        ),
        "continued": Erased(ranges=[], part_of=0, predecessor="lapse"),
    },
    "ErasureCompleted": {
        "minimal": ErasureCompleted(erased=0, verified=0),
        "full": ErasureCompleted(erased=0, verified=1, places={"memory.db": "clean"}),
    },
    "HoldPlaced": {
        "minimal": HoldPlaced(expires_at=-1, kind="tenant", name=""),
        "full": HoldPlaced(
            expires_at=1_893_456_000_000_000,
            kind="session",
            name="reise nach gen\u00e8ve",
            space="main",
            reason="Case 12/7.",
            authority="The court.",
        ),
    },
    "HoldReleased": {
        "minimal": HoldReleased(hold=0),
        "full": HoldReleased(hold=0, reason="The case is closed."),
    },
    "RetentionSet": {
        "minimal": RetentionSet(keep_for=-1, space="main"),
        "full": RetentionSet(
            keep_for=7_776_000_000_000, space="main", session="s1", kind="note", reason="Policy."
        ),
    },
    "TenantDestroyed": {
        "minimal": TenantDestroyed(log="9c" * 16, events=1),
        "full": TenantDestroyed(log="9c" * 16, events=1_024, reason="The contract is over."),
    },
    "TombstonesCleared": {
        "minimal": TombstonesCleared(values=["5f" * 32]),
        "full": TombstonesCleared(values=["5f" * 32], reason="It holds after all."),
    },
    "SettingsChanged": {
        "minimal": SettingsChanged(trust="open"),
        "full": SettingsChanged(trust="regulated", reason="The auditor asked for it."),
    },
    "KeyRotated": {
        "minimal": rotation(_KEYS[0], None, b"", ""),
        "full": rotation(
            _KEYS[1],
            LogKey(_KEYS[0], 1, "", is_endorsed=True),
            ed25519.sign(bytes(32), endorsement_message(str(_KEYS[0]), str(_KEYS[1]))),
            "The laptop was lost.",
        ),
    },
    "LogRestored": {
        "minimal": LogRestored(size=7, root="0" * 64, checkpoint=_NOTE),
        "full": LogRestored(
            size=1_000, root="9f" * 32, checkpoint=_NOTE, reason="The disk died; backup of May."
        ),
    },
}


def freeze(folder: Path) -> list[Path]:
    """Write the files that are missing in a folder; give their paths."""
    written = []
    for name, kind in EVENT_TYPES.items():
        path = folder / f"{name}.{kind.VERSION}.jsonl"
        if not path.exists():
            lines = [json.dumps(entry, sort_keys=True) for entry in _entries(name)]
            path.write_text("\n".join(lines) + "\n", encoding="ascii")
            written.append(path)
    return written


def _entries(name: str) -> list[dict[str, Any]]:
    """Record the events of one type in a log of their own, and describe them."""
    database = SqliteDatabase(":memory:")
    migrate(database)
    log = open_log(
        database,
        "golden",
        clock=count(1_780_394_400_000_000, 1_000_000).__next__,
        randomness=_randomness(name),
        founding=Founding("Asia/Kolkata", "smriti-es/golden", ["attitude_to:*", "lives_in"]),
    )
    cases = EVENTS[name]
    for case, event in cases.items():
        once = Idempotency("golden key", b"golden request") if case == "full" else None
        log.append([NewEvent(event, (0,))], actor=Actor("import", "golden"), once=once)
    described = _described(log, ["founding", *cases])
    database.close()
    return described[1:] if cases else described


def _described(log: EventLog, cases: list[str]) -> list[dict[str, Any]]:
    with log.database.read() as connection:
        rows = log.read_rows(0, len(cases), connection)
    return [
        {
            "case": case,
            "header": row.header.hex(),
            "leaf": row.leaf.hex(),
            "key": row.key.hex(),
            "body": base64.b64encode(row.body).decode("ascii"),
            "event": _set_fields(recorded.event),
        }
        for case, row, recorded in zip(cases, rows, log.read(), strict=True)
    ]


def _set_fields(event: Event | None) -> dict[str, Any]:
    assert event is not None
    values = {item.name: (getattr(event, item.name), item) for item in fields(event)}
    return {
        name: value
        for name, (value, item) in values.items()
        if value != (item.default if item.default_factory is MISSING else item.default_factory())
    }


def _randomness(seed: str) -> Callable[[int], bytes]:
    """Bytes that are the same on every machine and in every release of Python."""
    numbers = count()
    return lambda size: hashlib.shake_256(f"{seed} {next(numbers)}".encode()).digest(size)


if __name__ == "__main__":
    for made in freeze(Path(__file__).parent):
        sys.stdout.write(f"{made.name}\n")
