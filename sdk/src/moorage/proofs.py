"""Checking, without trusting the platform, that an audit entry is as it was sealed.

A proof carries the exact texts that were hashed and signed. It is worth as much as your knowledge
of whose key signed it: give the ids of the keys that you know to be the platform's.
"""

import base64
import hashlib
import json
from collections.abc import Collection
from typing import Any, cast

from joserfc.errors import JoseError
from joserfc.jwk import OKPKey
from joserfc.jws import JWSRegistry
from pydantic import ValidationError

from moorage._problem import MoorageError
from moorage.models import AuditKeyRead, ProofRead, StepRead

FORMAT = "moorage.audit.seal/1"
LEAF, NODE = b"\x00", b"\x01"


class ProofBroken(MoorageError):
    """This proof does not prove its entry."""


class KeyUnknown(ProofBroken):
    """The seal was signed by a key that you do not know as the platform's."""


def load(text: str | bytes) -> ProofRead:
    """A proof that was kept as JSON."""
    try:
        return ProofRead.model_validate_json(text)
    except ValidationError as err:
        raise ProofBroken("This is not a proof of an audit entry.") from err


def check(proof: ProofRead, *, known: Collection[str]) -> dict[str, Any]:
    """The entry that a proof proves, as it was sealed.

    Args:
        proof: From `client.audit.get_proof`, or kept from an earlier day.
        known: Ids of the keys that you know as the platform's.

    Raises:
        KeyUnknown: The rest holds, but the key is none of the known ones.
        ProofBroken: The entry is not what was sealed, or the seal not what was signed.
    """
    entry = check_seal(proof)
    if proof.public_key.id not in known:
        raise KeyUnknown(
            f"The seal was signed by the key {proof.public_key.id}, which is none of those that "
            "you know. Compare it with what the platform's operator tells you."
        )
    return entry


def check_seal(proof: ProofRead) -> dict[str, Any]:
    """The same, whoever's key it is: only for whoever compares the key's id then."""
    seal = _object(proof.seal.signed)
    if seal.get("format") != FORMAT:
        raise ProofBroken("The seal is of a format that this release does not know.")
    _check_signature(proof, str(seal.get("key_id")))
    if not int(seal["first_seq"]) <= proof.seq <= int(seal["last_seq"]):
        raise ProofBroken(f"Seal {seal['number']} does not cover entry {proof.seq}.")
    if _root(proof).hex() != seal["root"]:
        raise ProofBroken(f"Entry {proof.seq} does not lead to the root of seal {seal['number']}.")
    entry = _object(proof.content)
    _check_shown(proof, entry)
    return entry


def _root(proof: ProofRead) -> bytes:
    content = hashlib.sha256(proof.content.encode()).digest()
    top = hashlib.sha256(LEAF + proof.seq.to_bytes(8, "big") + content).digest()
    for step in proof.path:
        top = _parent(top, step)
    return top


def _parent(below: bytes, step: StepRead) -> bytes:
    beside = _bytes(step.hash)
    pair = beside + below if step.side == "left" else below + beside
    return hashlib.sha256(NODE + pair).digest()


def _check_signature(proof: ProofRead, key_id: str) -> None:
    raw = _bytes(proof.public_key.raw)
    if not key_id == proof.public_key.id == hashlib.sha256(raw).hexdigest():
        raise ProofBroken("The key in the proof is not the one that the seal names.")
    signature = _bytes(proof.seal.signature)
    verify = JWSRegistry.algorithms["Ed25519"].verify
    if not verify(proof.seal.signed.encode(), signature, _key(proof.public_key, raw)):
        raise ProofBroken("The signature does not fit the seal.")


def _key(named: AuditKeyRead, raw: bytes) -> OKPKey:
    x = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    try:
        return OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "x": x})
    except (JoseError, ValueError) as err:
        raise ProofBroken(f"The key {named.id} is not an Ed25519 key.") from err


def _check_shown(proof: ProofRead, entry: dict[str, Any]) -> None:
    """What is shown beside the sealed text must say the same."""
    shown = proof.entry
    for name in ("id", "org_id", "actor_id", "action", "target", "outcome", "correlation_id"):
        if entry.get(name) != getattr(shown, name):
            raise ProofBroken(f"The entry shows another {name} than the one that was sealed.")


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise ProofBroken("The proof is not readable.") from err
    if not isinstance(found, dict):
        raise ProofBroken("The proof is not readable.")
    return cast(dict[str, Any], found)


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as err:
        raise ProofBroken("The proof is not readable: a hash is not in hex.") from err
