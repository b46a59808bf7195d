"""Logs made in memory for the tests of seals, proofs and verification."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from moorage_core.audit import merkle, rules, seals, verification
from moorage_core.audit.entry_walk import StoredEntry
from moorage_core.audit.keyring import AuditKeys
from moorage_core.audit.models import Seal
from moorage_core.audit.report import Report
from moorage_core.audit.seal_log import Line
from moorage_core.audit.verification import Evidence

START = datetime(2026, 3, 1, tzinfo=UTC)


def new_keys() -> AuditKeys:
    key = Ed25519PrivateKey.generate()
    raw = key.public_key().public_bytes_raw()
    return AuditKeys({seals.key_id(raw): raw}, key)


KEYS = new_keys()


def content(seq: int, **changes: Any) -> dict[str, Any]:
    """The content of the entry that gets this number."""
    at = rules.timestamp(START + timedelta(minutes=seq))
    fields: dict[str, Any] = dict.fromkeys(rules.FIELDS)
    return fields | {"id": f"aud_{seq}", "at": at, "count": 1, "details": {"n": seq}} | changes


def stored(seq: int | None, fields: dict[str, Any]) -> StoredEntry:
    """A row whose hash fits."""
    digest = rules.content_hash(fields)
    return StoredEntry(seq, fields["id"], fields["at"], digest, digest)


def entries(first: int, last: int) -> list[StoredEntry]:
    return [stored(seq, content(seq)) for seq in range(first, last + 1)]


def seal_after(
    before: Seal | None, batch: Sequence[StoredEntry], *, keys: AuditKeys = KEYS
) -> Seal:
    """The seal that the platform would make of these entries."""
    last = batch[-1].seq
    assert last is not None
    leaves = [merkle.leaf_hash(entry.seq or 0, entry.leaf) for entry in batch]
    unsigned = seals.following(
        before,
        last_seq=last,
        entries=len(batch),
        root=merkle.root(leaves),
        at=START + timedelta(minutes=last + 1),
        key_id=keys.signer_id,
    )
    return keys.sign(unsigned)


@dataclass
class Log:
    """A database and its second place, to be tampered with."""

    entries: list[StoredEntry]
    seals: list[Seal]
    lines: list[Seal | None]
    issued: int
    keys: AuditKeys = field(default_factory=lambda: KEYS)

    def check(self) -> Report:
        lines = [Line(at, seal) for at, seal in enumerate(self.lines, 1)]
        ordered = sorted(self.entries, key=lambda entry: (entry.seq is None, entry.seq or 0))
        now = START + timedelta(days=1)
        evidence = Evidence(ordered, self.seals, lines, self.issued, self.keys.public, now)
        return verification.check(evidence)

    def codes(self) -> list[str]:
        report = self.check()
        return [finding.code for finding in (*report.findings, *report.notes)]

    def change(self, seq: int, *, with_hash: bool) -> None:
        """Change an entry's content, and its hash too where the thief is careful."""
        digest = rules.content_hash(content(seq, action="forged"))
        old = self.entries[seq - 1]
        leaf = digest if with_hash else old.leaf
        self.entries[seq - 1] = replace(old, leaf=leaf, content_hash=digest)

    def remove(self, *seqs: int) -> None:
        self.entries = [entry for entry in self.entries if entry.seq not in seqs]


def log(*, batches: int = 4, size: int = 3, unsealed: int = 0) -> Log:
    """A sound log: `batches` seals over `size` entries each, then some without a seal."""
    every = entries(1, batches * size + unsealed)
    made: list[Seal] = []
    for start in range(0, batches * size, size):
        made.append(seal_after(made[-1] if made else None, every[start : start + size]))
    return Log(every, made, list(made), issued=len(every))
