"""The seal's text, signature and chain, and what may be copied to the second place."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tests.audit import sealing
from moorage_core.audit import seals
from moorage_core.audit.models import Seal

CHANGES: dict[str, Any] = {
    "number": 9,
    "first_seq": 9,
    "last_seq": 99,
    "entries": 9,
    "root": bytes(32),
    "previous": b"\1" * 32,
    "at": "2026-03-02T00:00:00.000000+00:00",
    "key_id": "other",
}


def test_the_signed_text_of_a_seal_never_changes() -> None:
    seal = Seal(1, 1, 3, 3, b"\xaa" * 32, bytes(32), "2026-03-01T00:00:00.000000+00:00", "k", b"s")

    assert seals.text(seal) == (
        '{"at":"2026-03-01T00:00:00.000000+00:00","entries":3,"first_seq":1,'
        '"format":"moorage.audit.seal/1","key_id":"k","last_seq":3,"number":1,'
        f'"previous":"{"00" * 32}","root":"{"aa" * 32}"}}'
    )


def test_every_field_of_a_seal_is_signed() -> None:
    seal = sealing.log().seals[0]

    assert seals.is_signed(seal, keys=sealing.KEYS.public)
    assert set(CHANGES) == {field.name for field in fields(Seal)} - {"signature"}
    for name, value in CHANGES.items():
        assert not seals.is_signed(replace(seal, **{name: value}), keys=sealing.KEYS.public)


def test_a_signature_of_another_key_does_not_count() -> None:
    thief = sealing.new_keys()
    seal = sealing.log().seals[0]
    forged = thief.sign(seal)

    assert not seals.is_signed(forged, keys=sealing.KEYS.public)
    assert not seals.is_signed(replace(seal, signature=b""), keys=sealing.KEYS.public)


def test_each_seal_follows_the_one_before_and_no_other() -> None:
    first, second, third, _ = sealing.log().seals

    assert seals.follows(first, None)
    assert seals.follows(second, first)
    assert not seals.follows(third, first)
    assert not seals.follows(second, None)
    assert not seals.follows(second, replace(first, entries=2))


def test_a_seal_goes_into_a_line_and_comes_back() -> None:
    for seal in sealing.log().seals:
        assert seals.from_line(seals.to_line(seal)) == seal


@given(st.data())
def test_a_torn_line_is_no_seal(data: st.DataObject) -> None:
    line = seals.to_line(sealing.log(batches=1).seals[0])
    cut = data.draw(st.integers(0, len(line) - 1))

    with pytest.raises(seals.NotASeal):
        seals.from_line(line[:cut])


@given(st.one_of(st.text(), st.sampled_from(["[]", "{}", "null", '{"number": 1}', "[" * 100_000])))
def test_other_text_is_no_seal(text: str) -> None:
    with pytest.raises(seals.NotASeal):
        seals.from_line(text)


def test_a_line_spelled_differently_is_no_seal() -> None:
    line = seals.to_line(sealing.log().seals[0])

    for other in (line + " ", line.replace('"number":1', '"number":1.0'), line.upper()):
        with pytest.raises(seals.NotASeal):
            seals.from_line(other)


def pending(last: Seal | None, rows: list[Seal]) -> list[Seal]:
    return seals.pending(last, rows, keys=sealing.KEYS.public)


def test_an_empty_seal_log_gets_every_seal() -> None:
    rows = sealing.log().seals

    assert pending(None, rows) == rows


def test_a_seal_log_gets_what_came_after_its_end() -> None:
    rows = sealing.log().seals

    assert pending(rows[1], rows[1:]) == rows[2:]
    assert pending(rows[3], rows[3:]) == []


def test_a_seal_log_that_is_ahead_of_the_database_stops_the_sealer() -> None:
    rows = sealing.log().seals

    with pytest.raises(seals.SealingStopped, match="seal 4, which the database does not hold"):
        pending(rows[3], [])


def test_a_rewritten_row_stops_the_sealer() -> None:
    rows = sealing.log().seals

    with pytest.raises(seals.SealingStopped, match=r"Seal 2 .* differs"):
        pending(rows[1], [replace(rows[1], root=bytes(32)), *rows[2:]])


@pytest.mark.parametrize(
    "change", [{"root": bytes(32)}, {"signature": bytes(64)}, {"previous": bytes(32)}]
)
def test_a_row_that_was_not_made_by_us_is_never_copied(change: dict[str, bytes]) -> None:
    rows = sealing.log().seals
    rows[2] = replace(rows[2], **change)

    with pytest.raises(seals.SealingStopped, match=r"Seal 3 .* not made by us"):
        pending(rows[1], rows[1:])
