"""Bytes that nobody needs go, and no others."""

import dataclasses
from datetime import timedelta

import pytest

from core.tests.factories.artifacts import announce, digest_of, send, upload
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import TimedSite, fresh
from moorage_core.artifacts import sweeps
from moorage_core.artifacts.sweeps import DiscardUploads, RemoveBlobs


@pytest.fixture
async def tenant(timed: TimedSite) -> Tenant:
    """With an admin whose token outlives what the clock is moved by."""
    made = await make_tenant(timed)
    admin = await timed.actor("tenant_admin", org=made.org, expires_in=timedelta(days=99))
    return dataclasses.replace(made, admin=admin)


async def sweep(timed: TimedSite) -> None:
    await DiscardUploads(timed.platform).activate()
    await RemoveBlobs(timed.platform).activate()


async def is_kept(timed: TimedSite, content: bytes) -> bool:
    found = [page async for page in timed.platform.blobs.digests()]
    return digest_of(content) in [digest for page in found for digest in page]


async def test_an_upload_that_nobody_goes_on_with_is_forgotten(
    timed: TimedSite, tenant: Tenant
) -> None:
    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]
    await send(tenant.admin, id, b"01234")
    timed.clock.move(timedelta(hours=23))
    await sweep(timed)
    before = await timed.platform.blobs.size(id)

    timed.clock.move(timedelta(hours=2))
    await sweep(timed)

    assert before == 5
    assert await timed.platform.blobs.size(id) == 0
    assert (await tenant.admin.get(f"/v1/artifacts/{id}")).status_code == 404
    entries = await timed.rows(
        "SELECT actor_kind, action, details ->> 'reason' FROM audit_entries WHERE target = %s"
        " ORDER BY id DESC LIMIT 1",
        id,
    )
    assert entries == [("system", "catalog.artifact.delete", "idle")]


async def test_an_upload_that_goes_on_is_kept_however_long_it_takes(
    timed: TimedSite, tenant: Tenant
) -> None:
    """The row is as old as the announcement; the bytes are as new as the last part."""
    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]
    await timed.sql.execute(
        "UPDATE artifacts SET updated_at = now() - interval '3 days' WHERE id = %s", (id,)
    )
    await send(tenant.admin, id, b"01234")

    await sweep(timed)

    assert await timed.platform.blobs.size(id) == 5


async def test_uploads_that_go_on_do_not_hide_those_that_are_forgotten(
    timed: TimedSite, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "BATCH", 2)
    ids = [
        (await announce(tenant.admin, tenant.project.id, f"{fresh()} {n}".encode()))["id"]
        for n in range(5)
    ]
    await timed.sql.execute(
        "UPDATE artifacts SET updated_at = now() - interval '3 days' WHERE id = ANY (%s)", (ids,)
    )
    for id in ids[:4]:
        await send(tenant.admin, id, b"x")

    await sweep(timed)

    statuses = [(await tenant.admin.get(f"/v1/artifacts/{id}")).status_code for id in ids]
    assert statuses == [200, 200, 200, 200, 404]


async def test_an_upload_of_a_deleted_project_is_forgotten_too(
    timed: TimedSite, tenant: Tenant
) -> None:
    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]
    await send(tenant.admin, id, b"01234")
    await tenant.admin.delete(f"/v1/projects/{tenant.project.id}")
    timed.clock.move(timedelta(hours=25))

    await sweep(timed)

    assert await timed.platform.blobs.size(id) == 0


async def test_a_completed_upload_leaves_its_blob_and_nothing_else(
    timed: TimedSite, tenant: Tenant
) -> None:
    content = fresh().encode()
    artifact = await upload(tenant.admin, tenant.project.id, content)
    timed.clock.move(timedelta(days=10))

    await sweep(timed)

    assert artifact["id"] not in await timed.platform.blobs.uploads()
    assert await is_kept(timed, content)


async def test_the_bytes_of_a_removed_artifact_go_a_day_later(
    timed: TimedSite, tenant: Tenant
) -> None:
    content = fresh().encode()
    artifact = await upload(tenant.admin, tenant.project.id, content)
    timed.clock.move(timedelta(days=10))
    await tenant.admin.delete(f"/v1/artifacts/{artifact['id']}")

    timed.clock.move(timedelta(hours=23))
    await sweep(timed)
    day_not_over = await is_kept(timed, content)
    timed.clock.move(timedelta(hours=2))
    await sweep(timed)

    assert day_not_over
    assert not await is_kept(timed, content)


async def test_bytes_that_another_project_has_too_stay(timed: TimedSite, tenant: Tenant) -> None:
    content = fresh().encode()
    other = await make_tenant(timed)
    artifact = await upload(tenant.admin, tenant.project.id, content)
    await upload(other.admin, other.project.id, content)
    await tenant.admin.delete(f"/v1/artifacts/{artifact['id']}")
    timed.clock.move(timedelta(days=10))

    await sweep(timed)

    assert await is_kept(timed, content)


async def test_revoked_bytes_stay_for_whoever_must_look_into_it(
    timed: TimedSite, tenant: Tenant
) -> None:
    content = fresh().encode()
    artifact = await upload(tenant.admin, tenant.project.id, content)
    await tenant.admin.post(f"/v1/artifacts/{artifact['id']}/revoke", {"reason": "it does harm"})
    timed.clock.move(timedelta(days=10))

    await sweep(timed)

    assert await is_kept(timed, content)
