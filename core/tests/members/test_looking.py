"""Looking at members."""

from datetime import timedelta

import pytest

from core.tests.factories.instances import make_echo
from core.tests.factories.members import Running, running
from core.tests.factories.tenants import make_tenant
from core.tests.site import TimedSite


@pytest.fixture
async def app(timed: TimedSite) -> Running:
    return await running(await make_echo(await make_tenant(timed)))


async def test_whoever_knows_all_members_reads_only_what_changed_since(
    timed: TimedSite, app: Running
) -> None:
    timed.clock.move(timedelta(minutes=5))
    since = timed.clock.now().isoformat()
    await app.of("drain", "replica-1", policy="wait")
    await app.of("remove", "replica-2", policy="force")
    await app.controller.run()

    changed = await app.members(changed_since=since, removed=True)

    assert {each["name"]: each["status"] for each in changed} == {
        "replica-1": "drained",
        "replica-2": "removed",
    }


async def test_a_moment_that_no_database_knows_is_refused(app: Running) -> None:
    path = f"/v1/instances/{app.id}/members"

    answer = await app.admin.get(path, params={"changed_since": "0001-01-01T00:00:00+14:00"})

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")


async def test_a_thousand_members_are_one_page(app: Running) -> None:
    path = f"/v1/instances/{app.id}/members"

    most = await app.admin.get(path, params={"limit": 1000})
    more = await app.admin.get(path, params={"limit": 1001})

    assert (most.status_code, more.status_code) == (200, 422)
