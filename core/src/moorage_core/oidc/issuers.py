"""Talking to sign-in providers, and what this process remembers of them.

A ninth file, with a reason: what waits for strangers is kept apart from what holds a transaction.
Metadata and keys are kept for an hour. A token under a key that is not among them makes one fresh
look, so a provider's rotation is noticed at once; a withdrawn key is good for an hour at most.
"""

import base64
import ssl
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx2
from joserfc.jwk import Key

from moorage_core.oidc import fetch, id_tokens, metadata, rules
from moorage_core.oidc.metadata import Metadata

T = TypeVar("T")

SECONDS_KEPT = 3600.0
ISSUERS_KEPT = 100


@dataclass(frozen=True)
class Tokens:
    """What a code was exchanged for."""

    id_token: str = field(repr=False)
    access_token: str | None = field(repr=False)


@dataclass(frozen=True)
class Redemption:
    """A code, with all that proves it is ours to redeem."""

    name: str
    """The provider's, for people."""
    client_id: str
    client_secret: str = field(repr=False)
    code: str = field(repr=False)
    verifier: str = field(repr=False)
    callback: str


class Issuers:
    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._metadata = _Kept[Metadata](monotonic)
        self._keys = _Kept[list[Key]](monotonic)

    async def metadata(self, issuer: str) -> Metadata:
        known = self._metadata.find(issuer)
        if known is not None:
            return known
        document = await self._document(metadata.discovery_url(issuer))
        published = metadata.read(document, issuer=issuer)
        self._metadata.keep(issuer, published)
        return published

    async def read_id_token(
        self, token: str, at: Metadata, expected: id_tokens.Expected
    ) -> dict[str, Any]:
        """The claims of a token that one of the issuer's keys signed."""
        keys = self._keys.find(at.issuer) or []
        if not id_tokens.find_keys(token, keys):
            keys = id_tokens.import_keys(await self._document(at.jwks_uri))
            self._keys.keep(at.issuer, keys)
        return id_tokens.read(token, keys, expected)

    async def redeem(self, at: Metadata, code: Redemption) -> Tokens:
        """Exchange a code for tokens."""
        form = {
            "grant_type": "authorization_code",
            "code": code.code,
            "redirect_uri": code.callback,
            "code_verifier": code.verifier,
        }
        basic = None
        if at.secret_in_form:
            form |= {"client_id": code.client_id, "client_secret": code.client_secret}
        else:
            basic = _basic(code.client_id, code.client_secret)
        url = at.token_endpoint
        answer = await fetch.ask("POST", url, tls=self._tls, form=form, authorization=basic)
        if answer.status != 200:
            raise rules.refused(code.name, answer.document.get("error"))
        id_token, access_token = (answer.document.get(f"{n}_token") for n in ("id", "access"))
        if not isinstance(id_token, str):
            raise rules.ProviderMisconfigured(f"{code.name} sent no ID token for the code.")
        return Tokens(id_token, access_token if isinstance(access_token, str) else None)

    async def read_userinfo(
        self, at: Metadata, tokens: Tokens, *, subject: str
    ) -> Mapping[str, Any]:
        """What the provider tells the holder of the access token; empty where it tells nothing."""
        if at.userinfo_endpoint is None or not _is_token(tokens.access_token):
            return {}
        bearer = f"Bearer {tokens.access_token}"
        url = at.userinfo_endpoint
        answer = await fetch.ask("GET", url, tls=self._tls, authorization=bearer)
        # Without this, a provider's mistake could put one person's address on another's identity.
        return answer.document if answer.document.get("sub") == subject else {}

    async def _document(self, url: str) -> Mapping[str, Any]:
        answer = await fetch.ask("GET", url, tls=self._tls)
        if answer.status != 200:
            raise rules.ProviderMisconfigured(
                f"{url} answered {answer.status}. A platform admin can check the provider's issuer."
            )
        return answer.document

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Trusts what this machine trusts."""
        return httpx2.create_ssl_context(trust_env=False)


class _Kept(Generic[T]):
    """A few things by name, for a while."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._things: OrderedDict[str, tuple[float, T]] = OrderedDict()

    def find(self, name: str) -> T | None:
        at, thing = self._things.get(name, (float("-inf"), None))
        return thing if self._monotonic() - at < SECONDS_KEPT else None

    def keep(self, name: str, thing: T) -> None:
        self._things[name] = (self._monotonic(), thing)
        self._things.move_to_end(name)
        if len(self._things) > ISSUERS_KEPT:
            self._things.popitem(last=False)


def _basic(client_id: str, secret: str) -> str:
    """RFC 6749 has both written as in a form before they are joined."""
    pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def _is_token(value: str | None) -> bool:
    return value is not None and value.isascii() and value.isprintable() and " " not in value
