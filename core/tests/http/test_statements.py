"""What each route costs the database, as numbers that do not grow unseen.

Counted for one successful call by a caller who proved themselves moments ago: transactions begun,
and statements run inside them. Not counted is what every transaction costs anyway and what shares a
round trip: BEGIN with the scope (for a mutation also the idempotency key's lock and look-up), and
COMMIT. A mutation's last statement writes its audit entry, events and answer together.
"""

import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import pytest

from core.tests import golden_files
from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.tenancy import make_org
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh
from moorage_core.audit.sweeps import SealAudit
from moorage_core.http.principal_cache import PrincipalCache
from moorage_core.http.routing import RouteSpec
from moorage_core.platform import Platform
from moorage_core.signing import commands as signing
from moorage_core.signing.keyset import Keyset

ELSEWHERE = {
    "start_sign_in": "asks a sign-in provider over the network",
    "finish_sign_in": "asks a sign-in provider over the network",
    "get_authorities": "asks no database, and a platform on loopback has none",
    "enrol_agent": "needs a host's key: core/tests/agents/test_costs.py",
    "prove_agent": "needs a host's key: core/tests/agents/test_costs.py",
    "approve_device_code": "needs a session's cookie: core/tests/device_codes",
    "deny_device_code": "needs a session's cookie: core/tests/device_codes",
    "redeem_device_code": "needs a code that was approved: core/tests/device_codes",
    "get_agent_content": "needs a task that names an artifact: core/tests/tasks",
}
"""Routes that are not measured here, and why."""


@pytest.fixture
async def still(site: Site) -> AsyncIterator[Platform]:
    """The site's platform with caches that never expire, so that counts do not depend on time."""
    platform = dataclasses.replace(
        site.platform,
        keyset=Keyset(monotonic=lambda: 0.0),
        principals=PrincipalCache(monotonic=lambda: 0.0),
    )
    await signing.load(platform)
    site.api.state.platform = platform
    yield platform
    site.api.state.platform = site.platform


async def test_statements_and_transactions_per_route_are_as_written_down(
    site: Site, still: Platform
) -> None:
    lines: list[str] = []
    for spec in sorted(requests.routes(), key=lambda spec: (spec.path, spec.method)):
        if spec.name not in ELSEWHERE:
            transactions, statements = await _cost(site, still, spec)
            lines.append(f"{spec.method:6} {spec.path:60} {transactions:12} {statements:10}")
    head = f"{'route':67} transactions statements"

    golden_files.check("statements.txt", "\n".join([head, *lines, ""]))


async def _cost(site: Site, platform: Platform, spec: RouteSpec) -> tuple[int, int]:
    tenant = await make_tenant(site)
    caller = await requests.right_caller(site, spec, tenant)
    await _arrange(site, spec, tenant)
    request = await requests.build_about(spec, tenant, caller)
    await _prove(caller)
    database = platform.database
    before = (database.transactions, database.statements)

    endless = requests.is_stream(spec)
    answer = await (request.peek(site, caller) if endless else request.send(caller))

    assert answer.is_success, f"{spec.label}: {answer.text}"
    return database.transactions - before[0], database.statements - before[1]


async def _arrange(site: Site, spec: RouteSpec, tenant: Tenant) -> None:
    """What a route needs beyond the things that its path names."""
    things: dict[str, Any] = {
        "delete_org": _empty_org,
        "explain_policy": _entitled,
        "get_audit_proof": _sealed,
        "login": _email,
        "mint_token": _secret,
        "set_password": _code,
    }
    if spec.name in things:
        await things[spec.name](site, tenant)


async def _prove(caller: Caller) -> None:
    if caller.person is not None:
        assert (await caller.get("/v1/roles")).is_success


async def _empty_org(site: Site, tenant: Tenant) -> None:
    tenant.ids["org"] = (await make_org(site.sql, f"empty-{fresh()}")).id


async def _entitled(site: Site, tenant: Tenant) -> None:
    read = await tenant.admin.get(f"/v1/entitlements/{await tenant.id('entitlement')}")
    tenant.ids["app"] = read.json()["app_id"]


async def _sealed(site: Site, tenant: Tenant) -> None:
    await tenant.id("entry")
    await SealAudit(site.platform).activate()


async def _email(site: Site, tenant: Tenant) -> None:
    assert tenant.admin.person is not None
    tenant.ids["email"] = tenant.admin.person.email


async def _secret(site: Site, tenant: Tenant) -> None:
    await tenant.id("key")
    tenant.ids["account_secret"] = tenant.secrets["key"]


async def _code(site: Site, tenant: Tenant) -> None:
    root = await site.actor("platform_admin")
    answer = await root.post(f"/v1/users/{await tenant.id('user')}/password-codes", {})
    tenant.ids["code"] = answer.json()["code"]
