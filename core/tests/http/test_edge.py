"""What stands in front of every request: ids, headers, limits, the shape of a refusal."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import BASE_URL, Site
from moorage_core.errors import Problem
from moorage_core.kit.ratelimit import Buckets
from moorage_core.main import build_api
from moorage_core.platform import Platform
from moorage_core.settings import ServerSettings, Settings

MADE = re.compile(r"[0-9a-z]{26}")
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@asynccontextmanager
async def served(platform: Platform, settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    """The API under other settings."""
    app = build_api(settings)
    app.state.platform = platform
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=BASE_URL) as client:
        yield client


# Ids


async def test_a_correlation_id_that_came_with_the_request_is_kept(site: Site) -> None:
    given = "my-request.0001"

    answers = [
        await site.client.get(path, headers={"x-correlation-id": given})
        for path in ("/v1/status", "/v1/me", "/nowhere")
    ]

    assert [answer.headers["x-correlation-id"] for answer in answers] == [given] * 3
    assert answers[1].json()["correlation_id"] == given


@pytest.mark.rule("ER-3")
@pytest.mark.parametrize(
    "given",
    [None, "", "short", "x" * 65, "with blank inside", "semi;colon1", "<script>alert</script>"],
)
async def test_without_a_usable_correlation_id_one_is_made(site: Site, given: str | None) -> None:
    headers = {} if given is None else {"x-correlation-id": given}

    answer = await site.client.get("/v1/me", headers=headers)

    assert MADE.fullmatch(answer.headers["x-correlation-id"])
    assert answer.json()["correlation_id"] == answer.headers["x-correlation-id"]


async def test_each_request_gets_an_id_of_its_own(site: Site) -> None:
    ids = {(await site.client.get("/v1/me")).headers["x-correlation-id"] for _ in range(20)}

    assert len(ids) == 20


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", True),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", False),
        ("99-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", False),
        ("nonsense", False),
    ],
)
async def test_a_trace_goes_on_into_the_events(
    site: Site, tenant: Tenant, given: str, kept: bool
) -> None:
    answer = await tenant.admin.post(
        f"/v1/orgs/{tenant.org.id}/projects",
        {"slug": f"t-{abs(hash(given)) % 10**9}", "name": "Traced"},
        headers={"traceparent": given},
    )

    rows = await site.rows(
        "SELECT traceparent, correlation_id FROM events WHERE subject = %s", answer.json()["id"]
    )
    assert (rows[0][0] == given) == kept
    assert rows[0][1] == answer.headers["x-correlation-id"]


# Headers


@pytest.mark.parametrize("path", ["/v1/status", "/v1/me", "/nowhere", "/v1/openapi.json"])
async def test_every_answer_carries_the_security_headers(site: Site, path: str) -> None:
    answer = await site.client.get(path)

    assert HEADERS.items() <= answer.headers.items()
    assert "strict-transport-security" not in answer.headers
    assert "server" not in answer.headers


async def test_with_tls_browsers_are_told_to_stay_with_it(site: Site) -> None:
    async with served(site.platform, Settings(server=ServerSettings(tls="own"))) as client:
        answer = await client.get("/v1/status")

    assert answer.headers["strict-transport-security"] == "max-age=31536000"


@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
async def test_no_other_site_may_call_from_a_browser(site: Site, method: str) -> None:
    headers = {
        "origin": "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }

    answer = await site.client.request(method, "/v1/status", headers=headers)

    assert not [name for name in answer.headers if name.startswith("access-control-")]


async def test_a_site_that_is_named_in_the_settings_may_call(site: Site) -> None:
    settings = Settings(cors_origins=("https://console.example",))
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "if-match"}
    async with served(site.platform, settings) as client:
        named = await client.options(
            "/v1/orgs", headers={"origin": "https://console.example", **asked}
        )
        other = await client.options(
            "/v1/orgs", headers={"origin": "https://evil.example", **asked}
        )

    assert named.headers["access-control-allow-origin"] == "https://console.example"
    assert "access-control-allow-credentials" not in named.headers, "no cookies from elsewhere"
    assert "access-control-allow-origin" not in other.headers


# Limits


@pytest.mark.rule("ER-6")
async def test_one_caller_who_asks_too_fast_is_told_to_wait_and_others_are_not(
    site: Site, tenant: Tenant
) -> None:
    other = await site.actor()
    now = [0.0]
    slow = replace(site.platform, by_principal=Buckets(0.5, 3, monotonic=lambda: now[0]))
    async with served(slow, site.platform.settings) as client:
        mine, theirs = (Caller(client, who.person) for who in (tenant.admin, other))
        answers = [await mine.get("/v1/me") for _ in range(4)]
        of_other = await theirs.get("/v1/me")
        now[0] += 2.0
        later = await mine.get("/v1/me")

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[3].json()["code"] == "too_many_requests"
    assert answers[3].headers["retry-after"] == "2"
    assert (of_other.status_code, later.status_code) == (200, 200)


async def test_callers_without_credentials_are_limited_by_address(site: Site) -> None:
    now = [0.0]
    slow = replace(site.platform, by_address=Buckets(1, 2, monotonic=lambda: now[0]))
    async with served(slow, site.platform.settings) as client:
        answers = [
            await client.get("/v1/me"),
            await client.get("/v1/me", headers={"authorization": "Bearer moor_pat_guess"}),
            await client.post("/v1/auth/login", json={"email": "a@b", "password": "x"}),
            await client.get("/v1/status"),
        ]

    assert [answer.status_code for answer in answers] == [401, 401, 429, 429]


@pytest.mark.parametrize("rate", [10, 0.7, 0.1])
async def test_whoever_waits_as_long_as_they_were_told_is_served(site: Site, rate: float) -> None:
    now = [0.0]
    slow = replace(site.platform, by_principal=Buckets(rate, 1, monotonic=lambda: now[0]))
    somebody = await site.actor()
    async with served(slow, site.platform.settings) as client:
        caller = Caller(client, somebody.person)
        await caller.get("/v1/me")
        refused = await caller.get("/v1/me")
        now[0] += int(refused.headers["retry-after"])
        served_again = await caller.get("/v1/me")

    assert (refused.status_code, served_again.status_code) == (429, 200)


# The shape of a refusal


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/me", 401, "unauthenticated"),
        ("/nowhere", 404, "not_found"),
        ("/v1/orgs?limit=0", 401, "unauthenticated"),
    ],
)
async def test_a_refusal_is_a_problem_document(
    site: Site, path: str, status: int, code: str
) -> None:
    answer = await site.client.get(path)

    problem = Problem.model_validate_json(answer.content)
    assert (answer.status_code, problem.status, problem.code) == (status, status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem.type == f"https://moorage.dev/errors/{code}"
    assert problem.title


async def test_the_status_says_whether_the_database_answers(site: Site) -> None:
    answer = await site.client.get("/v1/status")

    assert answer.json()["status"] == "ok"


async def test_the_counters_are_for_platform_admins(site: Site, tenant: Tenant) -> None:
    root = await site.actor("platform_admin")

    shown = await root.get("/metrics")
    refused = await tenant.admin.get("/metrics")

    assert shown.status_code == 200
    assert "moorage_requests_total" in shown.text
    assert tenant.org.id not in shown.text
    assert refused.status_code == 403
