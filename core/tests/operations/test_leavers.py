"""Sessions end with the right of whoever opened them."""

from collections.abc import Awaitable, Callable

import pytest

from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, exec_wish
from moorage_core.operations.sweeps import EndLeft


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def open_session(tenant: Tenant, opener: Caller) -> Workplace:
    """A session of that caller, on a machine of its own."""
    node = await machines.make_node_row(tenant.site)
    allocation = await machines.make_allocation_row(tenant, node)
    answer = await opener.post(
        f"/v1/projects/{tenant.project.id}/node-sessions",
        {"allocations": [allocation], "reason": "its disk is nearly full"},
    )
    assert answer.status_code == 201, answer.text
    opened = answer.json()
    return Workplace(tenant, node, allocation, opened["id"], opened["token"])


async def is_let_in(place: Workplace) -> bool:
    answer = await place.holder.get(f"/v1/operations/{place.operation}/tasks")
    assert answer.status_code in (200, 401), answer.text
    return answer.status_code == 200


async def status(place: Workplace) -> tuple[str, str | None]:
    (found,) = await place.site.rows(
        "SELECT status, message FROM operations WHERE id = %s", place.operation
    )
    return found[0], found[1]


async def leave(tenant: Tenant, person: Caller) -> None:
    await tenant.site.rows("DELETE FROM memberships WHERE user_id = %s", person.id)


async def be_disabled(tenant: Tenant, person: Caller) -> None:
    await tenant.site.rows("UPDATE users SET disabled_at = now() WHERE id = %s", person.id)


async def become_member(tenant: Tenant, person: Caller) -> None:
    await tenant.site.rows(
        "UPDATE memberships SET role = 'project_member' WHERE user_id = %s", person.id
    )


@pytest.mark.parametrize("change", [leave, be_disabled, become_member])
async def test_the_session_of_a_leaver_ends(
    tenant: Tenant, change: Callable[[Tenant, Caller], Awaitable[None]]
) -> None:
    person = await tenant.site.actor("project_admin", project=tenant.project)
    place = await open_session(tenant, person)
    (running,) = await place.ask(exec_wish())
    await place.take()
    await place.say(running["id"], "running")

    await change(tenant, person)
    let_in = await is_let_in(place)
    await EndLeft(tenant.site.platform).activate()

    assert not let_in, "the token opens nothing from the moment on"
    said = "Whoever opened it may not open sessions in this project any more."
    assert await status(place) == ("cancelled", said)
    assert (await place.poll((running["id"], "running"))).cancel == [running["id"]]


@pytest.mark.parametrize(
    "change",
    ["disabled_at = now()", "deleted_at = now()", "permissions = '{infra.session.read}'"],
)
async def test_the_session_of_a_service_account_ends_with_its_right(
    tenant: Tenant, change: str
) -> None:
    account = await mint(tenant)
    await tenant.site.rows(
        "UPDATE service_accounts SET permissions = '{infra.session.create}' WHERE id = %s",
        tenant.ids["account"],
    )
    tenant.site.platform.principals.hear(None)
    place = await open_session(tenant, account)
    before = await is_let_in(place)

    await tenant.site.rows(
        f"UPDATE service_accounts SET {change} WHERE id = %s", tenant.ids["account"]
    )
    after = await is_let_in(place)
    await EndLeft(tenant.site.platform).activate()

    assert (before, after) == (True, False)
    assert (await status(place))[0] == "cancelled"


async def test_sessions_of_those_who_stay_go_on(tenant: Tenant) -> None:
    person = await tenant.site.actor("project_admin", project=tenant.project)
    mine = await open_session(tenant, person)
    of_the_org = await open_session(tenant, tenant.admin)
    platforms_own = await machines.make_operation_row(
        tenant, mine.allocation, requested_by_kind="system", requested_by="system"
    )

    await EndLeft(tenant.site.platform).activate()

    assert await is_let_in(mine)
    assert await is_let_in(of_the_org)
    rows = await tenant.site.rows("SELECT status FROM operations WHERE id = %s", platforms_own)
    assert rows == [("running",)]
