"""Ways to prove who calls: a personal access token, a service account's key or secret, a password.

What expires is renewed shortly before it does, once for all calls that wait for it. No proof is
ever part of a repr, a log line or an exception.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import httpx2

from moorage import _operations as operations
from moorage import models
from moorage._keys import PrivateKey
from moorage._operation import Arguments, Operation, Options
from moorage._problem import MoorageError

SESSION_COOKIE = "moorage_session"
CSRF_HEADER = "X-CSRF-Token"
RENEW_BEFORE = 30.0
"""Seconds before its end at which a proof is renewed; a fifth of its life where that is less."""

log = logging.getLogger("moorage")
Headers = Mapping[str, str]


class Sender(Protocol):
    """What a proof is obtained through."""

    @property
    def url(self) -> str: ...

    async def send(
        self, operation: Operation, arguments: Arguments, options: Options = ...
    ) -> httpx2.Response: ...


class Auth(Protocol):
    """A way to prove who calls."""

    async def headers(self, sender: Sender) -> Headers:
        """What to send with a call, obtained or renewed where need be."""
        ...

    def refused(self, headers: Headers) -> bool:
        """Hear that these were not taken; whether asking again can bring better ones."""
        ...

    async def close(self, sender: Sender) -> None:
        """Give back what was obtained for this client alone."""
        ...


class Hidden(dict[str, str]):
    """Headers that are not printed: tools that report a crash print what functions were given."""

    def __repr__(self) -> str:
        return "{…}"


class AccessToken:
    """A personal access token."""

    def __init__(self, token: str) -> None:
        self._headers = _bearer(token.strip())

    def __repr__(self) -> str:
        return "AccessToken(…)"

    async def headers(self, sender: Sender) -> Headers:
        return self._headers

    def refused(self, headers: Headers) -> bool:
        return False

    async def close(self, sender: Sender) -> None:
        return None


class ServiceAccount:
    """A service account, by the private half of an Ed25519 key or by a secret.

    Args:
        account: The account's id.
        key: The id of the key.
        private_key: The private half: a `PrivateKey`, a file, or PEM text.
        secret: In place of a private key: the secret that was shown when the key was made.
        audience: The platform's own name for its address, where it is not the client's URL.
    """

    def __init__(
        self,
        account: str,
        *,
        key: str,
        private_key: PrivateKey | Path | str | bytes | None = None,
        secret: str | None = None,
        audience: str | None = None,
    ) -> None:
        if (private_key is None) == (secret is None):
            raise ValueError("A service account proves itself by a private key or by a secret.")
        self.account = account
        self.key = key
        self._private_key = _loaded(private_key)
        self._secret = secret
        self._audience = audience
        self._kept = _Kept(self._mint)

    def __repr__(self) -> str:
        return f"ServiceAccount({self.account!r}, key={self.key!r})"

    async def headers(self, sender: Sender) -> Headers:
        return await self._kept.headers(sender)

    def refused(self, headers: Headers) -> bool:
        return self._kept.refused(headers)

    async def close(self, sender: Sender) -> None:
        return None

    async def _mint(self, sender: Sender) -> "_Proof":
        answer = await sender.send(
            operations.MINT_TOKEN, Arguments(body=lambda: self._request(sender.url))
        )
        token = models.TokenRead.model_validate_json(answer.content)
        return _Proof(_bearer(token.access_token), good_for=token.expires_in)

    def _request(self, url: str) -> models.TokenRequest:
        """A new proof for each try: the platform takes each assertion once."""
        assertion = None
        if self._private_key is not None:
            audience = self._audience or url
            assertion = self._private_key.assertion(account=self.account, audience=audience)
        return models.TokenRequest(
            service_account=self.account,
            key=self.key,
            client_assertion=assertion,
            client_secret=self._secret,
        )


class Password:
    """A person's e-mail and password: the first call opens a session, closing ends it."""

    def __init__(self, email: str, password: str) -> None:
        self.email = email
        self._password = password
        self._kept = _Kept(self._sign_in)
        self._session: str | None = None

    def __repr__(self) -> str:
        return f"Password({self.email!r}, …)"

    async def headers(self, sender: Sender) -> Headers:
        return await self._kept.headers(sender)

    def refused(self, headers: Headers) -> bool:
        return self._kept.refused(headers)

    async def close(self, sender: Sender) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        try:
            await sender.send(operations.END_SESSION, Arguments(path={"session": session}))
        except MoorageError as err:
            log.warning("The session %s could not be ended and will expire: %s", session, err)

    async def _sign_in(self, sender: Sender) -> "_Proof":
        body = models.Login(email=self.email, password=self._password)
        answer = await sender.send(operations.LOGIN, Arguments(body=body))
        opened = models.LoginRead.model_validate_json(answer.content)
        self._session = opened.session_id
        cookie = answer.cookies.get(SESSION_COOKIE, "")
        headers = {"Cookie": f"{SESSION_COOKIE}={cookie}", CSRF_HEADER: opened.csrf_token}
        return _Proof(Hidden(headers), good_for=opened.expires_at.timestamp() - time.time())


@dataclass(frozen=True)
class _Proof:
    """What was obtained, and for how many seconds it counts."""

    headers: Headers = field(repr=False)
    good_for: float


class _Kept:
    """Keeps a proof for as long as it counts, and obtains the next one once for all who wait."""

    def __init__(self, obtain: Callable[[Sender], Awaitable[_Proof]]) -> None:
        self._obtain = obtain
        self._lock = asyncio.Lock()
        self._headers: Headers | None = None
        self._renew_at = 0.0

    async def headers(self, sender: Sender) -> Headers:
        if (found := self._current()) is not None:
            return found
        async with self._lock:
            if (found := self._current()) is not None:
                return found
            asked_at = time.monotonic()
            proof = await self._obtain(sender)
            early = min(RENEW_BEFORE, proof.good_for / 5)
            self._headers, self._renew_at = proof.headers, asked_at + proof.good_for - early
            return proof.headers

    def refused(self, headers: Headers) -> bool:
        # Another call may have renewed it in the meantime; that one is not thrown away.
        if self._headers is headers:
            self._headers = None
        return True

    def _current(self) -> Headers | None:
        return self._headers if time.monotonic() < self._renew_at else None


def _bearer(token: str) -> Headers:
    return Hidden({"Authorization": f"Bearer {token}"})


def _loaded(key: PrivateKey | Path | str | bytes | None) -> PrivateKey | None:
    return key if key is None or isinstance(key, PrivateKey) else PrivateKey.load(key)
