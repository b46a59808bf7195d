"""One POST to an address that a tenant chose. The only part of the slice that touches the network.

A ninth file, with a reason: what waits for strangers is kept apart from what holds a transaction.

A tenant's URL must not become a way into the operator's network. So the name is resolved here, each
time; addresses that are not public are dropped; and the connection goes to the very address that
was looked at, with the name used for the Host header, for SNI and for the certificate. A second
look-up, which might answer differently, never happens. Redirects are not followed, no proxy is
used, no cookie is kept, and no connection is shared: one address can serve many names, and the
certificate was checked for one.
"""

import asyncio
import ipaddress
import socket
import ssl
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

import httpx2

from moorage_core.webhooks import rules
from moorage_core.webhooks.models import Parcel
from moorage_core.webhooks.rules import Address, Answer, Failure

TRIED_ADDRESSES = 4

Resolve = Callable[[str], Awaitable[Sequence[Address]]]


@dataclass(frozen=True)
class Road:
    """How this process reaches receivers."""

    resolve: Resolve
    tls: ssl.SSLContext
    private: bool
    timeout: timedelta


class Resolver:
    """Looks names up in threads of its own, one thread per name and `share` threads per org.

    A name server that never answers holds a thread for longer than a try may take, and nothing
    brings the thread back sooner. Whoever asks for the same name meanwhile waits for that one. An
    org with many such names waits for its own threads, and leaves the others to others.
    """

    def __init__(self, *, threads: int, share: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="webhook-names")
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


def tls() -> ssl.SSLContext:
    """Trusts what this machine trusts."""
    return httpx2.create_ssl_context(trust_env=False)


async def post(parcel: Parcel, road: Road) -> Answer:
    """Send it, in `road.timeout` altogether. Never raises for anything a receiver can do."""
    try:
        async with asyncio.timeout(road.timeout.total_seconds()):
            addresses = await _addresses(urlsplit(parcel.url).hostname or "", road)
            if isinstance(addresses, Answer):
                return addresses
            return await _try_each(parcel, addresses[:TRIED_ADDRESSES], road)
    except TimeoutError:
        return Answer(Failure.TIMED_OUT)


async def _addresses(host: str, road: Road) -> Sequence[Address] | Answer:
    try:
        found: Sequence[Address] = [ipaddress.ip_address(host)]
    except ValueError:
        found = await road.resolve(host)
    if not found:
        return Answer(Failure.NAME_UNRESOLVED)
    allowed = [address for address in found if road.private or rules.is_public(address)]
    return allowed or Answer(Failure.ADDRESS_REFUSED)


async def _try_each(parcel: Parcel, addresses: Sequence[Address], road: Road) -> Answer:
    """The next address if one takes no connection; once connected, its answer stands."""
    answer = Answer(Failure.UNREACHABLE)
    seconds = road.timeout.total_seconds()
    limits = httpx2.Timeout(seconds, connect=seconds / len(addresses))
    for address in addresses:
        try:
            return await _send(parcel, address, tls=road.tls, limits=limits)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as err:
            answer = Answer(_connect_failure(err))
        except httpx2.TimeoutException:
            return Answer(Failure.TIMED_OUT)
        except (httpx2.HTTPError, OSError):
            return Answer(Failure.BAD_ANSWER)
    return answer


async def _send(
    parcel: Parcel, address: Address, *, tls: ssl.SSLContext, limits: httpx2.Timeout
) -> Answer:
    parts = urlsplit(parcel.url)
    target = httpx2.URL(parcel.url).copy_with(host=str(address))
    transport = httpx2.AsyncHTTPTransport(verify=tls, trust_env=False)
    async with (
        httpx2.AsyncClient(transport=transport, timeout=limits, trust_env=False) as client,
        client.stream(
            "POST",
            target,
            content=parcel.body,
            headers={**parcel.headers, "host": parts.netloc},
            extensions={"sni_hostname": parts.hostname},
        ) as response,
    ):
        # The body is left unread: nothing of it is kept, and it may never end.
        return rules.read_status(
            response.status_code, retry_after=response.headers.get("retry-after")
        )


def _connect_failure(err: BaseException) -> Failure:
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return Failure.TLS_REFUSED
        cause = cause.__cause__ or cause.__context__
    timed_out = isinstance(err, httpx2.ConnectTimeout)
    return Failure.TIMED_OUT if timed_out else Failure.UNREACHABLE
