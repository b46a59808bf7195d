"""The hash tree over one batch of entries. Pure; the shape is that of RFC 6962.

A leaf binds an entry's number to its content, and leaves and nodes are hashed under different first
bytes, so neither can be passed off as the other. Of n leaves the left subtree holds the largest
power of two below n, which makes the root computable from a stream with one hash kept per level.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

LEAF = b"\x00"
NODE = b"\x01"
EMPTY = hashlib.sha256(b"").digest()

Side = Literal["left", "right"]


@dataclass(frozen=True)
class Step:
    """One hash on the way from a leaf to the root, and the side on which it stands."""

    side: Side
    hash: bytes


def leaf_hash(seq: int, content_hash: bytes) -> bytes:
    """The leaf of entry number `seq`."""
    return hashlib.sha256(LEAF + seq.to_bytes(8, "big") + content_hash).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(NODE + left + right).digest()


@dataclass
class Tree:
    """A tree that grows leaf by leaf and remembers one hash per level."""

    size: int = 0
    _full: list[bytes] = field(default_factory=list[bytes])
    """Roots of the complete subtrees so far, the largest first."""

    def add(self, leaf: bytes) -> None:
        top, below = leaf, self.size
        while below & 1:
            top = node_hash(self._full.pop(), top)
            below >>= 1
        self._full.append(top)
        self.size += 1

    def root(self) -> bytes:
        if not self._full:
            return EMPTY
        top = self._full[-1]
        for left in reversed(self._full[:-1]):
            top = node_hash(left, top)
        return top


def root(leaves: Sequence[bytes]) -> bytes:
    """The root over these leaves."""
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root()


def path(leaves: Sequence[bytes], index: int) -> list[Step]:
    """What is needed beside leaf `index` to compute the root, from the leaf upwards."""
    if len(leaves) == 1:
        return []
    split = 1 << (len(leaves) - 1).bit_length() - 1
    left, right = leaves[:split], leaves[split:]
    if index < split:
        return [*path(left, index), Step("right", root(right))]
    return [*path(right, index - split), Step("left", root(left))]


def climb(leaf: bytes, steps: Sequence[Step]) -> bytes:
    """The root that a leaf and its path lead to."""
    top = leaf
    for step in steps:
        top = node_hash(step.hash, top) if step.side == "left" else node_hash(top, step.hash)
    return top
