"""Checks a whole audit log against its seals and its second place. Pure, and in bounded memory.

Three streams come in, each in its own order: entries by number, seals by number, lines of the seal
log. They are walked side by side, once. What counts is what is *signed*: where a row and the log
disagree about a seal, the log's is the measure, because who writes to the database does not write
there. A finding is evidence that something was changed. A note is worth reading and proves nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from moorage_core.audit import rules, seals
from moorage_core.audit.entry_walk import EntryWalk, StoredEntry
from moorage_core.audit.models import Seal
from moorage_core.audit.report import Finding, Report
from moorage_core.audit.seal_log import Line

COPIED_WITHIN = timedelta(minutes=5)
"""A seal is copied to the log moments after its commit; later than this it is worth a note."""


@dataclass(frozen=True)
class Evidence:
    """What there is to check: the database at one moment, and the log as it was just before."""

    entries: Iterable[StoredEntry]
    """By number; those without one last."""
    seals: Iterable[Seal]
    """By number."""
    lines: Iterable[Line]
    issued: int
    """The last number that was given out."""
    keys: Mapping[str, bytes]
    now: datetime


def check(evidence: Evidence) -> Report:
    """Walk through everything once."""
    report = Report()
    walk = EntryWalk(evidence.entries, report)
    lines = _signed_lines(evidence.lines, evidence.keys, report)
    copies = _Copies(report)
    before: Seal | None = None
    for row, line in _side_by_side(evidence.seals, lines, report):
        seal = line or row
        assert seal is not None, "a pair holds at least one seal"
        report.seals += 1
        report.last_seal_at = seal.at
        copies.look(row, line)
        if row is not None:
            _check_row(row, line, keys=evidence.keys, report=report)
        if not seals.follows(seal, before):
            says = f"does not follow {_name(before)}: the chain is broken."
            report.add(Finding("chain_broken", "seal", seal.number, says))
        walk.check_batch(seal)
        before = seal
    copies.end(now=evidence.now)
    walk.check_rest(before, issued=evidence.issued)
    return report


def _signed_lines(
    lines: Iterable[Line], keys: Mapping[str, bytes], report: Report
) -> Iterator[Seal]:
    """The seals of the log in order, each once. Whatever carries no valid signature is no seal."""
    last: Seal | None = None
    for line in lines:
        seal = line.seal
        if seal is None or not seals.is_signed(seal, keys=keys):
            says = "no seal of ours; a crash while writing leaves such a line."
            report.add(Finding("log_unreadable", "line", line.at, says))
        elif last is None or seal.number > last.number:
            yield seal
            last = seal
        elif seal != last:
            says = "twice or out of order in the seal log: that file was edited."
            report.add(Finding("log_contradicts", "seal", seal.number, says))


def _side_by_side(
    rows: Iterable[Seal], lines: Iterator[Seal], report: Report
) -> Iterator[tuple[Seal | None, Seal | None]]:
    """Rows and lines in pairs by number; None where one of the two is missing."""
    line = next(lines, None)
    number = 0
    for row in rows:
        if row.number <= number:
            says = "twice in the database: a row was put in by hand."
            report.add(Finding("seal_changed", "seal", row.number, says))
            continue
        number = row.number
        while line is not None and line.number < number:
            yield None, line
            line = next(lines, None)
        if line is not None and line.number == number:
            yield row, line
            line = next(lines, None)
        else:
            yield row, None
    while line is not None:
        yield None, line
        line = next(lines, None)


def _check_row(row: Seal, line: Seal | None, *, keys: Mapping[str, bytes], report: Report) -> None:
    is_signed = seals.is_signed(row, keys=keys)
    if not is_signed:
        report.add(Finding("seal_changed", "seal", row.number, _unsigned(row, keys)))
    if line is not None and row != line:
        says = "differs from its copy in the seal log: the row was rewritten."
        if is_signed:
            says = "signed twice with different content: somebody else holds the signing key."
        report.add(Finding("log_contradicts", "seal", row.number, says))


def _unsigned(row: Seal, keys: Mapping[str, bytes]) -> str:
    if row.key_id in keys:
        return "its signature is not valid: written by somebody without the signing key."
    return "signed with a key that is not in the key folder: forged, or the key file is missing."


def _name(before: Seal | None) -> str:
    return f"seal {before.number}" if before else "the start of the log"


class _Copies:
    """Which seals are in one of the two places only. What it means depends on what comes after."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._only_rows: list[Seal] = []
        self._only_lines: list[Seal] = []

    def look(self, row: Seal | None, line: Seal | None) -> None:
        if line is not None:
            says = "missing in the middle of the seal log: that file was edited."
            self._flush(self._only_rows, "log_incomplete", says)
        if row is not None:
            says = "in the seal log, and removed from the database."
            self._flush(self._only_lines, "seal_removed", says)
        if line is None and row is not None:
            _extend(self._only_rows, row)
        if row is None and line is not None:
            _extend(self._only_lines, line)

    def end(self, *, now: datetime) -> None:
        says = (
            "in the seal log, and not in the database: the tail was cut, or an older database was "
            "put back."
        )
        self._flush(self._only_lines, "tail_cut", says)
        if self._only_rows and self._only_rows[0].at < rules.timestamp(now - COPIED_WITHIN):
            says = (
                "signed, and not in the seal log: no second place confirms it. The platform copies "
                "it there when it runs."
            )
            self._flush(self._only_rows, "log_behind", says)

    def _flush(self, run: list[Seal], code: str, says: str) -> None:
        if run:
            self._report.add(Finding(code, "seal", run[0].number, says, last=run[-1].number))
            run.clear()


def _extend(run: list[Seal], seal: Seal) -> None:
    """Keep the first and the last of a run."""
    del run[1:]
    run.append(seal)
