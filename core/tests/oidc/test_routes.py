"""Sign-in providers, as those who run the platform see them."""

from typing import Any

import httpx2
import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from core.tests.callers import ActorMaker, Caller
from core.tests.factories.tenancy import OrgRow
from core.tests.oidc import visits
from moorage_core.kit.ids import OidcProviderId

ISSUER = "https://login.example.org/realms/corp"


@pytest.fixture
async def corp(admin: Caller) -> dict[str, Any]:
    return await visits.add_provider(admin, ISSUER, client_id="moorage")


async def test_a_new_provider_tells_its_callback_address_and_not_its_secret(admin: Caller) -> None:
    new = {
        "slug": "corp",
        "name": "Konzern-Anmeldung ÄÖÜ 登录",
        "issuer": ISSUER,
        "client_id": "moorage",
        "client_secret": visits.SECRET,
        "domains": ["example.org"],
    }

    answer = await admin.post("/v1/oidc-providers", new)

    assert (answer.status_code, answer.headers["etag"]) == (201, '"1"')
    told = answer.json()
    assert told["callback_url"] == "http://127.0.0.1:7700/v1/auth/oidc/corp/callback"
    assert told["name"] == new["name"]
    assert told["enabled"] is True
    assert visits.SECRET not in answer.text


async def test_providers_are_listed_and_read(admin: Caller, corp: dict[str, Any]) -> None:
    listed = await admin.get("/v1/oidc-providers")
    read = await admin.get(f"/v1/oidc-providers/{corp['id']}")

    assert listed.json() == {"items": [corp], "next": None}
    assert read.json() == corp
    assert read.headers["etag"] == '"1"'


@pytest.mark.parametrize(
    "issuer",
    [
        "http://login.example.org",
        "https://",
        "https://user@login.example.org",
        "https://login.example.org/?tenant=1",
        "https://login.example.org/#top",
        "https://login.example.org:99999",
        "https://a\\b",
        "ftp://login.example.org",
        "login.example.org",
    ],
)
async def test_an_issuer_that_cannot_be_trusted_is_refused(admin: Caller, issuer: str) -> None:
    new = {
        "slug": "corp",
        "name": "Corp",
        "issuer": issuer,
        "client_id": "moorage",
        "client_secret": visits.SECRET,
        "domains": ["example.org"],
    }

    answer = await admin.post("/v1/oidc-providers", new)

    assert (answer.status_code, answer.json()["code"]) in (
        (422, "malformed"),
        (422, "issuer_not_allowed"),
    )
    assert answer.json()["errors"][0]["location"] == "body.issuer"
    assert visits.SECRET not in answer.text
    assert (await admin.get("/v1/oidc-providers")).json()["items"] == []


@pytest.mark.parametrize(
    "domains",
    [None, [], [""], ["Example.org"], ["*.example.org"], ["@example.org"], ["example..org"], "*"],
)
async def test_a_provider_without_domains_that_it_speaks_for_is_refused(
    admin: Caller, domains: object
) -> None:
    new = {
        "slug": "corp",
        "name": "Corp",
        "issuer": ISSUER,
        "client_id": "moorage",
        "client_secret": visits.SECRET,
        "domains": domains,
    }

    answer = await admin.post("/v1/oidc-providers", new)

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")


async def test_the_domains_of_a_provider_can_be_changed(
    admin: Caller, corp: dict[str, Any]
) -> None:
    path = f"/v1/oidc-providers/{corp['id']}"

    answer = await admin.patch(path, {"domains": ["example.com", "example.net"]}, version=1)

    assert corp["domains"] == ["example.org"]
    assert answer.json()["domains"] == ["example.com", "example.net"]


async def test_a_slug_is_taken_once(admin: Caller, corp: dict[str, Any]) -> None:
    new = {
        "slug": corp["slug"],
        "name": "Another",
        "issuer": "https://other.example.org",
        "client_id": "x",
        "client_secret": "y",
        "domains": ["example.org"],
    }

    answer = await admin.post("/v1/oidc-providers", new)

    assert (answer.status_code, answer.json()["code"]) == (409, "slug_taken")


async def test_an_update_changes_what_it_names_and_nothing_else(
    admin: Caller, corp: dict[str, Any]
) -> None:
    path = f"/v1/oidc-providers/{corp['id']}"

    answer = await admin.patch(path, {"enabled": False}, version=1)

    assert answer.status_code == 200
    changed = answer.json()
    assert (changed["enabled"], changed["version"]) == (False, 2)
    kept = ("name", "issuer", "client_id", "slug", "domains")
    assert [changed[name] for name in kept] == [corp[name] for name in kept]


async def test_an_update_of_a_version_long_gone_is_refused(
    admin: Caller, corp: dict[str, Any]
) -> None:
    path = f"/v1/oidc-providers/{corp['id']}"
    await admin.patch(path, {"name": "First"}, version=1)

    answer = await admin.patch(path, {"name": "Second"}, version=1)

    assert (answer.status_code, answer.json()["code"]) == (412, "stale")


async def test_the_issuer_of_a_provider_cannot_be_changed(
    admin: Caller, corp: dict[str, Any]
) -> None:
    change = {"issuer": "https://elsewhere.example.org"}

    answer = await admin.patch(f"/v1/oidc-providers/{corp['id']}", change, version=1)

    assert answer.status_code == 422


async def test_a_deleted_provider_takes_its_secret_with_it(
    admin: Caller, corp: dict[str, Any], sql: psycopg.AsyncConnection[Any]
) -> None:
    path = f"/v1/oidc-providers/{corp['id']}"

    answer = await admin.delete(path)

    assert answer.status_code == 204
    assert (await admin.get(path)).status_code == 404
    left = await sql.execute("SELECT count(*) FROM secrets WHERE purpose = 'oidc_client'")
    assert await left.fetchone() == (0,)


async def test_the_client_secret_is_nowhere_in_clear(
    admin: Caller, corp: dict[str, Any], sql: psycopg.AsyncConnection[Any]
) -> None:
    change = {"client_secret": visits.SECRET + "-2"}

    answer = await admin.patch(f"/v1/oidc-providers/{corp['id']}", change, version=1)

    assert answer.status_code == 200
    tables = await sql.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    for (table,) in await tables.fetchall():
        every = SQL("SELECT t::text FROM {} t").format(Identifier(table))
        rows = await (await sql.execute(every)).fetchall()
        text = "\n".join(row for (row,) in rows)
        assert visits.SECRET not in text
        assert visits.SECRET.encode().hex() not in text


async def test_every_change_leaves_one_audit_entry_and_one_event_of_the_platform(
    admin: Caller, corp: dict[str, Any], sql: psycopg.AsyncConnection[Any]
) -> None:
    path = f"/v1/oidc-providers/{corp['id']}"
    await admin.patch(path, {"name": "Renamed"}, version=1)
    await admin.delete(path)

    audited = await sql.execute(
        "SELECT action, actor_id FROM audit_entries WHERE target = %s ORDER BY pos", (corp["id"],)
    )
    published = await sql.execute(
        "SELECT type, subject_version, org_id FROM events WHERE subject = %s ORDER BY pos",
        (corp["id"],),
    )

    verbs = ("create", "update", "delete")
    assert await audited.fetchall() == [(f"iam.oidc_provider.{v}", admin.id) for v in verbs]
    platform = "org_" + "0" * 26
    assert await published.fetchall() == [
        (f"iam.oidc_provider.{v}d", n, platform) for n, v in enumerate(verbs, 1)
    ]


async def test_a_tenant_admin_neither_sees_nor_changes_providers(
    actor: ActorMaker, acme: Any, corp: dict[str, Any]
) -> None:
    tenant = await actor("tenant_admin", org=acme)
    path = f"/v1/oidc-providers/{corp['id']}"

    answers = [
        await tenant.get("/v1/oidc-providers"),
        await tenant.get(path),
        await tenant.patch(path, {"enabled": False}, version=1),
        await tenant.delete(path),
        await tenant.delete(f"{path}/identities/{tenant.id}"),
        await tenant.put(f"{path}/identities/{tenant.id}", {"subject": "mallory"}),
    ]

    assert [answer.status_code for answer in answers] == [403] * 6


async def test_a_provider_that_is_not_there_is_not_found(admin: Caller) -> None:
    path = f"/v1/oidc-providers/{OidcProviderId.new()}"

    answers = [
        await admin.get(path),
        await admin.patch(path, {"name": "x"}, version=1),
        await admin.delete(path),
        await admin.delete(f"{path}/identities/{admin.id}"),
        await admin.put(f"{path}/identities/{admin.id}", {"subject": "admin"}),
    ]

    assert [answer.json()["code"] for answer in answers] == ["not_found"] * 5


async def test_the_login_page_is_told_the_enabled_providers_and_no_more(
    admin: Caller, corp: dict[str, Any], browser: httpx2.AsyncClient
) -> None:
    off = await visits.add_provider(admin, "https://b.example.org", client_id="b", slug="off")
    await admin.patch(f"/v1/oidc-providers/{off['id']}", {"enabled": False}, version=1)

    answer = await browser.get("/v1/auth/oidc/providers")

    assert answer.json() == {"items": [{"slug": "corp", "name": "Corp Login"}]}


async def test_nobody_signs_in_through_a_disabled_or_unknown_provider(
    admin: Caller, corp: dict[str, Any], browser: httpx2.AsyncClient
) -> None:
    await admin.patch(f"/v1/oidc-providers/{corp['id']}", {"enabled": False}, version=1)

    disabled = await browser.get("/v1/auth/oidc/corp/start")
    unknown = await browser.get("/v1/auth/oidc/nothing/start")

    assert (disabled.status_code, unknown.status_code) == (404, 404)
    assert "corp" in disabled.json()["detail"]


@pytest.mark.parametrize(
    "return_to",
    ["//evil.example", "https://evil.example", "/\\evil.example", "/a\\b", "/\t/evil", "", "evil"],
)
async def test_only_a_path_of_this_site_can_be_returned_to(
    corp: dict[str, Any], browser: httpx2.AsyncClient, return_to: str
) -> None:
    answer = await browser.get("/v1/auth/oidc/corp/start", params={"return_to": return_to})

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/v1/auth/oidc/nothing/start", "not_found"),
        ("/v1/auth/oidc/corp/start?return_to=//evil.example", "malformed"),
        ("/v1/auth/oidc/corp/callback?error=access_denied&state=x", "login_not_pending"),
    ],
)
async def test_a_browser_that_is_refused_lands_on_the_login_page(
    corp: dict[str, Any], browser: httpx2.AsyncClient, path: str, code: str
) -> None:
    looking = {"accept": "text/html,*/*;q=0.8", "x-correlation-id": "sign-in-01"}

    answer = await browser.get(path, headers=looking)

    assert answer.status_code == 303
    assert answer.headers["location"] == f"/login?problem={code}&correlation_id=sign-in-01"


async def test_the_login_page_has_room_for_fifty_providers(
    admin: Caller, corp: dict[str, Any], sql: psycopg.AsyncConnection[Any]
) -> None:
    await sql.execute(
        """
        INSERT INTO oidc_providers (id, slug, name, issuer, client_id, secret_id, domains, enabled,
            created_at, updated_at)
        SELECT id || n, slug || n, name, issuer, client_id, secret_id, domains, enabled, now(),
            now()
        FROM oidc_providers, generate_series(1, 49) n
        """
    )
    new = {
        "slug": "one-more",
        "name": "x",
        "issuer": ISSUER,
        "client_id": "x",
        "client_secret": "y",
        "domains": ["example.org"],
    }

    answer = await admin.post("/v1/oidc-providers", new)

    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_providers")


async def test_opening_an_account_in_use_needs_a_reason_that_its_orgs_see(
    admin: Caller,
    corp: dict[str, Any],
    actor: ActorMaker,
    acme: OrgRow,
    sql: psycopg.AsyncConnection[Any],
) -> None:
    person = await actor("tenant_admin", org=acme)
    await sql.execute("UPDATE users SET password_hash = 'x' WHERE id = %s", (person.id,))
    path = f"/v1/oidc-providers/{corp['id']}/identities/{person.id}"

    silent = await admin.put(path, {"subject": "mallory"})
    open_ = await admin.put(path, {"subject": "mallory", "reason": "she lost her password"})

    events = await (
        await sql.execute("SELECT data->>'reason' FROM events WHERE org_id = %s", (acme.id,))
    ).fetchall()
    entry = await (
        await sql.execute("SELECT break_glass, reason FROM audit_entries ORDER BY pos DESC LIMIT 1")
    ).fetchone()
    assert (silent.status_code, silent.json()["code"]) == (422, "reason_required")
    assert open_.status_code == 204, open_.text
    assert ("she lost her password",) in events
    assert entry == (True, "she lost her password")
