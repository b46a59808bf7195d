"""Reading events by cursor, by waiting, and as a stream."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import psycopg
import pytest

from core.tests.callers import ActorMaker
from core.tests.factories.tenancy import OrgRow, ProjectRow, make_org
from moorage_core.events import registry
from moorage_core.kit.ids import PLATFORM_ORG, EventId, InstanceId
from moorage_core.platform import Platform
from tools.gen import event_schema


async def make_projects(admin: Any, org: OrgRow, count: int) -> None:
    for number in range(count):
        answer = await admin.post(
            f"/v1/orgs/{org.id}/projects", {"slug": f"p-{number}", "name": "P"}
        )
        assert answer.status_code == 201


@pytest.mark.rule("EV-1")
async def test_an_event_carries_the_attributes_of_its_schema(
    actor: ActorMaker, acme: OrgRow, number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    made = await admin.post(
        f"/v1/orgs/{acme.id}/projects",
        {"slug": "first", "name": "First"},
        headers={"x-correlation-id": "from-the-caller"},
    )
    await number()

    event = (await admin.get("/v1/events")).json()["items"][0]

    jsonschema.validate(event, event_schema(registry.PROJECT_CREATED))
    assert event["correlationid"] == "from-the-caller"
    assert (event["orgid"], event["projectid"]) == (acme.id, made.json()["id"])
    assert (event["subject"], event["subjectversion"]) == (made.json()["id"], 1)


@pytest.mark.rule("EV-4")
async def test_paging_by_cursor_gives_every_event_once(
    actor: ActorMaker, acme: OrgRow, number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    await make_projects(admin, acme, 7)
    await number()

    seen: list[str] = []
    cursor = "0"
    for _ in range(4):
        page = (await admin.get(f"/v1/events?after={cursor}&limit=3")).json()
        seen += [item["sequence"] for item in page["items"]]
        cursor = page["next"]

    assert len(seen) == len(set(seen)) == 7


async def test_paging_back_gives_every_event_once_with_the_newest_first(
    actor: ActorMaker, acme: OrgRow, number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    await make_projects(admin, acme, 7)
    await number()

    seen: list[str] = []
    sizes: list[int] = []
    cursor = "latest"
    for _ in range(4):
        page = (await admin.get(f"/v1/events?newest_first=true&after={cursor}&limit=3")).json()
        seen += [item["sequence"] for item in page["items"]]
        sizes.append(len(page["items"]))
        cursor = page["next"]

    assert seen == ["7", "6", "5", "4", "3", "2", "1"]
    assert sizes == [3, 3, 1, 0]


async def test_paging_back_ends_where_retention_took_the_rest(
    actor: ActorMaker, acme: OrgRow, sql: psycopg.AsyncConnection[Any], number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    await make_projects(admin, acme, 3)
    await number()
    await sql.execute("DELETE FROM events WHERE seq <= 2")
    await sql.execute("UPDATE streams SET floor = 2 WHERE name = 'events'")

    kept = (await admin.get("/v1/events?newest_first=true")).json()
    rest = (await admin.get("/v1/events?newest_first=true&after=1")).json()

    assert [event["sequence"] for event in kept["items"]] == ["3"]
    assert rest["items"] == []


async def test_paging_back_from_a_number_that_was_never_given_gets_410(
    actor: ActorMaker, acme: OrgRow, number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    await make_projects(admin, acme, 1)
    await number()

    answer = await admin.get("/v1/events?newest_first=true&after=99")

    assert (answer.status_code, answer.json()["code"]) == (410, "cursor_expired")


async def test_nobody_waits_for_the_past(actor: ActorMaker, acme: OrgRow) -> None:
    admin = await actor("tenant_admin", org=acme)

    answer = await admin.get("/v1/events?newest_first=true&wait=1")

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")


@pytest.mark.parametrize("way", ["", "&newest_first=true"])
async def test_the_events_of_one_instance_are_read_alone(
    way: str,
    actor: ActorMaker,
    acme: OrgRow,
    alpha: ProjectRow,
    sql: psycopg.AsyncConnection[Any],
    number: Callable[[], Any],
) -> None:
    admin = await actor("tenant_admin", org=acme)
    one, other = InstanceId.new(), InstanceId.new()
    for instance in (one, other, one):
        await insert_of(sql, acme, alpha, instance)
    await number()

    found = (await admin.get(f"/v1/events?instance={one}{way}")).json()["items"]
    elsewhere = await actor("tenant_admin", org=(await make_org(sql, "globex")))
    hidden = (await elsewhere.get(f"/v1/events?instance={one}{way}")).json()["items"]

    assert [event["appinstanceid"] for event in found] == [one, one]
    assert hidden == []


async def insert_of(
    sql: psycopg.AsyncConnection[Any], org: OrgRow, project: ProjectRow, instance: str
) -> None:
    await sql.execute(
        """
        INSERT INTO events (id, type, org_id, project_id, subject, subject_version,
            app_slug, app_instance_id, correlation_id, at, topics, data)
        VALUES (%s, 'apps.instance.running', %s, %s, %s, 1, 'echo', %s, 'test', now(), '{}', '{}')
        """,
        (EventId.new(), org.id, project.id, instance, instance),
    )


async def test_a_member_of_one_project_sees_only_its_events(
    actor: ActorMaker,
    acme: OrgRow,
    alpha: ProjectRow,
    beta: ProjectRow,
    number: Callable[[], Any],
) -> None:
    admin = await actor("tenant_admin", org=acme)
    member = await actor("viewer", project=alpha)
    for project in (alpha, beta):
        await admin.patch(f"/v1/projects/{project.id}", {"name": "New"}, version=1)
    await number()

    seen = (await member.get("/v1/events")).json()["items"]
    other = (await member.get(f"/v1/events?project={beta.id}")).json()

    assert {event["projectid"] for event in seen} == {alpha.id}
    assert other["code"] == "forbidden"


async def test_types_filter_by_family_and_take_underscores_literally(
    actor: ActorMaker, acme: OrgRow, alpha: ProjectRow, number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    await admin.patch(f"/v1/projects/{alpha.id}", {"name": "New"}, version=1)
    await admin.post(
        f"/v1/projects/{alpha.id}/service-accounts", {"name": "robot", "permissions": []}
    )
    await number()

    one = (await admin.get("/v1/events?type=iam.service_account.*")).json()["items"]
    none = (await admin.get("/v1/events?type=iam.serviceXaccount.*")).json()["code"]
    both = (
        await admin.get("/v1/events?type=iam.project.updated&type=iam.service_account.*")
    ).json()

    assert [event["type"] for event in one] == ["iam.service_account.created"]
    assert none == "malformed"
    assert len(both["items"]) == 2


@pytest.mark.rule("EV-7")
async def test_a_cursor_older_than_what_is_kept_gets_410(
    actor: ActorMaker, acme: OrgRow, sql: psycopg.AsyncConnection[Any], number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    await make_projects(admin, acme, 3)
    await number()
    await sql.execute("DELETE FROM events WHERE seq <= 2")
    await sql.execute("UPDATE streams SET floor = 2 WHERE name = 'events'")

    gone = await admin.get("/v1/events?after=1")
    from_floor = await admin.get("/v1/events")

    assert (gone.status_code, gone.json()["code"]) == (410, "cursor_expired")
    assert [event["sequence"] for event in from_floor.json()["items"]] == ["3"]


async def test_a_long_poll_answers_when_the_event_comes_and_holds_no_connection(
    actor: ActorMaker, acme: OrgRow, platform: Platform, number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    waiting = asyncio.create_task(admin.get("/v1/events?after=latest&wait=30"))
    async with asyncio.timeout(20):
        while platform.hub.waiting == 0 or platform.database.app.get_stats()["pool_available"] == 0:
            await asyncio.sleep(0)
    idle = platform.database.app.get_stats()
    in_use = idle["pool_size"] - idle["pool_available"]

    await make_projects(admin, acme, 1)
    await number()

    async with asyncio.timeout(20):
        answer = await waiting
    assert in_use == 0
    assert [event["type"] for event in answer.json()["items"]] == ["iam.project.created"]


async def test_a_long_poll_that_nothing_wakes_answers_empty_with_a_cursor(
    actor: ActorMaker, acme: OrgRow, number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    await make_projects(admin, acme, 1)
    await number()

    answer = await admin.get("/v1/events?after=latest&wait=0.05")

    assert answer.json() == {"items": [], "next": "1"}


async def test_every_event_type_has_a_family_of_the_contract() -> None:
    families = {name.split(".")[0] for name in registry.TYPES}

    assert families <= {"apps", "catalog", "events", "iam", "infra", "policy"}


async def test_the_platform_org_is_not_a_tenants_to_read(actor: ActorMaker, acme: OrgRow) -> None:
    admin = await actor("tenant_admin", org=acme)

    answer = await admin.get(f"/v1/events?org={PLATFORM_ORG}")

    assert answer.status_code == 403
    assert json.loads(answer.text)["code"] == "forbidden"
