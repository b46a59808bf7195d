"""Every way to tamper with a log that lives in memory, and what a check makes of it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tests.audit import sealing
from core.tests.audit.sealing import Log
from moorage_core.audit import report as reports
from moorage_core.audit import rules
from moorage_core.audit.models import Seal
from moorage_core.audit.report import Finding, Report


def messages(log: Log) -> str:
    report = log.check()
    return "\n".join(finding.message for finding in (*report.findings, *report.notes))


@pytest.mark.parametrize("unsealed", [0, 2])
def test_a_sound_log_has_no_finding(unsealed: int) -> None:
    report = sealing.log(unsealed=unsealed).check()

    assert report.is_sound
    assert report.notes == []
    assert (report.entries, report.seals, report.unsealed) == (12 + unsealed, 4, unsealed)


def test_an_empty_log_is_sound() -> None:
    report = Log([], [], [], issued=0).check()

    assert (report.is_sound, report.entries, report.unsealed_since) == (True, 0, None)


def test_the_unsealed_window_is_stated() -> None:
    log = sealing.log(unsealed=2)
    log.entries.append(sealing.stored(None, sealing.content(15)))

    report = log.check()

    assert (report.unsealed, report.unnumbered) == (3, 1)
    assert report.unsealed_since == sealing.content(13)["at"]


def test_a_changed_entry_is_named() -> None:
    log = sealing.log()
    log.change(5, with_hash=False)

    assert log.codes() == ["entry_changed"]
    assert "entry 5 (aud_5)" in messages(log)


def test_an_entry_changed_with_its_hash_breaks_its_batch() -> None:
    log = sealing.log()
    log.change(5, with_hash=True)

    assert log.codes() == ["batch_changed"]
    assert "entries 4 to 6" in messages(log)


def test_a_hash_changed_alone_names_the_entry_and_not_its_batch() -> None:
    log = sealing.log()
    log.entries[4] = replace(log.entries[4], leaf=bytes(32))

    assert log.codes() == ["entry_changed"]


def test_an_entry_that_cannot_be_ours_is_a_changed_one() -> None:
    log = sealing.log()
    log.entries[4] = replace(log.entries[4], content_hash=None)

    assert log.codes() == ["entry_changed"]


def test_removed_entries_are_named_by_their_numbers() -> None:
    log = sealing.log()
    log.remove(5, 6, 7)

    assert log.codes() == ["entry_removed", "entry_removed"]
    assert "entries 5 to 6: removed after seal 2" in messages(log)
    assert "entry 7: removed after seal 3" in messages(log)


def test_an_entry_removed_before_its_seal_is_told_from_one_removed_after() -> None:
    every = sealing.entries(1, 6)
    first = sealing.seal_after(None, [every[0], every[2]])
    log = Log([every[0], *every[2:]], [first], [first], issued=6)

    assert log.codes() == ["entry_missing_when_sealed"]
    assert "entry 2: missing already when seal 1" in messages(log)


def test_an_entry_put_back_into_a_gap_that_was_sealed_is_found() -> None:
    every = sealing.entries(1, 3)
    first = sealing.seal_after(None, [every[0], every[2]])
    log = Log(every, [first], [first], issued=3)

    assert log.codes() == ["entry_inserted"]


def test_an_entry_removed_inside_the_unsealed_window_is_found() -> None:
    log = sealing.log(unsealed=4)
    log.remove(14)

    assert log.codes() == ["entry_removed"]
    assert "entry 14: removed before it was sealed" in messages(log)


def test_the_last_entry_removed_before_its_seal_is_found() -> None:
    log = sealing.log(unsealed=2)
    log.remove(14)

    assert log.codes() == ["entry_removed"]


def test_an_entry_with_a_number_that_is_taken_is_named() -> None:
    log = sealing.log()
    log.entries.append(sealing.stored(5, sealing.content(5, id="aud_forged")))

    assert log.codes() == ["entry_inserted"]
    assert "entry 5 (aud_forged)" in messages(log)


@pytest.mark.parametrize("seq", [-3, 0, 13, 99])
def test_an_entry_with_a_number_that_was_never_given_out_is_named(seq: int) -> None:
    log = sealing.log()
    forged = sealing.content(12, id="aud_forged")
    log.entries.append(sealing.stored(seq, forged))

    assert log.codes() == ["entry_inserted"]
    assert f"entry {seq} (aud_forged)" in messages(log)


def test_an_old_entry_without_a_number_was_put_in_by_hand() -> None:
    log = sealing.log(batches=10)
    log.entries.append(sealing.stored(None, sealing.content(3, id="aud_forged")))

    assert log.codes() == ["entry_inserted"]
    assert "entry (aud_forged): no number" in messages(log)


def test_a_backdated_entry_is_noted() -> None:
    log = sealing.log(batches=30, unsealed=1)
    log.entries[-1] = sealing.stored(91, sealing.content(91) | {"at": sealing.content(1)["at"]})

    assert log.check().is_sound
    assert log.codes() == ["entry_backdated"]


def test_a_counter_that_was_set_back_is_found() -> None:
    log = sealing.log()
    log.issued = 5

    assert log.codes() == ["counter_set_back"]


def test_a_cut_tail_is_found_by_the_seal_log() -> None:
    log = sealing.log()
    del log.entries[6:]
    del log.seals[2:]
    log.issued = 6

    assert "tail_cut" in log.codes()
    assert "seals 3 to 4: in the seal log, and not in the database" in messages(log)
    assert "entries 7 to 9: removed after seal 3" in messages(log)


def test_seals_cut_off_without_their_entries_are_found() -> None:
    log = sealing.log()
    del log.seals[2:]

    assert log.codes() == ["tail_cut"]


def test_a_seal_removed_from_the_middle_is_found() -> None:
    log = sealing.log()
    del log.seals[1]

    assert log.codes() == ["seal_removed"]


def test_a_seal_changed_in_the_database_is_found() -> None:
    log = sealing.log()
    log.seals[1] = replace(log.seals[1], root=bytes(32))

    assert log.codes() == ["seal_changed", "log_contradicts"]


def recompute(log: Log, *, start: int, signer: sealing.AuditKeys | None) -> None:
    """Make every seal from `start` on anew, as somebody with write access to the database can."""
    made: list[Seal] = log.seals[:start]
    for seal in log.seals[start:]:
        batch = log.entries[seal.first_seq - 1 : seal.last_seq]
        before = made[-1] if made else None
        new = sealing.seal_after(before, batch, keys=signer or sealing.KEYS)
        made.append(new if signer else replace(new, signature=bytes(64)))
    log.seals = made


def test_a_chain_recomputed_without_the_key_is_found_even_without_a_seal_log() -> None:
    log = sealing.log()
    log.change(5, with_hash=True)
    recompute(log, start=1, signer=None)
    log.lines = []

    report = log.check()

    assert [finding.code for finding in report.findings] == ["seal_changed"]
    assert "seals 2 to 4: its signature is not valid" in messages(log)


def test_a_chain_recomputed_with_a_key_of_the_thiefs_own_is_found() -> None:
    log = sealing.log()
    log.change(5, with_hash=True)
    recompute(log, start=1, signer=sealing.new_keys())
    log.lines = []

    assert "seals 2 to 4: signed with a key that is not in the key folder" in messages(log)


def test_a_chain_recomputed_with_the_stolen_key_is_found_by_the_seal_log() -> None:
    log = sealing.log()
    log.change(5, with_hash=True)
    recompute(log, start=1, signer=sealing.KEYS)

    assert log.codes() == ["log_contradicts", "batch_changed"]
    assert "somebody else holds the signing key" in messages(log)


def test_a_seal_in_the_database_twice_is_found() -> None:
    log = sealing.log()
    log.seals.insert(1, replace(log.seals[0], root=bytes(32)))

    assert log.codes() == ["seal_changed"]


def test_seals_gone_from_both_places_leave_a_broken_chain() -> None:
    log = sealing.log()
    del log.seals[1], log.lines[1]

    assert set(log.codes()) == {"chain_broken"}
    assert "seal 3: does not follow seal 1" in messages(log)
    assert "entries 4 to 6: covered by no seal" in messages(log)


def test_a_line_removed_from_the_middle_of_the_seal_log_is_found() -> None:
    log = sealing.log()
    del log.lines[1]

    assert log.codes() == ["log_incomplete"]


def test_lines_out_of_order_are_found() -> None:
    log = sealing.log()
    log.lines.append(log.lines[0])

    assert log.codes() == ["log_contradicts"]


def test_the_same_line_twice_in_a_row_harms_nothing() -> None:
    log = sealing.log()
    log.lines.append(log.lines[-1])

    assert log.codes() == []


def test_a_seal_log_that_is_behind_is_noted() -> None:
    log = sealing.log()
    del log.lines[2:]

    assert log.check().is_sound
    assert log.codes() == ["log_behind"]
    assert "seals 3 to 4: signed, and not in the seal log" in messages(log)


def test_torn_lines_are_noted() -> None:
    log = sealing.log()
    log.lines[1:1] = [None, None]

    assert log.check().is_sound
    assert "lines 2 to 3: no seal of ours" in messages(log)


def test_an_unsigned_line_does_not_replace_a_signed_row() -> None:
    log = sealing.log()
    log.lines.append(replace(log.seals[3], number=5, signature=bytes(64)))

    assert log.codes() == ["log_unreadable"]


@given(st.data())
def test_whatever_single_entry_is_changed_or_removed_is_found(data: st.DataObject) -> None:
    log = sealing.log(batches=data.draw(st.integers(1, 4)), size=data.draw(st.integers(1, 5)))
    seq = data.draw(st.integers(1, len(log.entries)))
    way = data.draw(st.sampled_from(["change", "change with hash", "remove"]))
    if way == "remove":
        log.remove(seq)
    else:
        log.change(seq, with_hash=way == "change with hash")

    report = log.check()

    named = [
        (finding.first or 0, finding.last or finding.first or 0) for finding in report.findings
    ]
    assert any(first <= seq <= last for first, last in named)


def test_two_entries_swapped_with_their_hashes_are_found() -> None:
    log = sealing.log()
    fourth, fifth = log.entries[3], log.entries[4]
    log.entries[3:5] = [replace(fifth, seq=4), replace(fourth, seq=5)]

    assert log.codes() == ["batch_changed"]


def test_a_run_of_findings_is_told_in_one_line() -> None:
    report = Report()

    for number in (1, 2, 3, 5):
        report.add(Finding("seal_changed", "seal", number, "changed."))

    assert [f.message for f in report.findings] == ["seals 1 to 3: changed.", "seal 5: changed."]


def test_findings_beyond_the_first_thousand_are_counted() -> None:
    report = Report()

    for number in range(0, 4000, 2):
        report.add(Finding("seal_changed", "seal", number, "changed."))

    assert len(report.findings) == reports.KEPT
    assert report.not_shown == 1000


def test_every_code_is_explained() -> None:
    assert not set(reports.CODES) & set(reports.NOTES)


def test_a_date_that_is_none_does_not_stop_the_check() -> None:
    log = sealing.log()
    log.entries[4] = replace(
        log.entries[4], at="", content_hash=rules.content_hash(sealing.content(5, at=""))
    )

    assert log.codes() == ["entry_changed"]
