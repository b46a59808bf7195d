"""Every user mutation, generated from the routes: recorded once, done once, replayed the same."""

import asyncio
import uuid
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.requests import Request
from core.tests.factories.tenancy import OrgRow, make_org
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site, fresh
from moorage_core.audit.sweeps import SealAudit
from moorage_core.http.routing import RouteSpec
from moorage_core.operate import audit_verify

MUTATIONS = requests.routes(kind="mutation")
NEEDS_AN_EMPTY_ORG = {"delete_org"}
COPIES = 4


def id_of(spec: RouteSpec) -> str:
    return spec.label


Counts = tuple[int, int]
"""How many audit entries and events there are."""


@dataclass(frozen=True)
class Told:
    """A change that was asked for without a key, with one, again, and otherwise with the same."""

    spec: RouteSpec
    request: Request
    caller: Caller
    without: httpx2.Response
    first: httpx2.Response
    again: httpx2.Response
    others: list[httpx2.Response]
    counts: list[Counts]
    """Before all of it, and after each of the four."""


@pytest.fixture(scope="module", params=MUTATIONS, ids=id_of)
async def told(site: Site, request: pytest.FixtureRequest) -> Told:
    """To make all that a change is about takes longer than to ask for it: done once for a route."""
    spec: RouteSpec = request.param
    sent, caller = await _prepare(site, spec)
    counts = [await _records(site)]
    without = await site.client.request(
        sent.method,
        sent.path,
        json=sent.body,
        headers=caller.proof | {"if-match": sent.headers.get("if-match", '"1"')},
    )
    counts.append(await _records(site))
    first = await sent.send(caller)
    counts.append(await _records(site))
    again = await sent.with_headers(x_correlation_id="another-one").send(caller)
    counts.append(await _records(site))
    others = [replace(sent, query={"other": "1"}), sent.with_headers(if_match='"77"')]
    if sent.body:
        others.append(replace(sent, body={}))
    answers = [await other.send(caller) for other in others]
    counts.append(await _records(site))
    return Told(spec, sent, caller, without, first, again, answers, counts)


async def _prepare(site: Site, spec: RouteSpec) -> tuple[Request, Caller]:
    # The platform takes a few dozen providers at most, and each route brings one.
    await site.sql.execute("DELETE FROM oidc_providers")
    tenant = await make_tenant(site)
    caller = await requests.right_caller(site, spec, tenant)
    if spec.name in NEEDS_AN_EMPTY_ORG:
        org: OrgRow = await make_org(site.sql, f"empty-{fresh()}")
        tenant.ids["org"] = org.id
    request = await requests.build_about(spec, tenant, caller)
    key, correlation = uuid.uuid4().hex, f"test-{uuid.uuid4().hex}"
    return request.with_headers(idempotency_key=key, x_correlation_id=correlation), caller


async def _records(site: Site) -> Counts:
    query = "SELECT (SELECT count(*) FROM audit_entries), (SELECT count(*) FROM events)"
    entries, events = (await site.rows(query))[0]
    return entries, events


@pytest.mark.rule("ID-1")
def test_without_a_key_nothing_is_done(told: Told) -> None:
    assert told.without.status_code == 400
    assert told.without.json()["code"] == "idempotency_key_required"
    assert told.counts[1] == told.counts[0]


@pytest.mark.rule("AU-1")
async def test_a_change_leaves_one_audit_entry_and_its_events(site: Site, told: Told) -> None:
    assert told.first.is_success, told.first.text
    correlation = told.request.headers["x-correlation-id"]
    entries = await site.rows(
        "SELECT actor_id, actor_kind, outcome, count FROM audit_entries WHERE correlation_id = %s",
        correlation,
    )
    assert entries == [(told.caller.id, told.caller.kind, "allowed", 1)]
    events = await site.rows("SELECT 1 FROM events WHERE correlation_id = %s", correlation)
    assert len(events) >= 1
    before = told.counts[1]
    assert told.counts[2] == (before[0] + 1, before[1] + len(events))


@pytest.mark.rule("ID-2", "ID-6")
async def test_the_same_key_gives_the_same_answer_and_no_second_change(
    site: Site, told: Told
) -> None:
    first, again = told.first, told.again
    assert told.counts[3] == told.counts[2]
    if told.spec.rotate is None:
        assert (again.status_code, again.content) == (first.status_code, first.content)
        assert again.headers["idempotency-replayed"] == "true"
        assert again.headers.get("etag") == first.headers.get("etag")
        assert "idempotency-replayed" not in first.headers
    else:
        assert again.status_code == 409
        assert again.json()["code"] == "already_issued"
        assert told.spec.rotate in again.json()["detail"]
        assert await _stored_bodies(site, told.caller) == [None]


@pytest.mark.rule("ID-3")
def test_the_same_key_with_another_request_is_refused(told: Told) -> None:
    assert [answer.status_code for answer in told.others] == [422] * len(told.others)
    assert {answer.json()["code"] for answer in told.others} == {"idempotency_key_reused"}
    assert told.counts[4] == told.counts[3]


@pytest.mark.rule("ID-2")
@pytest.mark.parametrize("spec", MUTATIONS, ids=id_of)
async def test_duplicates_at_the_same_time_make_one_change(site: Site, spec: RouteSpec) -> None:
    request, caller = await _prepare(site, spec)
    before = await _records(site)

    answers = await asyncio.gather(*(_answered(request, caller) for _ in range(COPIES)))

    said = [answer.text for answer in answers]
    firsts = [a for a in answers if a.is_success and "idempotency-replayed" not in a.headers]
    assert len(firsts) == 1, said
    replays = [answer for answer in answers if answer is not firsts[0]]
    expected = firsts[0].status_code if spec.rotate is None else 409
    assert {answer.status_code for answer in replays} == {expected}, said
    assert (await _records(site))[0] == before[0] + 1


async def test_all_that_the_routes_wrote_can_be_sealed_and_verified(site: Site) -> None:
    await site.number()
    await SealAudit(site.platform).activate()

    report = audit_verify.check(site.platform.settings, url=site.urls.owner)

    assert report.is_sound, report.findings
    assert report.unsealed == 0


async def _answered(request: Request, caller: Caller) -> httpx2.Response:
    """The last word: where the machine is so slow that the first is still at it, ask again."""
    async with asyncio.timeout(60):
        while True:
            answer = await request.send(caller)
            if answer.is_success or answer.json()["code"] != "in_progress":
                return answer


async def _stored_bodies(site: Site, caller: Caller) -> list[Any]:
    rows = await site.rows(
        """
        SELECT body FROM idempotency_answers WHERE principal = %s ORDER BY at DESC LIMIT 1
        """,
        caller.id,
    )
    return [body for (body,) in rows]
