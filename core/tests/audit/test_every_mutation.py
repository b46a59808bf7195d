"""Every change is in the log, once; every refusal is counted. Generated from the routes."""

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.requests import Request
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.site import Site, fresh
from moorage_core.audit.sweeps import SealAudit
from moorage_core.http.routing import RouteSpec
from moorage_core.kit import metrics
from moorage_core.operate import audit_verify

PROTECTED = requests.routes(public=False)
FOR_EVERYBODY = {"list_orgs", "get_me", "list_sessions", "list_access_tokens", "list_roles"}
"""What anybody with a credential may see: themselves, and lists that are empty for a stranger."""
PROVED_ANEW = {"change_password"}
"""Asks for the password in force, too: a 401 for whoever has none."""


def id_of(spec: RouteSpec) -> str:
    return spec.label


@pytest.fixture(scope="module")
async def acme(site: Site) -> Tenant:
    return await (await make_tenant(site)).fill()


@pytest.fixture(scope="module")
async def robot(site: Site) -> Caller:
    """A service account of somebody else: it holds no key on itself, and none in acme."""
    return await mint(await make_tenant(site))


async def arranged(site: Site, spec: RouteSpec) -> tuple[Caller, Request]:
    """A request that succeeds, and who may send it."""
    tenant = await make_tenant(site)
    caller = await requests.right_caller(site, spec, tenant)
    request = await requests.build_about(spec, tenant, caller)
    if spec.name == "delete_org":
        await site.sql.execute(
            "UPDATE projects SET deleted_at = now() WHERE org_id = %s", (tenant.org.id,)
        )
    return caller, request


async def count(site: Site, table: str) -> int:
    ((found,),) = await site.rows(f"SELECT count(*) FROM {table}")
    return found


@pytest.mark.parametrize("spec", requests.routes(kind="mutation"), ids=id_of)
async def test_a_change_leaves_exactly_one_entry_with_its_correlation_id(
    site: Site, spec: RouteSpec
) -> None:
    caller, request = await arranged(site, spec)
    correlation = f"change-{fresh()}"
    before = await count(site, "audit_entries")

    answer = await request.with_headers(x_correlation_id=correlation).send(caller)

    assert answer.is_success, answer.text
    assert await count(site, "audit_entries") == before + 1
    assert await site.rows(
        "SELECT actor_kind, actor_id, outcome, count FROM audit_entries WHERE correlation_id = %s",
        correlation,
    ) == [(caller.kind, caller.id, "allowed", 1)]
    events = await site.rows("SELECT 1 FROM events WHERE correlation_id = %s", correlation)
    assert events != []


@pytest.mark.parametrize("spec", requests.routes(kind="mutation"), ids=id_of)
async def test_a_repeated_request_leaves_no_second_entry(site: Site, spec: RouteSpec) -> None:
    caller, request = await arranged(site, spec)
    again = request.with_headers(idempotency_key=fresh())
    first = await again.send(caller)
    before = await count(site, "audit_entries")

    await again.send(caller)

    assert first.is_success, first.text
    assert await count(site, "audit_entries") == before


@pytest.mark.parametrize("spec", PROTECTED, ids=id_of)
async def test_a_refusal_is_counted_and_changes_nothing_else(
    site: Site, acme: Tenant, robot: Caller, spec: RouteSpec
) -> None:
    nobody = robot if spec.key in requests.SELF_KEYS else await site.actor()
    request = requests.build(spec, acme.ids)
    entries, before = await count(site, "audit_entries"), await denials(site, spec)

    answers = [await ask(site, request, nobody, spec) for _ in range(2)]

    refused = [answer for answer in answers if answer.status_code in (403, 404)]
    assert refused or spec.name in FOR_EVERYBODY | PROVED_ANEW, answers[0].text
    assert await count(site, "audit_entries") == entries
    assert await denials(site, spec) == before + len(refused)
    for answer in refused[-1:]:
        assert await site.rows(
            "SELECT route, permission FROM audit_denials WHERE correlation_id = %s",
            answer.headers["x-correlation-id"],
        ) == [(spec.label, spec.key)]


async def ask(site: Site, request: Request, caller: Caller, spec: RouteSpec) -> httpx2.Response:
    endless = requests.is_stream(spec)
    return await (request.peek(site, caller) if endless else request.send(caller))


async def denials(site: Site, spec: RouteSpec) -> int:
    """How many refusals of this route are counted."""
    ((found,),) = await site.rows(
        "SELECT coalesce(sum(count), 0) FROM audit_denials WHERE route = %s", spec.label
    )
    return found


async def test_whom_nobody_knows_is_counted_as_a_metric_and_not_in_the_log(site: Site) -> None:
    anonymous = Caller(site.client, None)
    denied = await count(site, "audit_denials")
    refusals = metrics.ANONYMOUS_REFUSALS.labels("list_audit_entries", 401)
    before = refusals.collect()

    answer = await anonymous.get("/v1/audit")

    assert answer.status_code == 401
    assert await count(site, "audit_denials") == denied
    assert [m.samples[0].value for m in refusals.collect()] == [
        m.samples[0].value + 1 for m in before
    ]


async def test_what_the_platform_does_by_itself_is_done_by_system(site: Site) -> None:
    rows = await site.rows(
        "SELECT actor_id, outcome, correlation_id <> '' FROM audit_entries"
        " WHERE actor_kind = 'system'"
    )

    assert ("system", "allowed", True) in rows


async def test_all_that_the_routes_wrote_can_be_sealed_and_verified(site: Site) -> None:
    await site.number()
    await SealAudit(site.platform).activate()

    report = audit_verify.check(site.platform.settings, url=site.urls.owner)

    assert report.is_sound, report.findings
    assert report.unsealed == 0
