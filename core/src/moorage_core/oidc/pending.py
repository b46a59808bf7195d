"""A sign-in under way, sealed into a cookie: the browser carries it and cannot read or change it.

So any server process can finish what another began, and nothing has to be stored or swept. The key
is derived from the master key, whose version stands in front; a rotation in between does no harm.
"""

import base64
import json
import os
import re
import secrets
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from moorage_core.secrets.keyring import Keyring, KeyUnknown

COOKIE = "moorage_oidc"
PATH = "/v1/auth/oidc"
LIFETIME = timedelta(minutes=10)
_PURPOSE = b"moorage: pending sign-in"
_NONCE = 12
_SEALED = re.compile(r"([0-9]{1,9})\.([A-Za-z0-9_-]{1,4000})")


@dataclass(frozen=True)
class PendingLogin:
    """What the callback must match."""

    provider_id: str
    state: str
    nonce: str
    verifier: str
    return_to: str
    expires_at: float


def begin(provider_id: str, *, return_to: str, now: datetime) -> PendingLogin:
    return PendingLogin(
        provider_id=provider_id,
        state=secrets.token_urlsafe(32),
        nonce=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(48),
        return_to=return_to,
        expires_at=(now + LIFETIME).timestamp(),
    )


def seal(login: PendingLogin, keyring: Keyring) -> str:
    version = keyring.newest
    nonce = os.urandom(_NONCE)
    plain = json.dumps(asdict(login), ensure_ascii=False).encode()
    sealed = nonce + _cipher(keyring, version).encrypt(nonce, plain, _PURPOSE)
    return f"{version}.{base64.urlsafe_b64encode(sealed).decode().rstrip('=')}"


def unseal(cookie: str, keyring: Keyring, *, now: datetime) -> PendingLogin | None:
    """None where it is not ours, was changed, or is too old."""
    match = _SEALED.fullmatch(cookie)
    if match is None:
        return None
    try:
        sealed = base64.urlsafe_b64decode(match[2] + "=" * (-len(match[2]) % 4))
        cipher = _cipher(keyring, int(match[1]))
        plain = cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], _PURPOSE)
        login = PendingLogin(**json.loads(plain))
    except (InvalidTag, KeyUnknown, TypeError, ValueError):
        return None
    return login if now.timestamp() < login.expires_at else None


def _cipher(keyring: Keyring, version: int) -> AESGCM:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE)
    return AESGCM(derived.derive(keyring.key(version)))
