"""What an Idempotency-Key is, beyond what every mutation shows in `test_every_mutation`."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import psycopg
import pytest
from starlette.requests import Request

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.tenants import Bearer, Tenant, make_tenant
from core.tests.site import Site, fresh
from moorage_core.authz.principals import Kind, Principal
from moorage_core.http import idempotency
from moorage_core.http.routing import RouteSpec

CREATE_PROJECT = "POST /v1/orgs/{org}/projects"
SECRETIVE = [spec for spec in requests.routes(kind="mutation") if spec.rotate is not None]


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def create_project(
    caller: Caller, tenant: Tenant, key: str, **changes: Any
) -> httpx2.Response:
    body = {"slug": f"p-{hashlib.sha256(key.encode()).hexdigest()[:8]}", "name": "Project"}
    path = f"/v1/orgs/{tenant.org.id}/projects"
    return await caller.post(path, body | changes, headers={"idempotency-key": key})


@asynccontextmanager
async def held(site: Site, caller: Caller, key: str) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """The key is in use by another process, on a connection of its own."""
    scope = {"type": "http", "path": "/", "query_string": b"", "scheme": "http"}
    headers = [(b"host", b"x"), (b"idempotency-key", key.encode())]
    used = idempotency.key_of(
        Request(scope | {"headers": headers}),
        principal=Principal(Kind.USER, caller.id, "somebody"),
        route=CREATE_PROJECT,
        body=b"",
    )
    async with await psycopg.AsyncConnection.connect(site.urls.super) as other:
        await other.execute(used.prelude().sql.encode())
        yield other


@pytest.mark.rule("ID-4")
async def test_a_duplicate_waits_for_the_first_and_then_says_so(site: Site, tenant: Tenant) -> None:
    key = fresh()

    async with held(site, tenant.admin, key):
        answer = await create_project(tenant.admin, tenant, key)

    assert answer.status_code == 409
    assert answer.json()["code"] == "in_progress"


async def test_a_duplicate_is_answered_as_soon_as_the_first_is_done(
    site: Site, tenant: Tenant
) -> None:
    key = fresh()

    async with held(site, tenant.admin, key) as other:
        duplicate = asyncio.create_task(create_project(tenant.admin, tenant, key))
        await _until_somebody_waits(site)
        await other.rollback()
        answer = await duplicate

    assert answer.status_code == 201, answer.text


async def test_the_key_is_free_again_after_a_wait_that_ended_badly(
    site: Site, tenant: Tenant
) -> None:
    key = fresh()
    async with held(site, tenant.admin, key):
        assert (await create_project(tenant.admin, tenant, key)).status_code == 409

    answer = await create_project(tenant.admin, tenant, key)

    assert answer.status_code == 201


@pytest.mark.rule("ID-7")
async def test_somebody_else_may_use_the_same_key(site: Site, tenant: Tenant) -> None:
    key = fresh()
    colleague = await site.actor("tenant_admin", org=tenant.org)
    first = await create_project(tenant.admin, tenant, key)

    second = await create_project(colleague, tenant, key, slug="another")

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json()["id"] != second.json()["id"]


async def test_a_token_that_holds_less_is_not_shown_what_its_owner_was_answered(
    tenant: Tenant,
) -> None:
    key = fresh()
    issued = await tenant.admin.post(
        "/v1/access-tokens",
        {"name": "narrow", "expires_in": 3600, "permissions": ["iam.project.create"]},
    )
    await create_project(tenant.admin, tenant, key)

    answer = await create_project(Bearer(tenant.site.client, issued.json()["token"]), tenant, key)

    assert (answer.status_code, answer.json()["code"]) == (409, "slug_taken")


@pytest.mark.rule("ID-7")
async def test_a_key_belongs_to_one_route(tenant: Tenant) -> None:
    key = fresh()
    first = await create_project(tenant.admin, tenant, key)

    second = await tenant.admin.post(
        f"/v1/orgs/{tenant.org.id}/memberships",
        {"email": f"{fresh()}@example.org", "role": "viewer"},
        headers={"idempotency-key": key},
    )

    assert (first.status_code, second.status_code) == (201, 201)


@pytest.mark.rule("ID-5")
async def test_a_refusal_is_not_kept(site: Site, tenant: Tenant) -> None:
    key = fresh()
    taken = await create_project(tenant.admin, tenant, fresh())
    slug = taken.json()["slug"]
    refused = await create_project(tenant.admin, tenant, key, slug=slug)
    await tenant.admin.delete(f"/v1/projects/{taken.json()['id']}")

    answer = await create_project(tenant.admin, tenant, key, slug=slug)

    assert (refused.status_code, answer.status_code) == (409, 201)


async def test_another_spelling_of_the_same_body_is_the_same_request(tenant: Tenant) -> None:
    key, slug = fresh(), f"p-{fresh()}"
    path = f"/v1/orgs/{tenant.org.id}/projects"
    spellings = (
        json.dumps({"slug": slug, "name": "Über"}),
        json.dumps({"name": "Über", "slug": slug}, ensure_ascii=False, indent=2),
    )

    answers = [
        await tenant.admin.call(
            "POST",
            path,
            content=text.encode(),
            headers={"idempotency-key": key, "content-type": "application/json"},
        )
        for text in spellings
    ]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[1].headers["idempotency-replayed"] == "true"


@pytest.mark.parametrize(
    "key", ["two words", "\N{LATIN SMALL LETTER E WITH ACUTE}", "x" * 129, " "]
)
async def test_an_odd_key_is_refused(site: Site, tenant: Tenant, key: str) -> None:
    answer = await site.client.post(
        f"/v1/orgs/{tenant.org.id}/projects",
        json={"slug": "odd", "name": "Odd"},
        headers=[
            (b"authorization", tenant.admin.proof["authorization"].encode()),
            (b"idempotency-key", key.encode("latin-1")),
        ],
    )

    assert answer.status_code in (400, 422)
    assert answer.json()["code"] in ("idempotency_key_required", "malformed")


@pytest.mark.rule("ID-6", "AU-7", "EV-10")
@pytest.mark.parametrize("spec", SECRETIVE, ids=lambda spec: spec.label)
async def test_a_secret_that_was_shown_once_is_in_no_table(site: Site, spec: RouteSpec) -> None:
    tenant = await make_tenant(site)
    caller = await requests.right_caller(site, spec, tenant)
    answer = await (await requests.build_about(spec, tenant, caller)).send(caller)
    shown = list(_secrets(answer.json()))
    assert shown, answer.text

    kept = await _dump(site)

    for secret in shown:
        assert secret not in kept
        assert secret.encode().hex() not in kept


def _secrets(answer: Any) -> Iterator[str]:
    """What an answer shows once, wherever in it."""
    if isinstance(answer, dict):
        for name, value in answer.items():
            if name in ("secret", "token", "code"):
                yield value
            else:
                yield from _secrets(value)
    elif isinstance(answer, list):
        for each in answer:
            yield from _secrets(each)


async def _dump(site: Site) -> str:
    """Every row of every table, as text; bytes are hexadecimal."""
    tables = await site.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    each = [await site.rows(f"SELECT t::text FROM {name} t") for (name,) in tables]
    return "\n".join(row[0] for rows in each for row in rows)


async def _until_somebody_waits(site: Site) -> None:
    query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    async with asyncio.timeout(30):
        while (await site.rows(query))[0][0] == 0:
            await asyncio.sleep(0.01)
