"""A tree of the leaf hashes: one root for all of them, and short proofs of what it holds."""

import hashlib
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.chain import leaf_hash
from smriti_es.events.merkle_tree import (
    EMPTY_ROOT,
    CompactRange,
    Subtrees,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
    node_hash,
    perfect_subtrees,
)

# The leaves, roots and proofs that Certificate Transparency publishes for its tree.
PUBLISHED_LEAVES: Final = (
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
)
PUBLISHED_ROOTS: Final = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
PUBLISHED_INCLUSIONS: Final = (
    (0, 1, ()),
    (
        0,
        8,
        (
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ),
    ),
    (
        5,
        8,
        (
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ),
    ),
    (
        2,
        3,
        ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",),
    ),
)
PUBLISHED_CONSISTENCIES: Final = (
    (1, 1, ()),
    (
        1,
        8,
        (
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ),
    ),
    (
        6,
        8,
        (
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ),
    ),
    (
        2,
        5,
        (
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ),
    ),
)
SIZES: Final = range(131)
LEAVES: Final = tuple(leaf_hash(b"event %d" % number) for number in range(SIZES[-1]))


def published() -> tuple[bytes, ...]:
    return tuple(leaf_hash(bytes.fromhex(each)) for each in PUBLISHED_LEAVES)


def root_by_definition(leaves: tuple[bytes, ...]) -> bytes:
    """Give the root as RFC 6962 defines it, recursively."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    left, right = root_by_definition(leaves[:half]), root_by_definition(leaves[half:])
    return hashlib.sha256(b"\x01" + left + right).digest()


ROOTS: Final = tuple(root_by_definition(LEAVES[:size]) for size in SIZES)


def subtrees_of(leaves: tuple[bytes, ...]) -> Subtrees:
    """Look perfect subtrees up; those that are not whole yet are an error."""
    found: dict[tuple[int, int], bytes] = {(0, index): leaf for index, leaf in enumerate(leaves)}
    CompactRange().extend(leaves, lambda level, index, root: found.update({(level, index): root}))
    return lambda level, index: found[level, index]


def test_the_root_of_an_empty_tree_is_the_hash_of_nothing() -> None:
    assert CompactRange().root() == hashlib.sha256(b"").digest() == EMPTY_ROOT


def test_the_root_of_a_single_leaf_is_the_leaf() -> None:
    assert CompactRange().extend(LEAVES[:1]).root() == LEAVES[0]


def test_an_inner_node_is_prefixed_so_that_it_is_no_leaf() -> None:
    left, right = LEAVES[:2]
    assert node_hash(left, right) == hashlib.sha256(b"\x01" + left + right).digest()
    assert node_hash(left, right) != leaf_hash(left + right)


@pytest.mark.parametrize("size", range(1, 9))
def test_the_published_roots_come_out(size: int) -> None:
    assert CompactRange().extend(published()[:size]).root().hex() == PUBLISHED_ROOTS[size - 1]


@pytest.mark.parametrize(("index", "size", "proof"), PUBLISHED_INCLUSIONS)
def test_the_published_proofs_of_inclusion_come_out(
    index: int, size: int, proof: tuple[str, ...]
) -> None:
    found = inclusion_proof(index, size, subtrees_of(published()))
    assert tuple(each.hex() for each in found) == proof


@pytest.mark.parametrize(("old_size", "size", "proof"), PUBLISHED_CONSISTENCIES)
def test_the_published_proofs_of_consistency_come_out(
    old_size: int, size: int, proof: tuple[str, ...]
) -> None:
    found = consistency_proof(old_size, size, subtrees_of(published()))
    assert tuple(each.hex() for each in found) == proof


def test_the_root_at_every_size_is_that_of_the_definition() -> None:
    tree = CompactRange()
    found = [tree.root(), *((tree := tree.extend([leaf])).root() for leaf in LEAVES)]
    assert tuple(found) == ROOTS


def test_a_tree_extended_at_once_is_that_extended_leaf_by_leaf() -> None:
    one_by_one = CompactRange()
    for size, leaf in enumerate(LEAVES, start=1):
        one_by_one = one_by_one.extend([leaf])
        assert one_by_one == CompactRange().extend(LEAVES[:size])


def test_a_tree_that_was_extended_is_left_as_it_was() -> None:
    tree = CompactRange().extend(LEAVES[:7])
    tree.extend(LEAVES[7:])
    assert tree.root() == ROOTS[7]


def test_a_compact_range_has_one_hash_for_each_bit_of_the_size_that_is_set() -> None:
    tree = CompactRange().extend(LEAVES[:13])
    whole = [root_by_definition(LEAVES[:8]), root_by_definition(LEAVES[8:12]), LEAVES[12]]
    assert tree.to_bytes() == b"".join(whole)


def test_a_compact_range_comes_back_from_its_bytes() -> None:
    for size in SIZES:
        tree = CompactRange().extend(LEAVES[:size])
        assert CompactRange.of_bytes(size, tree.to_bytes()) == tree


@pytest.mark.parametrize(("size", "length"), [(3, 32), (4, 64), (0, 32), (1, 31), (-1, 32)])
def test_a_compact_range_of_another_length_is_refused(size: int, length: int) -> None:
    with pytest.raises(ValueError, match="no compact range"):
        CompactRange.of_bytes(size, bytes(length))


def test_every_subtree_that_becomes_whole_is_told_once_with_its_root() -> None:
    told: list[tuple[int, int, bytes]] = []
    CompactRange().extend(LEAVES[:12], lambda *subtree: told.append(subtree))
    expected = [
        (level, index, root_by_definition(LEAVES[index << level : (index + 1) << level]))
        for level, index in [
            *[(1, 0), (1, 1), (2, 0)],
            *[(1, 2), (1, 3), (2, 1), (3, 0)],
            *[(1, 4), (1, 5), (2, 2)],
        ]
    ]
    assert told == expected


def test_a_part_of_a_tree_is_made_up_of_perfect_subtrees() -> None:
    assert list(perfect_subtrees(8, 15)) == [(2, 2), (1, 6), (0, 14)]


def test_every_leaf_of_every_tree_is_proved() -> None:
    subtrees = subtrees_of(LEAVES)
    for size in SIZES:
        for index in range(size):
            proof = inclusion_proof(index, size, subtrees)
            assert is_included(LEAVES[index], index, size, proof, ROOTS[size]), (index, size)


def test_every_tree_is_proved_to_begin_with_every_smaller_one() -> None:
    subtrees = subtrees_of(LEAVES)
    for old_size, size in combinations_with_replacement(SIZES, 2):
        proof = consistency_proof(old_size, size, subtrees)
        assert is_consistent(old_size, size, proof, ROOTS[old_size], ROOTS[size]), (old_size, size)


def test_a_proof_is_no_longer_than_the_tree_is_high() -> None:
    subtrees = subtrees_of(LEAVES)
    for size in SIZES[1:]:
        height = (size - 1).bit_length()
        longest = max(len(inclusion_proof(index, size, subtrees)) for index in range(size))
        assert longest == height


def test_a_proof_looks_up_no_leaf_but_on_the_way() -> None:
    found = subtrees_of(LEAVES)
    asked: list[tuple[int, int]] = []

    def subtrees(level: int, index: int) -> bytes:
        asked.append((level, index))
        return found(level, index)

    inclusion_proof(64, 130, subtrees)
    assert asked == [(0, 65), (1, 33), (2, 17), (3, 9), (4, 5), (5, 3), (6, 0), (1, 64)]


@pytest.mark.parametrize(("index", "size"), [(-1, 4), (4, 4), (0, 0)])
def test_a_leaf_outside_the_tree_cannot_be_proved(index: int, size: int) -> None:
    with pytest.raises(ValueError, match=f"a tree of {size} leaves has none at index {index}"):
        inclusion_proof(index, size, subtrees_of(LEAVES))


@pytest.mark.parametrize(("old_size", "size"), [(-1, 4), (5, 4)])
def test_a_tree_cannot_be_proved_to_begin_with_a_larger_one(old_size: int, size: int) -> None:
    with pytest.raises(ValueError, match=f"does not begin with one of {old_size}"):
        consistency_proof(old_size, size, subtrees_of(LEAVES))


def spoilt(proof: list[bytes]) -> Iterator[list[bytes]]:
    """Give every small change of a proof."""
    yield [*proof, bytes(32)]
    yield [bytes(32), *proof]
    for at, each in enumerate(proof):
        yield proof[:at] + proof[at + 1 :]
        yield [*proof[:at], each, *proof[at:]]
        yield [*proof[:at], bytes([each[0] ^ 1]) + each[1:], *proof[at + 1 :]]
        yield [*proof[:at], each[:-1] + bytes([each[-1] ^ 0x80]), *proof[at + 1 :]]
        yield [*proof[:at], each[:-1], *proof[at + 1 :]]
        yield [*proof[:at], each + b"\0", *proof[at + 1 :]]
        if at and proof[at - 1] != each:
            yield [*proof[: at - 1], each, proof[at - 1], *proof[at + 1 :]]


NEGATIVE_SIZES: Final = (1, 2, 3, 4, 5, 7, 8, 13, 31, 64, 65)


@pytest.mark.parametrize("size", NEGATIVE_SIZES)
def test_a_changed_proof_of_inclusion_proves_nothing(size: int) -> None:
    subtrees = subtrees_of(LEAVES)
    for index in range(size):
        for proof in spoilt(inclusion_proof(index, size, subtrees)):
            assert not is_included(LEAVES[index], index, size, proof, ROOTS[size])


@pytest.mark.parametrize("size", NEGATIVE_SIZES)
def test_a_proof_of_inclusion_proves_no_other_leaf_index_or_root(size: int) -> None:
    subtrees = subtrees_of(LEAVES)
    for index in range(size):
        proof = inclusion_proof(index, size, subtrees)
        for other in {-1, *range(size + 2)} - {index}:
            assert not is_included(LEAVES[index], other, size, proof, ROOTS[size])
            assert not is_included(LEAVES[other], index, size, proof, ROOTS[size])
        for other in {size - 1, size + 1}:
            assert not is_included(LEAVES[index], index, size, proof, ROOTS[other])
        assert not is_included(LEAVES[index][:-1], index, size, proof, ROOTS[size])
        assert not is_included(LEAVES[index], index, size, proof, ROOTS[size][:-1])


@pytest.mark.parametrize("size", NEGATIVE_SIZES)
def test_a_changed_proof_of_consistency_proves_nothing(size: int) -> None:
    subtrees = subtrees_of(LEAVES)
    for old_size in range(size + 1):
        for proof in spoilt(consistency_proof(old_size, size, subtrees)):
            assert not is_consistent(old_size, size, proof, ROOTS[old_size], ROOTS[size])


@pytest.mark.parametrize("size", NEGATIVE_SIZES)
def test_a_proof_of_consistency_proves_no_other_roots(size: int) -> None:
    subtrees = subtrees_of(LEAVES)
    for old_size in range(1, size + 1):
        proof = consistency_proof(old_size, size, subtrees)
        for old_root, root in (
            (ROOTS[old_size + 1], ROOTS[size]),
            (ROOTS[old_size], ROOTS[size + 1]),
            (ROOTS[old_size][:-1], ROOTS[size]),
            (ROOTS[old_size], ROOTS[size] + b"\0"),
        ):
            assert not is_consistent(old_size, size, proof, old_root, root)


def test_every_tree_begins_with_the_empty_one_and_with_no_other_of_its_size() -> None:
    assert is_consistent(0, 5, [], EMPTY_ROOT, ROOTS[5])
    assert not is_consistent(0, 5, [], ROOTS[1], ROOTS[5])


def test_a_larger_tree_is_no_beginning_of_a_smaller_one() -> None:
    assert not is_consistent(5, 4, [], ROOTS[5], ROOTS[4])
    assert not is_consistent(-1, 4, [], ROOTS[0], ROOTS[4])


def test_a_tree_with_another_leaf_inside_is_no_continuation() -> None:
    forged = (*LEAVES[:20], leaf_hash(b"forged"), *LEAVES[21:])
    subtrees, root = subtrees_of(forged), root_by_definition(forged)
    for old_size in range(21, 130):
        proof = consistency_proof(old_size, 130, subtrees)
        assert not is_consistent(old_size, 130, proof, ROOTS[old_size], root)


@given(
    st.integers(-2, 140),
    st.integers(-2, 140),
    st.lists(st.sampled_from(LEAVES[:9] + ROOTS[:9]) | st.binary(max_size=33), max_size=9),
)
def test_random_proofs_of_inclusion_prove_nothing(
    index: int, size: int, proof: list[bytes]
) -> None:
    assert not is_included(bytes(32), index, size, proof, bytes([1]) * 32)


@given(
    st.integers(-2, 140),
    st.integers(-2, 140),
    st.lists(st.sampled_from(LEAVES[:9] + ROOTS[:9]) | st.binary(max_size=33), max_size=9),
)
def test_random_proofs_of_consistency_prove_nothing(
    old_size: int, size: int, proof: list[bytes]
) -> None:
    assert not is_consistent(old_size, size, proof, bytes(32), bytes([1]) * 32)


def test_bytes_moved_from_one_hash_to_its_neighbour_prove_nothing() -> None:
    """The node over both is the same; only their lengths tell."""
    one, other = (leaf_hash(bytes([each])) for each in (0, 1))
    root = node_hash(one, other)
    assert is_included(one, 0, 2, [other], root)
    assert node_hash(one + other[:1], other[1:]) == root
    assert not is_included(one + other[:1], 0, 2, [other[1:]], root)
    assert is_consistent(1, 2, [other], one, root)
    assert not is_consistent(1, 2, [other[1:]], one + other[:1], root)
    assert not is_consistent(1, 1, [], one[1:], one[1:])


def test_no_tree_is_smaller_than_the_empty_one() -> None:
    leaves = [leaf_hash(bytes([each])) for each in range(4)]
    left, right = node_hash(*leaves[:2]), node_hash(*leaves[2:])
    proof, old_root = [leaves[2], leaves[3], left], node_hash(left, leaves[2])
    assert is_consistent(3, 4, proof, old_root, node_hash(left, right))
    assert not is_consistent(-1, 4, proof, old_root, node_hash(left, right))
    assert not is_included(EMPTY_ROOT, -1, 1, [], EMPTY_ROOT)
