"""Rotation of the keys that sign tokens, in one process and in several."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx2
import psycopg
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from core.tests.callers import Urls
from moorage_core.errors import Busy
from moorage_core.kit.clock import ManualClock
from moorage_core.main import open_platform
from moorage_core.platform import Platform
from moorage_core.settings import Settings
from moorage_core.signing import commands, rules

Sql = psycopg.AsyncConnection[Any]
NEARLY = timedelta(days=30) - rules.ANNOUNCED_BEFORE


@pytest.fixture
async def other(
    settings: Settings, clock: ManualClock, platform: Platform
) -> AsyncIterator[Platform]:
    """Another process on the same database."""
    async with open_platform(settings, clock=clock, background=False) as running:
        yield running


async def kids(platform: Platform) -> set[str]:
    return {key["kid"] for key in await commands.published(platform)}


async def token_of(platform: Platform) -> str:
    return await commands.sign(platform, subject="sac_x", credential="key_x")


def kid_of(token: str) -> str:
    header = token.partition(".")[0]
    return json.loads(base64.urlsafe_b64decode(header + "=="))["kid"]


async def test_a_new_key_is_announced_before_it_signs(
    platform: Platform, clock: ManualClock
) -> None:
    await commands.rotate(platform)
    first = await kids(platform)
    clock.move(NEARLY)

    made = await commands.rotate(platform)

    assert made
    assert len(await kids(platform)) == 2
    assert {kid_of(await token_of(platform))} == first
    clock.move(rules.ANNOUNCED_BEFORE)
    assert {kid_of(await token_of(platform))} == await kids(platform) - first


async def test_a_token_of_the_old_key_verifies_until_it_expires(
    platform: Platform, clock: ManualClock
) -> None:
    await commands.rotate(platform)
    clock.move(NEARLY)
    await commands.rotate(platform)
    clock.move(rules.ANNOUNCED_BEFORE - timedelta(seconds=1))
    token = await token_of(platform)

    clock.move(timedelta(minutes=9))
    in_time = await commands.verify(platform, token)
    clock.move(timedelta(minutes=2))
    late = await commands.verify(platform, token)

    assert in_time is not None
    assert late is None


async def test_an_old_key_goes_when_it_verifies_nothing_any_more(
    platform: Platform, clock: ManualClock, sql: Sql
) -> None:
    await commands.rotate(platform)
    first = await kids(platform)
    clock.move(timedelta(days=31))

    await commands.rotate(platform)

    assert not first & await kids(platform)
    rows = await (await sql.execute("SELECT count(*) FROM secrets")).fetchall()
    assert rows == [(1,)], "its private half went too"


async def test_every_process_announces_the_next_key_before_any_signs_with_it(
    platform: Platform, other: Platform, clock: ManualClock
) -> None:
    """One process makes the keys; who asks another must hear of them as early."""
    await commands.rotate(platform)
    before = await kids(other)
    clock.move(NEARLY)
    await commands.rotate(platform)

    async with asyncio.timeout(30):
        while await kids(other) == before:
            await asyncio.sleep(0.05)

    assert await kids(other) == await kids(platform)


async def test_a_process_that_meets_an_unknown_key_looks_again(
    platform: Platform, other: Platform, clock: ManualClock
) -> None:
    await commands.rotate(platform)
    token = await token_of(platform)

    assert await commands.verify(other, token) is not None


async def test_processes_that_rotate_together_make_one_key(
    platform: Platform, other: Platform, sql: Sql
) -> None:
    made = await asyncio.gather(*(commands.rotate(each) for each in (platform, other) * 3))

    assert sorted(made) == [False] * 5 + [True]
    rows = await (await sql.execute("SELECT count(*) FROM signing_keys")).fetchall()
    assert rows == [(1,)]


@pytest.mark.rule("AU-3")
async def test_the_system_is_noted_as_who_made_a_key(platform: Platform, sql: Sql) -> None:
    await commands.rotate(platform)

    cursor = await sql.execute("SELECT actor_kind, actor_id, action FROM audit_entries")
    assert await cursor.fetchall() == [("system", "system", "iam.signing_key.rotated")]
    cursor = await sql.execute("SELECT type FROM events")
    assert await cursor.fetchall() == [("iam.signing_key.rotated",)]


async def test_the_private_half_is_nowhere_in_the_open(
    platform: Platform, client: httpx2.AsyncClient, sql: Sql, urls: Urls
) -> None:
    await commands.rotate(platform)
    pair = platform.keyset.signer(platform.clock.now())
    assert pair is not None
    private = pair.pair.as_dict(private=True)["d"]

    published = await client.get("/.well-known/jwks.json")
    rows = await (await sql.execute("SELECT s::text FROM signing_keys s")).fetchall()
    kept = await (await sql.execute("SELECT s::text FROM secrets s")).fetchall()

    assert set(published.json()["keys"][0]) == {"kty", "crv", "x", "kid", "alg", "use"}
    assert all(private not in row for (row,) in [*rows, *kept])


async def test_anybody_can_check_a_token_with_the_published_keys(
    platform: Platform, client: httpx2.AsyncClient
) -> None:
    await commands.rotate(platform)
    token = await token_of(platform)

    published = KeySet.import_key_set((await client.get("/.well-known/jwks.json")).json())

    claims = jwt.decode(token, published, algorithms=["Ed25519"]).claims
    assert (claims["sub"], claims["key"]) == ("sac_x", "key_x")
    assert claims["exp"] - claims["iat"] == 600


async def test_before_the_first_key_nothing_is_signed(platform: Platform) -> None:
    with pytest.raises(Busy, match="no signing key in force yet"):
        await token_of(platform)
