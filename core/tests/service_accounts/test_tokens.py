"""How a service account proves itself, and how fast it is dead."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from joserfc.jwk import OKPKey

from core.tests.factories.tenants import Bearer, Tenant, make_tenant, mint
from core.tests.service_accounts.proofs import Robot, make_robot
from core.tests.site import BASE_URL, Site, TimedSite
from moorage_core.http.principal_cache import PrincipalCache
from moorage_core.kit.ids import ServiceAccountId, ServiceAccountKeyId
from moorage_core.main import build_api, open_platform
from moorage_core.platform import Platform


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture(scope="module")
async def robot(site: Site) -> Robot:
    return await make_robot(await make_tenant(site))


def path_of(tenant: Tenant) -> str:
    return f"/v1/service-accounts/{tenant.ids['account']}"


def assert_not_proved(answer: httpx2.Response) -> None:
    assert (answer.status_code, answer.json()["code"]) == (401, "not_proved")


@pytest.mark.parametrize("alg", ["EdDSA", "Ed25519"])
async def test_an_assertion_is_exchanged_for_a_token_of_minutes(robot: Robot, alg: str) -> None:
    answer = await robot.prove(robot.assertion(alg=alg))

    assert answer.status_code == 200, answer.text
    assert answer.json()["token_type"] == "Bearer"
    assert answer.json()["expires_in"] == 600
    me = await Bearer(robot.site.client, answer.json()["access_token"]).get("/v1/me")
    assert (me.json()["kind"], me.json()["id"]) == ("service_account", robot.account)


async def test_a_secret_is_exchanged_too(tenant: Tenant) -> None:
    caller = await mint(tenant)

    assert (await caller.get(path_of(tenant))).status_code == 200


async def test_an_assertion_is_used_once(robot: Robot) -> None:
    assertion = robot.assertion()
    first = await robot.prove(assertion)

    again = await robot.prove(assertion)

    assert first.status_code == 200
    assert_not_proved(again)


async def test_an_assertion_used_in_several_processes_at_once_counts_once(robot: Robot) -> None:
    assertion = robot.assertion()

    answers = await asyncio.gather(*(robot.prove(assertion) for _ in range(6)))

    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 5


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "sac_somebody_else"},
        {"sub": "sac_somebody_else"},
        {"aud": "https://elsewhere.example"},
        {"aud": None},
        {"exp": None},
        {"exp": "soon"},
        {"exp": 0},
        {"exp": -1e308},
        {"exp": 1e308},
        {"jti": None},
        {"jti": ""},
        {"jti": "x" * 101},
        {"jti": 7},
        {"iss": None, "sub": None},
    ],
    ids=str,
)
async def test_an_assertion_says_who_to_whom_and_until_when(
    robot: Robot, claims: dict[str, Any]
) -> None:
    assert_not_proved(await robot.prove(robot.assertion(**claims)))


async def test_an_assertion_lives_five_minutes_at_most(robot: Robot) -> None:
    now = int(robot.site.platform.clock.now().timestamp())

    assert_not_proved(await robot.prove(robot.assertion(exp=now + 400)))
    assert (await robot.prove(robot.assertion(exp=now + 290))).status_code == 200


async def test_a_clock_that_is_slightly_off_does_no_harm(robot: Robot) -> None:
    now = int(robot.site.platform.clock.now().timestamp())

    assert (await robot.prove(robot.assertion(exp=now - 10))).status_code == 200
    assert_not_proved(await robot.prove(robot.assertion(exp=now - 40)))


async def test_an_assertion_is_signed_by_the_key_that_it_names(robot: Robot) -> None:
    stranger = OKPKey.generate_key("Ed25519")

    assert_not_proved(await robot.prove(robot.assertion(pair=stranger)))


async def test_what_does_not_exist_and_what_does_not_fit_look_the_same(tenant: Tenant) -> None:
    await tenant.fill("key")
    right = {"service_account": tenant.ids["account"], "key": tenant.ids["key"]}
    other = await make_tenant(tenant.site)
    await other.fill("key")

    answers = [
        await tenant.site.client.post("/v1/auth/token", json=right | given)
        for given in (
            {"client_secret": "moor_sak_wrong"},
            {"client_secret": tenant.secrets["key"], "key": ServiceAccountKeyId.new()},
            {"client_secret": tenant.secrets["key"], "service_account": ServiceAccountId.new()},
            {"client_secret": tenant.secrets["key"], "key": other.ids["key"]},
            {"client_secret": other.secrets["key"]},
            {"client_assertion": tenant.secrets["key"]},
            {},
        )
    ]

    for answer in answers:
        assert_not_proved(answer)
    assert len({answer.json()["detail"] for answer in answers}) == 1


async def test_a_disabled_account_is_dead_at_once_and_can_come_back(tenant: Tenant) -> None:
    caller = await mint(tenant)
    read = await tenant.admin.get(path_of(tenant))

    disabled = await tenant.admin.patch(
        path_of(tenant), {"disabled": True}, version=read.json()["version"]
    )
    dead = await caller.get(path_of(tenant))
    await tenant.admin.patch(
        path_of(tenant), {"disabled": False}, version=disabled.json()["version"]
    )

    assert dead.status_code == 401
    assert (await caller.get(path_of(tenant))).status_code == 200


async def test_a_deleted_account_is_dead_at_once(tenant: Tenant) -> None:
    caller = await mint(tenant)

    await tenant.admin.delete(path_of(tenant))

    assert (await caller.get("/v1/me")).status_code == 401
    assert (await tenant.admin.get(path_of(tenant))).status_code == 404


async def test_a_revoked_key_takes_its_tokens_with_it_and_no_others(tenant: Tenant) -> None:
    by_secret = await mint(tenant)
    by_signature = await (await make_robot(tenant)).caller()

    await tenant.admin.delete(f"{path_of(tenant)}/keys/{tenant.ids['key']}")

    assert (await by_secret.get("/v1/me")).status_code == 401
    assert (await by_signature.get("/v1/me")).status_code == 200


async def test_a_deleted_project_takes_its_accounts_with_it(tenant: Tenant) -> None:
    caller = await mint(tenant)

    await tenant.admin.delete(f"/v1/projects/{tenant.project.id}")

    assert (await caller.get("/v1/me")).status_code == 401
    answer = await tenant.site.client.post(
        "/v1/auth/token",
        json={
            "service_account": tenant.ids["account"],
            "key": tenant.ids["key"],
            "client_secret": tenant.secrets["key"],
        },
    )
    assert_not_proved(answer)


async def test_fewer_permissions_take_effect_on_tokens_that_are_out(tenant: Tenant) -> None:
    caller = await mint(tenant)
    read = await tenant.admin.get(path_of(tenant))
    project = f"/v1/projects/{tenant.project.id}"
    assert (await caller.get(f"{project}/memberships")).status_code == 200

    await tenant.admin.patch(
        path_of(tenant), {"permissions": ["iam.project.read"]}, version=read.json()["version"]
    )

    assert (await caller.get(project)).status_code == 200
    assert (await caller.get(f"{project}/memberships")).status_code == 403


async def test_another_process_hears_that_an_account_is_dead(tenant: Tenant) -> None:
    """It remembers callers for two seconds; this one's memory would last for ever."""
    caller = await mint(tenant)
    async with open_platform(tenant.site.platform.settings, background=False) as running:
        other = replace(running, principals=PrincipalCache(monotonic=lambda: 0.0))
        other.hub.listen(other.principals.hear)
        await asyncio.wait_for(other.hub.listening.wait(), 30)
        assert (await ask(other, caller)).status_code == 200

        await tenant.admin.delete(path_of(tenant))

        async with asyncio.timeout(30):
            while (await ask(other, caller)).status_code != 401:
                await asyncio.sleep(0.01)


async def ask(platform: Platform, caller: Bearer) -> httpx2.Response:
    """GET /v1/me of another process."""
    app = build_api(platform.settings)
    app.state.platform = platform
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url=BASE_URL) as client:
        return await Bearer(client, caller.token).get("/v1/me")


async def test_a_token_expires_after_minutes(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    caller = await mint(tenant)
    timed.clock.move(timedelta(minutes=9, seconds=58))
    before = await caller.get("/v1/me")
    timed.clock.move(timedelta(seconds=5))

    after = await caller.get("/v1/me")

    assert (before.status_code, after.status_code) == (200, 401)


async def test_a_key_expires(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    robot = await make_robot(tenant, expires_in=60)
    caller = await robot.caller()
    timed.clock.move(timedelta(seconds=61))

    assert (await caller.get("/v1/me")).status_code == 401
    assert_not_proved(await robot.prove(robot.assertion()))


async def test_keys_overlap_while_one_takes_over_from_the_other(tenant: Tenant) -> None:
    old, new = await make_robot(tenant), await make_robot(tenant)
    before = await old.caller()
    after = await new.caller()

    await tenant.admin.delete(f"{path_of(tenant)}/keys/{old.key}")

    assert (await before.get("/v1/me")).status_code == 401
    assert (await after.get("/v1/me")).status_code == 200
    listed = await tenant.admin.get(f"{path_of(tenant)}/keys")
    revoked = {item["id"]: item["revoked_at"] is not None for item in listed.json()["items"]}
    assert revoked == {old.key: True, new.key: False}
