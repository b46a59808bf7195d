"""Letting people in and out, over HTTP."""

import asyncio
import subprocess
from datetime import timedelta
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.machines import SSH_PUBLIC_KEY
from core.tests.factories.tenancy import make_project
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.site import Site, TimedSite
from moorage_core.access.sweeps import EndGrants

pytestmark = pytest.mark.usefixtures("site")


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def member(tenant: Tenant) -> Caller:
    return await tenant.site.actor("project_member", project=tenant.project)


async def grant(tenant: Tenant, **body: Any) -> dict[str, Any]:
    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"
    answer = await tenant.admin.post(path, body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def read(tenant: Tenant, id: str) -> dict[str, Any]:
    return (await tenant.admin.get(f"/v1/grants/{id}")).json()


async def wanted(tenant: Tenant) -> int:
    rows = await tenant.site.rows(
        "SELECT wanted FROM node_access WHERE allocation_id = %s", tenant.ids["allocation"]
    )
    return rows[0][0]


# Granting


async def test_a_member_is_let_in_under_a_login_of_their_own(
    tenant: Tenant, member: Caller
) -> None:
    given = await grant(tenant, user=member.id, sudo=True, reason="to mend the disk")

    assert given["user_id"] == member.id
    assert given["login"].startswith("project-member")
    assert given["uid"] >= 200_000
    assert (given["sudo"], given["forwarding"], given["ended_at"]) == (True, False, None)
    assert given["carried_out"] is False
    logins = (await member.get(f"/v1/orgs/{tenant.org.id}/logins")).json()["items"]
    assert [(found["user_id"], found["login"]) for found in logins] == [(member.id, given["login"])]


async def test_without_a_name_the_caller_is_let_in(tenant: Tenant) -> None:
    assert (await grant(tenant))["user_id"] == tenant.admin.id


async def test_a_login_is_the_same_on_every_machine_and_after_an_end(
    tenant: Tenant, member: Caller
) -> None:
    first = await grant(tenant, user=member.id)
    assert (await tenant.admin.delete(f"/v1/grants/{first['id']}")).status_code == 204

    again = await grant(tenant, user=member.id)
    tenant.ids["allocation"] = await machines.make_allocation_row(tenant)
    elsewhere = await grant(tenant, user=member.id)

    assert again["id"] != first["id"]
    assert first["login"] == again["login"] == elsewhere["login"]
    assert first["uid"] == again["uid"] == elsewhere["uid"]


async def test_who_may_enter_already_is_not_granted_twice(tenant: Tenant, member: Caller) -> None:
    first = await grant(tenant, user=member.id)

    path = f"/v1/allocations/{tenant.ids['allocation']}/grants"
    answer = await tenant.admin.post(path, {"user": member.id})

    assert (answer.status_code, answer.json()["code"]) == (409, "already_granted")
    assert first["id"] in answer.json()["detail"]


async def test_two_who_grant_at_once_make_one_grant(tenant: Tenant, member: Caller) -> None:
    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"

    answers = await asyncio.gather(
        *(tenant.admin.post(path, {"user": member.id}) for _ in range(4))
    )

    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


async def test_first_grants_at_once_give_everybody_another_uid(tenant: Tenant) -> None:
    people = [await tenant.site.actor("project_member", project=tenant.project) for _ in range(6)]
    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"

    answers = await asyncio.gather(
        *(tenant.admin.post(path, {"user": person.id}) for person in people)
    )

    given = [answer.json() for answer in answers]
    assert [answer.status_code for answer in answers] == [201] * 6
    assert len({found["uid"] for found in given}) == 6
    assert len({found["login"] for found in given}) == 6


async def test_strangers_and_viewers_are_not_let_in(tenant: Tenant) -> None:
    site = tenant.site
    stranger = (await make_tenant(site)).admin
    viewer = await site.actor("viewer", project=tenant.project)
    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"

    answers = [
        await tenant.admin.post(path, {"user": user})
        for user in (stranger.id, viewer.id, "usr_" + "7" * 26)
    ]

    assert [answer.json()["code"] for answer in answers] == ["not_in_project"] * 3


async def test_a_member_of_another_project_is_not_let_in(tenant: Tenant) -> None:
    site = tenant.site

    other = await make_project(site.sql, tenant.org, f"other-{tenant.project.id[-6:]}")
    person = await site.actor("project_admin", project=other)

    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"
    answer = await tenant.admin.post(path, {"user": person.id})

    assert answer.json()["code"] == "not_in_project"


async def test_a_disabled_person_is_not_let_in(tenant: Tenant, member: Caller) -> None:
    await tenant.site.sql.execute(
        "UPDATE users SET disabled_at = now() WHERE id = %s", (member.id,)
    )

    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"
    answer = await tenant.admin.post(path, {"user": member.id})

    assert answer.json()["code"] == "person_disabled"


async def test_a_member_cannot_let_themselves_in(tenant: Tenant, member: Caller) -> None:
    answer = await member.post(f"/v1/allocations/{await tenant.id('allocation')}/grants", {})

    assert answer.status_code == 403
    assert "infra.access.create" in answer.json()["detail"]


@pytest.mark.parametrize("status", ["provisioning", "releasing", "released", "release_failed"])
async def test_nobody_is_let_into_an_allocation_that_is_not_active(
    tenant: Tenant, status: str
) -> None:
    allocation = await machines.make_allocation_row(tenant, status=status)

    answer = await tenant.admin.post(f"/v1/allocations/{allocation}/grants", {})

    assert (answer.status_code, answer.json()["code"]) == (409, "allocation_not_active")


async def test_a_grant_cannot_last_longer_than_the_platform_allows(tenant: Tenant) -> None:
    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"

    answer = await tenant.admin.post(path, {"expires_in": 91 * 86400})

    assert (answer.status_code, answer.json()["code"]) == (422, "grant_too_long")


async def test_a_program_has_to_say_who_is_let_in(tenant: Tenant) -> None:
    await tenant.fill("account", "key")
    await tenant.site.sql.execute(
        "UPDATE service_accounts SET permissions = permissions || '{infra.access.create}'"
        " WHERE id = %s",
        (tenant.ids["account"],),
    )
    program = await mint(tenant)

    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"
    alone = await program.post(path, {})
    named = await program.post(path, {"user": tenant.admin.id})

    assert alone.json()["code"] == "not_a_person"
    assert named.status_code == 201, named.text


async def test_an_admin_of_the_project_alone_lets_people_in_and_out(
    tenant: Tenant, member: Caller
) -> None:
    admin = await tenant.site.actor("project_admin", project=tenant.project)
    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"

    let_in = await admin.post(path, {"user": member.id})
    ended = await admin.delete(f"/v1/grants/{let_in.json()['id']}")

    assert (let_in.status_code, ended.status_code) == (201, 204), let_in.text


# Logins


async def test_an_admin_of_one_project_gives_logins_of_the_org(
    tenant: Tenant, member: Caller
) -> None:
    admin = await tenant.site.actor("project_admin", project=tenant.project)

    made = await admin.post(f"/v1/orgs/{tenant.org.id}/logins", {"user": member.id})

    assert made.status_code == 201, made.text


async def test_an_admin_of_one_project_chooses_no_login_of_the_org(
    tenant: Tenant, member: Caller
) -> None:
    admin = await tenant.site.actor("project_admin", project=tenant.project)
    path = f"/v1/orgs/{tenant.org.id}/logins"

    chosen = await admin.post(path, {"user": member.id, "login": "clown"})

    assert (chosen.status_code, chosen.json()["code"]) == (403, "forbidden")
    assert f"iam.login.create on org {tenant.org.id}" in chosen.json()["detail"]
    assert (await tenant.admin.get(path)).json()["items"] == []


async def test_whoever_asks_for_a_login_again_is_not_told_an_address(
    tenant: Tenant, member: Caller
) -> None:
    admin = await tenant.site.actor("project_admin", project=tenant.project)
    path = f"/v1/orgs/{tenant.org.id}/logins"
    await admin.post(path, {"user": member.id})

    again = await admin.post(path, {"user": member.id})

    assert again.json()["code"] == "has_login"
    assert "@" not in again.text


async def test_a_login_can_be_chosen_before_the_first_grant(tenant: Tenant, member: Caller) -> None:
    path = f"/v1/orgs/{tenant.org.id}/logins"

    made = await tenant.admin.post(path, {"user": member.id, "login": "ada"})

    assert made.status_code == 201, made.text
    assert (await grant(tenant, user=member.id))["login"] == "ada"


async def test_a_login_never_becomes_somebody_else_s(tenant: Tenant, member: Caller) -> None:
    path = f"/v1/orgs/{tenant.org.id}/logins"
    await tenant.admin.post(path, {"user": member.id, "login": "ada"})
    await tenant.site.sql.execute("DELETE FROM memberships WHERE user_id = %s", (member.id,))

    taken = await tenant.admin.post(path, {"user": tenant.admin.id, "login": "ada"})

    assert (taken.status_code, taken.json()["code"]) == (409, "login_taken")


async def test_a_login_stays_what_it_is(tenant: Tenant, member: Caller) -> None:
    path = f"/v1/orgs/{tenant.org.id}/logins"
    await tenant.admin.post(path, {"user": member.id})

    again = await tenant.admin.post(path, {"user": member.id, "login": "other"})

    assert again.json()["code"] == "has_login"


@pytest.mark.parametrize("login", ["Root", "a b", "1a", "", "a" * 32, "a:b", "a/b", "-a"])
async def test_a_login_that_hosts_cannot_take_is_malformed(
    tenant: Tenant, member: Caller, login: str
) -> None:
    path = f"/v1/orgs/{tenant.org.id}/logins"

    answer = await tenant.admin.post(path, {"user": member.id, "login": login})

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")


# Certificates


async def test_a_certificate_opens_its_grant_alone(tenant: Tenant, member: Caller) -> None:
    given = await grant(tenant, user=member.id)

    answer = await member.post(
        f"/v1/grants/{given['id']}/certificates",
        {"public_key": SSH_PUBLIC_KEY},
        headers={"x-correlation-id": "visit-0007"},
    )

    assert answer.status_code == 201, answer.text
    issued = answer.json()
    shown = _signed(issued)
    assert f'Key ID: "{given["id"]} visit-0007"' in shown
    assert f"Serial: {issued['serial']}" in shown
    assert f"moorage-{given['id']}" in shown
    assert issued["login"] == given["login"]
    assert issued["addresses"] == ["198.18.0.9"]
    assert issued["port"] == 22
    assert issued["host_keys"] == [" ".join(SSH_PUBLIC_KEY.split()[:2])]
    row = await tenant.site.rows(
        "SELECT key_id, correlation_id FROM ssh_certificates WHERE serial = %s", issued["serial"]
    )
    assert row == [(f"{given['id']} visit-0007", "visit-0007")]


async def test_a_host_without_agent_is_known_by_the_key_that_was_confirmed(
    tenant: Tenant,
) -> None:
    await tenant.id("credential")
    rows = await tenant.site.rows(
        "UPDATE ssh_hosts SET host_key = %s, port = 2222, confirmed_at = now()"
        " WHERE credential_id = %s RETURNING allocation_id",
        SSH_PUBLIC_KEY,
        tenant.ids["credential"],
    )
    tenant.ids["allocation"] = rows[0][0]
    await tenant.site.sql.execute("UPDATE nodes SET inventory = NULL WHERE reach = 'ssh'")
    given = await grant(tenant)

    answer = await tenant.admin.post(
        f"/v1/grants/{given['id']}/certificates", {"public_key": SSH_PUBLIC_KEY}
    )

    issued = answer.json()
    assert (issued["addresses"], issued["port"]) == (["198.18.0.9"], 2222)
    assert issued["host_keys"] == [" ".join(SSH_PUBLIC_KEY.split()[:2])]


async def test_nobody_gets_a_certificate_for_another_s_grant(
    tenant: Tenant, member: Caller
) -> None:
    given = await grant(tenant, user=member.id, sudo=True)

    answer = await tenant.admin.post(
        f"/v1/grants/{given['id']}/certificates", {"public_key": SSH_PUBLIC_KEY}
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "not_your_grant")


async def test_an_ended_grant_gets_no_certificate(tenant: Tenant, member: Caller) -> None:
    given = await grant(tenant, user=member.id)
    await tenant.admin.delete(f"/v1/grants/{given['id']}")

    answer = await member.post(
        f"/v1/grants/{given['id']}/certificates", {"public_key": SSH_PUBLIC_KEY}
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "access_ended")


async def test_a_machine_that_is_given_back_gets_no_certificate(
    tenant: Tenant, member: Caller
) -> None:
    given = await grant(tenant, user=member.id)
    await tenant.site.sql.execute(
        "UPDATE allocations SET status = 'releasing' WHERE id = %s", (tenant.ids["allocation"],)
    )

    answer = await member.post(
        f"/v1/grants/{given['id']}/certificates", {"public_key": SSH_PUBLIC_KEY}
    )

    assert answer.json()["code"] == "allocation_not_active"


async def test_a_certificate_never_outlives_its_grant(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    given = await grant(tenant, expires_in=120)
    path = f"/v1/grants/{given['id']}/certificates"

    first = (await tenant.admin.post(path, {"public_key": SSH_PUBLIC_KEY})).json()
    timed.clock.move(timedelta(seconds=121))
    after = await tenant.admin.post(path, {"public_key": SSH_PUBLIC_KEY})

    assert first["expires_at"] == given["expires_at"]
    assert after.json()["code"] == "access_ended"


# Ending


async def test_ending_a_grant_asks_the_node_for_another_list(
    tenant: Tenant, member: Caller
) -> None:
    given = await grant(tenant, user=member.id)
    before = await wanted(tenant)

    answer = await tenant.admin.delete(f"/v1/grants/{given['id']}")

    assert answer.status_code == 204
    assert await wanted(tenant) == before + 1
    ended = await read(tenant, given["id"])
    assert ended["ended_because"] == "somebody ended it"
    assert ended["carried_out"] is False


async def test_a_grant_ends_once(tenant: Tenant) -> None:
    given = await grant(tenant)
    await tenant.admin.delete(f"/v1/grants/{given['id']}")
    before = await wanted(tenant)

    again = await tenant.admin.delete(f"/v1/grants/{given['id']}")

    assert (again.status_code, again.json()["code"]) == (409, "access_ended")
    assert await wanted(tenant) == before


async def _leave(tenant: Tenant, member: Caller) -> None:
    found = (await tenant.admin.get(f"/v1/projects/{tenant.project.id}/memberships")).json()[
        "items"
    ]
    id = next(item["id"] for item in found if item["user_id"] == member.id)
    assert (await tenant.admin.delete(f"/v1/memberships/{id}")).status_code == 204


async def _demote(tenant: Tenant, member: Caller) -> None:
    found = (await tenant.admin.get(f"/v1/projects/{tenant.project.id}/memberships")).json()[
        "items"
    ]
    role = next(item for item in found if item["user_id"] == member.id)
    change = {"role": "viewer"}
    answer = await tenant.admin.patch(
        f"/v1/memberships/{role['id']}", change, version=role["version"]
    )
    assert answer.status_code == 200, answer.text


async def _disable(tenant: Tenant, member: Caller) -> None:
    platform = await tenant.site.actor("platform_admin")
    found = (await platform.get(f"/v1/users/{member.id}")).json()
    answer = await platform.patch(
        f"/v1/users/{member.id}", {"disabled": True}, version=found["version"]
    )
    assert answer.status_code == 200, answer.text


async def _release(tenant: Tenant, member: Caller) -> None:
    await tenant.site.sql.execute(
        "UPDATE allocations SET status = 'releasing' WHERE id = %s", (tenant.ids["allocation"],)
    )


@pytest.mark.parametrize(
    ("happens", "because"),
    [
        (_leave, "no role in the project"),
        (_demote, "no role in the project"),
        (_disable, "the account was disabled"),
        (_release, "not active any more"),
    ],
)
async def test_what_ends_a_grant_by_itself(
    tenant: Tenant, member: Caller, happens: Any, because: str
) -> None:
    given = await grant(tenant, user=member.id)
    stays = await grant(tenant) if happens is not _release else None
    before = await wanted(tenant)
    await happens(tenant, member)

    seen = await EndGrants(tenant.site.platform).activate()

    assert seen["ended"] >= 1
    ended = await read(tenant, given["id"])
    assert because in ended["ended_because"]
    assert await wanted(tenant) == before + 1
    if stays is not None:
        assert (await read(tenant, stays["id"]))["ended_at"] is None
    entries = await tenant.site.rows(
        "SELECT actor_kind, action FROM audit_entries WHERE target = %s ORDER BY at DESC LIMIT 1",
        given["id"],
    )
    assert entries == [("system", "infra.access.delete")]


@pytest.mark.parametrize("happens", [_leave, _demote, _disable])
async def test_who_leaves_wakes_the_sweep_at_once(
    tenant: Tenant, member: Caller, happens: Any
) -> None:
    await grant(tenant, user=member.id)

    with tenant.site.platform.hub.watch(EndGrants.topics) as waiter:
        await happens(tenant, member)

        assert await waiter.wait(0.01)


async def test_a_grant_whose_time_is_up_ends(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    given = await grant(tenant, expires_in=60)
    timed.clock.move(timedelta(seconds=61))

    await EndGrants(timed.platform).activate()

    assert (await read(tenant, given["id"]))["ended_because"] == "its time was up"


# Reading


async def test_a_project_s_people_see_who_may_enter(tenant: Tenant, member: Caller) -> None:
    given = await grant(tenant, user=member.id)
    ended = await grant(tenant)
    await tenant.admin.delete(f"/v1/grants/{ended['id']}")
    path = f"/v1/allocations/{tenant.ids['allocation']}/grants"

    everyone = (await member.get(path)).json()["items"]
    live = (await member.get(path, params={"live": "true"})).json()["items"]
    own = (await member.get(path, params={"user": tenant.admin.id})).json()["items"]

    assert [found["id"] for found in everyone] == [given["id"], ended["id"]]
    assert [found["id"] for found in live] == [given["id"]]
    assert [found["id"] for found in own] == [ended["id"]]


async def test_who_waits_for_a_grant_hears_when_the_node_has_it(tenant: Tenant) -> None:
    given = await grant(tenant)
    path = f"/v1/grants/{given['id']}"

    waiting = asyncio.create_task(tenant.admin.get(path, params={"wait": "20"}))
    while not tenant.site.platform.hub.waiting:
        await asyncio.sleep(0)
    await tenant.site.sql.execute(
        "UPDATE node_access SET confirmed = wanted WHERE allocation_id = %s",
        (given["allocation_id"],),
    )
    tenant.site.platform.hub.mark({f"access:{given['allocation_id']}"})

    assert (await waiting).json()["carried_out"] is True


async def test_an_ended_grant_is_carried_out_once_its_machine_is_given_back(
    tenant: Tenant,
) -> None:
    given = await grant(tenant)
    await _release(tenant, tenant.admin)
    await EndGrants(tenant.site.platform).activate()
    before = await read(tenant, given["id"])

    await tenant.site.sql.execute(
        "UPDATE allocations SET status = 'released' WHERE id = %s", (given["allocation_id"],)
    )

    assert before["carried_out"] is False
    assert (await read(tenant, given["id"]))["carried_out"] is True


# Authorities


async def test_a_new_authority_signs_once_the_node_knows_it(tenant: Tenant) -> None:
    site = tenant.site
    given = await grant(tenant)
    operator = await site.actor("platform_admin")
    path = f"/v1/grants/{given['id']}/certificates"
    old = (await operator.get("/v1/platform/ssh-authorities")).json()["items"][0]
    await site.sql.execute(
        "UPDATE node_access SET confirmed_generation ="
        " (SELECT max(greatest(generation, retired_generation)) FROM ssh_authorities)"
    )

    made = await operator.post(
        "/v1/platform/ssh-authorities/rotate", {"reason": "it is a year old"}
    )
    assert made.status_code == 201, made.text
    meanwhile = (await tenant.admin.post(path, {"public_key": SSH_PUBLIC_KEY})).json()
    await site.sql.execute("UPDATE node_access SET confirmed_generation = 1000")
    later = (await tenant.admin.post(path, {"public_key": SSH_PUBLIC_KEY})).json()

    assert old["fingerprint"] in _signed(meanwhile)
    assert made.json()["fingerprint"] in _signed(later)
    listed = (await operator.get("/v1/platform/ssh-authorities")).json()["items"]
    assert [found["id"] for found in listed][:2] == [made.json()["id"], old["id"]]
    assert [found["retired_at"] for found in listed][:2] == [None, None]


async def test_a_leaked_authority_is_retired_at_once_and_its_key_is_gone(site: Site) -> None:
    operator = await site.actor("platform_admin")
    old = (await operator.get("/v1/platform/ssh-authorities")).json()["items"][0]

    await operator.post(
        "/v1/platform/ssh-authorities/rotate", {"reason": "it leaked", "at_once": True}
    )

    listed = (await operator.get("/v1/platform/ssh-authorities")).json()["items"]
    assert [found["id"] for found in listed if found["retired_at"] is None] == [listed[0]["id"]]
    kept = await site.rows("SELECT secret_id FROM ssh_authorities WHERE id = %s", old["id"])
    assert kept == [(None,)]
    purposes = await site.rows("SELECT count(*) FROM secrets WHERE purpose = 'ssh_authority'")
    assert purposes == [(1,)]


def _signed(issued: dict[str, Any]) -> str:
    return subprocess.run(
        ["ssh-keygen", "-L", "-f", "-"],
        input=issued["certificate"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
