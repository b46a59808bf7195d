"""Hosts without agent: machines of a tenant that show a key and let nobody in."""

import atexit
import functools
import socket
from typing import TYPE_CHECKING

import asyncssh

from core.tests.factories.machines import now

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant

HOST_KEY = asyncssh.generate_private_key("ssh-ed25519")
PUBLIC = " ".join(HOST_KEY.export_public_key("openssh").decode().split()[:2])
FINGERPRINT = HOST_KEY.get_fingerprint("sha256")


@functools.cache
def _listeners() -> list[asyncssh.SSHAcceptor]:
    return []


async def port() -> int:
    """Where on loopback such a host listens, for the rest of the session."""
    if not _listeners():
        listening = socket.create_server(("127.0.0.1", 0))
        atexit.register(listening.close)
        made = await asyncssh.listen(sock=listening, server_host_keys=[HOST_KEY])
        _listeners().append(made)
    return _listeners()[0].get_port()


async def reached_by_ssh(tenant: "Tenant") -> None:
    """The tenant's machine has no agent; there is a credential, not yet set for it."""
    allocation = await tenant.id("allocation")
    await tenant.id("credential")
    await tenant.site.sql.execute(
        """
        UPDATE nodes SET reach = 'ssh', address = '127.0.0.1', ssh_port = %s, public_key = NULL
        WHERE id = (SELECT node_id FROM allocations WHERE id = %s)
        """,
        (await port(), allocation),
    )


async def set_up(tenant: "Tenant") -> None:
    """The credential is set."""
    await reached_by_ssh(tenant)
    await tenant.site.sql.execute(
        """
        INSERT INTO ssh_hosts (allocation_id, org_id, project_id, credential_id, address, port,
            updated_at)
        VALUES (%s, %s, %s, %s, '127.0.0.1', %s, %s)
        ON CONFLICT (allocation_id) DO NOTHING
        """,
        (
            tenant.ids["allocation"],
            tenant.org.id,
            tenant.project.id,
            tenant.ids["credential"],
            await port(),
            await now(tenant.site),
        ),
    )


async def scanned(tenant: "Tenant") -> None:
    """The host has shown its key."""
    await set_up(tenant)
    await tenant.site.sql.execute(
        "UPDATE ssh_hosts SET offered_key = %s, offered_at = %s WHERE allocation_id = %s",
        (PUBLIC, await now(tenant.site), tenant.ids["allocation"]),
    )
