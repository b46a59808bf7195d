"""A simulated host's key, and what is said with it."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field, replace
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

AUDIENCE = "moorage-agent"
HEAD = b'{"alg":"ES256"}'
_WIDTH = 32


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@dataclass(frozen=True)
class Identity:
    """What a host remembers of its enrolment. The same twice is a clone."""

    key: ec.EllipticCurvePrivateKey = field(default_factory=_new_key, repr=False)
    node_id: str = ""
    name: str = ""
    nonce: str = ""
    pending: str | None = None
    """An assertion over `nonce` that may have been sent: sent again until it is answered."""

    def enrolled(self, answer: dict[str, Any]) -> "Identity":
        return replace(self, node_id=answer["node_id"], name=answer["name"], nonce=answer["nonce"])

    def asserting(self) -> "Identity":
        """With an assertion to send."""
        if self.pending:
            return self
        return replace(self, pending=sign(self.key, {"sub": self.node_id, "nonce": self.nonce}))

    def answered(self, nonce: str) -> "Identity":
        return replace(self, nonce=nonce, pending=None)


def enrolment(identity: Identity, token: str) -> dict[str, Any]:
    """The part of an enrolment that proves the key."""
    digest = hashlib.sha256(token.encode()).hexdigest()
    return {
        "token": token,
        "public_key": jwk(identity.key.public_key()),
        "assertion": sign(identity.key, {"enrolment": digest}),
    }


def sign(key: ec.EllipticCurvePrivateKey, claims: dict[str, Any]) -> str:
    """A compact JWS with a fresh `jti`. It says nothing of the time."""
    said = {"aud": AUDIENCE, "jti": secrets.token_urlsafe(16), **claims}
    signed = f"{_encode(HEAD)}.{_encode(json.dumps(said).encode())}"
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{_encode(r.to_bytes(_WIDTH, 'big') + s.to_bytes(_WIDTH, 'big'))}"


def jwk(key: ec.EllipticCurvePublicKey) -> dict[str, str]:
    numbers = key.public_numbers()
    x, y = (_encode(number.to_bytes(_WIDTH, "big")) for number in (numbers.x, numbers.y))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y}


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
