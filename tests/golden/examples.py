"""Events of every type, in their newest version, for `freeze.py`."""

from smriti_es.events import catalogue, ed25519
from smriti_es.events.catalogue import Event
from smriti_es.events.checkpoint import checkpoint_text, origin_of
from smriti_es.events.log_keys import LogKey, endorsement_message, key_of_log, rotation
from smriti_es.events.signed_note import NoteSignature, SignedNote

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
        "minimal": catalogue.EmbedderChanged(generation=1),
        "full": catalogue.EmbedderChanged(
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
        "minimal": catalogue.ProjectionSkipped(projection="lexical", target=0),
        "full": catalogue.ProjectionSkipped(
            projection="turns", target=0, reason="A test, said its owner."
        ),
    },
    "SessionStarted": {
        "minimal": catalogue.SessionStarted(session="s1", space="main"),
        "full": catalogue.SessionStarted(
            session="Reise nach Gen\u00e8ve",
            space="family",
            tags=["2026", "travel"],
            metadata={"channel": "chat", "score": 0.5, "shared": False},
        ),
    },
    "TurnRecorded": {
        "minimal": catalogue.TurnRecorded(
            session=0, ordinal=0, origin="owner", role="user", text="hi"
        ),
        "full": catalogue.TurnRecorded(
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
        "odd characters": catalogue.TurnRecorded(
            session=0,
            ordinal=2,
            origin="untrusted",
            role="tool",
            text="\x00\x1f\x7f\u2028\ufeff\ue000e\u0301\u00e9",
        ),
    },
    "ExtractionCompleted": {
        "minimal": catalogue.ExtractionCompleted(session=0, turns=[1], extractor="pattern/1"),
        "full": catalogue.ExtractionCompleted(
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
        "minimal": catalogue.ExtractionFailed(
            session=0, turns=[1], extractor="llm/1", error="timed out"
        ),
        "full": catalogue.ExtractionFailed(
            session=0,
            turns=[1, 2],
            extractor="llm/1",
            error="HTTP 401 \u2014 not allowed",
            retryable=False,
            attempt=3,
        ),
    },
    "FactAsserted": {
        "minimal": catalogue.FactAsserted(
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
        "full": catalogue.FactAsserted(
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
        "minimal": catalogue.FactEnded(
            space="main", subject="user", predicate="works_at", valid_to=1, said_at=2
        ),
        "full": catalogue.FactEnded(
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
        "minimal": catalogue.FactEndRetracted(end=0),
        "full": catalogue.FactEndRetracted(end=1, reason="She stayed."),
    },
    "FactRetracted": {
        "minimal": catalogue.FactRetracted(fact=0),
        "full": catalogue.FactRetracted(fact=1, reason="A joke."),
    },
    "FactSuperseded": {
        "minimal": catalogue.FactSuperseded(fact=0, by=1, valid_to=1_777_593_600_000_000),
    },
    "FactReopened": {
        "minimal": catalogue.FactReopened(fact=0),
        "full": catalogue.FactReopened(fact=1, valid_to=1_777_593_600_000_000),
    },
    "FactIntervalRevised": {
        "minimal": catalogue.FactIntervalRevised(fact=0, by=-1),
        "full": catalogue.FactIntervalRevised(fact=0, by=1, valid_to=1_777_593_600_000_000),
    },
    "FactReaffirmed": {
        "minimal": catalogue.FactReaffirmed(fact=1, standing=0),
    },
    "ArbitrationDecided": {
        "minimal": catalogue.ArbitrationDecided(fact=1, target=-1, action="add"),
        "full": catalogue.ArbitrationDecided(
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
        "minimal": catalogue.EntityAliased(alias="Rae", canonical="Rachel"),
        "full": catalogue.EntityAliased(
            alias="R\u00e1e", canonical="Rachel O\u2019Neil", reason="She said so."
        ),
    },
    "AliasRemoved": {
        "minimal": catalogue.AliasRemoved(aliased=0),
        "full": catalogue.AliasRemoved(aliased=1, reason="Another Rachel."),
    },
    "FactProposed": {
        "by a rule": catalogue.FactProposed(fact=1, against=-1),
        "against a fact": catalogue.FactProposed(fact=1, against=0),
    },
    "FactAdmitted": {
        "minimal": catalogue.FactAdmitted(fact=0),
        "full": catalogue.FactAdmitted(fact=0, valid_to=1_683_504_000_000_000),
    },
    "FactApproved": {
        "minimal": catalogue.FactApproved(fact=0),
        "full": catalogue.FactApproved(
            fact=0, valid_to=1_683_504_000_000_000, reason="She told me."
        ),
    },
    "FactRejected": {
        "minimal": catalogue.FactRejected(fact=0),
        "full": catalogue.FactRejected(
            fact=0, reason="It made that up.", tombstones=["0a" * 32], origin="agent"
        ),
    },
    "Quarantined": {
        "minimal": catalogue.Quarantined(ranges=[[0, 0]], part_of=-1),
        "full": catalogue.Quarantined(
            ranges=[[0, 0], [1, 1]],
            part_of=-1,
            target={"session": "Reise nach Gen\u00e8ve"},
            cascade=True,
            reason="Somebody else spoke.",
        ),
        "continued": catalogue.Quarantined(ranges=[[1, 1]], part_of=0),
    },
    "Released": {
        "minimal": catalogue.Released(quarantine=0),
        "full": catalogue.Released(quarantine=0, reason="It was her after all."),
    },
    "ContextServed": {
        "minimal": catalogue.ContextServed(kind="search", head=0, digest="0" * 64),
        "full": catalogue.ContextServed(kind="context", head=1, digest="9f" * 32, items=[1, 0]),
    },
    "FactLapsed": {"minimal": catalogue.FactLapsed(fact=0)},
    "Erased": {
        "minimal": catalogue.Erased(ranges=[], part_of=-1, predecessor="lapse"),
        "full": catalogue.Erased(
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
        "continued": catalogue.Erased(ranges=[], part_of=0, predecessor="lapse"),
    },
    "ErasureCompleted": {
        "minimal": catalogue.ErasureCompleted(erased=0, verified=0),
        "full": catalogue.ErasureCompleted(erased=0, verified=1, places={"memory.db": "clean"}),
    },
    "HoldPlaced": {
        "minimal": catalogue.HoldPlaced(expires_at=-1, kind="tenant", name=""),
        "full": catalogue.HoldPlaced(
            expires_at=1_893_456_000_000_000,
            kind="session",
            name="reise nach gen\u00e8ve",
            space="main",
            reason="Case 12/7.",
            authority="The court.",
        ),
    },
    "HoldReleased": {
        "minimal": catalogue.HoldReleased(hold=0),
        "full": catalogue.HoldReleased(hold=0, reason="The case is closed."),
    },
    "RetentionSet": {
        "minimal": catalogue.RetentionSet(keep_for=-1, space="main"),
        "full": catalogue.RetentionSet(
            keep_for=7_776_000_000_000, space="main", session="s1", kind="note", reason="Policy."
        ),
    },
    "TenantDestroyed": {
        "minimal": catalogue.TenantDestroyed(log="9c" * 16, events=1),
        "full": catalogue.TenantDestroyed(
            log="9c" * 16, events=1_024, reason="The contract is over."
        ),
    },
    "TenantMoved": {
        "minimal": catalogue.TenantMoved(log="9c" * 16, events=1, root="9f" * 32),
        "full": catalogue.TenantMoved(
            log="9c" * 16, events=1_024, root="5b" * 32, reason="To the server."
        ),
    },
    "TombstonesCleared": {
        "minimal": catalogue.TombstonesCleared(values=["5f" * 32]),
        "full": catalogue.TombstonesCleared(values=["5f" * 32], reason="It holds after all."),
    },
    "LogImported": {
        "minimal": catalogue.LogImported(
            size=1, root="9f" * 32, tenant="g", engine="e/1", key_check="0a" * 32
        ),
        "full": catalogue.LogImported(
            size=2, root="5b" * 32, tenant="g", engine="e/2", key_check="0b" * 32, reason="Moved."
        ),
    },
    "SettingsChanged": {
        "minimal": catalogue.SettingsChanged(trust="open"),
        "full": catalogue.SettingsChanged(trust="regulated", reason="The auditor asked for it."),
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
        "minimal": catalogue.LogRestored(size=7, root="0" * 64, checkpoint=_NOTE),
        "full": catalogue.LogRestored(
            size=1_000, root="9f" * 32, checkpoint=_NOTE, reason="The disk died; backup of May."
        ),
    },
}
