"""Families through the API: the platform writes them and admits apps, and everybody reads."""

import asyncio
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.tenancy import make_project
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.site import Site, fresh
from moorage_core.families import commands
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG, AppId


def family(name: str, *words: str, **fields: Any) -> dict[str, Any]:
    """What writes a family of a name with keys of these last words."""
    space = name.replace("-", "_")
    keys = [
        {"key": f"{space}.job.{word}", "description": f"May {word} jobs."}
        for word in words or ("read", "cancel")
    ]
    return {"description": "Queues of work.", "keys": keys} | fields


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def make_app(
    site: Site, tenant: Tenant, *, visibility: str = "project", slug: str | None = None
) -> str:
    id = AppId.new()
    await site.sql.execute(
        """
        INSERT INTO apps (id, org_id, project_id, slug, name, summary, visibility, created_at,
            updated_at)
        VALUES (%s, %s, %s, %s, 'App', 'An app.', %s, now(), now())
        """,
        (id, tenant.org.id, tenant.project.id, slug or f"app-{fresh()}", visibility),
    )
    return id


async def make_family(root: Caller, *words: str) -> str:
    name = f"f{fresh()}"
    made = await root.put(f"/v1/families/{name}", family(name, *words))
    assert made.status_code == 200, made.text
    return name


async def test_a_family_is_made_read_and_extended(site: Site, root: Caller) -> None:
    name = f"f{fresh()}"
    path = f"/v1/families/{name}"

    made = await root.put(path, family(name, "read"))
    more = await root.put(path, family(name, "read", "cancel"), headers={"if-match": '"1"'})

    assert (made.status_code, more.status_code) == (200, 200), more.text
    assert made.headers["etag"] == '"1"'
    read = (await root.get(path)).json()
    assert read["version"] == 2
    assert [key["key"] for key in read["keys"]] == [
        f"{name.replace('-', '_')}.job.{word}" for word in ("read", "cancel")
    ]
    assert read == more.json()


async def test_a_family_is_written_with_an_entry_and_an_event(site: Site, root: Caller) -> None:
    name = await make_family(root, "read")

    await site.number()

    entries = await site.rows(
        "SELECT org_id, action, details FROM audit_entries WHERE target = %s", name
    )
    events = await site.rows("SELECT org_id, type, data FROM events WHERE subject = %s", name)
    key = f"{name.replace('-', '_')}.job.read"
    assert entries == [(PLATFORM_ORG, "catalog.family.write", {"keys": [key]})]
    assert events == [(PLATFORM_ORG, "catalog.family.written", {"name": name, "keys": [key]})]


async def test_what_is_there_is_changed_only_by_whoever_read_it(root: Caller) -> None:
    name = await make_family(root)
    path = f"/v1/families/{name}"

    blind = await root.put(path, family(name))
    stale = await root.put(path, family(name), headers={"if-match": '"7"'})
    absent = await root.put(f"/v1/families/g{fresh()}", family(name), headers={"if-match": '"1"'})

    assert (blind.status_code, blind.json()["code"]) == (428, "if_match_required")
    assert stale.status_code == 412
    assert absent.status_code in (412, 422)


async def test_a_key_that_would_go_is_a_conflict_that_names_it(root: Caller) -> None:
    name = await make_family(root, "read", "cancel")

    answer = await root.put(
        f"/v1/families/{name}", family(name, "read"), headers={"if-match": '"1"'}
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "family_keys_stay")
    assert ".job.cancel" in answer.json()["detail"]
    kept = (await root.get(f"/v1/families/{name}")).json()
    assert len(kept["keys"]) == 2


async def test_a_family_is_not_called_like_an_app(site: Site, root: Caller, tenant: Tenant) -> None:
    slug = f"app-{fresh()}"
    await make_app(site, tenant, slug=slug)

    answer = await root.put(f"/v1/families/{slug}", family(slug))

    assert (answer.status_code, answer.json()["code"]) == (409, "family_name_taken")


async def test_an_app_and_a_family_made_at_once_do_not_get_one_name(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    name = f"f{fresh()}"
    async with site.sql.transaction():
        await make_app(site, tenant, slug=name)
        waiting = asyncio.create_task(root.put(f"/v1/families/{name}", family(name)))
        await _until_somebody_waits(site)

    answer = await waiting

    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    again = await root.put(f"/v1/families/{name}", family(name))
    assert again.json()["code"] == "family_name_taken"


async def _until_somebody_waits(site: Site) -> None:
    """Until a statement waits for a lock of this test's transaction."""
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
    while (await site.rows(query))[0][0] == 0:
        await asyncio.sleep(0.01)


async def test_everybody_with_a_role_reads_families_and_nobody_below_writes_them(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    name = await make_family(root)
    viewer = await site.actor("viewer", project=tenant.project)
    robot = await mint(tenant)

    for caller in (viewer, robot, tenant.admin):
        one = await caller.get(f"/v1/families/{name}")
        listed = await caller.get("/v1/families", params={"limit": 200})
        refused = await caller.put(f"/v1/families/{name}", family(name))

        assert one.status_code == 200
        assert name in [item["name"] for item in listed.json()["items"]]
        assert refused.status_code == 403
        assert "catalog.family.write" in refused.json()["detail"]


async def test_families_page_by_name(root: Caller) -> None:
    names = {await make_family(root, "read") for _ in range(3)}
    found: list[str] = []
    after: dict[str, str] = {}

    while True:
        page = (await root.get("/v1/families", params={"limit": 1, **after})).json()
        found += [item["name"] for item in page["items"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}

    assert names <= set(found)
    assert len(found) == len(set(found))


async def test_any_tenants_app_is_admitted_and_its_publisher_hears_of_it(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    name, app = await make_family(root), await make_app(site, tenant)
    key = f"{name.replace('-', '_')}.job.read"
    path = f"/v1/families/{name}/admissions/{app}"

    admitted = await root.put(path, {"keys": [key, key]})

    assert admitted.status_code == 200, admitted.text
    assert admitted.json()["keys"] == [key]
    await site.number()
    heard = await tenant.admin.get("/v1/events", params={"org": tenant.org.id, "limit": 200})
    [event] = [e for e in heard.json()["items"] if e["type"] == "catalog.family.app_admitted"]
    assert event["data"]["app_id"] == app
    assert event["data"]["keys"] == [key]
    assert event["projectid"] == tenant.project.id
    entries = await site.rows(
        "SELECT org_id, action, details ->> 'event' FROM audit_entries WHERE target = %s", app
    )
    assert entries == [(PLATFORM_ORG, "catalog.family.admit", "catalog.family.app_admitted")]


async def test_an_admission_is_changed_withdrawn_and_given_again(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    name, app = await make_family(root, "read", "cancel"), await make_app(site, tenant)
    space = name.replace("-", "_")
    path = f"/v1/families/{name}/admissions/{app}"

    first = await root.put(path, {"keys": [f"{space}.job.read"]})
    blind = await root.put(path, {"keys": []})
    changed = await root.put(path, {"keys": []}, headers={"if-match": '"1"'})
    gone = await root.delete(path)
    absent = await root.get(path)
    twice = await root.delete(path)
    again = await root.put(path, {"keys": [f"{space}.job.cancel"]})

    assert first.json()["version"] == 1
    assert blind.status_code == 428
    assert changed.json()["keys"] == []
    assert (gone.status_code, absent.status_code, twice.status_code) == (204, 404, 404)
    assert again.json()["version"] == 4
    versions = await site.rows(
        "SELECT subject_version FROM events WHERE subject = %s AND org_id = %s ORDER BY 1",
        f"{name}/{app}",
        tenant.org.id,
    )
    assert [version for (version,) in versions] == [1, 2, 3, 4]


async def test_ceilings_are_what_an_app_is_admitted_to_now(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    one, two, gone = [await make_family(root, "read") for _ in range(3)]
    app = await make_app(site, tenant)
    for name in (one, two, gone):
        keys = [f"{name.replace('-', '_')}.job.read"] if name != two else []
        await root.put(f"/v1/families/{name}/admissions/{app}", {"keys": keys})
    await root.delete(f"/v1/families/{gone}/admissions/{app}")

    async with site.platform.database.transaction(org_scope(tenant.org.id)) as db:
        found = await commands.ceilings(db, app=app)
        known = await commands.known(db)

    assert found == {one: frozenset({f"{one.replace('-', '_')}.job.read"}), two: frozenset()}
    assert {one, two, gone} <= known.keys()
    assert known[one].name == one


async def test_a_ceiling_holds_keys_of_the_family_alone(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    name, app = await make_family(root), await make_app(site, tenant)

    answer = await root.put(f"/v1/families/{name}/admissions/{app}", {"keys": ["iam.org.delete"]})

    assert (answer.status_code, answer.json()["code"]) == (422, "family_key_unknown")


async def test_apps_are_admitted_by_the_platforms_operators_alone(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    name, app = await make_family(root), await make_app(site, tenant)
    path = f"/v1/families/{name}/admissions/{app}"

    admitted = await tenant.admin.put(path, {"keys": []})
    withdrawn = await tenant.admin.delete(path)

    assert (admitted.status_code, withdrawn.status_code) == (403, 403)
    assert "catalog.family.admit" in admitted.json()["detail"]


async def test_an_app_that_is_not_there_is_not_admitted(root: Caller) -> None:
    name = await make_family(root)

    answer = await root.put(f"/v1/families/{name}/admissions/{AppId.new()}", {"keys": []})

    assert answer.status_code == 404


async def test_admissions_show_the_apps_that_a_caller_can_see(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    rival = await make_tenant(site)
    beta = await make_project(site.sql, tenant.org, "beta")
    neighbour = await site.actor("project_admin", project=beta)
    name = await make_family(root)
    apps = {
        visibility: await make_app(site, tenant, visibility=visibility)
        for visibility in ("project", "org", "platform")
    }
    for app in apps.values():
        await root.put(f"/v1/families/{name}/admissions/{app}", {"keys": []})

    async def seen(caller: Caller) -> set[str]:
        listed = (await caller.get(f"/v1/families/{name}/admissions")).json()["items"]
        for app in apps.values():
            one = await caller.get(f"/v1/families/{name}/admissions/{app}")
            assert one.status_code == (200 if app in {a["app_id"] for a in listed} else 404)
        return {word for word, app in apps.items() if app in {a["app_id"] for a in listed}}

    assert await seen(root) == {"project", "org", "platform"}
    assert await seen(tenant.admin) == {"project", "org", "platform"}
    assert await seen(neighbour) == {"org", "platform"}
    assert await seen(rival.admin) == {"platform"}
