"""The families of the contract are there from the first start, and grow with releases."""

import asyncio
import json

import pytest
import structlog

from core.tests.factories.tenants import make_tenant
from core.tests.families.test_routes import make_app
from core.tests.site import Site
from moorage_core import bootstrap
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.main import open_platform
from moorage_manifest import shipped

NAMES = sorted(shipped())


@pytest.fixture(autouse=True)
async def nothing_yet(site: Site) -> None:
    """A platform that was never started."""
    await site.sql.execute("DELETE FROM family_admissions")
    await site.sql.execute("DELETE FROM families")
    await site.sql.execute("DELETE FROM events WHERE type = 'catalog.family.written'")


async def test_a_fresh_platform_has_them_with_an_entry_and_an_event_each(site: Site) -> None:
    root = await site.actor("platform_admin")

    await bootstrap.first_start(site.platform)

    listed = (await root.get("/v1/families")).json()["items"]
    assert [family["name"] for family in listed] == NAMES
    for family in listed:
        known = shipped()[family["name"]]
        assert family["keys"] == [key.model_dump() for key in known.keys]
        entries = await site.rows(
            "SELECT actor_kind, org_id, action FROM audit_entries WHERE target = %s", known.name
        )
        events = await site.rows("SELECT org_id, type FROM events WHERE subject = %s", known.name)
        assert entries[-1] == ("system", PLATFORM_ORG, "catalog.family.write")
        assert events == [(PLATFORM_ORG, "catalog.family.written")]


async def test_processes_that_start_together_write_each_once(site: Site) -> None:
    settings = site.platform.settings
    async with (
        open_platform(settings, background=False) as one,
        open_platform(settings, background=False) as two,
    ):
        await asyncio.gather(*(bootstrap.first_start(each) for each in (one, two, one, two)))

    rows = await site.rows("SELECT name, version FROM families ORDER BY name")
    events = await site.rows(
        "SELECT subject FROM events WHERE type = 'catalog.family.written' ORDER BY 1"
    )
    assert rows == [(name, 1) for name in NAMES]
    assert events == [(name,) for name in NAMES]


async def test_an_older_one_grows_and_keeps_what_the_platform_added(site: Site) -> None:
    own = {"key": f"{NAMES[0]}.own.key", "description": "Ours.", "means": None}
    first = shipped()[NAMES[0]].keys[0].model_dump() | {"description": "Said otherwise."}
    await site.sql.execute(
        """
        INSERT INTO families (name, description, keys, created_at, updated_at)
        VALUES (%s, 'Old words.', %s, now(), now())
        """,
        (NAMES[0], json.dumps([first, own])),
    )

    await bootstrap.first_start(site.platform)
    await bootstrap.first_start(site.platform)

    [(version, description, keys)] = await site.rows(
        "SELECT version, description, keys FROM families WHERE name = %s", NAMES[0]
    )
    known = [key.model_dump() for key in shipped()[NAMES[0]].keys]
    assert version == 2
    assert description == shipped()[NAMES[0]].description
    assert keys == [known[0], own, *known[1:]]


async def test_an_app_that_has_the_name_is_told_of_and_left(site: Site) -> None:
    tenant = await make_tenant(site)
    app = await make_app(site, tenant, slug=NAMES[0])

    with structlog.testing.capture_logs() as logs:
        await bootstrap.first_start(site.platform)

    assert await site.rows("SELECT 1 FROM families WHERE name = %s", NAMES[0]) == []
    assert await site.rows("SELECT deleted_at FROM apps WHERE id = %s", app) == [(None,)]
    assert [line["family"] for line in logs if line["event"] == "family_name_taken"] == [NAMES[0]]
