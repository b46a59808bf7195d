"""Speaking to hosts without agent, over SSH. No transaction is open meanwhile.

A host is believed to be itself by its pinned key and nothing else; what it says is a tenant's
input. Of this machine's own SSH settings, keys and agents nothing is used.
"""

import asyncio
import ipaddress
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncssh

from moorage_core.credentials import keys, rules
from moorage_core.kit import ssh_keys
from moorage_core.kit.destinations import Address
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.platform import Platform

KEEPALIVE_SECONDS = 5
KEEPALIVE_LOST = 3
"""So many unanswered questions, and the connection is dead."""
RSA_SIGNATURES = ["rsa-sha2-512", "rsa-sha2-256"]


class NotLetIn(Exception):
    """We are not on the host. `code` is the task's error; the text says what would help."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Door:
    """Where a host is, who it must be, and with which keys we come."""

    address: str
    port: int
    username: str
    host_key: str
    private_keys: Sequence[bytes] = field(repr=False)


async def scan(at: Platform, address: str, port: int) -> str:
    """The key that a host shows to anybody."""
    with _explaining(address, port):
        place = await _allowed(at, address)
        async with asyncio.timeout(at.settings.machines.ssh_timeout.total_seconds()):
            key = await asyncssh.get_server_host_key(
                str(place), port, config=None, client_version="Moorage"
            )
    if key is None:
        raise NotLetIn("host_unreachable", f"{address} port {port} shows no key that can be used.")
    weakness = ssh_keys.find_weakness(key)
    if weakness is not None:
        raise NotLetIn(
            "host_key_weak",
            f"{address} port {port} shows a key that proves nothing. {weakness} "
            "Make the host another one, and scan again.",
        )
    return keys.spell(key)


@asynccontextmanager
async def connected(at: Platform, door: Door) -> AsyncGenerator[asyncssh.SSHClientConnection]:
    """A connection to the host, if it is the one that was confirmed."""
    limit = at.settings.machines.ssh_timeout.total_seconds()
    pinned = asyncssh.import_public_key(door.host_key)
    with _explaining(door.address, door.port):
        place = await _allowed(at, door.address)
        async with asyncio.timeout(2 * limit):
            connection = await asyncssh.connect(
                str(place),
                door.port,
                username=door.username,
                client_keys=[asyncssh.import_private_key(key) for key in door.private_keys],
                known_hosts=([pinned], [], []),
                server_host_key_algs=_algorithms(pinned),
                preferred_auth="publickey",
                agent_path=None,
                config=None,
                gss_host=None,
                connect_timeout=limit,
                login_timeout=limit,
                keepalive_interval=KEEPALIVE_SECONDS,
                keepalive_count_max=KEEPALIVE_LOST,
                client_version="Moorage",
            )
    async with connection:
        yield connection


def _algorithms(pinned: asyncssh.SSHKey) -> list[str]:
    """Of all its keys a host is to show the one that we know."""
    kind = pinned.get_algorithm()
    return RSA_SIGNATURES if kind == "ssh-rsa" else [kind]


async def _allowed(at: Platform, address: str) -> Address:
    """The address to connect to: looked up each time, and the very one that was checked."""
    try:
        found: Sequence[Address] = [ipaddress.ip_address(address)]
    except ValueError:
        found = await at.names.find(address, org=PLATFORM_ORG)
    if not found:
        raise NotLetIn("host_unreachable", f"{address} has no address.")
    machines = at.settings.machines
    for each in found:
        rules.check_address(
            each, private=machines.private_addresses, loopback=machines.loopback_addresses
        )
    return found[0]


class _explaining:  # noqa: N801 - used like a function
    """Turns what goes wrong on the way in into a sentence with a code."""

    def __init__(self, address: str, port: int) -> None:
        self._place = f"{address} port {port}"

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, err: BaseException | None, trace: Any) -> None:
        if isinstance(err, rules.AddressRefused):
            raise NotLetIn("address_refused", f"The platform calls no host there: {err}.") from err
        if isinstance(err, asyncssh.HostKeyNotVerifiable):
            raise NotLetIn(
                "host_key_changed",
                f"{self._place} does not show the key that was confirmed. Nothing was sent there. "
                "If the host was installed anew, scan and confirm its key again.",
            ) from err
        if isinstance(err, asyncssh.PermissionDenied):
            raise NotLetIn(
                "login_refused",
                f"{self._place} does not let the credential in. Is its public key in the account's "
                "authorized_keys?",
            ) from err
        if isinstance(err, asyncssh.KeyExchangeFailed):
            # A host that no longer has a key of the kind that was confirmed.
            raise NotLetIn(
                "host_key_changed",
                f"{self._place} has no key of the kind that was confirmed, or speaks an SSH that "
                "we do not. Nothing was sent there. Scan and confirm its key again.",
            ) from err
        if isinstance(err, OSError | asyncssh.Error | TimeoutError):
            raise NotLetIn(
                "host_unreachable", f"{self._place} does not answer: {_why(err)}."
            ) from err


def _why(err: BaseException) -> str:
    if isinstance(err, TimeoutError):
        return "it takes too long"
    if isinstance(err, OSError) and err.strerror:
        return err.strerror.lower()
    return type(err).__name__
