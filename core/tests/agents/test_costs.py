"""What the protocol costs the database: thousands of agents pay it all day."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.hosts import Host, announce, enrolled, issue, make_place
from core.tests.site import Site

Cost = Callable[[Awaitable[Any]], Awaitable[tuple[int, int]]]


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
def cost(site: Site) -> Cost:
    """Transactions and statements of one call."""

    async def measure(call: Awaitable[Any]) -> tuple[int, int]:
        database = site.platform.database
        before = database.transactions, database.statements
        answer = await call
        assert answer.is_success, answer.text
        return database.transactions - before[0], database.statements - before[1]

    return measure


async def test_an_idle_poll_looks_once_and_writes_nothing(
    site: Site, root: Caller, cost: Cost
) -> None:
    host = await enrolled(site, root)
    await host.poll()

    assert await cost(host.poll()) == (1, 1)


async def test_an_exchange_is_one_look_and_one_change(site: Site, root: Caller, cost: Cost) -> None:
    host = await enrolled(site, root)

    assert await cost(host.prove()) == (2, 3)


async def test_an_enrolment_is_one_transaction(site: Site, root: Caller, cost: Cost) -> None:
    node = await announce(root, await make_place(root))
    token = (await issue(root, node["id"]))["token"]

    transactions, statements = await cost(Host(site.client).enrol(token))

    assert transactions == 1
    assert statements <= 8
