"""The tree that the database keeps is that of the events, whatever was appended, and how."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import select

from smriti_es.events.errors import ChainBroken, IntegrityError
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.merkle_tree import (
    CompactRange,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
)
from smriti_es.events.records import Append, NewEvent, Transaction
from smriti_es.events.stored_tree import StoredTree, build_tree
from smriti_es.events.tables import log_table, tree_node_table
from smriti_es.events.verification import verify_log

Turn = Callable[..., NewEvent]
Tamper = Callable[..., int]
MANY = 600


@pytest.fixture
def long_log(log: EventLog, turn: Turn, owner: Actor) -> EventLog:
    """A log of 600 events, the first of them its genesis."""
    log.append([turn(f"turn {number}") for number in range(MANY - 1)], actor=owner)
    return log


def kept(log: EventLog) -> tuple[CompactRange, dict[tuple[int, int], bytes]]:
    """The tree in the head row, and the nodes that are kept, by level and number."""
    head, node = log_table, tree_node_table
    with log.database.read() as connection:
        row = connection.execute(select(head).where(head.c.log == log.log)).one()
        nodes = connection.execute(select(node).where(node.c.log == log.log)).all()
    tree = CompactRange.of_bytes(row.size, row.peaks)
    return tree, {(each.level, each.number): each.hash for each in nodes}


def leaves(log: EventLog) -> list[bytes]:
    return [event.leaf for event in log.read()]


def test_a_founded_log_has_the_tree_of_its_first_event(log: EventLog) -> None:
    assert kept(log) == (CompactRange(1, (leaves(log)[0],)), {})


def test_the_tree_follows_every_append(log: EventLog, turn: Turn, owner: Actor) -> None:
    for count in (1, 3, 1, 8, 2):
        log.append([turn()] * count, actor=owner)
        assert kept(log)[0] == CompactRange().extend(leaves(log))


def test_appends_that_share_a_flush_each_grow_the_tree(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    log.append_all([Append([turn()] * count, owner) for count in (2, 1, 4)])
    assert kept(log)[0] == CompactRange().extend(leaves(log))


def test_an_append_that_fails_among_others_leaves_no_trace_in_the_tree(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    def refuse(_: Transaction) -> list[NewEvent]:
        raise ArithmeticError

    done = log.append_all(
        [Append([turn()] * 300, owner), Append(refuse, owner), Append([turn()] * 2, owner)]
    )
    assert isinstance(done[1], ArithmeticError)
    tree, nodes = kept(log)
    assert tree == CompactRange().extend(leaves(log))
    assert nodes == {(8, 0): CompactRange().extend(leaves(log)[:256]).root()}


def test_a_node_is_kept_for_every_256_events(long_log: EventLog) -> None:
    all_leaves = leaves(long_log)
    assert kept(long_log)[1] == {
        (8, 0): CompactRange().extend(all_leaves[:256]).root(),
        (8, 1): CompactRange().extend(all_leaves[256:512]).root(),
    }


def test_trees_of_two_logs_in_one_database_are_kept_apart(whole: EventLog, other: EventLog) -> None:
    for each in (whole, other):
        assert kept(each)[0] == CompactRange().extend(leaves(each))
    assert kept(whole)[0] != kept(other)[0]


def test_the_tree_of_every_earlier_size_can_be_had(long_log: EventLog) -> None:
    all_leaves = leaves(long_log)
    with long_log.database.read() as connection:
        tree = StoredTree(connection, long_log.log)
        for size in (0, 1, 2, 255, 256, 257, 511, 512, 513, 599, 600):
            assert tree.at(size) == CompactRange().extend(all_leaves[:size])


def test_proofs_out_of_the_stored_tree_hold(long_log: EventLog) -> None:
    all_leaves = leaves(long_log)
    with long_log.database.read() as connection:
        tree = StoredTree(connection, long_log.log)
        for index, size in ((0, 1), (0, 600), (255, 256), (256, 600), (511, 513), (599, 600)):
            proof = inclusion_proof(index, size, tree.subtree)
            assert is_included(all_leaves[index], index, size, proof, tree.at(size).root())
        for old, size in ((1, 600), (255, 257), (256, 512), (512, 600), (513, 599)):
            proof = consistency_proof(old, size, tree.subtree)
            assert is_consistent(old, size, proof, tree.at(old).root(), tree.at(size).root())


def test_a_proof_of_a_long_log_reads_few_leaves(long_log: EventLog) -> None:
    read: list[int] = []

    class Counting(StoredTree):
        def _leaves(self, first: int, count: int) -> Sequence[Any]:
            read.append(count)
            return super()._leaves(first, count)

    with long_log.database.read() as connection:
        inclusion_proof(3, 512, Counting(connection, long_log.log).subtree)
    assert sum(read) == 255  # of its own 256; the other half is one node


def test_a_tree_made_anew_is_the_one_that_grew(long_log: EventLog) -> None:
    grown = kept(long_log)
    with long_log.database.write() as connection:
        build_tree(connection, long_log.log)
    assert kept(long_log) == grown


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM event WHERE position = 300",
        "UPDATE event SET leaf = 'words' WHERE position = 300",
        "UPDATE event SET leaf = x'00' WHERE position = 599",
        pytest.param(
            "UPDATE log SET size = 'many'",
            marks=pytest.mark.sqlite_only("a column of SQLite holds values of any type"),
        ),
        "UPDATE log SET size = 603",
    ],
)
def test_where_leaves_are_lost_the_head_is_left_without_a_tree(
    long_log: EventLog, tamper: Tamper, turn: Turn, owner: Actor, damage: str
) -> None:
    assert tamper(damage) == 1
    with long_log.database.write() as connection:
        build_tree(connection, long_log.log)
    assert tamper("UPDATE log SET peaks = x'' WHERE peaks = x''") == 1
    with pytest.raises(IntegrityError):
        long_log.append([turn()], actor=owner)


@pytest.mark.parametrize(
    ("damage", "position"),
    [
        ("DELETE FROM tree_node WHERE number = 1", 256),
        ("DELETE FROM event WHERE position = 515", 515),
    ],
)
def test_a_proof_that_needs_what_is_missing_says_where(
    long_log: EventLog, tamper: Tamper, damage: str, position: int
) -> None:
    assert tamper(damage) == 1
    with (
        long_log.database.read() as connection,
        pytest.raises(ChainBroken, match=f"not whole at position {position}") as caught,
    ):
        StoredTree(connection, long_log.log).at(600)
    assert caught.value.position == position


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("UPDATE tree_node SET hash = zeroblob(32) WHERE number = 0", (0, "is not what")),
        ("UPDATE tree_node SET hash = 'words' WHERE number = 1", (256, "is not what")),
        ("DELETE FROM tree_node WHERE number = 1", (256, "is missing")),
        ("INSERT INTO tree_node VALUES (1, 8, 2, zeroblob(32))", (None, "(8, 2) stands over no")),
        ("INSERT INTO tree_node VALUES (1, 7, 0, zeroblob(32))", (None, "(7, 0) stands over no")),
    ],
)
def test_an_edited_node_is_found_and_nothing_else_is_blamed(
    long_log: EventLog, tamper: Tamper, edit: str, expected: tuple[int | None, str]
) -> None:
    assert verify_log(long_log).ok
    assert tamper(edit) == 1
    (finding,) = verify_log(long_log).findings
    assert (finding.position, finding.place) == (expected[0], "tree_node")
    assert finding.problem.startswith(expected[1])


def test_every_bit_of_a_node_counts(long_log: EventLog, tamper: Tamper) -> None:
    node = kept(long_log)[1][8, 1]
    chosen = random.Random(0).sample(range(256), 16)
    for bit in chosen:
        flipped = (int.from_bytes(node, "big") ^ 1 << bit).to_bytes(32, "big")
        assert tamper("UPDATE tree_node SET hash = ? WHERE number = 1", flipped) == 1
        assert [each.position for each in verify_log(long_log).findings] == [256]


def test_a_node_that_is_there_already_stops_an_append(
    long_log: EventLog, tamper: Tamper, turn: Turn, owner: Actor
) -> None:
    assert tamper("INSERT INTO tree_node VALUES (1, 8, 2, zeroblob(32))") == 1
    with pytest.raises(IntegrityError, match="a node of the tree beyond the head"):
        long_log.append([turn()] * 200, actor=owner)
    assert long_log.head == 599


def test_of_a_log_with_a_hole_no_tree_is_spoken_of(long_log: EventLog, tamper: Tamper) -> None:
    assert tamper("DELETE FROM event WHERE position = 515") == 1
    places = {finding.place for finding in verify_log(long_log).findings}
    assert places == {"event", "event.header", "payload"}
