"""People on machines through the client, with a node that carries out what it is told."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from core.tests.factories.machines import SSH_PUBLIC_KEY
from moorage import Client
from moorage.errors import AccessEnded, AlreadyGranted, SshKeyRefused
from moorage.models import OrgRead, ProjectRead
from moorage_core.embedded import folder, postgres
from sdk.tests.conftest import new_slug
from sdk.tests.running import Platform, wait_until
from sdk.tests.scripted_node import ScriptedNode

HOST_KEY = " ".join(SSH_PUBLIC_KEY.split()[:2])
INVENTORY = {"nics": [{"addresses": ["198.18.0.9"]}], "ssh_host_keys": [HOST_KEY]}
WAIT = 20


@pytest.fixture
def machine(platform: Platform, project: ProjectRead) -> Iterator[ScriptedNode]:
    found = postgres.find_running(folder.prepare(platform.folder / "data"))
    assert found is not None
    place: dict[str, Any] = {"id": project.id, "org_id": project.org_id}
    inventory = json.dumps(INVENTORY)
    with (
        psycopg.connect(found.super_url, autocommit=True) as database,
        ScriptedNode(platform.url, database, place, new_slug(), inventory=inventory) as node,
    ):
        yield node


async def test_who_is_let_in_is_on_the_node_and_gone_after_the_end(
    admin: Client, machine: ScriptedNode
) -> None:
    made = await admin.grants.create(machine.id, sudo=True, reason="to look at its logs")

    present = await admin.grants.get(made, wait=WAIT)
    await admin.grants.end(made)
    gone = await admin.grants.get(made, wait=WAIT)

    assert present.carried_out
    assert gone.carried_out
    assert gone.ended_because == "somebody ended it"
    wait_until(lambda: len(machine.lists) >= 2)
    assert [len(given["people"]) for given in machine.lists] == [1, 0]
    assert machine.lists[0]["people"][0]["login"] == made.login


async def test_a_key_is_certified_and_the_machine_pinned(
    admin: Client, machine: ScriptedNode
) -> None:
    made = await admin.grants.create(machine.id)

    issued = await admin.grants.certify(made, public_key=SSH_PUBLIC_KEY)

    assert issued.certificate.startswith("ssh-ed25519-cert-v01@openssh.com ")
    assert issued.key_id.startswith(f"{made.id} ")
    assert (issued.addresses, issued.port) == (["198.18.0.9"], 22)
    assert issued.host_keys == [HOST_KEY]


async def test_refusals_have_names(admin: Client, machine: ScriptedNode) -> None:
    made = await admin.grants.create(machine.id)

    with pytest.raises(AlreadyGranted):
        await admin.grants.create(machine.id)
    with pytest.raises(SshKeyRefused):
        await admin.grants.certify(made, public_key="nonsense")
    await admin.grants.end(made)
    with pytest.raises(AccessEnded):
        await admin.grants.certify(made, public_key=SSH_PUBLIC_KEY)


async def test_grants_are_listed_by_person_and_by_whether_they_live(
    admin: Client, machine: ScriptedNode
) -> None:
    ended = await admin.grants.create(machine.id)
    await admin.grants.end(ended)
    live = await admin.grants.create(machine.id)
    me = await admin.me.get()

    assert [found.id for found in await admin.grants.list(machine.id, live=True).all()] == [live.id]
    everyone = await admin.grants.list(machine.id, user=me.id, page_size=1).all()
    assert [found.id for found in everyone] == [ended.id, live.id]


async def test_a_login_is_chosen_once(admin: Client, org: OrgRead, machine: ScriptedNode) -> None:
    me = await admin.me.get()

    made = await admin.logins.create(org, user=me.id, login="ada")

    assert [found.id for found in await admin.logins.list(org).all()] == [made.id]
    assert (await admin.grants.create(machine.id)).login == "ada"


async def test_the_authority_is_rotated(admin: Client) -> None:
    made = await admin.ssh_authorities.rotate(reason="it is a year old")

    assert (await admin.ssh_authorities.list().all())[0].id == made.id
