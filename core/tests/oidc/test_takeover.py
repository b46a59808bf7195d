"""Whose account a provider does not open, whatever it says, and how an admin opens it to one."""

from typing import Any

import httpx2
import psycopg
import pytest

from core.tests.callers import ActorMaker, Caller
from core.tests.oidc import visits
from core.tests.oidc.conftest import SignIn
from core.tests.oidc.scripted import ScriptedIssuer
from moorage_core.kit.ids import UserId

Sql = psycopg.AsyncConnection[Any]
SUBJECT = "grace"


def path(provider: dict[str, Any], user: str) -> str:
    return f"/v1/oidc-providers/{provider['id']}/identities/{user}"


async def give_password(sql: Sql, user: str) -> None:
    await sql.execute("UPDATE users SET password_hash = 'set' WHERE id = %s", (user,))


async def links(sql: Sql) -> list[tuple[str, str]]:
    return await (await sql.execute("SELECT subject, user_id FROM oidc_identities")).fetchall()


@pytest.mark.parametrize(
    "email", ["grace@example.com", "grace@evil-example.org", "grace@sub.example.org"]
)
@pytest.mark.parametrize("known", [True, False])
async def test_a_provider_speaks_for_its_own_domains_alone(
    browser: httpx2.AsyncClient,
    actor: ActorMaker,
    issuer: ScriptedIssuer,
    sign_in: SignIn,
    sql: Sql,
    email: str,
    known: bool,
) -> None:
    if known:
        await actor(email=email)
    issuer.claims = {"email": email}

    answer = await sign_in(browser)

    assert (answer.status_code, answer.json()["code"]) == (403, "domain_not_allowed")
    assert await links(sql) == []
    made = await sql.execute("SELECT count(*) FROM users WHERE email = %s", (email,))
    assert await made.fetchone() == (int(known),)


async def test_a_star_speaks_for_everybody(
    browser: httpx2.AsyncClient,
    admin: Caller,
    provider: dict[str, Any],
    issuer: ScriptedIssuer,
    sign_in: SignIn,
) -> None:
    issuer.claims = {"email": "grace@anywhere.example"}
    change = {"domains": ["*"]}
    await admin.patch(f"/v1/oidc-providers/{provider['id']}", change, version=1)

    answer = await sign_in(browser)

    assert answer.status_code == 303


async def test_who_is_linked_signs_in_though_the_domain_is_gone(
    browser: httpx2.AsyncClient, admin: Caller, provider: dict[str, Any], sign_in: SignIn
) -> None:
    await sign_in(browser)
    change = {"domains": ["example.net"]}
    await admin.patch(f"/v1/oidc-providers/{provider['id']}", change, version=1)

    answer = await sign_in(browser)

    assert answer.status_code == 303


@pytest.mark.parametrize("why", ["password", "platform role", "another provider"])
async def test_an_account_in_use_is_not_opened_for_its_address_alone(
    browser: httpx2.AsyncClient,
    admin: Caller,
    actor: ActorMaker,
    sign_in: SignIn,
    sql: Sql,
    why: str,
) -> None:
    role = "platform_admin" if why == "platform role" else None
    grace = await actor(role, email="grace@example.org")
    before: list[tuple[str, str]] = []
    if why == "password":
        await give_password(sql, grace.id)
    if why == "another provider":
        other = await visits.add_provider(admin, "https://b.example", client_id="b", slug="other")
        assert (await admin.put(path(other, grace.id), {"subject": "g"})).status_code == 204
        before = [("g", grace.id)]

    answer = await sign_in(browser)

    assert (answer.status_code, answer.json()["code"]) == (409, "link_needs_admin")
    assert f"identity {SUBJECT}" in answer.json()["detail"]
    assert await links(sql) == before


async def test_an_admin_s_link_opens_the_account(
    browser: httpx2.AsyncClient,
    admin: Caller,
    provider: dict[str, Any],
    sign_in: SignIn,
    sql: Sql,
) -> None:
    await give_password(sql, admin.id)

    linked = await admin.put(path(provider, admin.id), {"subject": SUBJECT})
    answer = await sign_in(browser)

    assert (linked.status_code, answer.status_code) == (204, 303)
    assert (await visits.who_am_i(browser))["id"] == admin.id
    entries = await sql.execute(
        "SELECT action, details FROM audit_entries WHERE target = %s", (admin.id,)
    )
    assert await entries.fetchall() == [
        ("iam.oidc_provider.update", {"provider": "corp", "subject": SUBJECT})
    ]
    published = await sql.execute(
        "SELECT subject, subject_version FROM events WHERE type = 'iam.oidc_identity.linked'"
    )
    assert await published.fetchall() == [(admin.id, 2)]


async def test_a_link_replaces_the_one_before(
    admin: Caller, provider: dict[str, Any], sql: Sql
) -> None:
    answers = [
        await admin.put(path(provider, admin.id), {"subject": subject}) for subject in ("a", "b")
    ]

    assert [answer.status_code for answer in answers] == [204, 204]
    assert await links(sql) == [("b", admin.id)]


async def test_an_identity_opens_one_account(
    admin: Caller, actor: ActorMaker, provider: dict[str, Any], sql: Sql
) -> None:
    other = await actor()
    await admin.put(path(provider, admin.id), {"subject": SUBJECT})

    answer = await admin.put(path(provider, other.id), {"subject": SUBJECT})

    assert (answer.status_code, answer.json()["code"]) == (409, "linked_to_another")
    assert await links(sql) == [(SUBJECT, admin.id)]


async def test_nobody_who_is_not_there_is_linked(admin: Caller, provider: dict[str, Any]) -> None:
    answer = await admin.put(path(provider, UserId.new()), {"subject": SUBJECT})

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_a_token_that_could_not_reset_a_password_links_nobody(
    admin: Caller, provider: dict[str, Any], sql: Sql
) -> None:
    """A link opens an account as a new password would."""
    new = {"name": "n", "expires_in": 600, "permissions": ["iam.oidc_provider.update"]}
    token = (await admin.post("/v1/access-tokens", new)).json()["token"]

    answer = await admin.client.put(
        path(provider, admin.id),
        json={"subject": SUBJECT},
        headers={"authorization": f"Bearer {token}", "idempotency-key": "link"},
    )

    assert answer.status_code == 403
    assert "iam.user.reset_password" in answer.json()["detail"]
    assert await links(sql) == []
