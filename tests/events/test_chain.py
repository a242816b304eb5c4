"""Each event names the hash of the one before it."""

import hashlib
from collections.abc import Callable
from itertools import pairwise

from smriti_es.events.chain import leaf_hash
from smriti_es.events.header import Actor, encode_header
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent

# The leaf hash of the empty string, as RFC 6962 defines it and Certificate Transparency publishes.
EMPTY_LEAF = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"


def test_the_leaf_hash_of_nothing_is_the_published_one() -> None:
    assert leaf_hash(b"").hex() == EMPTY_LEAF


def test_a_leaf_hash_is_prefixed_so_that_it_is_no_plain_hash_and_no_inner_node() -> None:
    left_and_right = b"\x01" + bytes(64)
    assert leaf_hash(b"header") == hashlib.sha256(b"\x00header").digest()
    assert leaf_hash(left_and_right) != hashlib.sha256(left_and_right).digest()


def test_the_first_event_names_zeros_as_the_one_before_it(log: EventLog) -> None:
    assert next(log.read()).header.previous == "0" * 64


def test_every_event_names_the_leaf_of_the_one_before_it(
    log: EventLog, turn: Callable[..., NewEvent], owner: Actor
) -> None:
    log.append([turn("one"), turn("two")], actor=owner)
    log.append([turn("three")], actor=owner)
    events = list(log.read())
    assert len(events) == 4
    assert [after.header.previous for _, after in pairwise(events)] == [
        leaf_hash(encode_header(before.header)).hex() for before, _ in pairwise(events)
    ]


def test_a_recorded_event_carries_the_leaf_of_its_own_header(log: EventLog) -> None:
    genesis = next(log.read())
    assert genesis.leaf == leaf_hash(encode_header(genesis.header))
