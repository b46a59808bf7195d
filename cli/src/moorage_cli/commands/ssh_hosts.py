"""`moor ssh-hosts`."""

from typing import Annotated

import typer

from moorage.models import SshHostRead
from moorage_cli import names
from moorage_cli.connection import Session
from moorage_cli.names import AllocationName, InProject
from moorage_cli.output import Done, Record
from moorage_cli.verbs import group, verb

app = group("Machines without agent: how the platform reaches them.")


@verb(app, "get")
async def get_host(at: Session, allocation: AllocationName, project: InProject = None) -> Record:
    """How a machine is reached, and whether its key was confirmed."""
    id = await names.allocation_id(at.client, allocation, project=project)
    return Record(await at.client.ssh_hosts.get(id))


@verb(app, "set")
async def set_host(
    at: Session,
    allocation: AllocationName,
    credential: Annotated[
        str, typer.Option(metavar="CREDENTIAL", help="Its id; with --project, its name.")
    ],
    project: InProject = None,
) -> Record:
    """Choose the credential that a machine is entered with."""
    id = await names.allocation_id(at.client, allocation, project=project)
    key = await names.credential_id(at.client, credential, project=project)
    before = await at.client.ssh_hosts.get(id)
    return Record(await at.client.ssh_hosts.set(id, credential=key, version=before.version))


@verb(app, "scan")
async def scan_host(at: Session, allocation: AllocationName, project: InProject = None) -> Done:
    """Ask a machine for its key. Compare the fingerprint on the machine itself, then confirm."""
    id = await names.allocation_id(at.client, allocation, project=project)
    host = await at.client.ssh_hosts.scan(id)
    return Done(_shown(host), host.model_dump(mode="json"))


@verb(app, "confirm")
async def confirm_host(
    at: Session,
    allocation: AllocationName,
    fingerprint: Annotated[
        str, typer.Option(metavar="SHA256:…", help="As you read it on the machine.")
    ],
    project: InProject = None,
) -> Record:
    """Pin the key that the machine has shown. From now on it must show that one."""
    id = await names.allocation_id(at.client, allocation, project=project)
    return Record(await at.client.ssh_hosts.confirm(id, fingerprint=fingerprint))


def _shown(host: SshHostRead) -> str:
    lines = [f"{host.address} port {host.port} shows {host.offered_fingerprint}"]
    if host.host_fingerprint == host.offered_fingerprint:
        return "\n".join([*lines, "That is the key that was confirmed."])
    if host.host_fingerprint is not None:
        lines.append(f"Confirmed was another: {host.host_fingerprint}. Nothing is done there.")
    then = f"moor ssh-hosts confirm {host.allocation_id} --fingerprint {host.offered_fingerprint}"
    lines += ["On the machine: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub"]
    return "\n".join([*lines, f"If it is the same: {then}"])
