"""A tenant's proof that one entry is in the log as it was sealed. Pure: made and checked here.

A proof carries the exact texts that were hashed and signed, so that checking it needs SHA-256 and
Ed25519 and no rule about how to spell JSON. `check` is the reference; docs/explanation/audit.md
describes the same in words.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from moorage_core.audit import merkle, seals
from moorage_core.audit.merkle import Step
from moorage_core.audit.models import Seal


@dataclass(frozen=True)
class Proof:
    content: str
    """The entry, in the exact text that was hashed."""
    seq: int
    path: Sequence[Step]
    signed: str
    """The seal, in the exact text that was signed."""
    signature: bytes
    public_key: bytes


class ProofBroken(Exception):
    """A proof that proves nothing."""


def make(
    content: str,
    seq: int,
    leaves: Sequence[tuple[int, bytes]],
    seal: Seal,
    keys: Mapping[str, bytes],
) -> Proof:
    """The proof of entry `seq` among the sealed (number, content hash) pairs. Checked, too."""
    index = [number for number, _ in leaves].index(seq)
    path = merkle.path([merkle.leaf_hash(*leaf) for leaf in leaves], index)
    key = keys.get(seal.key_id, b"")
    proof = Proof(content, seq, path, seals.text(seal), seal.signature, key)
    check(proof, trusted=keys)
    return proof


def check(proof: Proof, *, trusted: Mapping[str, bytes]) -> None:
    """Raise ProofBroken unless the entry is what the holder of a trusted key sealed.

    `trusted` holds public keys by key id: those that the reader believes to be the platform's, from
    an earlier look or from its operator. The key inside a proof says only which one to look for.
    """
    sealed = _read(proof.signed)
    key = trusted.get(str(sealed.get("key_id")))
    if key is None:
        raise ProofBroken(f"The seal names the key {sealed.get('key_id')}, which is not trusted.")
    if not seals.signature_fits(proof.signed, proof.signature, key=key):
        raise ProofBroken("The signature does not fit the seal.")
    # From here on the seal is known to be the platform's own words.
    if not sealed["first_seq"] <= proof.seq <= sealed["last_seq"]:
        raise ProofBroken(f"Seal {sealed['number']} does not cover entry {proof.seq}.")
    leaf = merkle.leaf_hash(proof.seq, hashlib.sha256(proof.content.encode()).digest())
    if merkle.climb(leaf, proof.path).hex() != sealed["root"]:
        raise ProofBroken(
            f"Entry {proof.seq} does not lead to the root of seal {sealed['number']}."
        )


def _read(signed: str) -> dict[str, Any]:
    try:
        sealed = json.loads(signed)
    except (ValueError, RecursionError) as err:
        raise ProofBroken("The seal is not readable.") from err
    if not isinstance(sealed, dict):
        raise ProofBroken("The seal is not readable.")
    fields = cast(dict[str, Any], sealed)
    if fields.get("format") != seals.FORMAT:
        raise ProofBroken("The seal is of a format that is not known here.")
    return fields
