"""Machines without agent through the client."""

import asyncssh
import pytest

from moorage import Client, errors
from moorage.models import AllocationRead, ProjectRead
from sdk.tests.conftest import new_slug


@pytest.fixture
async def machine(admin: Client, project: ProjectRead) -> AllocationRead:
    region, sku = new_slug(), new_slug()
    await admin.regions.create(slug=region, name="Region")
    await admin.skus.create(
        slug=sku, name="Class", cpus=4, memory_bytes=1 << 30, price_micros=0, currency="EUR"
    )
    await admin.nodes.create(
        name=new_slug(), region=region, sku=sku, reach="ssh", address="127.0.0.1"
    )
    placed = await admin.allocations.create(project, sku=sku, region=region)
    return placed.allocations[0]


async def test_a_key_is_kept_rotated_and_revoked(admin: Client, project: ProjectRead) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    text = key.export_private_key("openssh").decode()

    made = await admin.access_credentials.create(project, name=new_slug(), private_key=text)
    rotated = await admin.access_credentials.rotate(made, overlap_hours=1)
    revoked = await admin.access_credentials.revoke(rotated)

    assert made.username == "root"
    assert made.fingerprint == key.get_fingerprint("sha256")
    assert rotated.fingerprint != made.fingerprint
    assert revoked.revoked_at is not None
    listed = [each.id async for each in admin.access_credentials.list(project)]
    assert made.id in listed
    assert (await admin.access_credentials.get(made)).revoked_at == revoked.revoked_at


async def test_how_a_machine_is_reached_is_set_step_by_step(
    admin: Client, project: ProjectRead, machine: AllocationRead
) -> None:
    made = await admin.access_credentials.create(project, name=new_slug())
    unset = await admin.ssh_hosts.get(machine)

    chosen = await admin.ssh_hosts.set(machine, credential=made, version=unset.version)

    assert (unset.state, unset.version) == ("unset", 0)
    assert (chosen.state, chosen.credential_id) == ("unconfirmed", made.id)
    with pytest.raises(errors.SshHostUnreachable, match=r"127\.0\.0\.1 is this machine"):
        await admin.ssh_hosts.scan(machine)
    with pytest.raises(errors.SshHostNotSet):
        await admin.ssh_hosts.confirm(machine, fingerprint="SHA256:" + "A" * 43)
