"""Proofs are obtained once, renewed in time, and given back."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import moorage
from moorage import AccessToken, Client, PrivateKey, ServiceAccount
from moorage.auth import Sender, _Kept, _Proof
from moorage.models import ProjectRead, ServiceAccountRead
from sdk.tests import running
from sdk.tests.running import Platform
from sdk.tests.wire import Answer, Wire

REFUSED = Answer(401, json.dumps({"code": "unauthenticated", "detail": "Expired."}).encode())


@pytest.fixture
async def account(admin: Client, project: ProjectRead) -> ServiceAccountRead:
    wanted = ["iam.project.read"]
    return await admin.service_accounts.create(project, name="bot", permissions=wanted)


@pytest.fixture
async def proof(
    admin: Client, account: ServiceAccountRead, platform: Platform
) -> Callable[[], ServiceAccount]:
    """A service account's key, ready for use over any wire."""
    private = PrivateKey.generate()
    key = await admin.service_accounts.create_key(account, public_key=private.public)
    return lambda: ServiceAccount(
        account.id, key=key.id, private_key=private, audience=platform.url
    )


async def test_a_service_account_proves_itself_by_its_key(
    platform: Platform, proof: Callable[[], ServiceAccount], project: ProjectRead
) -> None:
    async with Client(platform.url, auth=proof()) as client:
        found = await client.projects.get(project)

    assert found.id == project.id


async def test_a_service_account_proves_itself_by_a_secret(
    platform: Platform, admin: Client, account: ServiceAccountRead
) -> None:
    key = await admin.service_accounts.create_key(account)

    auth = ServiceAccount(account.id, key=key.id, secret=key.secret)
    async with Client(platform.url, auth=auth) as client:
        me = await client.me.get()

    assert me.id == account.id


async def test_a_key_is_read_from_its_file(
    platform: Platform, admin: Client, account: ServiceAccountRead, tmp_path: Path
) -> None:
    private = PrivateKey.generate()
    file = tmp_path / "key.pem"
    file.write_bytes(private.pem)
    key = await admin.service_accounts.create_key(account, public_key=private.public)

    auth = ServiceAccount(account.id, key=key.id, private_key=file)
    async with Client(platform.url, auth=auth) as client:
        assert (await client.me.get()).id == account.id


async def test_many_calls_at_once_mint_one_token(
    bad: Wire, proof: Callable[[], ServiceAccount], project: ProjectRead
) -> None:
    async with Client(bad.url, auth=proof()) as client:
        await asyncio.gather(*(client.projects.get(project) for _ in range(20)))

    assert bad.count("POST", "/v1/auth/token") == 1


async def test_a_token_that_is_refused_is_renewed_once_for_all(
    bad: Wire, proof: Callable[[], ServiceAccount], project: ProjectRead
) -> None:
    async with Client(bad.url, auth=proof()) as client:
        await client.projects.get(project)
        bad.faults = [REFUSED] * 5
        bad.applies = lambda seen: seen.method == "GET"
        await asyncio.gather(*(client.projects.get(project) for _ in range(5)))

    assert bad.count("POST", "/v1/auth/token") == 2


async def test_a_caller_who_is_refused_again_is_told_so(
    bad: Wire, proof: Callable[[], ServiceAccount], project: ProjectRead
) -> None:
    bad.faults = [REFUSED] * 2
    bad.applies = lambda seen: seen.method == "GET"

    async with Client(bad.url, auth=proof()) as client:
        with pytest.raises(moorage.Unauthenticated, match="Expired"):
            await client.projects.get(project)

    assert bad.count("GET", f"/v1/projects/{project.id}") == 2


async def test_a_revoked_key_proves_nothing(
    platform: Platform, admin: Client, account: ServiceAccountRead
) -> None:
    private = PrivateKey.generate()
    key = await admin.service_accounts.create_key(account, public_key=private.public)
    await admin.service_accounts.revoke_key(account, key)

    auth = ServiceAccount(account.id, key=key.id, private_key=private)
    async with Client(platform.url, auth=auth) as client:
        with pytest.raises(moorage.errors.NotProved):
            await client.me.get()


async def test_a_personal_token_that_is_refused_is_not_tried_again(bad: Wire) -> None:
    async with Client(bad.url, auth=AccessToken("moor_pat_invented")) as client:
        with pytest.raises(moorage.Unauthenticated):
            await client.me.get()

    assert len(bad.seen) == 1


async def test_a_password_session_ends_with_the_client(
    platform: Platform, admin: Client, bad: Wire
) -> None:
    auth = moorage.Password(running.ADMIN, platform.password)

    async with Client(bad.url, auth=auth) as client:
        session = (await client.me.get()).session_id
        await client.access_tokens.create(name="by password", expires_in=600)

    assert session is not None
    assert session not in [found.id async for found in admin.sessions.list()]
    assert bad.count("POST", "/v1/auth/login") == 1


async def test_a_wrong_password_is_no_reason_to_sign_in_again(
    platform: Platform, admin: Client, bad: Wire
) -> None:
    user = await admin.users.create(email=f"{running.free_port()}@example.org", name="Somebody")
    code = await admin.users.issue_password_code(user)
    async with Client(platform.url) as anybody:
        await anybody.signing_in.set_password(code=code.code, password="correct horse battery")

    auth = moorage.Password(user.email, "correct horse battery")
    async with Client(bad.url, auth=auth) as client:
        with pytest.raises(moorage.errors.WrongPassword):
            await client.me.change_password(current="not this one", password="another long one")

    assert bad.count("POST", "/v1/auth/login") == 1
    assert bad.count("POST", "/v1/me/password") == 1


async def test_public_calls_carry_no_credentials(bad: Wire, token: str) -> None:
    async with Client(bad.url, auth=AccessToken(token)) as client:
        await client.platform.status()

    assert "authorization" not in bad.seen[0].headers


@pytest.mark.parametrize(("good_for", "obtained"), [(0.0, 3), (600.0, 1)])
async def test_a_proof_is_obtained_anew_when_its_time_is_over(
    good_for: float, obtained: int, admin: Client
) -> None:
    times: list[float] = []

    async def obtain(_: Sender) -> _Proof:
        times.append(good_for)
        return _Proof({"Authorization": "Bearer x"}, good_for=good_for)

    kept = _Kept(obtain)
    for _ in range(3):
        await kept.headers(admin._transport)

    assert len(times) == obtained


@pytest.mark.parametrize(
    "text", ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "{}"]
)
def test_what_is_no_private_key_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(moorage.KeyUnusable) as refusal:
        PrivateKey.load(text)

    assert "AAAA" not in str(refusal.value)


def test_a_service_account_needs_exactly_one_way_to_prove_itself() -> None:
    with pytest.raises(ValueError, match="private key or by a secret"):
        ServiceAccount("sac_1", key="key_1")
    with pytest.raises(ValueError, match="private key or by a secret"):
        ServiceAccount("sac_1", key="key_1", secret="s", private_key=PrivateKey.generate())


async def test_what_proves_the_caller_is_not_printed(admin: Client) -> None:
    headers = await AccessToken("moor_pat_secret").headers(admin._transport)

    assert headers["Authorization"] == "Bearer moor_pat_secret"
    assert "secret" not in f"{headers!r} {headers}"
