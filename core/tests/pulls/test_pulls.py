"""Pulling an artifact: who may, with what, and what stops it."""

import asyncio
import dataclasses
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories import artifacts, catalog, entitlements
from core.tests.factories.pulls import NAME, Shop, fetch, issue, open_shop
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.pulls.reader import Reader
from core.tests.site import Site, TimedSite, fresh
from moorage_core.artifacts.local_blobs import GIVEN
from moorage_core.http.principal_cache import topic
from moorage_core.retention.sweeps import DeleteExpired


@dataclasses.dataclass(frozen=True)
class Market:
    """A publisher, and a customer of another org that is entitled to its app."""

    shop: Shop
    customer: Tenant
    entitlement: dict[str, Any]

    @property
    def project(self) -> str:
        return self.customer.project.id

    async def ask(self, caller: Caller | None = None, **changes: Any) -> httpx2.Response:
        return await (caller or self.customer.admin).post(
            f"/v1/projects/{self.project}/pulls", self.shop.wish(**changes)
        )

    async def pull(self, caller: Caller | None = None, **changes: Any) -> dict[str, Any]:
        return await issue(caller or self.customer.admin, self.project, self.shop.wish(**changes))


async def open_market(site: Site, *, content: bytes | None = None) -> Market:
    shop = await open_shop(await make_tenant(site), content=content)
    customer = await make_tenant(site)
    held = await entitlements.entitle(customer.admin, customer.project.id, shop.app["id"])
    return Market(shop, customer, held)


@pytest.fixture
async def market(site: Site) -> Market:
    return await open_market(site)


def problem(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_an_entitled_org_pulls_what_another_org_has_published(
    site: Site, market: Market
) -> None:
    pull = await market.pull()

    answer = await fetch(market.customer.admin, pull)

    assert answer.status_code == 200
    assert answer.content == market.shop.content
    assert answer.headers["etag"] == f'"{market.shop.artifact["digest"]}"'
    assert answer.headers["content-length"] == str(len(market.shop.content))
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment"
    assert pull["digest"] == market.shop.artifact["digest"]
    assert pull["url"].endswith(f"/v1/pulls/{pull['id']}/content")


async def test_a_pull_is_recorded_where_it_is_made_and_its_secret_nowhere(
    site: Site, market: Market
) -> None:
    pull = await market.pull()

    entries = await site.rows(
        "SELECT action, org_id, project_id, app_slug, details ->> 'digest' FROM audit_entries"
        " WHERE target = %s",
        pull["id"],
    )
    events = await site.rows(
        "SELECT type, data ->> 'holder' FROM events WHERE subject = %s", pull["id"]
    )
    assert entries == [
        (
            "catalog.artifact.pull",
            market.customer.org.id,
            market.project,
            market.shop.app["slug"],
            pull["digest"],
        )
    ]
    assert events == [("catalog.pull.issued", market.customer.admin.id)]
    for table in ("pulls", "events", "audit_entries", "idempotency_answers"):
        rows = await site.rows(f"SELECT t::text FROM {table} t")
        assert not any(pull["secret"] in text for (text,) in rows)


async def test_a_pull_carries_what_proves_the_artifact(market: Market) -> None:
    pull = await market.pull()

    assert pull["signatures"] == [
        {
            "key_id": market.shop.key,
            "public_key": artifacts.public_jwk(market.shop.pair),
            "signature": artifacts.signature_of(market.shop.pair, pull["digest"]),
        }
    ]


@pytest.mark.parametrize(
    ("wanted", "start", "end"), [("bytes=100-", 100, 1000), ("bytes=100-199", 100, 200)]
)
async def test_a_part_can_be_pulled(market: Market, wanted: str, start: int, end: int) -> None:
    pull = await market.pull()

    answer = await fetch(market.customer.admin, pull, range=wanted)

    assert answer.status_code == 206
    assert answer.content == market.shop.content[start:end]
    assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/1000"
    assert answer.headers["content-length"] == str(end - start)


async def test_a_part_that_is_not_there_is_refused(market: Market) -> None:
    pull = await market.pull()

    answer = await fetch(market.customer.admin, pull, range="bytes=1000-")

    assert problem(answer) == (416, "range_not_satisfiable")
    assert answer.headers["content-range"] == "bytes */1000"


async def test_a_part_across_pieces_is_the_right_one(site: Site) -> None:
    content = os.urandom(2 * GIVEN + 100)
    market = await open_market(site, content=content)
    pull = await market.pull()

    answer = await fetch(market.customer.admin, pull, range=f"bytes={GIVEN - 5}-{2 * GIVEN + 4}")

    assert answer.content == content[GIVEN - 5 : 2 * GIVEN + 5]


async def test_a_service_account_pulls_with_this_one_key(market: Market) -> None:
    robot = await make_robot(market.customer, "catalog.artifact.pull")

    pull = await market.pull(robot)
    answer = await fetch(robot, pull)

    assert answer.content == market.shop.content


async def make_robot(tenant: Tenant, *permissions: str) -> Caller:
    body = {"name": f"robot {fresh()}", "permissions": list(permissions)}
    path = f"/v1/projects/{tenant.project.id}/service-accounts"
    account = await catalog.made(tenant.admin, path, body)
    return await mint(dataclasses.replace(tenant, ids={"account": account["id"]}))


@pytest.mark.rule("AR-7")
async def test_a_stolen_credential_is_not_found(site: Site, market: Market) -> None:
    """By another org, by a colleague, by the publisher, by those who run the platform."""
    pull = await market.pull()
    thieves = {
        "stranger": (await make_tenant(site)).admin,
        "colleague": await site.actor("tenant_admin", org=market.customer.org),
        "publisher": market.shop.publisher.admin,
        "root": await site.actor("platform_admin"),
    }

    answers = {name: await fetch(thief, pull) for name, thief in thieves.items()}

    assert {name: problem(answer) for name, answer in answers.items()} == dict.fromkeys(
        thieves, (404, "not_found")
    )


@pytest.mark.rule("AR-7")
async def test_the_holder_needs_the_secret_too(market: Market) -> None:
    pull, other = await market.pull(), await market.pull()

    none = await market.customer.admin.get(f"/v1/pulls/{pull['id']}/content")
    wrong = await fetch(market.customer.admin, pull | {"secret": other["secret"]})

    assert problem(none) == problem(wrong) == (403, "pull_secret_wrong")


@pytest.mark.rule("AR-7")
async def test_a_credential_is_good_for_minutes(timed: TimedSite) -> None:
    market = await open_market(timed)
    pull = await market.pull()
    timed.clock.move(timedelta(minutes=4, seconds=59))
    before = await fetch(market.customer.admin, pull)
    timed.clock.move(timedelta(seconds=2))

    after = await fetch(market.customer.admin, pull)

    assert before.status_code == 200
    assert problem(after) == (410, "pull_expired")


async def test_expired_pulls_are_kept_for_a_day(timed: TimedSite) -> None:
    market = await open_market(timed)
    pull = await market.pull()
    counted: list[int] = []

    for step in (timedelta(hours=23), timedelta(hours=2)):
        timed.clock.move(step)
        await DeleteExpired(timed.platform).activate()
        counted.append(len(await timed.rows("SELECT 1 FROM pulls WHERE id = %s", pull["id"])))

    assert counted == [1, 0]


# What stops a pull


@pytest.mark.rule("AR-6")
async def test_a_revoked_artifact_is_refused_to_whoever_asks_next(
    site: Site, market: Market
) -> None:
    assert (await market.ask()).status_code == 201

    revoked = await market.shop.revoke()
    answer = await market.ask()

    assert problem(answer) == (403, "policy_refused")
    assert "It opens a back door." in answer.json()["detail"]
    assert answer.json()["errors"][0]["location"] == "trust"
    id = revoked.json()["id"]
    assert await site.rows(
        "SELECT count(*) FROM audit_entries WHERE target = %s AND action = %s",
        id,
        "catalog.artifact.revoke",
    ) == [(1,)]
    assert await site.rows(
        "SELECT count(*) FROM events WHERE subject = %s AND type = %s",
        id,
        "catalog.artifact.revoked",
    ) == [(1,)]


@pytest.mark.rule("AR-6")
async def test_a_credential_that_is_out_stops_with_the_revocation(
    site: Site, market: Market
) -> None:
    pull = await market.pull()
    assert (await fetch(market.customer.admin, pull)).status_code == 200

    await market.shop.revoke()
    answer = await fetch(market.customer.admin, pull)

    assert problem(answer) == (403, "policy_refused")
    refusals = await site.rows(
        "SELECT route FROM audit_denials WHERE correlation_id = %s",
        answer.headers["x-correlation-id"],
    )
    assert refusals == [("GET /v1/pulls/{pull}/content",)]


async def promote(shop: Shop, channel: str) -> httpx2.Response:
    body = {"channel": channel, "version": shop.version["id"]}
    return await shop.publisher.admin.post(f"/v1/apps/{shop.app['id']}/promotions", body)


async def test_a_revoked_artifact_is_neither_published_nor_promoted_again(
    site: Site, market: Market
) -> None:
    shop, admin = market.shop, market.shop.publisher.admin
    await shop.revoke()

    promoted = await promote(shop, "prod")
    draft = await catalog.draft(admin, shop.app, version="2.0.0", artifacts=[shop.artifact])
    published = await admin.post(f"/v1/app-versions/{draft['id']}/publish", {})

    assert (promoted.status_code, published.status_code) == (409, 409)
    events = await site.rows(
        "SELECT type FROM events WHERE subject = %s ORDER BY id DESC LIMIT 1", shop.artifact["id"]
    )
    assert events == [("catalog.artifact.revoked",)]


async def test_a_revocation_by_the_platform_stops_pulls_too(site: Site, market: Market) -> None:
    pull = await market.pull()
    root = await site.actor("platform_admin")

    revoked = await root.post(
        f"/v1/break-glass/artifacts/{market.shop.artifact['id']}/revoke",
        {"reason": "It mines coins for a stranger."},
    )

    assert revoked.status_code == 200
    assert problem(await fetch(market.customer.admin, pull)) == (403, "policy_refused")
    assert problem(await market.ask()) == (403, "policy_refused")


async def test_a_revoked_publisher_key_stops_pulls(market: Market) -> None:
    pull = await market.pull()
    admin = market.shop.publisher.admin

    await admin.post(f"/v1/publisher-keys/{market.shop.key}/revoke", {"reason": "it was copied"})

    assert problem(await fetch(market.customer.admin, pull)) == (403, "policy_refused")


async def test_a_project_without_an_entitlement_pulls_nothing(site: Site, market: Market) -> None:
    other = await make_tenant(site)

    answer = await other.admin.post(f"/v1/projects/{other.project.id}/pulls", market.shop.wish())

    assert problem(answer) == (403, "policy_refused")
    assert answer.json()["errors"][0]["location"] == "entitlement"


async def test_an_entitlement_that_was_disabled_or_removed_stops_a_credential(
    market: Market,
) -> None:
    pull = await market.pull()
    path = f"/v1/entitlements/{market.entitlement['id']}"

    disabled = await market.customer.admin.patch(
        path, {"enabled": False}, version=market.entitlement["version"]
    )
    while_disabled = await fetch(market.customer.admin, pull)
    await market.customer.admin.patch(path, {"enabled": True}, version=disabled.json()["version"])
    enabled_again = await fetch(market.customer.admin, pull)
    await market.customer.admin.delete(path)
    removed = await fetch(market.customer.admin, pull)

    assert problem(while_disabled) == (403, "policy_refused")
    assert enabled_again.status_code == 200
    assert problem(removed) == (403, "policy_refused")


async def test_a_member_who_left_has_no_use_for_a_credential(site: Site, market: Market) -> None:
    member = await site.actor("project_member", project=market.customer.project)
    pull = await market.pull(member)

    await site.sql.execute("DELETE FROM memberships WHERE user_id = %s", (member.id,))
    site.platform.principals.hear([topic(member.id)])
    answer = await fetch(member, pull)

    assert problem(answer) == (404, "not_found")


async def test_a_viewer_may_not_pull(site: Site, market: Market) -> None:
    viewer = await site.actor("viewer", project=market.customer.project)

    assert problem(await market.ask(viewer)) == (403, "forbidden")


async def test_an_app_that_nobody_can_see_looks_like_one_that_is_not_there(
    site: Site, market: Market
) -> None:
    private = await open_shop(await make_tenant(site), visibility="project")

    real = await market.ask(app=private.app["id"])
    none = await market.ask(app="app_" + "7" * 26)

    said = real.json()["detail"].replace(private.app["id"], "<app>")
    assert problem(real) == problem(none) == (403, "policy_refused")
    assert said == none.json()["detail"].replace("app_" + "7" * 26, "<app>")


async def test_a_pull_names_a_version_or_a_channel(market: Market) -> None:
    assert (await promote(market.shop, "prod")).status_code == 201

    by_number = await market.ask(version="1.0.0")
    by_id = await market.ask(version=market.shop.version["id"])
    by_channel = await market.ask(channel="prod")
    both = await market.ask(version="1.0.0", channel="prod")
    absent = await market.ask(version="9.9.9")
    empty = await market.ask(channel="staging")

    assert {a.json()["version_id"] for a in (by_number, by_id, by_channel)} == {
        market.shop.version["id"]
    }
    fetched = await fetch(market.customer.admin, by_channel.json())
    assert fetched.status_code == 200
    assert problem(both) == (422, "version_twice")
    assert problem(absent) == problem(empty) == (403, "policy_refused")


async def test_an_artifact_that_the_version_does_not_have_is_refused(market: Market) -> None:
    answer = await market.ask(artifact="other.tar")

    assert problem(answer) == (403, "policy_refused")
    assert "other.tar" in answer.json()["detail"]


@pytest.mark.parametrize("artifact", ["../x", "a/b", "", "a\nb", "x" * 129])
async def test_the_name_of_an_artifact_leads_nowhere(market: Market, artifact: str) -> None:
    assert problem(await market.ask(artifact=artifact)) == (422, "malformed")


# The bytes


def file_of(site: Site, pull: dict[str, Any]) -> Path:
    digest = pull["digest"].removeprefix("sha256:")
    return Path(site.platform.settings.data) / "blobs" / "sha256" / digest[:2] / digest


@pytest.mark.rule("AR-8")
@pytest.mark.parametrize("pieces", [1, 3])
async def test_bytes_that_changed_on_the_disk_do_not_arrive_whole(site: Site, pieces: int) -> None:
    market = await open_market(site, content=os.urandom(pieces * GIVEN))
    pull = await market.pull()
    with file_of(site, pull).open("r+b") as file:
        file.write(b"changed")
    reader = Reader(site, market.customer.admin, pull)

    await reader.read()

    assert len(reader.body) == (pieces - 1) * GIVEN
    assert reader.status == (503 if pieces == 1 else 200)
    assert reader.ended == (pieces == 1)


async def test_bytes_that_are_lost_are_said_to_be(site: Site, market: Market) -> None:
    pull = await market.pull()
    file_of(site, pull).unlink()

    answer = await fetch(market.customer.admin, pull)

    assert problem(answer) == (503, "content_unavailable")


async def test_an_empty_artifact_can_be_pulled(site: Site) -> None:
    market = await open_market(site, content=b"")
    pull = await market.pull()

    answer = await fetch(market.customer.admin, pull)

    assert (answer.status_code, answer.content) == (200, b"")
    assert pull["artifact"] == NAME


async def test_a_transfer_holds_no_connection_to_the_database(site: Site, market: Market) -> None:
    """More of them under way than there are connections, and others are served."""
    size = site.platform.settings.database.pool_size
    readers = [Reader(site, market.customer.admin, await market.pull()) for _ in range(size + 2)]
    for reader in readers:
        reader.go_on.clear()
    tasks = [asyncio.create_task(reader.read()) for reader in readers]
    await asyncio.gather(*(reader.begun.wait() for reader in readers))

    answer = await market.customer.admin.get(f"/v1/projects/{market.project}")
    for reader in readers:
        reader.go_on.set()
    await asyncio.gather(*tasks)

    assert answer.status_code == 200
    assert {reader.body for reader in readers} == {market.shop.content}
