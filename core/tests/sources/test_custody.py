"""A credential is used and never shown: not in answers, records, logs, errors or the database."""

import base64
import dataclasses
import gc
import traceback
from collections.abc import AsyncIterator
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh
from core.tests.sources import depot as depots
from core.tests.sources import orders
from core.tests.sources.depot import Depot
from core.tests.sources.orders import BLOB, CONTENT, REPOSITORY, take
from moorage_core.errors import ApiError
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.sources import commands, rules

PASSWORD = "a-password-to-look-for"
TOKEN = "a-token-to-look-for"
NEVER = (
    PASSWORD,
    TOKEN,
    base64.b64encode(f"ada:{PASSWORD}".encode()).decode(),
    PASSWORD.encode().hex(),
    TOKEN.encode().hex(),
)


@pytest.fixture
async def depot() -> AsyncIterator[Depot]:
    async with depots.listening() as running:
        yield running


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def make_source(caller: Caller, org: str, url: str, **fields: Any) -> str:
    body = {"slug": f"s-{fresh()}", "name": "Depot", "kind": "oci", "url": url} | fields
    made = await caller.post(f"/v1/orgs/{org}/sources", body)
    assert made.status_code == 201, made.text
    return made.json()["id"]


async def fetched(site: Site, source: str, org: str) -> bytes:
    pieces = await commands.open_remote(
        site.platform,
        source,
        org=org,
        kind="oci",
        location=REPOSITORY,
        digest=orders.digest_of(CONTENT),
        size=len(CONTENT),
        offset=0,
    )
    return await take(pieces)


@pytest.mark.parametrize("shared", [True, False])
async def test_the_platform_fetches_with_the_credential_it_keeps(
    site: Site, tenant: Tenant, depot: Depot, shared: bool
) -> None:
    root = await site.actor("platform_admin")
    owner, org = (root, PLATFORM_ORG) if shared else (tenant.admin, tenant.org.id)
    credential = {"username": "ada", "password": PASSWORD}
    source = await make_source(owner, org, depot.url, credential=credential)
    depot.answers[BLOB] = depots.content(CONTENT)

    assert await fetched(site, source, tenant.org.id) == CONTENT
    sent = depot.asked[0].headers["authorization"]
    assert base64.b64decode(sent.removeprefix("Basic ")).decode() == f"ada:{PASSWORD}"


async def test_no_transaction_is_open_while_bytes_come(
    site: Site, tenant: Tenant, depot: Depot
) -> None:
    source = await make_source(tenant.admin, tenant.org.id, depot.url)
    depot.answers[BLOB] = depots.content(CONTENT[:5000], CONTENT[5000:])

    pieces = await commands.open_remote(
        site.platform,
        source,
        org=tenant.org.id,
        kind="oci",
        location=REPOSITORY,
        digest=orders.digest_of(CONTENT),
        size=len(CONTENT),
    )
    open_ones = await site.rows(
        """
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
            AND usename = 'moorage_app' AND state LIKE 'idle in transaction%%'
        """
    )

    assert open_ones == [(0,)]
    assert await take(pieces) == CONTENT


async def test_a_disabled_source_gives_nothing(site: Site, tenant: Tenant, depot: Depot) -> None:
    source = await make_source(tenant.admin, tenant.org.id, depot.url, enabled=False)

    with pytest.raises(rules.SourceNotUsable):
        await fetched(site, source, tenant.org.id)
    assert depot.connections == 0


async def test_another_orgs_source_gives_nothing(site: Site, tenant: Tenant, depot: Depot) -> None:
    rival = await make_tenant(site)
    source = await make_source(tenant.admin, tenant.org.id, depot.url)

    with pytest.raises(rules.SourceNotUsable):
        await fetched(site, source, rival.org.id)
    assert depot.connections == 0


HOSTILE: dict[str, depots.Answer] = {
    "refused": depots.status(401),
    "forbidden": depots.status(403),
    "gone": depots.status(404),
    "broken": depots.status(500),
    "cut": depots.content(CONTENT[:100], length=len(CONTENT)),
    "wrong": depots.content(b"X" * len(CONTENT)),
    "no http": depots.raw(b"hello\r\n\r\n"),
    "redirect": depots.redirect("http://10.0.0.8/"),
    "challenge": depots.status(401, www_authenticate='Bearer realm="https://evil.example/t"'),
}


async def test_after_every_failure_the_credential_is_nowhere_to_be_found(
    site: Site, tenant: Tenant, depot: Depot, capfd: pytest.CaptureFixture[str]
) -> None:
    answers: list[str] = []
    failures: list[BaseException] = []
    for credential in ({"username": "ada", "password": PASSWORD}, {"token": TOKEN}):
        source = await make_source(tenant.admin, tenant.org.id, depot.url, credential=credential)
        for answer in HOSTILE.values():
            depot.answers["*"] = answer
            with pytest.raises(ApiError) as failure:
                await fetched(site, source, tenant.org.id)
            failures.append(failure.value)
        answers += await _provoked(tenant.admin, source, credential)

    assert len(failures) == 2 * len(HOSTILE)
    await site.number()
    told = [text for err in failures for text in traceback.format_exception(err)]
    told += [f"{err!r} {err.__dict__}" for err in failures]
    told += [f"{thing!r}" for thing in gc.get_objects() if _is_ours(thing)]
    logged = capfd.readouterr()
    everything = [*answers, *told, logged.out, logged.err, await _database(site)]
    assert [word for word in NEVER for text in everything if word in text] == []
    assert "source.failed" in logged.out, "the log says that something failed"


async def _provoked(admin: Caller, source: str, credential: dict[str, str]) -> list[str]:
    """Answers to requests that carry the credential, good ones and bad ones, and to reads."""
    path, good = f"/v1/sources/{source}", {"credential": credential}
    sent = [
        await admin.patch(path, good, version=1),
        await admin.patch(path, good, version=1),
        await admin.patch(path, good | {"url": "http://example.org"}, version=2),
        await admin.patch(path, good | {"clear": ["credential"]}, version=2),
        await admin.patch(path, {"credential": credential | {"extra": 1}}, version=2),
        await admin.patch(path, {"credential": list(credential.values())}, version=2),
        await admin.patch(path, {"name": PASSWORD + "\n" + TOKEN}, version=2),
        await admin.get(path),
        await admin.get("/v1/sources"),
        await admin.get("/v1/events"),
        await admin.get("/v1/audit"),
    ]
    assert {answer.status_code for answer in sent} >= {200, 412, 422}
    return [answer.text for answer in sent]


def _is_ours(thing: object) -> bool:
    return dataclasses.is_dataclass(thing) and type(thing).__module__.startswith(
        ("moorage_core.sources", "moorage_core.kit.outbound", "moorage_core.context")
    )


async def _database(site: Site) -> str:
    tables = await site.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    parts = [
        (await site.rows(f"SELECT coalesce(string_agg(t::text, '|'), '') FROM {name} t"))[0][0]
        for (name,) in tables
    ]
    return "\n".join(parts)
