"""A bad network changes nothing twice, and what went wrong has a name."""

import asyncio
import json
import logging

import pytest

import moorage
from moorage import AccessToken, Client, PrivateKey, ServiceAccount
from moorage.models import OrgRead, ProjectRead
from sdk.tests import running
from sdk.tests.conftest import new_slug
from sdk.tests.running import Platform
from sdk.tests.wire import Answer, Cut, LoseAnswer, Seen, Wire


def keys(wire: Wire) -> set[str]:
    """The idempotency keys that came by."""
    return {seen.headers["idempotency-key"] for seen in wire.seen if seen.method != "GET"}


async def test_a_lost_answer_is_asked_for_again_and_the_change_made_once(
    over_bad: Client, bad: Wire, admin: Client, org: OrgRead
) -> None:
    bad.faults = [Cut(), LoseAnswer(), LoseAnswer()]

    project = await over_bad.projects.create(org, slug="alpha", name="Alpha")

    assert [found.id async for found in admin.projects.list(org)] == [project.id]
    assert len(bad.seen) == 4
    assert len(keys(bad)) == 1


async def test_a_key_of_ones_own_is_sent_with_every_try(
    over_bad: Client, bad: Wire, org: OrgRead
) -> None:
    bad.faults = [LoseAnswer()]

    await over_bad.using(idempotency_key="my-own-key").orgs.update(org, name="Other")

    assert keys(bad) == {"my-own-key"}
    assert len(bad.seen) == 2


async def test_the_same_correlation_id_names_every_try(
    over_bad: Client, bad: Wire, org: OrgRead
) -> None:
    bad.faults = [Cut()]
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    await over_bad.using(correlation_id="my-correlation", traceparent=trace).orgs.get(org)

    assert [seen.headers["x-correlation-id"] for seen in bad.seen] == ["my-correlation"] * 2
    assert {seen.headers["traceparent"] for seen in bad.seen} == {trace}


async def test_calls_without_an_id_get_one_each(over_bad: Client, bad: Wire, org: OrgRead) -> None:
    await over_bad.orgs.get(org)
    await over_bad.orgs.get(org)

    assert len({seen.headers["x-correlation-id"] for seen in bad.seen}) == 2


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_proxy_that_finds_no_platform_is_asked_again(
    over_bad: Client, bad: Wire, org: OrgRead, status: int
) -> None:
    bad.faults = [Answer(status, b"<html>Bad gateway</html>")] * 2

    changed = await over_bad.orgs.update(org, name="Other")

    assert changed.name == "Other"
    assert len(keys(bad)) == 1


async def test_the_platforms_own_pause_is_kept(over_bad: Client, bad: Wire, org: OrgRead) -> None:
    slow_down = json.dumps({"code": "too_many_requests", "detail": "Slow down."}).encode()
    bad.faults = [Answer(429, slow_down, (("retry-after", "1"),))]
    clock = asyncio.get_running_loop()
    started = clock.time()

    await over_bad.orgs.get(org)

    assert clock.time() - started >= 1
    assert len(bad.seen) == 2


async def test_a_pause_longer_than_the_patience_is_reported_at_once(bad: Wire, token: str) -> None:
    bad.faults = [Answer(429, b"{}", (("retry-after", "3600"),))]

    async with Client(bad.url, auth=AccessToken(token)) as client:
        with pytest.raises(moorage.TooManyRequests) as refusal:
            await client.me.get()

    assert refusal.value.retry_after == 3600
    assert len(bad.seen) == 1


async def test_a_request_that_is_still_being_worked_on_is_sent_again_under_its_key(
    over_bad: Client, bad: Wire, org: OrgRead
) -> None:
    bad.faults = [Answer(409, json.dumps({"code": "in_progress"}).encode())]

    await over_bad.orgs.update(org, name="Other")

    assert len(keys(bad)) == 1


async def test_a_secret_whose_answer_was_lost_is_reported_with_what_was_made(
    over_bad: Client, bad: Wire, admin: Client
) -> None:
    bad.faults = [LoseAnswer()]

    with pytest.raises(moorage.errors.AlreadyIssued) as refusal:
        await over_bad.access_tokens.create(name="lost", expires_in=600)

    made = [token.id async for token in admin.access_tokens.list() if token.name == "lost"]
    assert made == [refusal.value.resource_id]


async def test_a_sign_in_whose_answer_was_lost_is_not_repeated(
    bad: Wire, platform: Platform
) -> None:
    bad.faults = [LoseAnswer()]
    auth = moorage.Password(running.ADMIN, platform.password)

    async with Client(bad.url, auth=auth) as client:
        with pytest.raises(moorage.Unreachable) as silence:
            await client.me.get()

    assert silence.value.sent
    assert bad.count("POST", "/v1/auth/login") == 1


async def test_a_proof_whose_answer_was_lost_is_made_anew(
    bad: Wire, admin: Client, project: ProjectRead, platform: Platform
) -> None:
    account = await admin.service_accounts.create(project, name="bot", permissions=[])
    private = PrivateKey.generate()
    key = await admin.service_accounts.create_key(account, public_key=private.public)
    auth = ServiceAccount(account.id, key=key.id, private_key=private, audience=platform.url)
    bad.faults = [LoseAnswer(), LoseAnswer()]

    async with Client(bad.url, auth=auth) as client:
        me = await client.me.get()

    assert me.id == account.id
    assert bad.count("POST", "/v1/auth/token") == 3
    sent = {json.loads(seen.body)["client_assertion"] for seen in bad.seen if seen.body}
    assert len(sent) == 3


async def test_a_platform_that_stays_away_is_unreachable_in_the_end(token: str) -> None:
    nowhere = f"http://127.0.0.1:{running.free_port()}"

    async with Client(nowhere, auth=AccessToken(token), patience=0.5) as client:
        with pytest.raises(moorage.Unreachable, match="cannot be reached") as silence:
            await client.orgs.create(slug="acme", name="Acme", admin_email="a@example.org")

    assert not silence.value.sent
    assert silence.value.idempotency_key


async def test_an_answer_that_never_comes_names_the_key_to_ask_again_with(
    bad: Wire, token: str, org: OrgRead
) -> None:
    bad.faults = [LoseAnswer()] * 50

    async with Client(bad.url, auth=AccessToken(token), patience=0.5) as client:
        with pytest.raises(moorage.Unreachable) as silence:
            await client.orgs.update(org, name="Other")

    assert silence.value.sent
    assert keys(bad) == {silence.value.idempotency_key}


async def test_a_page_that_is_not_the_platforms_is_named(bad: Wire, token: str) -> None:
    bad.faults = [Answer(200, b"<html>Welcome to the hotel</html>")]

    async with Client(bad.url, auth=AccessToken(token)) as client:
        with pytest.raises(moorage.BadAnswer, match="Is this a Moorage platform"):
            await client.me.get()


async def test_no_secret_reaches_a_log_line_or_an_exception(
    bad: Wire, platform: Platform, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bad.faults = [Cut(), Answer(503), LoseAnswer(), Answer(500, b"{}")]
    bad.applies = lambda seen: seen.method != "POST"
    auth = moorage.Password(running.ADMIN, platform.password)

    async with Client(bad.url, auth=auth) as client:
        with pytest.raises(moorage.ServerFault) as fault:
            await client.me.get()
    async with Client(bad.url, auth=AccessToken(token)) as client:
        made = await client.access_tokens.create(name="quiet", expires_in=600)

    cookies = {part for seen in bad.seen for part in cookie_values(seen)}
    written = f"{caplog.text} {fault.value!r} {fault.value} {auth!r} {client!r} {made!r}"
    for secret in (platform.password, token, made.token, *cookies):
        assert secret not in written
    assert len(cookies) == 1


def cookie_values(seen: Seen) -> list[str]:
    return [value for _, _, value in [seen.headers.get("cookie", "").partition("=")] if value]


async def test_an_id_cannot_reach_out_of_its_place_in_the_address(
    over_bad: Client, bad: Wire
) -> None:
    with pytest.raises(moorage.ApiError):
        await over_bad.orgs.get("../users?limit=1")

    assert bad.seen[0].path == "/v1/orgs/..%2Fusers%3Flimit%3D1"
    for nothing in ("", ".", ".."):
        with pytest.raises(ValueError, match="is not the id"):
            await over_bad.orgs.get(nothing)


@pytest.mark.parametrize(
    "options",
    [{"idempotency_key": "a b"}, {"correlation_id": "short"}, {"traceparent": "00-1-2-3"}],
)
def test_ids_that_the_platform_would_not_take_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="does not have the form"):
        Client("https://moorage.example.org").using(**options)


async def test_a_stale_connection_is_no_fault(over_bad: Client, bad: Wire) -> None:
    """The wire closes after each answer; the client finds out when it writes the next request."""
    for _ in range(5):
        await over_bad.me.get()

    await over_bad.orgs.create(slug=new_slug(), name="Org", admin_email=running.ADMIN)

    assert len(bad.seen) >= 6
