"""How a host proves that it is the node it says it is. Pure: keys, assertions and nonces.

An assertion is signed with the host's key and carries the nonce that was given last. Time is no
part of it. The nonce that follows is made of the node and the assertion with a key of ours: the
same assertion gets the same nonce, and nothing but hashes has to be kept.
"""

import base64
import enum
import hashlib
import hmac
import json
import re
from typing import Any, cast

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from moorage_core.errors import ApiError, Conflict, Fault, Forbidden, Unauthenticated
from moorage_core.kit import tokens
from moorage_core.nodes.models import Identity, Status

AUDIENCE = "moorage-agent"
_MARK = 12
"""Characters at the end of a nonce that show whose it is."""
_JTI = re.compile(r"[!-~]{8,100}")


class EnrolmentRefused(Unauthenticated):
    """The enrolment token is not valid."""

    code = "enrolment_refused"


class AssertionRefused(Unauthenticated):
    """The node did not prove itself."""

    code = "assertion_refused"


class NodeRetired(Forbidden):
    """The node is retired."""

    code = "node_retired"


class IdentityConflict(Conflict):
    """Two hosts have the identity of one node."""

    code = "identity_conflict"


class KeyNotUsable(ApiError):
    """This is not a usable P-256 public key."""

    status = 422
    code = "key_not_usable"


class Verdict(enum.Enum):
    """What an exchange is."""

    NEXT = "next"
    REPEATED = "repeated"
    CONFLICT = "conflict"


def thumbprint(public_key: dict[str, Any]) -> str:
    """The name of a key: RFC 7638."""
    try:
        return ECKey.import_key(public_key).thumbprint()
    except (JoseError, ValueError) as err:
        raise KeyNotUsable(
            "The public key is not a P-256 JWK.",
            errors=[Fault("body.public_key", "not a valid key")],
        ) from err


def read(assertion: str, public_key: dict[str, Any]) -> dict[str, str] | None:
    """The claims of an assertion that this key signed; None where anything about it is wrong."""
    try:
        key = ECKey.import_key(public_key)
        signed = jws.deserialize_compact(assertion.encode(), key, algorithms=["ES256"])
        claims = _object(signed.payload)
    except (JoseError, ValueError, RecursionError):
        return None
    jti = claims.get("jti")
    if claims.get("aud") != AUDIENCE or not isinstance(jti, str) or not _JTI.fullmatch(jti):
        return None
    return {name: value for name, value in claims.items() if isinstance(value, str)}


def _object(payload: bytes) -> dict[str, Any]:
    """The object in a payload; empty where it is something else."""
    found: Any = json.loads(payload)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def nonce(key: bytes, *, node: str, jti: str) -> str:
    """The nonce that follows the assertion of this id."""
    made = _encode(hmac.digest(key, f"{node}\0{jti}".encode(), "sha256"))
    return made + _mark(made, key, node=node)


def is_our_nonce(nonce: str, key: bytes, *, node: str) -> bool:
    """Whether it was given to this node once, whether or not it is the last one."""
    made, mark = nonce[:-_MARK], nonce[-_MARK:]
    return hmac.compare_digest(_mark(made, key, node=node).encode(), mark.encode())


def _mark(made: str, key: bytes, *, node: str) -> str:
    return _encode(hmac.digest(key, f"nonce\0{node}\0{made}".encode(), "sha256"))[:_MARK]


def _encode(made: bytes) -> str:
    return base64.urlsafe_b64encode(made).rstrip(b"=").decode()


# Whose a call says to be, before anything is looked up: what strangers cannot make up


def exchange_claim(body: bytes, key: bytes) -> str | None:
    """The node of an exchange that carries a nonce of ours; None of anything else."""
    said = _parse(body, limit=16 * 1024)
    node, assertion = said.get("node_id"), said.get("assertion")
    if not isinstance(node, str) or not isinstance(assertion, str):
        return None
    claimed = _unverified(assertion).get("nonce")
    if not isinstance(claimed, str) or not claimed.isascii() or not node.isascii():
        return None
    return node if is_our_nonce(claimed, key, node=node) else None


def enrolment_claim(body: bytes, key: bytes) -> str | None:
    """The digest of an enrolment token that we made; None of anything else."""
    token = _parse(body, limit=256 * 1024).get("token")
    if not isinstance(token, str) or not tokens.is_marked(token, key):
        return None
    return tokens.digest(token).hex()


def _unverified(assertion: str) -> dict[str, Any]:
    payload = assertion.split(".")[1:2]
    try:
        return _parse(base64.urlsafe_b64decode(payload[0] + "==") if payload else b"")
    except ValueError:
        return {}


def _parse(body: bytes, limit: int = 16 * 1024) -> dict[str, Any]:
    try:
        return _object(body) if len(body) <= limit else {}
    except (ValueError, RecursionError):
        return {}


def nonce_hash(nonce: str) -> bytes:
    return hashlib.sha256(nonce.encode()).digest()


def judge(identity: Identity, *, given: bytes, jti: str) -> Verdict:
    """What an assertion with a nonce of this hash means. Its signature has been checked.

    Only a holder of the key gets here: an older nonce is then a second holder, or a host that was
    put back to an earlier state, which is the same to us.
    """
    if _same(identity.nonce_hash, given):
        return Verdict.NEXT
    if _same(identity.used_nonce_hash, given) and identity.used_jti == jti:
        return Verdict.REPEATED
    return Verdict.CONFLICT


def _same(stored: bytes | None, given: bytes) -> bool:
    return stored is not None and hmac.compare_digest(stored, given)


def check_may_exchange(identity: Identity) -> None:
    """Refuse a node that has proved itself and may not work all the same."""
    if identity.status == Status.RETIRED:
        raise NodeRetired(f"Node {identity.name} is retired. Announce a new node for this host.")
    if identity.conflict_at is not None:
        raise conflict(identity.name)


def conflict(name: str) -> IdentityConflict:
    return IdentityConflict(
        f"Node {name} is quarantined: two hosts showed its identity. Find the copy, take it off,"
        " and have the node resumed; or enrol it anew."
    )


def refused() -> AssertionRefused:
    return AssertionRefused("There is no such node, or this is not its key.")


def enrolment_refused() -> EnrolmentRefused:
    return EnrolmentRefused(
        "The enrolment token is unknown, used or expired. Ask for a new line for this node."
    )
