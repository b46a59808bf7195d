"""Hosts behind one address: what a neighbour sends keeps nobody else from calling."""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.hosts import Host, announce, enrolled, issue, make_place
from core.tests.factories.tenants import Bearer
from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, make_workplace
from moorage_core.kit import tokens
from moorage_core.kit.ratelimit import Buckets
from moorage_core.nodes import proofs

KEY = b"k" * 32


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def host(site: Site, root: Caller) -> Host:
    return await enrolled(site, root)


@pytest.fixture
async def place(site: Site) -> Workplace:
    return await make_workplace(site)


@pytest.fixture
def drained(site: Site, host: Host, place: Workplace) -> Iterator[Site]:
    """The platform as an address finds it that has used up what strangers may ask."""
    dry = Buckets(0.001, 3, monotonic=lambda: 0.0)
    while not dry.wait("127.0.0.1"):
        dry.take("127.0.0.1")
    few = Buckets(0.001, 3, monotonic=lambda: 0.0)
    before = site.api.state.platform
    site.api.state.platform = dataclasses.replace(before, by_address=dry, by_claim=few)
    site.platform.principals.hear(None)
    yield site
    site.api.state.platform = before


async def test_a_neighbours_flood_keeps_no_node_from_its_work(
    drained: Site, host: Host, place: Workplace
) -> None:
    stranger = await drained.client.get("/v1/agent/ca.pem")

    polled, proved = await host.poll(), await host.prove()
    asked = await place.holder.get(f"/v1/operations/{place.operation}/tasks")

    assert stranger.status_code == 429
    assert (polled.status_code, proved.status_code, asked.status_code) == (200, 200, 200)


async def test_a_neighbours_flood_keeps_no_host_from_enrolling(site: Site, root: Caller) -> None:
    node = await announce(root, await make_place(root))
    line = await issue(root, node["id"])
    dry = Buckets(0.001, 1, monotonic=lambda: 0.0)
    dry.take("127.0.0.1")
    before = site.api.state.platform
    site.api.state.platform = dataclasses.replace(before, by_address=dry)
    try:
        enrolling = await Host(site.client).enrol(line["token"])
    finally:
        site.api.state.platform = before

    assert enrolling.status_code == 201


@pytest.mark.parametrize("prefix", [tokens.NODE, tokens.OPERATION_GRANT])
async def test_made_up_tokens_do_not_reach_the_database(drained: Site, prefix: str) -> None:
    before = drained.platform.database.transactions

    answer = await Bearer(drained.client, tokens.new(prefix)).get("/v1/me")

    assert answer.status_code == 429
    assert drained.platform.database.transactions == before


async def test_an_old_token_that_is_sent_again_and_again_counts_against_itself(
    drained: Site, host: Host
) -> None:
    old = host.clone()
    await host.prove()
    drained.platform.principals.hear(None)

    answers = [(await old.poll()).status_code for _ in range(4)]

    assert answers == [401, 401, 401, 429]
    assert (await host.poll()).status_code == 200


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"node_id": 7, "assertion": []},
        {"node_id": "nod_1", "assertion": "no assertion"},
        {"node_id": "nod_1", "assertion": "a.!!!!.c"},
        {"node_id": "nod_1", "assertion": "a.W10.c"},
        {"node_id": "nod_1", "assertion": "a.eyJub25jZSI6Im1hZGUtdXAtYnktc29tZWJvZHkifQ.c"},
    ],
)
def test_what_strangers_make_up_names_no_node(said: dict[str, Any]) -> None:
    assert proofs.exchange_claim(json.dumps(said).encode(), KEY) is None


def test_a_nonce_names_the_node_that_it_was_given_to_and_no_other() -> None:
    nonce = proofs.nonce(KEY, node="nod_1", jti="12345678")

    assert proofs.is_our_nonce(nonce, KEY, node="nod_1")
    assert not proofs.is_our_nonce(nonce, KEY, node="nod_2")
    assert not proofs.is_our_nonce(nonce, b"x" * 32, node="nod_1")


def test_a_token_shows_who_made_it() -> None:
    token = tokens.new_marked(tokens.NODE, KEY)

    assert tokens.is_marked(token, KEY)
    assert not tokens.is_marked(token, b"x" * 32)
    assert not tokens.is_marked(token[:-1] + ("A" if token[-1] != "A" else "B"), KEY)
    assert not tokens.is_marked(tokens.new(tokens.NODE), KEY)
    assert not tokens.is_marked("", KEY)
    assert not tokens.is_marked("moor_nod_ü", KEY)
