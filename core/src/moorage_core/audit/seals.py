"""What a seal says, how it is spelled, and how seals form a chain. Pure.

A seal is a signed statement about one batch of entries: which numbers, how many, the root of their
hash tree, and the hash of the seal before it. The signature is over the UTF-8 bytes of one exact
text. docs/explanation/audit.md describes the format for whoever checks it without our code.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from moorage_core.audit import rules
from moorage_core.audit.models import Seal

FORMAT = "moorage.audit.seal/1"
NO_SEAL = bytes(32)
"""What the first seal names as the one before it."""
_ADVICE = "Run moor audit verify to see what was changed."


class NotASeal(Exception):
    """A line that holds no seal: torn by a crash, or written by somebody else."""


class SealingStopped(Exception):
    """The database and the seal log do not fit together: a person must look first."""


def text(seal: Seal) -> str:
    """The exact text that is signed."""
    return rules.spell(_fields(seal))


def digest(seal: Seal | None) -> bytes:
    """What the next seal names as the one before it."""
    return NO_SEAL if seal is None else hashlib.sha256(text(seal).encode()).digest()


def following(
    before: Seal | None, *, last_seq: int, entries: int, root: bytes, at: datetime, key_id: str
) -> Seal:
    """The seal after `before`, not signed yet. Between the two no number stays uncovered."""
    return Seal(
        number=before.number + 1 if before else 1,
        first_seq=before.last_seq + 1 if before else 1,
        last_seq=last_seq,
        entries=entries,
        root=root,
        previous=digest(before),
        at=rules.timestamp(at),
        key_id=key_id,
    )


def follows(seal: Seal, before: Seal | None) -> bool:
    """Whether a seal is the next link of the chain after `before`."""
    return (
        seal.previous == digest(before)
        and seal.number == (before.number if before else 0) + 1
        and seal.first_seq == (before.last_seq if before else 0) + 1
        and seal.last_seq >= seal.first_seq
    )


def key_id(public_key: bytes) -> str:
    """A key's name: the hash of its 32 bytes."""
    return hashlib.sha256(public_key).hexdigest()


def is_signed(seal: Seal, *, keys: Mapping[str, bytes]) -> bool:
    """Whether the signature was made with the key that the seal names, and that key is known."""
    key = keys.get(seal.key_id)
    return key is not None and signature_fits(text(seal), seal.signature, key=key)


def signature_fits(signed: str, signature: bytes, *, key: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def pending(last: Seal | None, rows: Sequence[Seal], *, keys: Mapping[str, bytes]) -> list[Seal]:
    """The rows to copy to a log that ends with `last`; `rows` begin with that seal's own row.

    Raises SealingStopped where one of them is not the next link, signed by us.
    """
    if last is not None:
        _check_same(last, rows[0] if rows else None)
    new = list(rows if last is None else rows[1:])
    for seal, before in zip(new, [last, *new], strict=False):
        if not follows(seal, before) or not is_signed(seal, keys=keys):
            raise SealingStopped(
                f"Seal {seal.number} in the database was not made by us: its place in the chain or "
                f"its signature is wrong. Nothing more is sealed. {_ADVICE}"
            )
    return new


def _check_same(last: Seal, row: Seal | None) -> None:
    if row is None or row.number != last.number:
        raise SealingStopped(
            f"The seal log ends with seal {last.number}, which the database does not hold: the end "
            f"of the audit log was cut off, or an older database was put back. {_ADVICE} If a "
            "backup was restored on purpose, keep the seal log under another name; a new one is "
            "then begun from what the database holds."
        )
    if row != last:
        raise SealingStopped(
            f"Seal {last.number} in the database differs from its copy in the seal log: the row "
            f"was rewritten. Nothing more is sealed. {_ADVICE}"
        )


def to_line(seal: Seal) -> str:
    """The seal with its signature, as one line of the seal log."""
    return rules.spell(_fields(seal) | {"signature": seal.signature.hex()})


def from_line(line: str) -> Seal:
    """The seal in a line; NotASeal where it is not spelled exactly as `to_line` does."""
    try:
        fields = json.loads(line)
        seal = Seal(
            number=int(fields["number"]),
            first_seq=int(fields["first_seq"]),
            last_seq=int(fields["last_seq"]),
            entries=int(fields["entries"]),
            root=bytes.fromhex(fields["root"]),
            previous=bytes.fromhex(fields["previous"]),
            at=str(fields["at"]),
            key_id=str(fields["key_id"]),
            signature=bytes.fromhex(fields["signature"]),
        )
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as err:
        raise NotASeal("This line is not a seal.") from err
    if to_line(seal) != line:
        raise NotASeal("This line is not spelled as a seal is.")
    return seal


def _fields(seal: Seal) -> dict[str, Any]:
    fields = asdict(seal) | {"root": seal.root.hex(), "previous": seal.previous.hex()}
    del fields["signature"]
    return {"format": FORMAT} | fields
