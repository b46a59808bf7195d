"""Bytes of an artifact from a source, verified as they come. The only part of the slice that
touches the network.

A ninth file, with a reason: what waits for strangers is kept apart from what holds a transaction.

A source is not trusted. It may be slow, cut off, lie about the length, send other bytes, or point
elsewhere. Every hop goes through the guard of `kit.outbound`; the credential goes to the source's
own origin and to the token service that its owner named, and nowhere else. The bytes are hashed
from the first one on, and the last piece is held back until length and digest are known to be
right: nobody is ever given the whole of something else. For the same reason a download that goes
on in the middle is read from its beginning too, and what was had already is dropped here: a digest
says nothing about a part.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import structlog

from moorage_core.errors import ApiError
from moorage_core.kit import outbound
from moorage_core.kit.outbound import Message, Road
from moorage_core.sources import rules
from moorage_core.sources.models import Source
from moorage_core.sources.rules import Credential

USER_AGENT = "Moorage-Sources/1"
REDIRECTED = frozenset({301, 302, 303, 307, 308})
MAX_DOCUMENT = 64 * 1024

UNREACHED = (
    httpx2.HTTPError,
    httpx2.InvalidURL,
    outbound.NameUnresolved,
    outbound.AddressRefused,
    TimeoutError,
    OSError,
)
"""All that can go wrong on the way to a source and back."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Order:
    """What is wanted from where."""

    source: Source
    credential: Credential | None
    kind: str
    """The artifact's: blob or oci."""
    location: str
    digest: str
    size: int
    wait: float
    """The most seconds that the source may take for one answer, or for the next bytes."""
    patience: float
    """The most seconds that it may take altogether."""


@dataclass(frozen=True)
class Ask:
    """One request on the way to the bytes."""

    url: str = field(repr=False)
    """May be signed, and then lets in whoever reads it."""
    authorization: str | None = field(repr=False)
    redirects: int = 0
    challenged: bool = False

    @property
    def message(self) -> Message:
        headers = {"user-agent": USER_AGENT, "accept-encoding": "identity", "accept": "*/*"}
        if self.authorization is not None:
            headers["authorization"] = self.authorization
        return Message("GET", self.url, headers)


async def open_content(order: Order, road: Road, *, offset: int) -> AsyncIterator[bytes]:
    """The bytes from `offset` on. Raises here, or later instead of giving the last piece."""
    content = _content(order, road, offset=offset)
    # Begun, so that it ends its connection by itself where nobody goes through it.
    await anext(content)
    return content


async def _content(order: Order, road: Road, *, offset: int) -> AsyncGenerator[bytes]:
    try:
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(min(order.patience, rules.GRACE)):
                response = await _answer(stack, order, road)
            yield b""
            async with aclosing(_verified(response, order, offset=offset)) as pieces:
                async for piece in pieces:
                    yield piece
    except UNREACHED as err:
        failure = rules.unreachable(order.source, _reason(err))
        _note(order, failure)
        raise failure from err
    except ApiError as failure:
        _note(order, failure)
        raise


def _reason(err: BaseException) -> str:
    if isinstance(err, outbound.NameUnresolved):
        return "its name has no address"
    if isinstance(err, outbound.AddressRefused):
        return "its address is not on the public internet"
    if isinstance(err, TimeoutError | httpx2.TimeoutException):
        return "it takes too long"
    return "its certificate is not trusted" if outbound.is_tls_fault(err) else "it broke off"


def _note(order: Order, failure: ApiError) -> None:
    source = order.source
    host = urlsplit(source.url).hostname
    log.warning("source.failed", source=source.id, host=host, code=failure.code)


async def _answer(stack: AsyncExitStack, order: Order, road: Road) -> httpx2.Response:
    """The head of the answer that has the bytes, after redirects and tokens."""
    source, credential = order.source, order.credential
    ask = Ask(
        rules.address(source, kind=order.kind, location=order.location, digest=order.digest),
        credential and credential.authorization,
    )
    while True:
        async with AsyncExitStack() as sent:
            response = await sent.enter_async_context(
                outbound.send(ask.message, road, wait=order.wait)
            )
            status, headers = response.status_code, response.headers
            if status in REDIRECTED:
                ask = _redirected(ask, order, headers.get("location"), private=road.private)
                continue
            challenge = rules.read_challenge(headers.get_list("www-authenticate"))
            if status != 401 or challenge is None or not _may_ask_token(ask, order):
                rules.check_status(source, status)
                rules.check_length(source, headers.get("content-length"), size=order.size)
                await stack.enter_async_context(sent.pop_all())
                return response
        token_url = rules.token_address(
            source, challenge, repository=order.location, private=road.private
        )
        token = await _token(token_url, order, road)
        ask = replace(ask, authorization=f"Bearer {token}", challenged=True)


def _redirected(ask: Ask, order: Order, location: str | None, *, private: bool) -> Ask:
    """On to the next address, without the credential once that is somebody else's."""
    if ask.redirects == rules.REDIRECTS:
        raise rules.SourceRefused(
            f"The source {order.source.policy_name} redirects more than {rules.REDIRECTS} times."
        )
    url = rules.follow(order.source, ask.url, location, private=private)
    kept = ask.authorization if rules.is_same_origin(url, ask.url) else None
    return replace(ask, url=url, authorization=kept, redirects=ask.redirects + 1)


def _may_ask_token(ask: Ask, order: Order) -> bool:
    """Once, of a registry itself, unless the owner's own token was what it refused."""
    has_token = order.credential is not None and order.credential.username is None
    fresh = not ask.challenged and not ask.redirects
    return order.kind == "oci" and fresh and not has_token


async def _token(url: str, order: Order, road: Road) -> str:
    credential = order.credential
    ask = Ask(url, credential and credential.authorization)
    async with outbound.send(ask.message, road, wait=order.wait) as response:
        document = await _document(response)
        return rules.read_token(order.source, response.status_code, document)


async def _document(response: httpx2.Response) -> Any:
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > MAX_DOCUMENT:
            return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


async def _verified(
    response: httpx2.Response, order: Order, *, offset: int
) -> AsyncGenerator[bytes]:
    """Piece by piece, each given out when the next one is there, and the last when all is right."""
    source, size = order.source, order.size
    hashed = hashlib.sha256()
    received, held = 0, b""
    async with aclosing(_pieces(response, seconds=order.patience)) as pieces:
        async for piece in pieces:
            if received + len(piece) > size:
                raise rules.mismatch(source, f"it is longer than the artifact's {size} bytes")
            hashed.update(piece)
            if held:
                yield held
            held = piece[max(0, offset - received) :]
            received += len(piece)
    if received < size:
        # Not after how many: who registers what they may not read would learn its size.
        raise rules.unreachable(source, f"it broke off before all {size} bytes had come")
    if f"sha256:{hashed.hexdigest()}" != order.digest:
        raise rules.mismatch(source, "its digest is another one")
    if held:
        yield held


async def _pieces(response: httpx2.Response, *, seconds: float) -> AsyncGenerator[bytes]:
    """What arrives. Only the source's own time counts, not that of whoever takes the pieces."""
    clock = asyncio.get_running_loop().time
    pieces = response.aiter_raw()
    left = seconds
    while True:
        began = clock()
        async with asyncio.timeout(left):
            piece = await anext(pieces, None)
        if piece is None:
            return
        left -= clock() - began
        if piece:
            yield piece
