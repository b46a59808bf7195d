"""Secrets in custody, whichever store has them: sealed, bound to their rows, changed, removed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from core.tests.factories.tenancy import OrgRow
from core.tests.secrets.custody import Sql, get, put
from moorage_core import unit
from moorage_core.authz.principals import SYSTEM
from moorage_core.context import Context, Trace
from moorage_core.kit.clock import ManualClock
from moorage_core.kit.db import org_scope
from moorage_core.main import open_platform
from moorage_core.platform import Platform
from moorage_core.secrets import commands, envelope
from moorage_core.secrets.sweeps import PlaceSecrets, RewrapSecrets
from moorage_core.settings import Settings

VALUE = b"the cluster's key"


@pytest.fixture(params=["at once", "later"])
def settled(request: pytest.FixtureRequest, platform: Platform) -> Any:
    """Before and after the sweep has put sealed values where they belong."""

    async def settle() -> None:
        if request.param == "later":
            await PlaceSecrets(platform).activate()

    return settle


@pytest.fixture
async def other(settings: Settings, platform: Platform) -> AsyncIterator[Platform]:
    """Another process on the same database and folder."""
    async with open_platform(settings, background=False) as running:
        yield running


async def test_a_secret_is_kept_sealed(
    platform: Platform, acme: OrgRow, sql: Sql, settled: Any
) -> None:
    id = await put(platform, acme, VALUE)

    await settled()

    rows = await (await sql.execute("SELECT s::text FROM secrets s")).fetchall()
    assert await get(platform, acme, id) == VALUE
    assert VALUE.hex() not in rows[0][0]
    assert VALUE.decode() not in rows[0][0]


@pytest.mark.parametrize("value", [b"", b"\x00\xff" * 20_000], ids=["empty", "large"])
async def test_a_value_of_any_size_comes_back_as_it_was(
    platform: Platform, acme: OrgRow, settled: Any, value: bytes
) -> None:
    id = await put(platform, acme, value)

    await settled()

    assert await get(platform, acme, id) == value


async def test_a_changed_value_takes_the_place_of_the_old_one(
    platform: Platform, acme: OrgRow, settled: Any
) -> None:
    id = await put(platform, acme, VALUE)
    await settled()

    async with unit.work(platform, acme.id) as ctx:
        await commands.change(ctx, id, b"a new value", org=acme.id)
    await settled()

    assert await get(platform, acme, id) == b"a new value"


async def test_a_change_that_is_rolled_back_never_was(
    platform: Platform, acme: OrgRow, settled: Any
) -> None:
    id = await put(platform, acme, VALUE)

    async with platform.database.transaction(org_scope(acme.id)) as db:
        ctx = Context(SYSTEM, db, platform.clock, Trace("test"), platform)
        await commands.change(ctx, id, b"a new value", org=acme.id)
        await db.connection.rollback()
    await settled()

    assert await get(platform, acme, id) == VALUE


async def test_a_row_moved_to_another_org_does_not_open(
    platform: Platform, acme: OrgRow, rival: OrgRow, sql: Sql
) -> None:
    id = await put(platform, acme, VALUE)
    await sql.execute("UPDATE secrets SET org_id = %s", (rival.id,))

    with pytest.raises(envelope.NotOpened):
        await get(platform, rival, id)


async def test_a_row_copied_onto_another_does_not_open(
    platform: Platform, acme: OrgRow, sql: Sql
) -> None:
    """Somebody who writes to the database cannot make one secret pass for another."""
    mine, theirs = await put(platform, acme, b"mine"), await put(platform, acme, b"theirs")
    await sql.execute(
        """
        UPDATE secrets SET wrapped_key = o.wrapped_key, ciphertext = o.ciphertext
        FROM secrets o WHERE secrets.id = %s AND o.id = %s
        """,
        (mine, theirs),
    )

    with pytest.raises(envelope.NotOpened):
        await get(platform, acme, mine)


async def test_a_changed_row_does_not_open(platform: Platform, acme: OrgRow, sql: Sql) -> None:
    id = await put(platform, acme, VALUE)
    await sql.execute(
        "UPDATE secrets SET ciphertext = set_byte(ciphertext, 20, (get_byte(ciphertext, 20) + 1) %"
        " 256)"
    )

    with pytest.raises(envelope.NotOpened):
        await get(platform, acme, id)


async def test_another_org_does_not_even_find_the_row(
    platform: Platform, acme: OrgRow, rival: OrgRow
) -> None:
    id = await put(platform, acme, VALUE)

    with pytest.raises(commands.SecretMissing, match=id):
        await get(platform, rival, id)


async def test_those_that_are_there_are_found_together(platform: Platform, acme: OrgRow) -> None:
    ids = [await put(platform, acme, value) for value in (b"one", b"two")]

    async with platform.database.transaction(org_scope(acme.id), read_only=True) as db:
        found = await commands.find_many(db, [*ids, "sec_absent"], org=acme.id)

    values = {id: await commands.reveal(platform, sealed) for id, sealed in found.items()}
    assert values == dict(zip(ids, (b"one", b"two"), strict=True))


async def test_another_process_opens_what_this_one_sealed(
    platform: Platform, other: Platform, acme: OrgRow, settled: Any
) -> None:
    id = await put(platform, acme, VALUE)

    await settled()

    assert await get(other, acme, id) == VALUE


async def test_a_removed_secret_is_gone(
    platform: Platform, acme: OrgRow, sql: Sql, settled: Any, clock: ManualClock
) -> None:
    id = await put(platform, acme, VALUE)
    await settled()

    async with unit.work(platform, acme.id) as ctx:
        await commands.remove(ctx, id, org=acme.id)
    clock.move(commands.GRACE)
    await PlaceSecrets(platform).activate()

    with pytest.raises(commands.SecretMissing):
        await get(platform, acme, id)
    left = await (await sql.execute("SELECT count(*) FROM secret_leftovers")).fetchall()
    assert left[0][0] == 0


async def test_a_value_changed_during_a_rotation_is_not_overwritten_with_the_old_one(
    platform: Platform, acme: OrgRow, sql: Sql, rotate: Any
) -> None:
    id = await put(platform, acme, VALUE)
    await rotate()

    async with unit.work(platform, acme.id) as ctx:
        await commands.change(ctx, id, b"a new value", org=acme.id)
        sweep = asyncio.create_task(RewrapSecrets(platform).activate())
        await _until_somebody_waits(sql)
    await sweep

    assert await get(platform, acme, id) == b"a new value"


async def test_after_a_rotation_every_secret_moves_to_the_new_key(
    platform: Platform, acme: OrgRow, rival: OrgRow, sql: Sql, rotate: Any, settled: Any
) -> None:
    ids = [(org, await put(platform, org, VALUE)) for org in (acme, acme, rival)]
    await settled()
    newest = await rotate()

    seen = await RewrapSecrets(platform).activate()

    assert seen == {"rewrapped": 3}
    cursor = await sql.execute("SELECT DISTINCT key_version FROM secrets")
    assert await cursor.fetchall() == [(newest,)]
    assert [await get(platform, org, id) for org, id in ids] == [VALUE] * 3
    assert await RewrapSecrets(platform).activate() == {"rewrapped": 0}


async def _until_somebody_waits(sql: psycopg.AsyncConnection[Any]) -> None:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    async with asyncio.timeout(30):
        while (await (await sql.execute(query)).fetchall())[0][0] == 0:
            await asyncio.sleep(0.01)
