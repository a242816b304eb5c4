"""The tree that is made anew beside the one that the database keeps."""

from collections.abc import Callable

import pytest

from smriti_es.events.chain import leaf_hash
from smriti_es.events.log import EventLog
from smriti_es.events.merkle_tree import CompactRange
from smriti_es.events.tree_verification import TreeMadeAnew
from smriti_es.events.verification import verify_log

LEAVES = [leaf_hash(bytes([each])) for each in range(9)]


def test_roots_are_noted_at_the_sizes_that_are_watched_however_the_leaves_come() -> None:
    for batch in (1, 2, 4, 9):
        tree = TreeMadeAnew(watched=(0, 1, 4, 4, 9, 12))
        for start in range(0, 9, batch):
            tree.extend(LEAVES[start : start + batch])
        assert tree.roots == {
            size: CompactRange().extend(LEAVES[:size]).root() for size in (0, 1, 4, 9)
        }
        assert tree.tree == CompactRange().extend(LEAVES)


def test_behind_a_missing_event_no_root_is_known() -> None:
    tree = TreeMadeAnew(watched=(2, 4))
    tree.extend(LEAVES[:3])
    tree.is_known = False
    tree.extend(LEAVES[4:])
    assert tree.roots == {2: CompactRange().extend(LEAVES[:2]).root()}
    assert tree.tree.size == 3


@pytest.mark.sqlite_only("a file of an older release")
def test_a_file_from_before_there_were_trees_verifies(
    whole: EventLog, tamper: Callable[..., int]
) -> None:
    tamper("ALTER TABLE log DROP COLUMN peaks")
    tamper("DROP TABLE tree_node")
    assert verify_log(whole).ok
