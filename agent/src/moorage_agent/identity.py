"""Who this node is: a key that never leaves the host, and what is said with it.

The key is made and used by `openssl`, because the standard library cannot sign. Its answers are
DER; a JWS wants the two numbers of an ES256 signature side by side, and a JWK those of the point.
"""

import base64
import json
import os
import secrets
import subprocess
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Optional

from moorage_agent import ballast, durable

AUDIENCE = "moorage-agent"
_WIDTH = 32


@dataclass(frozen=True)
class Identity:
    """What the host remembers of its enrolment."""

    url: str
    node_id: str
    name: str
    nonce: str
    enrolment: str = ""
    """The SHA-256 of the token that it came with: the same line again is no new enrolment."""
    pending: Optional[str] = None
    """An assertion over `nonce` that may have been sent; it is sent again until it is answered."""


class KeyUnusable(Exception):
    """openssl cannot do what is needed with the key."""


def load(path: Path) -> Optional[Identity]:
    """The identity on disk, if the host has one."""
    try:
        return Identity(**json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None


def save(path: Path, identity: Identity) -> None:
    ballast.write(path, json.dumps(asdict(identity), indent=1).encode())


def assertion(identity: Identity, *, key: Path, place: Path) -> Identity:
    """The identity with an assertion to send, which is on disk by then."""
    if identity.pending:
        return identity
    claims = {"sub": identity.node_id, "nonce": identity.nonce}
    ready = replace(identity, pending=sign(key, claims))
    save(place, ready)
    return ready


def answered(identity: Identity, nonce: str, *, place: Path) -> Identity:
    """The identity after an exchange."""
    after = replace(identity, nonce=nonce, pending=None)
    save(place, after)
    return after


def make_key(path: Path) -> None:
    """A new P-256 key, readable by its owner alone from its first byte on."""
    made = _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
    durable.write(path, made)


def public_jwk(key: Path) -> dict[str, str]:
    """The public half, as the platform takes it."""
    info = _openssl("pkey", "-in", str(key), "-pubout", "-outform", "DER")
    return jwk(info)


def sign(key: Path, claims: dict[str, Any]) -> str:
    """A compact JWS with a fresh `jti`. It says nothing of the time: the host's may be wrong."""
    said = {"aud": AUDIENCE, "jti": secrets.token_urlsafe(16), **claims}
    head = _encode(json.dumps({"alg": "ES256"}).encode())
    signed = f"{head}.{_encode(json.dumps(said).encode())}"
    der = _openssl("dgst", "-sha256", "-sign", str(key), stdin=signed.encode())
    return f"{signed}.{_encode(raw_signature(der))}"


def jwk(info: bytes) -> dict[str, str]:
    """The point of a SubjectPublicKeyInfo on P-256, which ends with 04, x and y."""
    point = info[-(2 * _WIDTH + 1) :]
    if len(point) != 2 * _WIDTH + 1 or point[0] != 4:
        raise KeyUnusable("The key is not a P-256 key.")
    x, y = point[1 : 1 + _WIDTH], point[1 + _WIDTH :]
    return {"kty": "EC", "crv": "P-256", "x": _encode(x), "y": _encode(y)}


def raw_signature(der: bytes) -> bytes:
    """r and s, 32 bytes each, from the DER sequence of two integers."""
    if len(der) < 2 or der[0] != 0x30 or der[1] != len(der) - 2:
        raise KeyUnusable("openssl's signature is not a DER sequence.")
    r, rest = _integer(der[2:])
    s, rest = _integer(rest)
    if rest:
        raise KeyUnusable("openssl's signature holds more than two numbers.")
    return r.to_bytes(_WIDTH, "big") + s.to_bytes(_WIDTH, "big")


def _integer(der: bytes) -> tuple[int, bytes]:
    if len(der) < 3 or der[0] != 0x02 or len(der) < 2 + der[1]:
        raise KeyUnusable("openssl's signature holds something that is not a number.")
    end = 2 + der[1]
    return int.from_bytes(der[2:end], "big"), der[end:]


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _openssl(*words: str, stdin: bytes = b"") -> bytes:
    environment = {"PATH": os.defpath, "OPENSSL_CONF": "/dev/null"}
    try:
        ended = subprocess.run(
            ["openssl", *words], input=stdin, capture_output=True, env=environment, check=False
        )
    except FileNotFoundError as err:
        raise KeyUnusable("There is no `openssl` command: `apt-get install openssl`.") from err
    if ended.returncode != 0:
        said = ended.stderr.decode(errors="replace").strip()
        raise KeyUnusable(f"openssl {words[0]} ended with {ended.returncode}: {said}")
    return ended.stdout
