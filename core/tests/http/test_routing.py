"""What a route declares is checked while it runs: a route of ours that lies is rolled back."""

from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import Response

from core.tests.factories.tenancy import OrgRow
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import BASE_URL, Site, fresh
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http.routing import Ctx, Routes
from moorage_core.main import build_api
from moorage_core.settings import Settings
from moorage_core.tenancy import store

KEY = "iam.org.update"
routes = Routes(tag="broken")


async def _rename(ctx: Ctx, org: str) -> None:
    await store.rename_org(ctx.db, org=org, name="Renamed", now=ctx.now)


def _publish(ctx: Ctx, org: str) -> None:
    data = registry.Named(id=org, slug="x", name="x")
    events.publish(ctx, registry.ORG_UPDATED, data, subject=org, version=2, org=org)


@routes.mutation("POST", "/broken/unasked/{org}", key=KEY, status_code=204)
async def unasked(org: str, ctx: Ctx) -> None:
    """Does all but ask."""
    await _rename(ctx, org)
    audit.record(ctx, KEY, org, org=org)
    _publish(ctx, org)


@routes.mutation("POST", "/broken/unaudited/{org}", key=KEY, status_code=204)
async def unaudited(org: str, ctx: Ctx) -> None:
    """Leaves no audit entry."""
    authorize(ctx, KEY, Resource("org", org, org))
    await _rename(ctx, org)
    _publish(ctx, org)


@routes.mutation("POST", "/broken/twice/{org}", key=KEY, status_code=204)
async def twice(org: str, ctx: Ctx) -> None:
    """Leaves two audit entries."""
    authorize(ctx, KEY, Resource("org", org, org))
    await _rename(ctx, org)
    audit.record(ctx, KEY, org, org=org)
    audit.record(ctx, KEY, org, org=org)
    _publish(ctx, org)


@routes.mutation("POST", "/broken/unpublished/{org}", key=KEY, status_code=204)
async def unpublished(org: str, ctx: Ctx) -> None:
    """Publishes no event."""
    authorize(ctx, KEY, Resource("org", org, org))
    await _rename(ctx, org)
    audit.record(ctx, KEY, org, org=org)


@routes.mutation("POST", "/broken/crash/{org}", key=KEY, status_code=204)
async def crash(org: str, ctx: Ctx) -> None:
    """Ends in the middle, with a secret in its hands."""
    authorize(ctx, KEY, Resource("org", org, org))
    await _rename(ctx, org)
    raise RuntimeError("connection to postgresql://moorage:hunter2@db was lost")


@routes.read("/broken/unasked-read/{org}", key=KEY)
async def unasked_read(org: str, ctx: Ctx) -> dict[str, str]:
    """Shows without asking."""
    return {"secret of": org}


@routes.read("/broken/writing-read/{org}", key=KEY)
async def writing_read(org: str, ctx: Ctx, response: Response) -> dict[str, str]:
    """A read that writes."""
    authorize(ctx, KEY, Resource("org", org, org))
    await _rename(ctx, org)
    return {}


@pytest.fixture(scope="module")
async def broken(site: Site) -> AsyncIterator[httpx2.AsyncClient]:
    app = build_api(Settings())
    app.include_router(routes.router)
    app.state.platform = site.platform
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=BASE_URL) as client:
        yield client


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def _state(site: Site, org: OrgRow) -> list[tuple[object, ...]]:
    return await site.rows(
        """
        SELECT name, version, (SELECT count(*) FROM audit_entries WHERE org_id = orgs.id),
            (SELECT count(*) FROM events WHERE org_id = orgs.id),
            (SELECT count(*) FROM idempotency_answers WHERE route LIKE '%%broken%%')
        FROM orgs WHERE id = %s
        """,
        org.id,
    )


@pytest.mark.parametrize("name", ["unasked", "unaudited", "twice", "unpublished", "crash"])
async def test_a_mutation_that_breaks_its_word_changes_nothing(
    site: Site, broken: httpx2.AsyncClient, tenant: Tenant, name: str
) -> None:
    before = await _state(site, tenant.org)

    answer = await broken.post(
        f"/broken/{name}/{tenant.org.id}",
        headers=tenant.admin.proof | {"idempotency-key": fresh()},
    )

    assert answer.status_code == 500
    assert answer.json()["code"] == "internal"
    assert answer.headers["content-type"] == "application/problem+json"
    assert "hunter2" not in answer.text
    assert await _state(site, tenant.org) == before


@pytest.mark.parametrize("name", ["unasked-read", "writing-read"])
async def test_a_read_that_breaks_its_word_shows_nothing(
    site: Site, broken: httpx2.AsyncClient, tenant: Tenant, name: str
) -> None:
    before = await _state(site, tenant.org)

    answer = await broken.get(f"/broken/{name}/{tenant.org.id}", headers=tenant.admin.proof)

    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert await _state(site, tenant.org) == before


async def test_a_key_can_be_used_again_after_a_crash(
    site: Site, broken: httpx2.AsyncClient, tenant: Tenant
) -> None:
    headers = tenant.admin.proof | {"idempotency-key": fresh()}
    path = f"/broken/crash/{tenant.org.id}"
    await broken.post(path, headers=headers)

    again = await broken.post(path, headers=headers)

    assert again.json()["code"] == "internal", "neither stored nor stuck"


@pytest.mark.rule("ID-9")
def test_only_mutations_take_an_idempotency_key() -> None:
    document = build_api(Settings()).openapi()

    for path in document["paths"].values():
        for operation in path.values():
            named = {parameter["name"].lower() for parameter in operation.get("parameters", [])}
            is_mutation = operation["x-route-class"] == "mutation"
            assert ("idempotency-key" in named) == is_mutation, operation["operationId"]
