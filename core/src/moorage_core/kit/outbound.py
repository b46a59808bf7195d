"""One request to an address that somebody else chose.

A tenant's URL must not become a way into the operator's network. So the name is resolved here, each
time; addresses that are not public are dropped; and the connection goes to the very address that
was looked at, with the name used for the Host header, for SNI and for the certificate. A second
look-up, which might answer differently, never happens. Redirects are not followed, no proxy is
used, no cookie is kept, and no connection is shared: one address can serve many names, and the
certificate was checked for one.
"""

import asyncio
import contextlib
import functools
import ipaddress
import socket
import ssl
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx2

from moorage_core.kit import destinations
from moorage_core.kit.destinations import Address

TRIED_ADDRESSES = 4

Resolve = Callable[[str], Awaitable[Sequence[Address]]]


class NameUnresolved(Exception):
    """The name has no address."""


class AddressRefused(Exception):
    """The name has none but private addresses."""


@dataclass(frozen=True)
class Road:
    """How this process reaches others."""

    resolve: Resolve
    tls: ssl.SSLContext
    private: bool
    """Whether addresses that are not public may be connected to."""


@dataclass(frozen=True)
class Message:
    """What is sent."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)


class Resolver:
    """Looks names up in threads of its own, one thread per name and `share` threads per org.

    A name server that never answers holds a thread for longer than a try may take, and nothing
    brings the thread back sooner. Whoever asks for the same name meanwhile waits for that one. An
    org with many such names waits for its own threads, and leaves the others to others.
    """

    def __init__(self, *, threads: int, share: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="names")
        self._shares = defaultdict[str, asyncio.Semaphore](lambda: asyncio.Semaphore(share))
        self._asked: dict[str, asyncio.Task[list[Address]]] = {}

    async def find(self, host: str, *, org: str) -> list[Address]:
        """The addresses of a name. Giving up does not end the look-up, which counts on."""
        asked = self._asked.get(host)
        if asked is None:
            asked = asyncio.create_task(self._ask(host, org))
            self._asked[host] = asked
            asked.add_done_callback(lambda _: self._asked.pop(host, None))
        return await asyncio.shield(asked)

    async def _ask(self, host: str, org: str) -> list[Address]:
        async with self._shares[org]:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, _look_up, host)


def _look_up(host: str) -> list[Address]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(ipaddress.ip_address(entry[4][0]) for entry in found))


@functools.cache
def tls() -> ssl.SSLContext:
    """Trusts what this machine trusts."""
    return httpx2.create_ssl_context(trust_env=False)


@asynccontextmanager
async def send(message: Message, road: Road, *, wait: float) -> AsyncGenerator[httpx2.Response]:
    """Send it and give the answer's head; its body is the caller's to read, or not.

    `wait` is how many seconds each read may take, and all connecting together. What goes wrong is
    one of ours, or one of httpx2's errors.
    """
    addresses = await _addresses(urlsplit(message.url).hostname or "", road)
    limits = httpx2.Timeout(wait, connect=wait / len(addresses))
    async with AsyncExitStack() as stack:
        yield await _first_answer(stack, message, addresses, tls=road.tls, limits=limits)


async def _first_answer(
    stack: AsyncExitStack,
    message: Message,
    addresses: Sequence[Address],
    *,
    tls: ssl.SSLContext,
    limits: httpx2.Timeout,
) -> httpx2.Response:
    """The next address if one takes no connection; once connected, its answer stands."""
    *others, last = addresses
    for address in others:
        with contextlib.suppress(httpx2.ConnectError, httpx2.ConnectTimeout):
            sent = _send(message, address, tls=tls, limits=limits)
            return await stack.enter_async_context(sent)
    return await stack.enter_async_context(_send(message, last, tls=tls, limits=limits))


async def _addresses(host: str, road: Road) -> Sequence[Address]:
    try:
        found: Sequence[Address] = [ipaddress.ip_address(host)]
    except ValueError:
        found = await road.resolve(host)
    if not found:
        raise NameUnresolved(f"{host} has no address")
    allowed = [address for address in found if road.private or destinations.is_public(address)]
    if not allowed:
        raise AddressRefused(f"{host} has no public address")
    return allowed[:TRIED_ADDRESSES]


@asynccontextmanager
async def _send(
    message: Message, address: Address, *, tls: ssl.SSLContext, limits: httpx2.Timeout
) -> AsyncGenerator[httpx2.Response]:
    parts = urlsplit(message.url)
    transport = httpx2.AsyncHTTPTransport(verify=tls, trust_env=False)
    async with (
        httpx2.AsyncClient(transport=transport, timeout=limits, trust_env=False) as client,
        client.stream(
            message.method,
            httpx2.URL(message.url).copy_with(host=str(address)),
            content=message.body,
            headers={**message.headers, "host": parts.netloc},
            extensions={"sni_hostname": parts.hostname},
        ) as response,
    ):
        yield response


def is_tls_fault(err: BaseException) -> bool:
    """Whether a connection was not made because one side did not trust the other."""
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
