"""The whole way: an artifact at its publisher's registry, pulled by another org."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.factories import artifacts, catalog, entitlements, pulls
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.pulls.reader import Reader
from core.tests.site import Site, fresh
from core.tests.sources import depot as depots
from core.tests.sources.depot import Depot
from core.tests.sources.orders import BASIC, BLOB, CONTENT, REPOSITORY, digest_of
from moorage_core.artifacts.transfers import Transfers


@pytest.fixture
async def depot() -> AsyncIterator[Depot]:
    async with depots.listening() as running:
        running.answers[BLOB] = depots.content(CONTENT[:5000], CONTENT[5000:])
        yield running


@dataclass(frozen=True)
class Deal:
    """A publisher's artifact at its source, and a customer who is entitled to it."""

    publisher: Tenant
    source: dict[str, Any]
    app: dict[str, Any]
    customer: Tenant

    async def pull(self) -> dict[str, Any]:
        wish = {"app": self.app["id"], "artifact": pulls.NAME}
        return await pulls.issue(self.customer.admin, self.customer.project.id, wish)

    async def fetch(self, **headers: str) -> httpx2.Response:
        return await pulls.fetch(self.customer.admin, await self.pull(), **headers)


@pytest.fixture
async def deal(site: Site, depot: Depot) -> Deal:
    publisher, customer = await make_tenant(site), await make_tenant(site)
    admin, project = publisher.admin, publisher.project.id
    body = {
        "slug": f"s-{fresh()}",
        "name": "Registry",
        "kind": "oci",
        "url": depot.url,
        "credential": {"username": BASIC.username, "password": BASIC.secret},
    }
    source = await catalog.made(admin, f"/v1/orgs/{publisher.org.id}/sources", body)
    body = {
        "name": pulls.NAME,
        "kind": "oci",
        "digest": digest_of(CONTENT),
        "size": len(CONTENT),
        "media_type": "application/x-tar",
        "source": source["id"],
        "location": REPOSITORY,
    }
    artifact = await catalog.made(admin, f"/v1/projects/{project}/artifacts", body)
    assert (await admin.post(f"/v1/artifacts/{artifact['id']}/complete")).status_code == 200
    pair = Ed25519PrivateKey.generate()
    key = (await artifacts.register_key(admin, project, pair))["id"]
    assert (await artifacts.sign(admin, artifact, key, pair)).status_code == 200
    app = await entitlements.make_app(admin, project, visibility="platform")
    await catalog.publish(admin, app, artifacts=[artifact])
    await entitlements.entitle(customer.admin, customer.project.id, app["id"])
    return Deal(publisher, source, app, customer)


async def test_another_org_pulls_it_and_sees_nothing_of_the_source(
    deal: Deal, depot: Depot
) -> None:
    whole = await deal.fetch()
    rest = await deal.fetch(range="bytes=4000-")

    assert (whole.status_code, whole.content) == (200, CONTENT)
    assert (rest.status_code, rest.content) == (206, CONTENT[4000:])
    assert {asked.headers["authorization"] for asked in depot.asked} == {BASIC.authorization}
    hidden = await deal.customer.admin.get(f"/v1/sources/{deal.source['id']}")
    assert hidden.status_code == 404


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        (depots.status(404), 502, "source_refused"),
        (depots.status(401), 502, "source_refused"),
        (depots.status(500), 503, "source_unreachable"),
        (depots.content(b"short"), 502, "source_mismatch"),
    ],
)
async def test_what_the_source_refuses_is_told_before_the_first_byte(
    deal: Deal, depot: Depot, answer: depots.Answer, status: int, code: str
) -> None:
    depot.answers[BLOB] = answer

    told = await deal.fetch()

    assert (told.status_code, told.json()["code"]) == (status, code)
    assert str(depot.port) not in told.text
    assert BASIC.secret not in told.text


async def test_wrong_bytes_never_arrive_whole(deal: Deal, depot: Depot) -> None:
    depot.answers[BLOB] = depots.content(b"X" * 5000, CONTENT[5000:])

    try:
        arrived = (await deal.fetch()).content
    except httpx2.HTTPError:
        arrived = b""

    assert len(arrived) < len(CONTENT)


async def test_a_source_that_is_disabled_stops_the_next_request(deal: Deal) -> None:
    pull = await deal.pull()
    path = f"/v1/sources/{deal.source['id']}"
    await deal.publisher.admin.patch(path, {"enabled": False}, version=1)

    told = await pulls.fetch(deal.customer.admin, pull)

    assert told.status_code in (403, 409), told.text
    assert deal.source["slug"] in told.text or deal.source["id"] in told.text


async def test_a_source_with_artifacts_is_not_removed(deal: Deal) -> None:
    answer = await deal.publisher.admin.delete(f"/v1/sources/{deal.source['id']}")

    assert (answer.status_code, answer.json()["code"]) == (409, "source_in_use")


class Slow:
    """Sends all but the last byte, and that one when it is told to."""

    def __init__(self) -> None:
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, asked: depots.Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 X\r\ncontent-length: {len(CONTENT)}\r\n\r\n".encode())
        writer.write(CONTENT[:-1])
        await writer.drain()
        self.begun.set()
        await asyncio.wait(
            {asyncio.create_task(self.go_on.wait()), asyncio.create_task(asked.hang_up())},
            return_when=asyncio.FIRST_COMPLETED,
        )
        if not self.go_on.is_set():
            raise ConnectionError("the platform hung up")
        writer.write(CONTENT[-1:])


@pytest.fixture
def seats(site: Site) -> Iterator[Transfers]:
    """A platform on which a principal has one transfer at once."""
    before, few = site.platform.transfers, Transfers(per_principal=1, at_once=64)
    object.__setattr__(site.platform, "transfers", few)
    yield few
    object.__setattr__(site.platform, "transfers", before)


async def test_who_has_no_seat_does_not_reach_the_source(
    deal: Deal, depot: Depot, seats: Transfers
) -> None:
    """The last byte costs the source all of them: docs/decisions/0013."""
    slow = Slow()
    depot.answers[BLOB] = slow
    pull, before = await deal.pull(), depot.connections
    customer = deal.customer.admin
    first = asyncio.create_task(pulls.fetch(customer, pull, range="bytes=-1"))
    await slow.begun.wait()

    others = [await pulls.fetch(customer, pull, range="bytes=-1") for _ in range(5)]
    slow.go_on.set()

    assert {answer.status_code for answer in others} == {429}
    assert ((await first).status_code, (await first).content) == (206, CONTENT[-1:])
    assert depot.connections == before + 1
    assert seats.under_way == 0


async def test_a_caller_who_leaves_ends_the_reading_at_the_source(
    site: Site, deal: Deal, depot: Depot, seats: Transfers
) -> None:
    slow = Slow()
    depot.answers[BLOB] = slow
    reader = Reader(site, deal.customer.admin, await deal.pull(), range="bytes=-1")
    reading = asyncio.create_task(reader.read())
    await slow.begun.wait()

    reader.gone.set()
    async with asyncio.timeout(30):
        await reading
        await depot.left.wait()

    assert seats.under_way == 0
    assert reader.body == b""


async def test_a_reader_who_leaves_in_the_middle_gives_the_seat_back(
    site: Site, deal: Deal, seats: Transfers
) -> None:
    reader = Reader(site, deal.customer.admin, await deal.pull())
    reader.go_on.clear()
    reading = asyncio.create_task(reader.read())
    await reader.begun.wait()
    held = seats.under_way

    reader.gone.set()
    await asyncio.gather(reading, return_exceptions=True)

    assert (held, seats.under_way) == (1, 0)
