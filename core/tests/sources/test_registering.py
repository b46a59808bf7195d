"""Registering what lies at a source: nothing of it is anybody's before the platform has read it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.callers import Caller
from core.tests.factories import artifacts, catalog, entitlements
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh
from core.tests.sources import depot as depots
from core.tests.sources.depot import Depot
from core.tests.sources.orders import BASIC, CONTENT, digest_of
from moorage_core.artifacts.transfers import Transfers

PATH = "private/payroll.db"


@dataclass(frozen=True)
class Bucket:
    """A source with a credential, and a project admin who has none."""

    tenant: Tenant
    admin: Caller
    depot: Depot
    source: str

    async def register(self, **changes: Any) -> dict[str, Any]:
        body = {
            "name": "payroll.db",
            "digest": digest_of(CONTENT),
            "size": len(CONTENT),
            "source": self.source,
            "location": PATH,
            **changes,
        }
        return await catalog.made(
            self.admin, f"/v1/projects/{self.tenant.project.id}/artifacts", body
        )

    async def complete(self, artifact: dict[str, Any]) -> httpx2.Response:
        return await self.admin.post(f"/v1/artifacts/{artifact['id']}/complete")

    async def get(self, artifact: dict[str, Any]) -> dict[str, Any]:
        return (await self.admin.get(f"/v1/artifacts/{artifact['id']}")).json()

    async def sign(self, artifact: dict[str, Any]) -> httpx2.Response:
        pair = Ed25519PrivateKey.generate()
        key = await artifacts.register_key(self.admin, self.tenant.project.id, pair)
        return await artifacts.sign(self.admin, artifact, key["id"], pair)


@pytest.fixture
async def bucket(site: Site) -> AsyncIterator[Bucket]:
    tenant = await make_tenant(site)
    body = {
        "slug": f"s-{fresh()}",
        "name": "Bucket",
        "kind": "https",
        "credential": {"username": BASIC.username, "password": BASIC.secret},
    }
    async with depots.listening() as depot:
        depot.answers[f"/{PATH}"] = depots.content(CONTENT[:4000], CONTENT[4000:])
        path = f"/v1/orgs/{tenant.org.id}/sources"
        source = await catalog.made(tenant.admin, path, body | {"url": depot.url})
        admin = await site.actor("project_admin", project=tenant.project)
        yield Bucket(tenant, admin, depot, source["id"])


def problem(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.mark.rule("AR-2")
async def test_what_lies_at_a_source_is_published_when_the_platform_has_read_it(
    bucket: Bucket,
) -> None:
    registered = await bucket.register()
    before = len(bucket.depot.asked)

    completed = await bucket.complete(registered)
    signed = await bucket.sign(registered)

    assert (registered["lifecycle"], registered["received"]) == ("uploading", None)
    assert (completed.status_code, completed.json()["lifecycle"]) == (200, "published")
    assert (before, len(bucket.depot.asked)) == (0, 1)
    assert signed.json()["trust"] == "verified"


@pytest.mark.rule("AR-3")
async def test_nobody_gets_a_file_of_a_source_without_knowing_its_digest(bucket: Bucket) -> None:
    """Neither its bytes nor its size nor its digest."""
    bogus = [
        await bucket.register(digest=digest_of(fresh().encode()), size=size)
        for size in (len(CONTENT), 10, 10_000_000)
    ]
    app = await entitlements.make_app(bucket.admin, bucket.tenant.project.id)
    draft = await catalog.draft(bucket.admin, app, artifacts=bogus[:1])

    completed = [await bucket.complete(artifact) for artifact in bogus]
    signed = [await bucket.sign(artifact) for artifact in bogus]
    published = await bucket.admin.post(f"/v1/app-versions/{draft['id']}/publish", {})

    assert {problem(answer) for answer in completed} == {(422, "digest_mismatch")}
    (said,) = {
        answer.json()["detail"].replace(artifact["id"], "ID")
        for answer, artifact in zip(completed, bogus, strict=True)
    }
    assert digest_of(CONTENT) not in said
    assert str(len(CONTENT)) not in said
    assert {problem(answer) for answer in signed} == {(409, "upload_incomplete")}
    assert problem(published) == (409, "artifacts_not_ready")
    assert {(await bucket.get(artifact))["lifecycle"] for artifact in bogus} == {"uploading"}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (depots.status(404), (502, "source_refused")),
        (depots.unmeasured(CONTENT[:-1]), (503, "source_unreachable")),
    ],
    ids=["not there", "cut"],
)
async def test_what_could_not_be_read_can_be_completed_later(
    bucket: Bucket, answer: depots.Answer, expected: tuple[int, str]
) -> None:
    right = bucket.depot.answers[f"/{PATH}"]
    bucket.depot.answers[f"/{PATH}"] = answer
    registered = await bucket.register()

    failed = await bucket.complete(registered)
    bucket.depot.answers[f"/{PATH}"] = right
    completed = await bucket.complete(registered)

    assert problem(failed) == expected
    assert str(len(CONTENT) - 1) not in failed.text, "how long it is"
    assert completed.status_code == 200


async def test_what_lies_at_a_source_takes_no_bytes(bucket: Bucket) -> None:
    registered = await bucket.register()

    answer = await artifacts.send(bucket.admin, registered["id"], CONTENT)

    assert problem(answer) == (409, "not_uploading")


async def test_reading_it_takes_a_seat_and_no_connection_to_the_database(
    site: Site, bucket: Bucket
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(asked: depots.Asked, writer: asyncio.StreamWriter) -> None:
        begun.set()
        await go_on.wait()
        await depots.content(CONTENT)(asked, writer)

    bucket.depot.answers[f"/{PATH}"] = slow
    registered = await bucket.register()
    seats: Transfers = site.platform.transfers
    completing = asyncio.create_task(bucket.complete(registered))
    await begun.wait()
    held, connections = seats.under_way, site.platform.database.app.get_stats()
    go_on.set()

    assert (await completing).status_code == 200
    assert (held, seats.under_way) == (1, 0)
    assert connections["pool_available"] == connections["pool_size"]
