"""The Merkle tree over the leaf hashes of a log: roots, proofs, and the checks of proofs.

Nothing here reads or writes: a tree that only grows is kept as its compact range, proofs are put
together from perfect subtrees that the caller looks up, and the checks take nothing but bytes.
Source: RFC 6962, section 2.1; the checks of proofs as in RFC 9162, sections 2.1.3.2 and 2.1.4.2.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

HASH_BYTES: Final = 32
NODE_PREFIX: Final = b"\x01"
EMPTY_ROOT: Final = hashlib.sha256(b"").digest()

# Level and index of a perfect subtree -> its root. Subtree (l, i) holds the 2^l leaves from i * 2^l
# on; level 0 are the leaves themselves.
Subtrees = Callable[[int, int], bytes]
# Is told level, index and root of every perfect subtree above the leaves that became whole.
OnSubtree = Callable[[int, int, bytes], None]


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash two neighbouring subtrees to the root of both."""
    return hashlib.sha256(NODE_PREFIX + left + right).digest()


@dataclass(frozen=True, slots=True)
class CompactRange:
    """A tree that grows, as the perfect subtrees it consists of: at most one per bit of its size.

    Attributes:
        size: How many leaves it has.
        peaks: Roots of its perfect subtrees, the largest, which is the leftmost, first.
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    @classmethod
    def of_bytes(cls, size: int, peaks: bytes) -> "CompactRange":
        """Read what `to_bytes` gave for a tree of `size` leaves.

        Raises:
            ValueError: There are not as many hashes as a tree of that size has.
        """
        if size < 0 or len(peaks) != size.bit_count() * HASH_BYTES:
            raise ValueError(f"{len(peaks)} bytes are no compact range of {size} leaves")
        return cls(size, tuple(_cut(peaks)))

    def to_bytes(self) -> bytes:
        """Give the peaks one after the other, 32 bytes each."""
        return b"".join(self.peaks)

    def extend(
        self, leaves: Iterable[bytes], on_subtree: OnSubtree | None = None
    ) -> "CompactRange":
        """Give the tree that has some more leaves.

        Args:
            leaves: Leaf hashes, in order.
            on_subtree: Is told of every perfect subtree that becomes whole, in no more hashing.
        """
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            root, index, level = leaf, size, 0
            while index & 1:
                root = hashlib.sha256(NODE_PREFIX + peaks.pop() + root).digest()
                index >>= 1
                level += 1
                if on_subtree is not None:
                    on_subtree(level, index, root)
            peaks.append(root)
            size += 1
        return CompactRange(size, tuple(peaks))

    def root(self) -> bytes:
        """Give the root of the tree; of an empty one it is the hash of nothing."""
        return _root_of(self.peaks) if self.peaks else EMPTY_ROOT


def inclusion_proof(index: int, size: int, subtrees: Subtrees) -> list[bytes]:
    """Prove that a leaf stands at an index of the tree of the first `size` leaves.

    Args:
        index: Its index, below `size`.
        size: How many leaves the tree has.
        subtrees: Looks up perfect subtrees within the tree.

    Returns:
        The hashes from the leaf up, for `is_included`.

    Raises:
        ValueError: The tree has no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has none at index {index}")
    start, stop, siblings = 0, size, []
    while stop - start > 1:
        middle = start + _left_size(stop - start)
        if index < middle:
            siblings.append((middle, stop))
            stop = middle
        else:
            siblings.append((start, middle))
            start = middle
    return [_root_between(*sibling, subtrees) for sibling in reversed(siblings)]


def consistency_proof(old_size: int, size: int, subtrees: Subtrees) -> list[bytes]:
    """Prove that the tree of the first `size` leaves begins with that of the first `old_size`.

    Args:
        old_size: How many leaves the smaller tree has, at least 0.
        size: How many leaves the larger tree has, at least `old_size`.
        subtrees: Looks up perfect subtrees within the larger tree.

    Returns:
        The hashes for `is_consistent`; none when a tree is empty or both are the same.

    Raises:
        ValueError: The smaller tree is larger.
    """
    if not 0 <= old_size <= size:
        raise ValueError(f"a tree of {size} leaves does not begin with one of {old_size}")
    if old_size in (0, size):
        return []
    start, stop, siblings = 0, size, []
    while stop != old_size:
        middle = start + _left_size(stop - start)
        if old_size <= middle:
            siblings.append((middle, stop))
            stop = middle
        else:
            siblings.append((start, middle))
            start = middle
    # What is left is the right border of the smaller tree; where that is all of it, its root is
    # known to whoever checks.
    if start > 0:
        siblings.append((start, stop))
    return [_root_between(*sibling, subtrees) for sibling in reversed(siblings)]


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Tell whether a proof shows that a leaf stands at an index of a tree.

    Args:
        leaf: The leaf hash.
        index: Where it is said to stand, from 0.
        size: How many leaves the tree has.
        proof: What `inclusion_proof` gave.
        root: The root of the tree.
    """
    if not 0 <= index < size or not _are_hashes(leaf, root, *proof):
        return False
    sides = list(_sides(index, size - 1))
    if len(proof) != len(sides):
        return False
    found = leaf
    for sibling, is_left in zip(proof, sides, strict=True):
        found = node_hash(sibling, found) if is_left else node_hash(found, sibling)
    return found == root


def is_consistent(
    old_size: int, size: int, proof: Sequence[bytes], old_root: bytes, root: bytes
) -> bool:
    """Tell whether a proof shows that a larger tree begins with a smaller one.

    Args:
        old_size: How many leaves the smaller tree has.
        size: How many leaves the larger tree has.
        proof: What `consistency_proof` gave.
        old_root: The root of the smaller tree.
        root: The root of the larger tree.
    """
    if not 0 <= old_size <= size or not _are_hashes(old_root, root, *proof):
        return False
    if old_size == size:
        return not proof and old_root == root
    if old_size == 0:
        return not proof and old_root == EMPTY_ROOT
    node, last = old_size - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    # A smaller tree that is perfect is a subtree of the larger: the proof leaves its root out.
    hashes = (old_root, *proof) if node == 0 else proof
    sides = list(_sides(node, last))
    if len(hashes) != len(sides) + 1:
        return False
    found_old = found = hashes[0]
    for sibling, is_left in zip(hashes[1:], sides, strict=True):
        if is_left:
            found_old = node_hash(sibling, found_old)
        found = node_hash(sibling, found) if is_left else node_hash(found, sibling)
    return found_old == old_root and found == root


def _sides(node: int, last: int) -> Iterator[bool]:
    """Tell, from a node up to the root, whether its sibling stands to the left.

    Args:
        node: Index of the node on its level.
        last: Index of the last node on that level.
    """
    while last:
        is_left = bool(node & 1) or node == last
        yield is_left
        if is_left:
            # On the right border a subtree may have no sibling on several levels. It ends: such a
            # node is not the first one of its level.
            while not node & 1:
                node, last = node >> 1, last >> 1
        node, last = node >> 1, last >> 1


def _left_size(size: int) -> int:
    """Give the largest power of two below `size`, which is 2 or more."""
    return 1 << ((size - 1).bit_length() - 1)


def _root_between(start: int, stop: int, subtrees: Subtrees) -> bytes:
    """Give the root over leaves of which `start` is where a subtree of that width begins."""
    return _root_of([subtrees(*each) for each in perfect_subtrees(start, stop)])


def perfect_subtrees(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Give level and index of the perfect subtrees that make up a subtree, largest first.

    Args:
        start: Its first leaf, a multiple of the width it would have if it were perfect.
        stop: The leaf after its last.
    """
    while start < stop:
        level = (stop - start).bit_length() - 1
        yield level, start >> level
        start += 1 << level


def _root_of(peaks: Sequence[bytes]) -> bytes:
    root = peaks[-1]
    for peak in reversed(peaks[:-1]):
        root = node_hash(peak, root)
    return root


def _cut(hashes: bytes) -> Iterator[bytes]:
    return (hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES))


def _are_hashes(*values: bytes) -> bool:
    return all(len(each) == HASH_BYTES for each in values)
