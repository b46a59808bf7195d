"""A dry run answers what a change would lead to and leaves nothing behind. From the routes."""

import re
import uuid
from dataclasses import replace

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.requests import Request
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site, TimedSite
from moorage_core.http.routing import RouteSpec

MUTATIONS = requests.routes(kind="mutation")
DRY = [spec for spec in MUTATIONS if spec.dry_run]
ID = re.compile(r"\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b")


def id_of(spec: RouteSpec) -> str:
    return spec.label


async def prepare(site: Site, spec: RouteSpec) -> tuple[Request, Caller]:
    tenant = await make_tenant(site)
    caller = await requests.right_caller(site, spec, tenant)
    request = await requests.build_about(spec, tenant, caller)
    return request.with_headers(idempotency_key=uuid.uuid4().hex), caller


def dry(request: Request, value: str = "true") -> Request:
    return replace(request, query=request.query | {"dry_run": value})


def masked(answer: httpx2.Response, request: Request) -> tuple[int, str, dict[str, str]]:
    """An answer without the ids that were made for it."""
    known = set(ID.findall(request.path + str(request.body)))
    text = ID.sub(lambda found: found[0] if found[0] in known else "<new>", answer.text)
    headers = {k: v for k, v in answer.headers.items() if k != "x-correlation-id"}
    return answer.status_code, text, headers


def test_some_changes_can_be_tried() -> None:
    assert len(DRY) >= 4


@pytest.mark.rule("ID-10")
@pytest.mark.parametrize("spec", DRY, ids=id_of)
async def test_a_dry_run_leaves_nothing_behind(site: Site, spec: RouteSpec) -> None:
    request, caller = await prepare(site, spec)
    before = await site.everything()

    answer = await dry(request).send(caller)

    assert answer.is_success, answer.text
    assert answer.headers["moorage-dry-run"] == "true"
    assert await site.everything() == before


@pytest.mark.rule("ID-10")
@pytest.mark.parametrize("spec", DRY, ids=id_of)
async def test_a_dry_run_answers_what_the_change_answers(timed: TimedSite, spec: RouteSpec) -> None:
    request, caller = await prepare(timed, spec)

    tried = await dry(request).send(caller)
    done = await request.send(caller)

    assert done.is_success, done.text
    assert "moorage-dry-run" not in done.headers
    status, text, headers = masked(tried, request)
    assert headers.pop("moorage-dry-run") == "true"
    assert (status, text, headers) == masked(done, request)


@pytest.mark.parametrize("spec", DRY, ids=id_of)
async def test_a_key_that_was_used_for_a_dry_run_is_still_free(site: Site, spec: RouteSpec) -> None:
    request, caller = await prepare(site, spec)
    first = await dry(request).send(caller)

    second = await dry(request).send(caller)
    done = await request.send(caller)

    assert (first.status_code, second.status_code, done.status_code) == (200, 200, 200)
    assert "idempotency-replayed" not in second.headers
    assert "idempotency-replayed" not in done.headers


@pytest.mark.parametrize("spec", DRY, ids=id_of)
async def test_a_dry_run_is_refused_as_the_change_would_be(site: Site, spec: RouteSpec) -> None:
    request, caller = await prepare(site, spec)
    nobody = await site.actor()

    stale = await dry(request.with_headers(if_match='"999"')).send(caller)
    unasked = await dry(request).send(nobody)
    real = await request.send(nobody)

    assert stale.status_code == 412
    assert unasked.status_code == real.status_code
    assert unasked.status_code in (403, 404)


@pytest.mark.parametrize("value", ["false", "0", "no"])
@pytest.mark.parametrize("spec", DRY, ids=id_of)
async def test_no_dry_run_is_a_change(site: Site, spec: RouteSpec, value: str) -> None:
    request, caller = await prepare(site, spec)
    before = await site.everything()

    answer = await dry(request, value).send(caller)

    assert answer.is_success, answer.text
    assert "moorage-dry-run" not in answer.headers
    assert await site.everything() != before


@pytest.mark.parametrize("value", ["perhaps", "", "2"])
@pytest.mark.parametrize("spec", DRY, ids=id_of)
async def test_a_dry_run_that_is_neither_asked_for_nor_not_is_refused(
    site: Site, spec: RouteSpec, value: str
) -> None:
    request, caller = await prepare(site, spec)
    before = await site.everything(but=("refusals",))

    answer = await dry(request, value).send(caller)

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")
    assert await site.everything(but=("refusals",)) == before


@pytest.fixture(scope="module")
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.mark.rule("ID-10")
@pytest.mark.parametrize("spec", [s for s in MUTATIONS if not s.dry_run], ids=id_of)
async def test_a_change_without_a_dry_run_is_not_made_by_mistake(
    site: Site, root: Caller, spec: RouteSpec
) -> None:
    request = requests.build(spec, requests.random_ids(spec))
    before = await site.everything(but=("refusals",))

    answer = await dry(request).with_headers(idempotency_key=uuid.uuid4().hex).send(root)

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")
    assert answer.json()["errors"][0]["location"] == "query.dry_run"
    assert await site.everything(but=("refusals",)) == before
