"""No change is lost to another: every update says which version it changes. From the routes."""

import pytest

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.requests import Request
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from moorage_core.http.routing import RouteSpec

CONDITIONAL = [
    spec
    for spec in requests.routes(kind="mutation")
    if any(p["name"] == "if-match" for p in requests.operation(spec).get("parameters", []))
]
UPDATES = [spec for spec in CONDITIONAL if "428" in requests.operation(spec)["responses"]]
REMOVALS = [spec for spec in CONDITIONAL if spec not in UPDATES]
STALE = '"999"'
LINKS = {"link_oidc_identity"}
"""Puts one thing into another, which has no version of its own."""


def id_of(spec: RouteSpec) -> str:
    return spec.label


async def prepare(site: Site, spec: RouteSpec) -> tuple[Request, Caller]:
    # The platform takes a few dozen providers at most, and each test may bring one.
    await site.sql.execute("DELETE FROM oidc_providers")
    tenant: Tenant = await make_tenant(site)
    caller = await requests.right_caller(site, spec, tenant)
    return await requests.build_about(spec, tenant, caller), caller


def test_every_update_is_conditional() -> None:
    changing = [s for s in requests.routes(kind="mutation") if s.method in ("PATCH", "PUT")]

    assert {spec.name for spec in changing if spec not in UPDATES} == LINKS


@pytest.mark.parametrize("spec", UPDATES, ids=id_of)
async def test_an_update_gives_the_thing_a_new_version(site: Site, spec: RouteSpec) -> None:
    request, caller = await prepare(site, spec)
    before = int(request.headers["if-match"].strip('"'))

    answer = await request.send(caller)

    assert answer.status_code == 200, answer.text
    assert answer.headers["etag"] == f'"{before + 1}"'
    assert answer.json()["version"] == before + 1
    read = await caller.get(request.path)
    assert read.headers["etag"] == answer.headers["etag"]
    # A change may say more than the thing does: what it takes away, say.
    assert read.json().items() <= answer.json().items()


@pytest.mark.rule("ER-7")
@pytest.mark.parametrize("spec", UPDATES, ids=id_of)
async def test_an_update_without_a_version_is_refused(site: Site, spec: RouteSpec) -> None:
    request, caller = await prepare(site, spec)
    before = await caller.get(request.path)

    answer = await caller.call(request.method, request.path, json=request.body)

    assert (answer.status_code, answer.json()["code"]) == (428, "if_match_required")
    assert (await caller.get(request.path)).json() == before.json()


@pytest.mark.parametrize("spec", CONDITIONAL, ids=id_of)
async def test_a_change_of_an_older_version_is_refused(site: Site, spec: RouteSpec) -> None:
    request, caller = await prepare(site, spec)
    before = await caller.get(request.path)
    assert before.status_code == 200, before.text

    answer = await request.with_headers(if_match=STALE).send(caller)

    assert (answer.status_code, answer.json()["code"]) == (412, "stale")
    assert f"version {before.json()['version']}," in answer.json()["detail"]
    assert (await caller.get(request.path)).json() == before.json()


@pytest.mark.parametrize("spec", [s for s in REMOVALS if s.name != "delete_org"], ids=id_of)
async def test_a_removal_may_leave_the_version_out(site: Site, spec: RouteSpec) -> None:
    request, caller = await prepare(site, spec)

    answer = await caller.call(request.method, request.path, json=request.body)

    assert answer.status_code == 204, answer.text
    assert (await caller.get(request.path)).status_code == 404
