"""How much one publisher may leave in the catalog."""

import asyncio
from typing import Any

import pytest

from core.tests.catalog.publishers import Street, make_street
from core.tests.factories import catalog
from core.tests.site import Site, fresh


@pytest.fixture
async def street(site: Site) -> Street:
    return await make_street(site)


async def add_apps(street: Street, app: dict[str, Any], count: int) -> None:
    """As many requests more would: apps like this one."""
    await street.site.sql.execute(
        """
        INSERT INTO apps (id, org_id, project_id, slug, name, summary, visibility, created_at,
            updated_at)
        SELECT 'app_7' || right(md5(slug || n), 25), org_id, project_id, slug || '-' || n, name,
            summary, visibility, created_at, updated_at
        FROM apps, generate_series(1, %s) n WHERE id = %s
        """,
        (count, app["id"]),
    )


async def add_versions(street: Street, version: dict[str, Any], count: int) -> None:
    """As many requests more would: versions like this one."""
    await street.site.sql.execute(
        """
        INSERT INTO app_versions (id, app_id, org_id, project_id, number, status, manifest_text,
            manifest_digest, manifest, declaration, declaration_digest, runbook, created_at,
            updated_at, published_at)
        SELECT 'ver_7' || right(md5(id || n), 25), app_id, org_id, project_id, '0.0.' || n, status,
            manifest_text, manifest_digest, manifest, declaration, declaration_digest, runbook,
            created_at, updated_at, published_at
        FROM app_versions, generate_series(1, %s) n WHERE id = %s
        """,
        (count, version["id"]),
    )


async def draft(street: Street, app: dict[str, Any], number: str) -> Any:
    body = {"manifest": catalog.manifest(app["slug"], number)}
    return await street.publisher.post(f"/v1/apps/{app['id']}/versions", body)


async def test_a_project_has_room_for_so_many_apps(street: Street) -> None:
    limit = street.site.platform.settings.limits.project_apps
    await add_apps(street, await street.app(), limit - 2)
    path = f"/v1/projects/{street.project}/apps"

    answers = await asyncio.gather(
        *(street.publisher.post(path, catalog.new_app(f"z-{fresh()}")) for _ in range(3))
    )

    refused = [answer for answer in answers if answer.status_code != 201]
    assert [answer.json()["code"] for answer in refused] == ["limit_reached"] * 2
    assert f"{limit} apps" in refused[0].json()["detail"]
    assert "limits.project_apps" in refused[0].json()["detail"]
    beside = f"/v1/projects/{street.sibling_project.id}/apps"
    await catalog.made(street.sibling, beside, catalog.new_app())


async def test_an_app_has_room_for_so_many_drafts(street: Street) -> None:
    limit = street.site.platform.settings.limits.app_drafts
    app = await street.app()
    first = await catalog.draft(street.publisher, app)
    await add_versions(street, first, limit - 1)

    refused = await draft(street, app, "2.0.0")
    thrown = await street.publisher.delete(f"/v1/app-versions/{first['id']}")
    accepted = await draft(street, app, "2.0.0")

    assert (refused.status_code, refused.json()["code"]) == (409, "limit_reached")
    assert f"{limit} drafts" in refused.json()["detail"]
    assert (thrown.status_code, accepted.status_code) == (204, 201)


async def test_an_app_has_room_for_so_many_versions(street: Street) -> None:
    limit = street.site.platform.settings.limits.app_versions
    app = await street.app()
    await add_versions(street, await catalog.publish(street.publisher, app), limit - 1)

    refused = await draft(street, app, "2.0.0")

    assert (refused.status_code, refused.json()["code"]) == (409, "limit_reached")
    assert f"{limit} versions" in refused.json()["detail"]


async def test_an_app_that_comes_while_its_project_is_deleted_is_not_left_behind(
    street: Street,
) -> None:
    path = f"/v1/projects/{street.project}"

    await asyncio.gather(
        *(street.tenant.admin.post(f"{path}/apps", catalog.new_app()) for _ in range(4)),
        street.tenant.admin.delete(path),
    )

    left = await street.site.rows(
        "SELECT id FROM apps WHERE project_id = %s AND closed_at IS NULL", street.project
    )
    assert left == []
