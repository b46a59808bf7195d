"""An issuer on loopback that says whatever a test wants, true or not. It speaks plain HTTP by hand.

For what an honest provider never does; the honest one is `tests/oidc/provider.mjs`. Its login page
is left out: the code of a sign-in is its nonce, which a test copies from the browser's address.
"""

import asyncio
import base64
import contextlib
import hashlib
import json
import ssl
import urllib.parse
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, Key

DISCOVERY = "/.well-known/openid-configuration"
JWKS = "/jwks"
TOKEN = "/token"
USERINFO = "/userinfo"
CLIENT_ID = "moorage-test"
ACCESS_TOKEN = "an-access-token"


@dataclass(frozen=True)
class Seen:
    """A request that reached the issuer."""

    method: str
    path: str
    headers: dict[str, str]
    form: dict[str, str]


@dataclass
class ScriptedIssuer:
    url: str
    key: Key
    now: datetime
    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    """Laid over the honest claims; None takes one out."""
    published: list[Key] = field(default_factory=list[Key])
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict[str, tuple[int, Any]])
    """Path to (status, body): instead of the honest answer. A body of bytes is sent as it is."""
    hang: bool = False
    seen: list[Seen] = field(default_factory=list[Seen])
    issued: list[str] = field(default_factory=list[str])

    def count(self, path: str) -> int:
        return sum(request.path == path for request in self.seen)

    def claims_for(self, nonce: str) -> dict[str, Any]:
        claims: dict[str, Any] = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "sub": "grace",
            "iat": int(self.now.timestamp()),
            "exp": int((self.now + timedelta(minutes=5)).timestamp()),
            "nonce": nonce,
            "at_hash": at_hash(ACCESS_TOKEN),
            "email": "grace@example.org",
            "email_verified": True,
            "name": "Grace Hopper",
        }
        return {k: v for k, v in (claims | self.claims).items() if v is not None}

    def answer(self, request: Seen) -> tuple[int, Any]:
        if request.path in self.answers:
            return self.answers[request.path]
        if request.path == DISCOVERY:
            return 200, self.discovery()
        if request.path == JWKS:
            return 200, {"keys": [key.as_dict(private=False) for key in self.published]}
        if request.path == TOKEN:
            header = {"alg": "ES256", "kid": self.key.kid}
            claims = self.claims_for(request.form["code"])
            self.issued.append(jwt.encode(header, claims, self.key, algorithms=["ES256"]))
            return 200, {"id_token": self.issued[-1], "access_token": ACCESS_TOKEN}
        return 404, {}

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": self.url + TOKEN,
            "jwks_uri": self.url + JWKS,
            "userinfo_endpoint": self.url + USERINFO,
        }


def at_hash(access_token: str) -> str:
    half = hashlib.sha256(access_token.encode()).digest()[:16]
    return base64.urlsafe_b64encode(half).rstrip(b"=").decode()


def new_key(kid: str) -> Key:
    return ECKey.generate_key("P-256", parameters={"kid": kid})


@contextlib.asynccontextmanager
async def running(
    now: datetime, *, tls: ssl.SSLContext | None = None
) -> AsyncIterator[ScriptedIssuer]:
    key = new_key("first")
    issuer = ScriptedIssuer(url="", key=key, now=now, published=[key])

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            request = await _read(reader)
            issuer.seen.append(request)
            if issuer.hang:
                await reader.read()  # until the other side gives up
            else:
                writer.write(_response(*issuer.answer(request)))
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    scheme = "https" if tls else "http"
    issuer.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield issuer


async def _read(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    pairs = (line.split(":", 1) for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    form = dict(urllib.parse.parse_qsl(body.decode()))
    return Seen(method, urllib.parse.urlsplit(target).path, headers, form)


def _response(status: int, body: Any) -> bytes:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(content)}", "connection: close"]
    if 300 <= status < 400:
        lines.append("location: /elsewhere")
    return "\r\n".join([*lines, "", ""]).encode() + content
