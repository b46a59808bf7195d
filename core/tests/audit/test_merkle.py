"""The hash tree: every leaf has a path to the root, and nothing else has."""

import hashlib

from hypothesis import assume, given
from hypothesis import strategies as st

from moorage_core.audit import merkle
from moorage_core.audit.merkle import Step

HASH = st.binary(min_size=32, max_size=32)
LEAVES = st.lists(HASH, min_size=1, max_size=70, unique=True)


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def test_the_root_of_three_leaves_is_what_rfc_6962_says() -> None:
    a, b, c = (sha(letter) for letter in (b"a", b"b", b"c"))

    root = merkle.root([a, b, c])

    assert root == sha(b"\x01", sha(b"\x01", a, b), c)


def test_a_leaf_binds_the_number_to_the_content() -> None:
    assert merkle.leaf_hash(258, b"c" * 32) == sha(b"\x00", b"\0\0\0\0\0\0\1\2", b"c" * 32)


def test_an_empty_tree_has_the_hash_of_nothing() -> None:
    assert merkle.root([]) == sha()


@given(LEAVES)
def test_a_tree_that_grew_leaf_by_leaf_has_the_root_of_a_tree_split_from_above(
    leaves: list[bytes],
) -> None:
    def from_above(part: list[bytes]) -> bytes:
        if len(part) == 1:
            return part[0]
        split = 1
        while split * 2 < len(part):
            split *= 2
        return sha(b"\x01", from_above(part[:split]), from_above(part[split:]))

    assert merkle.root(leaves) == from_above(leaves)


@given(LEAVES)
def test_every_leaf_climbs_to_the_root(leaves: list[bytes]) -> None:
    root = merkle.root(leaves)

    tops = {merkle.climb(leaf, merkle.path(leaves, n)) for n, leaf in enumerate(leaves)}

    assert tops == {root}


@given(LEAVES, HASH, st.data())
def test_no_other_leaf_climbs_to_the_root_by_the_same_path(
    leaves: list[bytes], stranger: bytes, data: st.DataObject
) -> None:
    assume(stranger not in leaves)
    index = data.draw(st.integers(0, len(leaves) - 1))
    steps = merkle.path(leaves, index)
    others = [stranger, *leaves[:index], *leaves[index + 1 :]]

    tops = {merkle.climb(other, steps) for other in others}

    assert merkle.root(leaves) not in tops


@given(LEAVES, st.data())
def test_a_path_with_anything_changed_does_not_lead_to_the_root(
    leaves: list[bytes], data: st.DataObject
) -> None:
    assume(len(leaves) > 1)
    index = data.draw(st.integers(0, len(leaves) - 1))
    steps = merkle.path(leaves, index)
    at = data.draw(st.integers(0, len(steps) - 1))
    broken = Step(steps[at].side, bytes(32))
    swapped = Step("left" if steps[at].side == "right" else "right", steps[at].hash)

    tops = [
        merkle.climb(leaves[index], [*steps[:at], other, *steps[at + 1 :]])
        for other in (broken, swapped)
    ]
    tops.append(merkle.climb(leaves[index], steps[:at] + steps[at + 1 :]))

    assert merkle.root(leaves) not in tops


@given(LEAVES, st.data())
def test_two_different_logs_have_different_roots(leaves: list[bytes], data: st.DataObject) -> None:
    other = data.draw(st.permutations(leaves))
    assume(other != leaves)

    assert merkle.root(other) != merkle.root(leaves)
    assert merkle.root(leaves[:-1]) != merkle.root(leaves)
