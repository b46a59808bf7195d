"""Every user mutation, generated from the routes: recorded once, done once, replayed the same."""

import asyncio
import uuid
from dataclasses import replace
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.requests import Request
from core.tests.factories.tenancy import OrgRow, make_org
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh
from moorage_core.http.routing import RouteSpec

MUTATIONS = requests.routes(kind="mutation")
NEEDS_AN_EMPTY_ORG = {"delete_org"}
COPIES = 4


def id_of(spec: RouteSpec) -> str:
    return spec.label


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    # The platform takes a few dozen providers at most, and each test brings one.
    await site.sql.execute("DELETE FROM oidc_providers")
    return await make_tenant(site)


async def _prepare(site: Site, spec: RouteSpec, tenant: Tenant) -> tuple[Request, Caller]:
    caller = await requests.right_caller(site, spec, tenant)
    if spec.name in NEEDS_AN_EMPTY_ORG:
        org: OrgRow = await make_org(site.sql, f"empty-{fresh()}")
        tenant.ids["org"] = org.id
    request = await requests.build_about(spec, tenant, caller)
    key, correlation = uuid.uuid4().hex, f"test-{uuid.uuid4().hex}"
    return request.with_headers(idempotency_key=key, x_correlation_id=correlation), caller


async def _records(site: Site) -> tuple[int, int]:
    """How many audit entries and events there are."""
    query = "SELECT (SELECT count(*) FROM audit_entries), (SELECT count(*) FROM events)"
    entries, events = (await site.rows(query))[0]
    return entries, events


@pytest.mark.rule("AU-1")
@pytest.mark.parametrize("spec", MUTATIONS, ids=id_of)
async def test_a_change_leaves_one_audit_entry_and_its_events(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    request, caller = await _prepare(site, spec, tenant)
    before = await _records(site)

    answer = await request.send(caller)

    assert answer.is_success, answer.text
    correlation = request.headers["x-correlation-id"]
    entries = await site.rows(
        "SELECT actor_id, actor_kind, outcome FROM audit_entries WHERE correlation_id = %s",
        correlation,
    )
    assert entries == [(caller.id, caller.kind, "allowed")]
    events = await site.rows("SELECT 1 FROM events WHERE correlation_id = %s", correlation)
    assert len(events) >= 1
    assert await _records(site) == (before[0] + 1, before[1] + len(events))


@pytest.mark.rule("ID-2", "ID-6")
@pytest.mark.parametrize("spec", MUTATIONS, ids=id_of)
async def test_the_same_key_gives_the_same_answer_and_no_second_change(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    request, caller = await _prepare(site, spec, tenant)
    first = await request.send(caller)
    before = await _records(site)

    again = await request.with_headers(x_correlation_id="another-one").send(caller)

    assert await _records(site) == before
    if spec.rotate is None:
        assert (again.status_code, again.content) == (first.status_code, first.content)
        assert again.headers["idempotency-replayed"] == "true"
        assert again.headers.get("etag") == first.headers.get("etag")
        assert "idempotency-replayed" not in first.headers
    else:
        assert again.status_code == 409
        assert again.json()["code"] == "already_issued"
        assert spec.rotate in again.json()["detail"]
        assert await _stored_bodies(site, caller) == [None]


@pytest.mark.rule("ID-3")
@pytest.mark.parametrize("spec", MUTATIONS, ids=id_of)
async def test_the_same_key_with_another_request_is_refused(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    request, caller = await _prepare(site, spec, tenant)
    assert (await request.send(caller)).is_success
    before = await _records(site)

    others = [replace(request, query={"other": "1"}), request.with_headers(if_match='"77"')]
    if request.body:
        others.append(replace(request, body={}))
    answers = [await other.send(caller) for other in others]

    assert [answer.status_code for answer in answers] == [422] * len(answers)
    assert {answer.json()["code"] for answer in answers} == {"idempotency_key_reused"}
    assert await _records(site) == before


@pytest.mark.rule("ID-2")
@pytest.mark.parametrize("spec", MUTATIONS, ids=id_of)
async def test_duplicates_at_the_same_time_make_one_change(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    request, caller = await _prepare(site, spec, tenant)
    before = await _records(site)

    answers = await asyncio.gather(*(request.send(caller) for _ in range(COPIES)))

    firsts = [a for a in answers if a.is_success and "idempotency-replayed" not in a.headers]
    assert len(firsts) == 1, [a.text for a in answers]
    replays = [answer for answer in answers if answer is not firsts[0]]
    expected = firsts[0].status_code if spec.rotate is None else 409
    assert {answer.status_code for answer in replays} == {expected}
    assert (await _records(site))[0] == before[0] + 1


@pytest.mark.rule("ID-1")
@pytest.mark.parametrize("spec", MUTATIONS, ids=id_of)
async def test_without_a_key_nothing_is_done(site: Site, tenant: Tenant, spec: RouteSpec) -> None:
    request, caller = await _prepare(site, spec, tenant)
    before = await _records(site)

    answer = await site.client.request(
        request.method,
        request.path,
        json=request.body,
        headers=caller.proof | {"if-match": request.headers.get("if-match", '"1"')},
    )

    assert answer.status_code == 400
    assert answer.json()["code"] == "idempotency_key_required"
    assert await _records(site) == before


async def _stored_bodies(site: Site, caller: Caller) -> list[Any]:
    rows = await site.rows(
        """
        SELECT body FROM idempotency_answers WHERE principal = %s ORDER BY at DESC LIMIT 1
        """,
        caller.id,
    )
    return [body for (body,) in rows]
