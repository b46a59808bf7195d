"""How much a project may keep, and how much it may have on the way."""

import asyncio
import dataclasses
from collections.abc import Callable, Iterator
from datetime import timedelta

import httpx2
import pytest

from core.tests.factories.artifacts import announce, announcement, upload
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, TimedSite, fresh

Limit = Callable[..., None]


@pytest.fixture
def limit(site: Site) -> Iterator[Limit]:
    """Set the limits of a project for one test."""
    before = site.platform.settings

    def change(**limits: int) -> None:
        changed = before.artifacts.model_copy(update=limits)
        settings = before.model_copy(update={"artifacts": changed})
        object.__setattr__(site.platform, "settings", settings)
        site.api.state.platform = dataclasses.replace(site.api.state.platform, settings=settings)

    there = site.api.state.platform
    yield change
    object.__setattr__(site.platform, "settings", before)
    site.api.state.platform = there


def problem(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def ask(tenant: Tenant, content: bytes) -> httpx2.Response:
    path = f"/v1/projects/{tenant.project.id}/artifacts"
    return await tenant.admin.post(path, announcement(content))


async def test_a_project_keeps_so_many_bytes_and_no_more(
    site: Site, tenant: Tenant, limit: Limit
) -> None:
    limit(project_bytes=1000)
    await upload(tenant.admin, tenant.project.id, b"a" * 400)
    await announce(tenant.admin, tenant.project.id, b"b" * 500)

    refused = await ask(tenant, b"c" * 101)
    fits = await ask(tenant, b"d" * 100)
    elsewhere = await ask(await make_tenant(site), b"c" * 101)

    assert problem(refused) == (409, "project_full")
    for number in ("1000", "900", "100 are left"):
        assert number in refused.json()["detail"]
    assert (fits.status_code, elsewhere.status_code) == (201, 201)


async def test_deleting_makes_room_when_the_bytes_are_gone(
    timed: TimedSite, tenant: Tenant, limit: Limit
) -> None:
    """Otherwise uploading and deleting in turns would fill the disk."""
    limit(project_bytes=1000)
    lasting = await timed.actor("tenant_admin", org=tenant.org, expires_in=timedelta(days=99))
    tenant = dataclasses.replace(tenant, admin=lasting)
    announced = await announce(tenant.admin, tenant.project.id, b"a" * 1000)
    await tenant.admin.delete(f"/v1/artifacts/{announced['id']}")
    kept = await upload(tenant.admin, tenant.project.id, b"b" * 1000)
    await tenant.admin.delete(f"/v1/artifacts/{kept['id']}")

    at_once = await ask(tenant, b"c")
    timed.clock.move(timedelta(hours=25))
    later = await ask(tenant, b"c")

    assert problem(at_once) == (409, "project_full")
    assert later.status_code == 201


async def test_a_project_has_so_many_uploads_open_and_no_more(tenant: Tenant, limit: Limit) -> None:
    limit(open_uploads=2)
    first = await announce(tenant.admin, tenant.project.id, fresh().encode())
    await announce(tenant.admin, tenant.project.id, fresh().encode())

    refused = await ask(tenant, fresh().encode())
    going_on = await tenant.admin.post(
        f"/v1/projects/{tenant.project.id}/artifacts",
        {name: first[name] for name in ("name", "digest", "size")},
    )
    await tenant.admin.delete(f"/v1/artifacts/{first['id']}")
    fits = await ask(tenant, fresh().encode())

    assert problem(refused) == (409, "too_many_uploads")
    assert "0 are left" in refused.json()["detail"]
    assert problem(going_on) == (409, "content_taken"), "so it is found and gone on with"
    assert fits.status_code == 201


async def test_announcing_at_once_gets_past_no_limit(tenant: Tenant, limit: Limit) -> None:
    limit(open_uploads=2)

    answers = await asyncio.gather(*(ask(tenant, fresh().encode()) for _ in range(6)))

    assert sorted(answer.status_code for answer in answers) == [201] * 2 + [409] * 4
