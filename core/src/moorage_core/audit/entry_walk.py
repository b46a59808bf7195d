"""Walks through the entries in the order of their numbers and holds each batch against its seal.

Pure; keeps one hash per level of a tree and little else, however long the log is. Each batch is
hashed twice, from the stored hashes and from hashes computed anew: the first tells whether the
sealed leaves are still there, the second whether only a stored hash was touched.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from moorage_core.audit import merkle
from moorage_core.audit.models import Seal
from moorage_core.audit.report import Finding, Report

NUMBERED_WITHIN = timedelta(minutes=10)
"""An entry gets its number within seconds. One without, that much older than a seal, was put in."""
BACKDATED = timedelta(hours=1)
GAPS_KEPT = 1000


@dataclass(frozen=True)
class StoredEntry:
    """A row as it stands in the database."""

    seq: int | None
    id: str
    at: str
    leaf: bytes
    content_hash: bytes | None
    """Computed from the row's other fields; None where they cannot have come from us."""


@dataclass(frozen=True)
class _Batch:
    """The entries of one seal: their trees and the numbers that are not there."""

    stored: merkle.Tree
    computed: merkle.Tree
    gaps: list[tuple[int, int]]


class EntryWalk:
    def __init__(self, entries: Iterable[StoredEntry], report: Report) -> None:
        self._entries = iter(entries)
        self._next = next(self._entries, None)
        self._report = report
        self._expected = 1
        self._at: str | None = None

    def check_batch(self, seal: Seal) -> None:
        """Take the entries that the seal covers and compare them with what it says."""
        self._check_uncovered(seal)
        batch = self._take_through(seal.last_seq)
        made = f"seal {seal.number} was made, at {seal.at}"
        if batch.stored.size < seal.entries and batch.gaps:
            self._report_gaps(batch, "entry_removed", f"removed after {made}.")
            return
        self._report_gaps(batch, "entry_missing_when_sealed", f"missing already when {made}.")
        if seal.root in (batch.stored.root(), batch.computed.root()):
            return
        code, says = "batch_changed", f"at least one was changed, with its hash, after {made}."
        if batch.stored.size > seal.entries:
            code, says = "entry_inserted", f"at least one was put in after {made}."
        self._report.add(Finding(code, "entry", seal.first_seq, says, last=seal.last_seq))

    def _check_uncovered(self, seal: Seal) -> None:
        """Where seals are gone from both places, the entries between have nothing to fit."""
        if (first := self._expected) < seal.first_seq:
            self._take_through(seal.first_seq - 1)
            says = f"covered by no seal, though seal {seal.number} was made later."
            self._report.add(Finding("chain_broken", "entry", first, says, last=self._expected - 1))

    def check_rest(self, last: Seal | None, *, issued: int) -> None:
        """What no seal covers yet: numbers without gaps up to the counter, then those without."""
        if last is not None and issued < last.last_seq:
            says = f"sealed, though the counter stands at {issued}: it was set back."
            self._report.add(Finding("counter_set_back", "entry", last.last_seq, says))
        batch = self._take_through(issued, unsealed=True)
        self._report_gaps(batch, "entry_removed", "removed before it was sealed.")
        while self._next is not None and self._next.seq is not None:
            entry = self._take(self._next, unsealed=True)
            self._inserted(entry, "the platform never gave out this number: put in by hand.")
        while self._next is not None:
            self._report.unnumbered += 1
            self._check_unnumbered(self._take(self._next, unsealed=True), last)

    def _take_through(self, last_seq: int, *, unsealed: bool = False) -> _Batch:
        batch = _Batch(merkle.Tree(), merkle.Tree(), [])
        while (entry := self._next) is not None and entry.seq is not None and entry.seq <= last_seq:
            self._take(entry, unsealed=unsealed)
            if entry.seq < self._expected:
                self._inserted(entry, "this number was not free: put in by hand.")
                continue
            self._note_gap(batch, before=entry.seq)
            batch.stored.add(merkle.leaf_hash(entry.seq, entry.leaf))
            batch.computed.add(merkle.leaf_hash(entry.seq, entry.content_hash or entry.leaf))
            self._expected = entry.seq + 1
        self._note_gap(batch, before=last_seq + 1)
        self._expected = max(self._expected, last_seq + 1)
        return batch

    def _take(self, entry: StoredEntry, *, unsealed: bool) -> StoredEntry:
        self._next = next(self._entries, None)
        self._report.entries += 1
        if unsealed:
            self._report.unsealed += 1
            self._report.unsealed_since = min(self._report.unsealed_since or entry.at, entry.at)
        if entry.leaf != entry.content_hash:
            says = "changed: its content does not fit its hash."
            self._report.add(Finding("entry_changed", "entry", entry.seq, says, id=entry.id))
        self._note_backdated(entry)
        return entry

    def _note_gap(self, batch: _Batch, *, before: int) -> None:
        if before > self._expected and len(batch.gaps) < GAPS_KEPT:
            batch.gaps.append((self._expected, before - 1))

    def _report_gaps(self, batch: _Batch, code: str, says: str) -> None:
        for first, last in batch.gaps:
            self._report.add(Finding(code, "entry", first, says, last=last))

    def _inserted(self, entry: StoredEntry, says: str) -> None:
        self._report.add(Finding("entry_inserted", "entry", entry.seq, says, id=entry.id))

    def _check_unnumbered(self, entry: StoredEntry, last: Seal | None) -> None:
        if last is not None and _is_before(entry.at, last.at, by=NUMBERED_WITHIN):
            says = f"no number, and dated long before seal {last.number}: put in by hand."
            self._inserted(entry, says)

    def _note_backdated(self, entry: StoredEntry) -> None:
        if self._at is not None and _is_before(entry.at, self._at, by=BACKDATED):
            says = f"dated {entry.at}, the one numbered before it {self._at}."
            self._report.add(Finding("entry_backdated", "entry", entry.seq, says, id=entry.id))
        self._at = entry.at


def _is_before(at: str, other: str, *, by: timedelta) -> bool:
    if at >= other:
        return False
    try:
        return datetime.fromisoformat(other) - datetime.fromisoformat(at) > by
    except (ValueError, TypeError):
        # A date that we did not write: reported as a changed entry already.
        return False
