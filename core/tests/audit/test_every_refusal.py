"""Every refusal is counted, and leaves nothing else. Generated from the routes."""

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.requests import Request
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.site import Site
from moorage_core.http.routing import RouteSpec
from moorage_core.kit import metrics

PROTECTED = requests.routes(public=False)
FOR_EVERYBODY = {
    *("list_orgs", "get_me", "list_sessions", "list_access_tokens", "list_roles"),
    "get_device_code",
}
"""What anybody with a credential may see: themselves, lists that are empty for a stranger, and who
asks for a code that they were told."""
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


async def count(site: Site, table: str) -> int:
    ((found,),) = await site.rows(f"SELECT count(*) FROM {table}")
    return found


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
