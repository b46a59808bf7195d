"""The people of a project on the machines of its apps: who is there, since when, until when."""

import asyncio
import dataclasses
from typing import Any

import pytest

from core.tests.access.test_lists import Host
from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.controllers import make_replica
from core.tests.factories.instances import CLUSTER, Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site, fresh
from moorage_core.access.sweeps import EndGrants
from moorage_core.platform import Platform

KNOWS = CLUSTER + "\nscopes: [principals.read]\n"
"""An app that asked to know who may be on its cluster."""


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site), more=KNOWS)


@pytest.fixture
async def member(echo: Echo) -> Caller:
    return await person(echo)


async def person(echo: Echo, role: str = "project_member") -> Caller:
    return await echo.tenant.site.actor(role, project=echo.tenant.project)


async def hosts(echo: Echo, instance: dict[str, Any]) -> list[Host]:
    """The hosts of an instance, its leader's first."""
    rows = await echo.tenant.site.rows(
        "SELECT a.node_id FROM members m JOIN allocations a ON a.id = m.allocation_id"
        " WHERE m.instance_id = %s ORDER BY m.name",
        instance["id"],
    )
    return [Host(echo.tenant, node) for (node,) in rows]


async def told(host: Host) -> list[dict[str, Any]]:
    """The people of the next list, which the host carries out."""
    (task,) = await host.poll()
    assert task.kind == "access-sync"
    await host.report(task)
    return task.input["people"]


async def ids(echo: Echo, people: list[dict[str, Any]]) -> set[str]:
    """Whose logins these are."""
    rows = await echo.tenant.site.rows(
        "SELECT user_id FROM logins WHERE org_id = %s AND login = ANY (%s)",
        echo.tenant.org.id,
        [each["login"] for each in people],
    )
    return {user for (user,) in rows}


async def membership(echo: Echo, of: Caller) -> dict[str, Any]:
    answer = await echo.admin.get(f"/v1/projects/{echo.project}/memberships")
    (found,) = [each for each in answer.json()["items"] if each["user_id"] == of.id]
    return found


async def leave(echo: Echo, who: Caller) -> None:
    found = await membership(echo, who)
    answer = await echo.admin.delete(f"/v1/memberships/{found['id']}")
    assert answer.status_code == 204, answer.text


async def change_role(echo: Echo, who: Caller, role: str) -> None:
    found = await membership(echo, who)
    path = f"/v1/memberships/{found['id']}"
    answer = await echo.admin.patch(path, {"role": role}, version=found["version"])
    assert answer.status_code == 200, answer.text


async def set_disabled(echo: Echo, who: Caller, *, disabled: bool) -> None:
    root, path = await echo.tenant.site.actor("platform_admin"), f"/v1/users/{who.id}"
    version = (await root.get(path)).json()["version"]
    answer = await root.patch(path, {"disabled": disabled}, version=version)
    assert answer.status_code == 200, answer.text


async def test_everybody_of_the_project_is_on_every_host_without_a_way_in(
    echo: Echo, member: Caller
) -> None:
    instance = await echo.running(replicas=1)

    for host in await hosts(echo, instance):
        people = await told(host)

        assert member.id in await ids(echo, people)
        for each in people:
            assert (each["principal"], each["sudo"], each["forwarding"]) == ([], False, False)
            assert each["uid"] >= 200_000


async def test_they_have_logins_before_the_app_begins(echo: Echo, member: Caller) -> None:
    instance = await echo.deploy()

    rows = await echo.tenant.site.rows("SELECT 1 FROM logins WHERE user_id = %s", member.id)
    assert instance["status"] == "requested"
    assert rows == [(1,)]


async def test_the_app_is_told_of_those_who_are_on_the_hosts(echo: Echo, member: Caller) -> None:
    instance = await echo.running()
    (host,) = await hosts(echo, instance)
    watcher = await (await make_replica(echo)).watch(instance["id"])

    answer = await watcher.caller.get(f"/v1/instances/{instance['id']}/principals")

    there = [(each["login"], each["uid"]) for each in await told(host)]
    assert [(each["login"], each["uid"]) for each in answer.json()["items"]] == there
    assert len(there) >= 1


async def test_whoever_has_a_role_in_the_whole_org_is_there_and_viewers_are_not(
    echo: Echo,
) -> None:
    admin = await echo.tenant.site.actor("tenant_admin", org=echo.tenant.org)
    viewer = await person(echo, "viewer")
    (host,) = await hosts(echo, await echo.running())

    there = await ids(echo, await told(host))

    assert admin.id in there
    assert viewer.id not in there


async def test_an_app_that_did_not_ask_brings_nobody(site: Site) -> None:
    plain = await make_echo(await make_tenant(site))
    await person(plain)
    (host,) = await hosts(plain, await plain.running())

    assert await host.poll() == []


async def test_somebody_with_a_grant_is_listed_once_with_its_rights(
    echo: Echo, member: Caller
) -> None:
    instance = await echo.running()
    (host,) = await hosts(echo, instance)
    ((machine,),) = await echo.tenant.site.rows(
        "SELECT allocation_id FROM members WHERE instance_id = %s", instance["id"]
    )
    path = f"/v1/allocations/{machine}/grants"
    grant = (await echo.admin.post(path, {"user": member.id, "sudo": True})).json()

    entering = await told(host)
    await echo.admin.delete(f"/v1/grants/{grant['id']}")
    staying = await told(host)

    (listed,) = [each for each in entering if each["login"] == grant["login"]]
    assert (listed["principal"], listed["sudo"]) == (f"moorage-{grant['id']}", True)
    (listed,) = [each for each in staying if each["login"] == grant["login"]]
    assert (listed["principal"], listed["sudo"]) == ([], False)


async def test_whoever_comes_is_on_the_hosts_next(echo: Echo) -> None:
    instance = await echo.running(replicas=1)
    there = await hosts(echo, instance)
    for host in there:
        await told(host)
    body = {"email": f"new-{fresh()}@example.org", "role": "project_member"}

    answer = await echo.admin.post(f"/v1/projects/{echo.project}/memberships", body)

    assert answer.status_code == 201, answer.text
    for host in there:
        assert answer.json()["user_id"] in await ids(echo, await told(host))
        assert await host.poll() == []


@pytest.mark.parametrize("place", ["projects", "orgs"])
async def test_whoever_comes_has_a_login_though_no_host_answers(echo: Echo, place: str) -> None:
    await echo.running()
    org = await echo.tenant.site.actor("tenant_admin", org=echo.tenant.org)
    where, role = {
        "projects": (echo.project, "project_member"),
        "orgs": (echo.tenant.org.id, "tenant_admin"),
    }[place]
    body = {"email": f"new-{fresh()}@example.org", "role": role}

    answer = await org.post(f"/v1/{place}/{where}/memberships", body)

    rows = await echo.tenant.site.rows(
        "SELECT uid FROM logins WHERE user_id = %s", answer.json()["user_id"]
    )
    assert len(rows) == 1


async def test_whoever_comes_while_the_app_does_is_not_missed(echo: Echo) -> None:
    """Neither has seen the other's change: one waits until the other is done."""
    path = f"/v1/projects/{echo.project}/memberships"
    bodies = [await echo.body() for _ in range(3)]
    emails = [f"new-{fresh()}@example.org" for _ in range(6)]

    deployed = asyncio.gather(
        *(echo.admin.post(f"/v1/projects/{echo.project}/instances", body) for body in bodies)
    )
    joined = await asyncio.gather(
        *(echo.admin.post(path, {"email": each, "role": "project_member"}) for each in emails)
    )

    assert [answer.status_code for answer in joined] == [201] * 6
    newcomers = {answer.json()["user_id"] for answer in joined}
    for answer in await deployed:
        assert answer.status_code == 202, answer.text
        (host,) = await hosts(echo, answer.json())
        assert newcomers <= await ids(echo, await told(host))


async def test_whoever_leaves_is_in_no_list_any_more(echo: Echo, member: Caller) -> None:
    there = await hosts(echo, await echo.running(replicas=1))
    for host in there:
        assert member.id in await ids(echo, await told(host))

    await leave(echo, member)

    for host in there:
        assert member.id not in await ids(echo, await told(host))


async def test_another_role_comes_and_goes_with_its_rights(echo: Echo, member: Caller) -> None:
    (host,) = await hosts(echo, await echo.running())
    await told(host)

    await change_role(echo, member, "viewer")
    without = await ids(echo, await told(host))
    await change_role(echo, member, "project_admin")
    again = await ids(echo, await told(host))

    assert member.id not in without
    assert member.id in again


async def test_a_disabled_person_is_gone_until_enabled(echo: Echo, member: Caller) -> None:
    (host,) = await hosts(echo, await echo.running())
    await told(host)

    await set_disabled(echo, member, disabled=True)
    without = await ids(echo, await told(host))
    await set_disabled(echo, member, disabled=False)
    again = await ids(echo, await told(host))

    assert member.id not in without
    assert member.id in again


async def test_another_project_hears_nothing_of_it(echo: Echo, site: Site) -> None:
    other = await make_echo(await make_tenant(site), more=KNOWS)
    (host,) = await hosts(other, await other.running())
    await told(host)
    await echo.running()
    stranger = await person(echo)

    await leave(echo, stranger)

    assert await host.poll() == []


async def test_a_machine_that_an_app_left_has_no_residents(echo: Echo, member: Caller) -> None:
    instance = await echo.running(replicas=1)
    leader, replica = await hosts(echo, instance)
    await told(leader)
    await told(replica)
    answer = await echo.admin.get(f"/v1/instances/{instance['id']}/members?component=replica")
    (gone,) = answer.json()["items"]

    removal = {"members": [gone["id"]], "policy": "force", "reason": "not needed"}
    await echo.ask(instance["id"], "members/remove", removal)
    await echo.work()

    assert await told(replica) == []
    assert await leader.poll() == []


async def test_a_version_that_does_not_ask_takes_them_away_and_one_that_does_brings_them(
    echo: Echo, member: Caller
) -> None:
    instance = await echo.running()
    (host,) = await hosts(echo, instance)
    await told(host)
    for version, more in (("1.1.0", CLUSTER), ("1.2.0", KNOWS)):
        await echo.publish(version, more=more)

    await echo.ask(instance["id"], "upgrade", {"version": "1.1.0"})
    await echo.work()
    without = await told(host)
    await echo.ask(instance["id"], "upgrade", {"version": "1.2.0"})
    await echo.work()

    assert without == []
    assert member.id in await ids(echo, await told(host))


async def test_a_login_that_the_platform_gave_is_audited_and_told(echo: Echo) -> None:
    (host,) = await hosts(echo, await echo.running())
    await told(host)
    late = await person(echo)
    await set_disabled(echo, late, disabled=False)

    await told(host)

    site = echo.tenant.site
    ((login,),) = await site.rows("SELECT id FROM logins WHERE user_id = %s", late.id)
    audited = await site.rows(
        "SELECT actor_kind, action FROM audit_entries WHERE target = %s", login
    )
    published = await site.rows("SELECT type FROM events WHERE subject = %s", login)
    assert audited == [("system", "iam.login.create")]
    assert published == [("iam.login.created",)]


async def test_where_uids_are_gone_leavers_go_all_the_same(echo: Echo, member: Caller) -> None:
    (host,) = await hosts(echo, await echo.running())
    await told(host)
    host.platform = with_uids_up_to(echo.tenant.site.platform, 200_000)
    late = await person(echo)

    await set_disabled(echo, member, disabled=True)

    there = await ids(echo, await told(host))
    assert member.id not in there
    assert late.id not in there


def with_uids_up_to(platform: Platform, last: int) -> Platform:
    settings = platform.settings
    access = settings.access.model_copy(update={"uid_max": last})
    return dataclasses.replace(platform, settings=settings.model_copy(update={"access": access}))


async def test_people_who_come_at_once_get_names_and_numbers_of_their_own(echo: Echo) -> None:
    (host,) = await hosts(echo, await echo.running())
    await told(host)
    emails = [f"ada@site-{number}.example.org" for number in range(4)]
    path = f"/v1/projects/{echo.project}/memberships"

    answers = await asyncio.gather(
        *(echo.admin.post(path, {"email": each, "role": "project_member"}) for each in emails)
    )

    assert [answer.status_code for answer in answers] == [201] * 4
    people = await told(host)
    assert len({each["login"] for each in people}) == len(people)
    assert len({each["uid"] for each in people}) == len(people)
    assert {"ada", "ada2", "ada3", "ada4"} <= {each["login"] for each in people}


async def test_a_leaver_with_a_grant_is_gone_with_it(echo: Echo, member: Caller) -> None:
    instance = await echo.running()
    (host,) = await hosts(echo, instance)
    ((machine,),) = await echo.tenant.site.rows(
        "SELECT allocation_id FROM members WHERE instance_id = %s", instance["id"]
    )
    await echo.admin.post(f"/v1/allocations/{machine}/grants", {"user": member.id})
    await told(host)

    await leave(echo, member)
    await EndGrants(echo.tenant.site.platform).activate()

    assert member.id not in await ids(echo, await told(host))


async def test_a_machine_on_its_way_gets_its_people_when_it_is_there(
    echo: Echo, member: Caller
) -> None:
    site = echo.tenant.site
    region, sku, _ = await machines.make_pool(site, 1)
    placement = {"count": 1, "sku": sku, "region": region}
    (host,) = await hosts(echo, await echo.deploy(components={"leader": placement}))
    before = await host.poll()
    await site.sql.execute(
        "UPDATE allocations SET status = 'active', due_at = NULL WHERE node_id = %s", (host.node,)
    )

    people = await told(host)

    assert before == []
    assert member.id in await ids(echo, people)
