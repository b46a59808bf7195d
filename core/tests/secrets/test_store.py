"""The secret store in the database: sealed rows, rotation, and somebody who edits rows."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from core.tests.factories.tenancy import OrgRow
from moorage_core import unit
from moorage_core.kit.db import org_scope
from moorage_core.main import open_platform
from moorage_core.platform import Platform
from moorage_core.secrets import commands, envelope, keyring
from moorage_core.secrets.sweeps import RewrapSecrets
from moorage_core.settings import Settings

Sql = psycopg.AsyncConnection[Any]
VALUE = b"the cluster's key"


@pytest.fixture
async def other(settings: Settings, platform: Platform) -> AsyncIterator[Platform]:
    """Another process on the same database and folder."""
    async with open_platform(settings, background=False) as running:
        yield running


async def put(platform: Platform, org: OrgRow, value: bytes = VALUE) -> str:
    async with unit.work(platform, org.id) as ctx:
        return await commands.put(ctx, value, purpose="test", org=org.id)


async def get(platform: Platform, org: OrgRow, id: str) -> bytes:
    async with platform.database.transaction(org_scope(org.id), read_only=True) as db:
        return await commands.get(platform, db, id, org=org.id)


def add_master_key(platform: Platform, version: int) -> None:
    keyring.add(platform.settings.data / "keys", version=version)


async def versions(sql: Sql) -> list[int]:
    cursor = await sql.execute("SELECT key_version FROM secrets ORDER BY id")
    return [row[0] for row in await cursor.fetchall()]


async def test_a_secret_is_kept_sealed(platform: Platform, acme: OrgRow, sql: Sql) -> None:
    id = await put(platform, acme)

    rows = await (await sql.execute("SELECT s::text FROM secrets s")).fetchall()

    assert await get(platform, acme, id) == VALUE
    assert VALUE.hex() not in rows[0][0]
    assert VALUE.decode() not in rows[0][0]


async def test_a_changed_row_does_not_open(platform: Platform, acme: OrgRow, sql: Sql) -> None:
    id = await put(platform, acme)
    await sql.execute("UPDATE secrets SET ciphertext = set_byte(ciphertext, 20, 0)")

    with pytest.raises(envelope.NotOpened):
        await get(platform, acme, id)


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


async def test_a_row_moved_to_another_org_does_not_open(
    platform: Platform, acme: OrgRow, rival: OrgRow, sql: Sql
) -> None:
    id = await put(platform, acme)
    await sql.execute("UPDATE secrets SET org_id = %s", (rival.id,))

    with pytest.raises(envelope.NotOpened):
        await get(platform, rival, id)


async def test_another_org_does_not_even_find_the_row(
    platform: Platform, acme: OrgRow, rival: OrgRow
) -> None:
    id = await put(platform, acme)

    with pytest.raises(commands.SecretMissing, match=id):
        await get(platform, rival, id)


async def test_after_a_rotation_every_secret_moves_to_the_new_master_key(
    platform: Platform, acme: OrgRow, rival: OrgRow, sql: Sql
) -> None:
    ids = [(org, await put(platform, org)) for org in (acme, acme, rival)]
    add_master_key(platform, 2)

    seen = await RewrapSecrets(platform).activate()

    assert seen == {"rewrapped": 3}
    assert await versions(sql) == [2, 2, 2]
    (platform.settings.data / "keys" / "master-1.key").unlink()
    assert [await get(platform, org, id) for org, id in ids] == [VALUE] * 3
    assert await RewrapSecrets(platform).activate() == {"rewrapped": 0}


async def test_the_old_master_key_is_not_needed_after_the_rotation(
    settings: Settings, platform: Platform, acme: OrgRow
) -> None:
    id = await put(platform, acme)
    add_master_key(platform, 2)
    await RewrapSecrets(platform).activate()
    (settings.data / "keys" / "master-1.key").unlink()

    async with open_platform(settings, background=False) as restarted:
        assert await get(restarted, acme, id) == VALUE


async def test_another_process_opens_what_was_sealed_with_a_newer_key(
    platform: Platform, other: Platform, acme: OrgRow
) -> None:
    add_master_key(platform, 2)
    platform.keyring.reread()

    id = await put(platform, acme)

    assert await get(other, acme, id) == VALUE


async def test_a_value_changed_during_the_rotation_is_not_overwritten_with_the_old_one(
    platform: Platform, acme: OrgRow, sql: Sql
) -> None:
    id = await put(platform, acme)
    add_master_key(platform, 2)

    async with unit.work(platform, acme.id) as ctx:
        await commands.change(ctx, id, b"a new value", org=acme.id)
        sweep = asyncio.create_task(RewrapSecrets(platform).activate())
        await _until_somebody_waits(sql)
    await sweep

    assert await get(platform, acme, id) == b"a new value"
    assert await versions(sql) == [2]


async def test_a_removed_secret_is_gone(platform: Platform, acme: OrgRow, sql: Sql) -> None:
    id = await put(platform, acme)

    async with unit.work(platform, acme.id) as ctx:
        await commands.remove(ctx, id, org=acme.id)

    assert await versions(sql) == []


async def _until_somebody_waits(sql: Sql) -> None:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    async with asyncio.timeout(5):
        while (await (await sql.execute(query)).fetchall())[0][0] == 0:
            await asyncio.sleep(0.01)
