"""What a writer other than ours could have put into the chain, linked as it should be, is found.

Each forged event is preceded by the same one without the fault, which verifies.
"""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.chain import leaf_hash
from smriti_es.events.commitment import commitment
from smriti_es.events.header import (
    GENESIS_PREVIOUS,
    Header,
    PayloadReference,
    canonical_bytes,
    encode_header,
)
from smriti_es.events.log import EventLog
from smriti_es.events.stored_tree import build_tree
from smriti_es.events.verification import verify_log

Tamper = Callable[..., int]
Forge = Callable[..., None]
KEY = bytes(range(32))
BODY = b'{"text":"forged"}'


@pytest.fixture
def forge(whole: EventLog, tamper: Tamper) -> Forge:
    """Append an event past the log's own writer: linked, counted, and with the given faults."""

    def append(*, body: bytes = BODY, header: dict[str, Any] | None = None) -> None:
        before = whole.read_rows(0, 99, None)[-1]
        position, known = before.position + 1, before.known + 1
        made = Header(
            log=whole.log_id,
            position=position,
            previous=bytes(before.leaf).hex(),
            id="018fd4a1c00070008000000000000001",
            commit=(position, 1),
            type="TurnRecorded",
            version=1,
            known=known,
            actor=next(whole.read()).header.actor,
            payload=PayloadReference(len(body), commitment(KEY, body)),
        )
        made = made._replace(**(header or {}))
        encoded = encode_header(made)
        leaf = leaf_hash(encoded)
        tamper(
            "INSERT INTO event VALUES (1, ?, ?, ?, ?, ?)",
            *(position, made.type, made.known, leaf, encoded),
        )
        if made.payload is not None:
            tamper("INSERT INTO payload VALUES (1, ?, ?, ?)", position, KEY, body)
        tamper("UPDATE log SET size = ?, head = ?, known = ?", position + 1, leaf, made.known)
        make_tree(whole)

    return append


def make_tree(log: EventLog) -> None:
    """Let the tree follow from what stands in the table of events."""
    with log.database.write() as connection:
        build_tree(connection, log.log)


def problems(log: EventLog) -> list[str]:
    return [str(finding) for finding in verify_log(log).findings]


def test_an_event_that_is_forged_without_a_fault_verifies(whole: EventLog, forge: Forge) -> None:
    # Nothing but a checkpoint kept elsewhere could tell: the tests below show one fault each.
    forge()
    forge()
    assert problems(whole) == []
    assert verify_log(whole).events == 9


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ({"previous": "00" * 32}, "does not link to the event before it"),
        ({"previous": "ab" * 32}, "does not link to the event before it"),
        ({"log": "ab" * 16}, "log is abababababababababababababababab, not"),
        ({"position": 8}, "pos is 8, not 7"),
        ({"known": 5}, "known does not rise"),
        ({"commit": (6, 2)}, "does not begin its commit"),
        ({"commit": (5, 3)}, "does not begin its commit"),
        ({"commit": (8, 1)}, "does not begin its commit"),
        ({"commit": (5, 2)}, "lies beyond its commit"),
    ],
    ids=repr,
)
def test_a_forged_header_with_a_fault_is_found_at_its_position(
    whole: EventLog, forge: Forge, faults: dict[str, Any], expected: str
) -> None:
    forge(header=faults)
    found = [finding for finding in verify_log(whole).findings if expected in finding.problem]
    assert [(finding.position, finding.place) for finding in found] == [(7, "event.header")]


def test_two_times_within_one_commit_are_found(whole: EventLog, forge: Forge) -> None:
    forge(header={"commit": (7, 2)})
    forge(header={"commit": (7, 2)})
    assert "position 8, event.header: known differs within its commit" in problems(whole)


def test_a_commit_that_begins_before_the_one_before_it_ends_is_found(
    whole: EventLog, forge: Forge
) -> None:
    forge(header={"commit": (7, 2)})
    forge()
    assert problems(whole) == [
        "position 8, event.header: begins before the commit before it ends",
    ]


def test_a_commit_that_is_not_whole_is_found(whole: EventLog, forge: Forge) -> None:
    forge(header={"commit": (7, 2)})
    assert problems(whole) == ["position 8, event: missing: the last commit is not whole"]


def test_an_event_without_content_verifies_until_somebody_adds_some(
    whole: EventLog, forge: Forge, tamper: Tamper
) -> None:
    forge(header={"payload": None})
    assert problems(whole) == []
    tamper("INSERT INTO payload VALUES (1, 7, ?, ?)", KEY, BODY)
    assert problems(whole) == ["position 7, payload: was added: the header names none"]


@pytest.mark.parametrize("change", [{"type": "FactForeseen"}, {"version": 2}], ids=repr)
def test_an_event_of_a_later_release_verifies_though_it_cannot_be_read(
    whole: EventLog, forge: Forge, change: dict[str, Any]
) -> None:
    forge(header=change)
    assert problems(whole) == []


@pytest.mark.parametrize(
    "body", [b'["$idempotency"]', b'{"$idempotency":', b'"$idempotency"' * 2, b"[" * 99_999]
)
def test_content_that_no_writer_of_ours_makes_is_a_finding_and_no_failure(
    whole: EventLog, forge: Forge, body: bytes
) -> None:
    forge(body=body)
    assert [f.position for f in verify_log(whole).findings] == (
        [7] if b"$idempotency" in body else []
    )


@pytest.mark.parametrize("entry", ["null", "7", '"key"', '{"key":7}', '{"key":[],"request":"r"}'])
def test_an_idempotency_entry_of_another_form_is_taken_for_none(
    whole: EventLog, forge: Forge, tamper: Tamper, entry: str
) -> None:
    forge(body=f'{{"$idempotency":{entry}}}'.encode())
    assert problems(whole) == []
    tamper("INSERT INTO idempotency VALUES (1, 'key', 'r', 7)")
    assert problems(whole) == ["position 7, idempotency: its entry is not what the payload says"]


def test_an_idempotency_entry_counts_only_at_the_beginning_of_a_commit(
    whole: EventLog, forge: Forge
) -> None:
    entry = b'{"$idempotency":{"key":"k","request":"r"}}'
    forge(header={"commit": (7, 2)})
    forge(body=entry, header={"commit": (7, 2), "known": whole.read_rows(7, 1, None)[0].known})
    assert problems(whole) == []
    forge(body=entry)
    assert problems(whole) == ["position 9, idempotency: its entry is not what the payload says"]


def rewrite_genesis(log: EventLog, tamper: Tamper, body: bytes, **changes: Any) -> None:
    """Leave nothing of a log but a first event of one's own making."""
    genesis = next(log.read()).header
    for table in ("event", "payload", "idempotency"):
        tamper(f"DELETE FROM {table}")
    reference = PayloadReference(len(body), commitment(KEY, body))
    encoded = encode_header(genesis._replace(payload=reference, **changes))
    tamper(
        "INSERT INTO event VALUES (1, 0, ?, ?, ?, ?)",
        *(changes.get("type", genesis.type), genesis.known, leaf_hash(encoded), encoded),
    )
    tamper("INSERT INTO payload VALUES (1, 0, ?, ?)", KEY, body)
    tamper("UPDATE log SET size = 1, head = ?, known = ?", leaf_hash(encoded), genesis.known)
    make_tree(log)


def genesis_body(log: EventLog) -> bytes:
    return bytes(log.read_rows(0, 1, None)[0].body)


def test_a_log_of_one_rewritten_event_that_says_the_same_verifies(
    whole: EventLog, tamper: Tamper
) -> None:
    rewrite_genesis(whole, tamper, genesis_body(whole))
    assert problems(whole) == []


@pytest.mark.parametrize(
    ("was", "becomes", "expected"),
    [
        (b'"default"', b'"another"', "log, log.tenant: is not the tenant"),
        (b'"key_check":"', b'"key_check":"0', "log, keyring.hmac_key: is not the key"),
        (b'"key_check"', b'"key-check"', "log, keyring.hmac_key: is not the key"),
        (b'"tenant"', b'"tenancy"', "log, log.tenant: is not the tenant"),
        (b"{", b"[", "position 0, payload.body: payload cannot be read"),
    ],
)
def test_a_first_event_that_contradicts_the_registry_is_found(
    whole: EventLog, tamper: Tamper, was: bytes, becomes: bytes, expected: str
) -> None:
    body = genesis_body(whole)
    assert was in body
    rewrite_genesis(whole, tamper, body.replace(was, becomes))
    assert [problem[: len(expected)] for problem in problems(whole)] == [expected]


def test_a_log_that_begins_with_another_event_is_found(whole: EventLog, tamper: Tamper) -> None:
    rewrite_genesis(whole, tamper, genesis_body(whole), type="SessionStarted")
    assert problems(whole) == ["position 0, event.header: the log does not begin with LogOpened"]


@pytest.mark.parametrize(
    "members",
    [
        {"known": "1"},
        {"commit": ["0", 1]},
        {"refs": ["0"]},
        {"pos": "0"},
        {"ver": None},
        {"pay": {"c": 5, "n": 9}},
        {"x": "text"},
        {"type": ["LogOpened"]},
    ],
    ids=repr,
)
def test_a_header_whose_members_have_another_type_is_a_finding_and_no_failure(
    whole: EventLog, tamper: Tamper, members: dict[str, Any]
) -> None:
    wire = {
        "actor": {"id": "smriti-es", "kind": "engine"},
        "commit": [0, 1],
        "id": "018fd4a1c00070008000000000000001",
        "known": 1,
        "log": whole.log_id,
        "pos": 0,
        "prev": GENESIS_PREVIOUS,
        "refs": [],
        "spec": "smriti-es/1",
        "type": "LogOpened",
        "ver": 1,
        "x": {},
    }
    wire = {name: value for name, value in (wire | members).items() if value is not None}
    encoded = canonical_bytes(wire)
    tamper("UPDATE event SET header = ?, leaf = ? WHERE position = 0", encoded, leaf_hash(encoded))
    first = verify_log(whole).findings[0]
    assert (first.position, first.place) == (0, "event.header")
    assert "cannot be read" in first.problem
