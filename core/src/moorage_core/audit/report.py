"""What a check of the audit log found, ready to be read by a person or a program. Pure."""

from dataclasses import dataclass, field, replace
from typing import Literal

KEPT = 1000
"""Findings named one by one; the rest are counted."""

CODES = {
    "batch_changed": "sealed entries no longer have the root that was signed",
    "chain_broken": "a seal does not follow the one before it",
    "counter_set_back": "numbers were given out that the counter no longer knows of",
    "entry_changed": "an entry's content no longer fits its hash",
    "entry_inserted": "an entry that did not come through the platform",
    "entry_missing_when_sealed": "an entry was removed before its batch was sealed",
    "entry_removed": "an entry is gone",
    "log_contradicts": "a seal in the database differs from its copy in the seal log",
    "log_incomplete": "a line was removed from the seal log",
    "log_missing": "there is no seal log where one is expected",
    "seal_changed": "a seal without a valid signature",
    "seal_removed": "a seal was removed from the database",
    "tail_cut": "the end of the log was removed",
}
"""What proves that something was changed."""

NOTES = {
    "entry_backdated": "an entry is dated long before the one numbered before it",
    "log_behind": "seals that the second place does not hold yet",
    "log_unreadable": "a line of the seal log that is no seal",
}
"""What is worth a look and proves nothing."""

_PLURALS = {"entry": "entries", "line": "lines", "seal": "seals"}


@dataclass(frozen=True)
class Finding:
    """One thing found, about one entry, seal or line, or about a run of them."""

    code: str
    noun: Literal["entry", "line", "seal"]
    first: int | None
    """The number of the entry, seal or line; None where it has none."""
    says: str
    last: int | None = None
    """The last of a run."""
    id: str | None = None

    @property
    def message(self) -> str:
        name = self.noun if self.first is None else f"{self.noun} {self.first}"
        if self.last not in (None, self.first):
            name = f"{_PLURALS[self.noun]} {self.first} to {self.last}"
        return f"{name}{f' ({self.id})' if self.id else ''}: {self.says}"

    @property
    def statement(self) -> tuple[str, str, str]:
        """What is said, whatever it is said of."""
        return self.code, self.noun, self.says

    def joined(self, after: "Finding") -> "Finding | None":
        """This and `after` as one run, where the same is said of the next number."""
        end = self.last or self.first
        if self.id or after.id or end is None or after.first != end + 1:
            return None
        return replace(self, last=after.last or after.first)


@dataclass
class Report:
    """What was looked at and what was found."""

    entries: int = 0
    seals: int = 0
    last_seal_at: str | None = None
    unsealed: int = 0
    """Entries after the last seal, those without a number included."""
    unnumbered: int = 0
    unsealed_since: str | None = None
    """The date of the oldest of them."""
    findings: list[Finding] = field(default_factory=list[Finding])
    notes: list[Finding] = field(default_factory=list[Finding])
    not_shown: int = 0
    _latest: dict[tuple[str, str, str], int] = field(
        default_factory=dict[tuple[str, str, str], int]
    )
    """Where the last finding stands that said the same, so that a run takes one line."""

    @property
    def is_sound(self) -> bool:
        return not self.findings

    def add(self, finding: Finding) -> None:
        kept = self.notes if finding.code in NOTES else self.findings
        at = self._latest.get(finding.statement)
        run = None if at is None else kept[at].joined(finding)
        if at is not None and run is not None:
            kept[at] = run
        elif len(kept) < KEPT:
            self._latest[finding.statement] = len(kept)
            kept.append(finding)
        else:
            self.not_shown += 1
