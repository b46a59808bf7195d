"""Envelope encryption: what was sealed opens for its own row, whole or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage_core.secrets import envelope

MASTER, OTHER = b"m" * 32, b"o" * 32
ROW = "org_a/sec_a"


@given(st.binary(max_size=300))
def test_what_was_sealed_opens_again(value: bytes) -> None:
    wrapped, ciphertext = envelope.seal(value, master=MASTER, bound_to=ROW)

    assert envelope.unseal(wrapped, ciphertext, master=MASTER, bound_to=ROW) == value


@given(st.binary(min_size=8, max_size=100))
def test_the_value_does_not_show(value: bytes) -> None:
    wrapped, ciphertext = envelope.seal(value, master=MASTER, bound_to=ROW)

    assert value not in wrapped + ciphertext


def test_the_same_value_is_sealed_differently_each_time() -> None:
    one = envelope.seal(b"value", master=MASTER, bound_to=ROW)
    two = envelope.seal(b"value", master=MASTER, bound_to=ROW)

    assert not set(one) & set(two)


@given(st.data())
def test_a_single_changed_bit_is_noticed(data: st.DataObject) -> None:
    sealed = list(envelope.seal(b"a secret value", master=MASTER, bound_to=ROW))
    part = data.draw(st.integers(0, 1))
    place = data.draw(st.integers(0, len(sealed[part]) * 8 - 1))
    changed = bytearray(sealed[part])
    changed[place // 8] ^= 1 << place % 8
    sealed[part] = bytes(changed)

    with pytest.raises(envelope.NotOpened):
        envelope.unseal(*sealed, master=MASTER, bound_to=ROW)


@pytest.mark.parametrize("kept", [0, 5, 12, 20])
def test_what_was_cut_off_does_not_open(kept: int) -> None:
    wrapped, ciphertext = envelope.seal(b"a secret value", master=MASTER, bound_to=ROW)

    with pytest.raises(envelope.NotOpened):
        envelope.unseal(wrapped, ciphertext[:kept], master=MASTER, bound_to=ROW)
    with pytest.raises(envelope.NotOpened):
        envelope.unseal(wrapped[:kept], ciphertext, master=MASTER, bound_to=ROW)


@pytest.mark.parametrize(
    ("master", "row"), [(OTHER, ROW), (MASTER, "org_b/sec_a"), (MASTER, "org_a/sec_b")]
)
def test_another_key_or_another_row_does_not_open_it(master: bytes, row: str) -> None:
    sealed = envelope.seal(b"value", master=MASTER, bound_to=ROW)

    with pytest.raises(envelope.NotOpened) as refusal:
        envelope.unseal(*sealed, master=master, bound_to=row)

    assert "value" not in str(refusal.value)
