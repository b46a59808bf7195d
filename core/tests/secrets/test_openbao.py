"""The second store against a real OpenBao: two halves, no leftovers, and a server that is away."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from core.tests.embedded import places
from core.tests.factories.tenancy import OrgRow
from core.tests.secrets import openbao_server
from core.tests.secrets.custody import Sql, get, put
from core.tests.secrets.openbao_server import Running
from moorage_core import unit
from moorage_core.authz.principals import SYSTEM
from moorage_core.context import Context, Trace
from moorage_core.errors import Busy
from moorage_core.kit.clock import ManualClock
from moorage_core.kit.db import org_scope
from moorage_core.main import open_platform
from moorage_core.platform import Platform
from moorage_core.secrets import commands, store
from moorage_core.secrets.custody import StoreMissing
from moorage_core.secrets.openbao import OpenBao, Unusable
from moorage_core.secrets.openbao_store import STOCK
from moorage_core.secrets.sweeps import MoveSecrets, PlaceSecrets, RenewStoreToken
from moorage_core.settings import SecretSettings, Settings

VALUE = b"the cluster's key"


@pytest.fixture(name="store")
def of_openbao(openbao: Running) -> SecretSettings:
    return openbao.settings


@pytest.fixture
def own() -> Iterator[Running]:
    """A server that a test may break."""
    with places.open_place() as place, openbao_server.running(place) as server:
        yield server


@pytest.fixture
async def on_own(settings: Settings, own: Running, clock: ManualClock) -> AsyncIterator[Platform]:
    changed = settings.model_copy(update={"secrets": own.settings})
    async with open_platform(changed, clock=clock, background=False) as running:
        yield running


async def rows(sql: Sql, query: str) -> list[tuple[Any, ...]]:
    return await (await sql.execute(query.encode())).fetchall()


# Two halves


async def test_the_sealed_value_leaves_the_database(
    platform: Platform, acme: OrgRow, sql: Sql, openbao: Running
) -> None:
    await put(platform, acme, VALUE)
    assert openbao.entries(f"{acme.id}/") == []

    seen = await PlaceSecrets(platform).activate()

    assert seen["placed"] == 1
    assert len(openbao.entries(f"{acme.id}/")) == 1
    assert await rows(sql, "SELECT ciphertext IS NULL FROM secrets") == [(True,)]
    assert (await PlaceSecrets(platform).activate())["placed"] == 0


async def test_the_half_in_openbao_shows_nothing(
    platform: Platform, acme: OrgRow, openbao: Running
) -> None:
    await put(platform, acme, VALUE)
    await PlaceSecrets(platform).activate()

    (place,) = openbao.entries(f"{acme.id}/")
    lies = OpenBao(openbao.settings).read(place)

    assert VALUE not in lies


async def test_a_rolled_back_secret_leaves_nothing_in_openbao(
    platform: Platform, acme: OrgRow, openbao: Running
) -> None:
    async with platform.database.transaction(org_scope(acme.id)) as db:
        ctx = Context(SYSTEM, db, platform.clock, Trace("test"), platform)
        await commands.put(ctx, VALUE, purpose="test", org=acme.id)
        await db.connection.rollback()

    await PlaceSecrets(platform).activate()

    assert openbao.entries(f"{acme.id}/") == []


async def test_the_entry_of_an_old_value_is_destroyed_after_a_moment(
    platform: Platform, acme: OrgRow, openbao: Running, clock: ManualClock
) -> None:
    id = await put(platform, acme, VALUE)
    await PlaceSecrets(platform).activate()
    (before,) = openbao.entries(f"{acme.id}/")
    async with unit.work(platform, acme.id) as ctx:
        await commands.change(ctx, id, b"a new value", org=acme.id)
    await PlaceSecrets(platform).activate()
    assert before in openbao.entries(f"{acme.id}/")

    clock.move(commands.GRACE)
    await PlaceSecrets(platform).activate()

    (after,) = openbao.entries(f"{acme.id}/")
    assert after != before
    assert await get(platform, acme, id) == b"a new value"


async def test_whoever_found_a_secret_can_open_it_though_it_is_changed_meanwhile(
    platform: Platform, acme: OrgRow
) -> None:
    id = await put(platform, acme, VALUE)
    await PlaceSecrets(platform).activate()
    async with platform.database.transaction(org_scope(acme.id)) as db:
        found = await commands.find(db, id, org=acme.id)

    async with unit.work(platform, acme.id) as ctx:
        await commands.change(ctx, id, b"a new value", org=acme.id)
    await PlaceSecrets(platform).activate()

    assert await commands.reveal(platform, found) == VALUE


async def test_a_removed_secret_is_destroyed(
    platform: Platform, acme: OrgRow, openbao: Running, clock: ManualClock
) -> None:
    id = await put(platform, acme, VALUE)
    await PlaceSecrets(platform).activate()

    async with unit.work(platform, acme.id) as ctx:
        await commands.remove(ctx, id, org=acme.id)
    clock.move(commands.GRACE)
    seen = await PlaceSecrets(platform).activate()

    assert seen["destroyed"] == 1
    assert openbao.entries(f"{acme.id}/") == []


async def test_a_process_that_died_after_writing_is_made_good(
    platform: Platform, acme: OrgRow, openbao: Running, sql: Sql
) -> None:
    id = await put(platform, acme, VALUE)
    async with platform.database.transaction(org_scope(acme.id)) as db:
        found = await commands.find(db, id, org=acme.id)
    assert platform.openbao is not None
    await platform.openbao.place(found)

    await PlaceSecrets(platform).activate()

    assert await rows(sql, "SELECT ciphertext IS NULL FROM secrets") == [(True,)]
    assert len(openbao.entries(f"{acme.id}/")) == 1
    assert await get(platform, acme, id) == VALUE


async def test_what_was_removed_while_it_was_being_written_does_not_stay(
    platform: Platform, acme: OrgRow, openbao: Running, clock: ManualClock
) -> None:
    """The worst order: destroyed first, written afterwards by a slow process."""
    id = await put(platform, acme, VALUE)
    async with platform.database.transaction(org_scope(acme.id)) as db:
        found = await commands.find(db, id, org=acme.id)
    async with unit.work(platform, acme.id) as ctx:
        await commands.remove(ctx, id, org=acme.id)
    clock.move(commands.GRACE)
    await PlaceSecrets(platform).activate()
    assert platform.openbao is not None
    await platform.openbao.place(found)

    async with platform.database.transaction(org_scope(acme.id)) as db:
        emptied = await store.empty(db, found)
        await store.add_leftover(db, found.place, org=acme.id, due=clock.now())
    await PlaceSecrets(platform).activate()

    assert emptied == 0
    assert openbao.entries(f"{acme.id}/") == []


async def test_more_secrets_than_the_stock_has_keys(platform: Platform, acme: OrgRow) -> None:
    ids = [await put(platform, acme, f"value {n}".encode()) for n in range(150)]

    assert await get(platform, acme, ids[-1]) == b"value 149"


# From one store to the other


async def test_secrets_follow_the_setting_there_and_back(
    settings: Settings, acme: OrgRow, openbao: Running, clock: ManualClock, sql: Sql
) -> None:
    embedded = settings.model_copy(update={"secrets": SecretSettings()})
    back = openbao.settings.model_copy(update={"store": "embedded"})
    async with open_platform(embedded, clock=clock, background=False) as platform:
        id = await put(platform, acme, VALUE)
    async with open_platform(settings, clock=clock, background=False) as platform:
        assert await get(platform, acme, id) == VALUE, "where it is, before it has moved"
        assert await MoveSecrets(platform).activate() == {"moved": 1}
        await PlaceSecrets(platform).activate()
        assert await get(platform, acme, id) == VALUE
        assert await rows(sql, "SELECT store FROM secrets") == [("openbao",)]

    returned = settings.model_copy(update={"secrets": back})
    async with open_platform(returned, clock=clock, background=False) as platform:
        assert await MoveSecrets(platform).activate() == {"moved": 1}
        clock.move(commands.GRACE)
        await PlaceSecrets(platform).activate()
        assert await get(platform, acme, id) == VALUE

    assert openbao.entries(f"{acme.id}/") == []
    async with open_platform(embedded, clock=clock, background=False) as platform:
        assert await get(platform, acme, id) == VALUE


async def test_more_secrets_move_than_the_stock_has_keys(
    settings: Settings, acme: OrgRow, clock: ManualClock, sql: Sql
) -> None:
    embedded = settings.model_copy(update={"secrets": SecretSettings()})
    async with open_platform(embedded, clock=clock, background=False) as platform:
        ids = [await put(platform, acme, f"value {n}".encode()) for n in range(2 * STOCK)]

    async with open_platform(settings, clock=clock, background=False) as platform:
        moved = await MoveSecrets(platform).activate()
        assert await get(platform, acme, ids[-1]) == f"value {2 * STOCK - 1}".encode()

    assert moved == {"moved": 2 * STOCK}
    assert await rows(sql, "SELECT DISTINCT store FROM secrets") == [("openbao",)]


async def test_a_store_that_the_settings_have_forgotten_is_named(
    settings: Settings, platform: Platform, acme: OrgRow
) -> None:
    id = await put(platform, acme, VALUE)
    forgotten = settings.model_copy(update={"secrets": SecretSettings()})

    async with open_platform(forgotten, background=False) as other:
        with pytest.raises(StoreMissing, match=r"secrets\.url and secrets\.token_file"):
            await get(other, acme, id)


# A server that is away


async def test_while_openbao_is_sealed_callers_are_told_to_come_again(
    on_own: Platform, own: Running, acme: OrgRow
) -> None:
    id = await put(on_own, acme, VALUE)
    own.root.sys.seal()

    with pytest.raises(Busy) as refusal:
        await get(on_own, acme, id)

    assert refusal.value.headers == {"Retry-After": "5"}
    assert own.url not in refusal.value.detail
    assert "sealed" in str(refusal.value.__cause__)


async def test_without_openbao_only_the_stock_of_keys_is_left(
    on_own: Platform, own: Running, acme: OrgRow
) -> None:
    own.process.kill()
    own.process.wait()

    assert on_own.openbao is not None
    for _ in range(on_own.openbao.stock.left):
        await put(on_own, acme, VALUE)

    with pytest.raises(Busy):
        await put(on_own, acme, VALUE)


async def test_no_transaction_is_open_while_openbao_is_waited_for(
    on_own: Platform, own: Running, acme: OrgRow, sql: Sql
) -> None:
    id = await put(on_own, acme, VALUE)
    own.freeze()

    opening = asyncio.create_task(get(on_own, acme, id))
    sweeping = asyncio.create_task(PlaceSecrets(on_own).activate())
    done, _ = await asyncio.wait({opening, sweeping}, timeout=1)
    open_ones = await rows(
        sql,
        "SELECT query FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
        " AND datname = current_database()",
    )
    own.process.send_signal(signal.SIGCONT)

    assert done == set(), "both are waiting"
    assert open_ones == []
    assert await opening == VALUE
    assert (await sweeping)["placed"] == 1


async def test_a_token_that_was_replaced_in_its_file_is_taken_up(
    on_own: Platform, own: Running, acme: OrgRow
) -> None:
    id = await put(on_own, acme, VALUE)
    own.root.auth.token.revoke(own.token_file.read_text())
    with pytest.raises(Busy):
        await get(on_own, acme, id)

    own.give_token(own.token_file)

    assert await get(on_own, acme, id) == VALUE


async def test_a_periodic_token_is_renewed(on_own: Platform) -> None:
    assert await RenewStoreToken(on_own).activate() == {"renewed": 1}


async def test_a_platform_starts_though_openbao_is_away(
    settings: Settings, own: Running, acme: OrgRow
) -> None:
    """A server process that is started again must not die of somebody else's outage."""
    own.process.kill()
    own.process.wait()
    changed = settings.model_copy(update={"secrets": own.settings})

    async with open_platform(changed, background=False) as platform:
        with pytest.raises(Busy):
            await put(platform, acme, VALUE)


# What the operator is told


def test_all_that_is_needed_works_with_the_documented_policy(openbao: Running) -> None:
    OpenBao(openbao.settings).check()

    assert openbao.entries("check/") == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"transit_key": "absent"}, "bao write -f transit/keys/absent"),
        ({"kv_mount": "absent"}, "KV v2 at absent/"),
        ({"transit_mount": "absent"}, "transit at absent/"),
    ],
)
def test_what_is_missing_is_named(openbao: Running, change: dict[str, Any], told: str) -> None:
    with places.open_place() as place:
        token = place / "token"
        token.write_text(openbao_server.ROOT_TOKEN)
        asked = openbao.settings.model_copy(update=change | {"token_file": token})

        with pytest.raises(Unusable) as problem:
            OpenBao(asked).check()

    assert told in str(problem.value)


def test_a_token_without_rights_is_named(openbao: Running) -> None:
    with places.open_place() as place:
        token = place / "token"
        token.write_text("s.nobodys-token")
        asked = openbao.settings.model_copy(update={"token_file": token})

        with pytest.raises(Unusable) as problem:
            OpenBao(asked).check()

    assert "does not let our token do this" in str(problem.value)
    assert "nobodys-token" not in str(problem.value)


def test_a_sealed_server_is_named(own: Running) -> None:
    own.root.sys.seal()

    with pytest.raises(Unusable, match="is sealed or not ready"):
        OpenBao(own.settings).check()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"store": "openbao"}, "needs url and token_file"),
        ({"url": "https://bao.example.org"}, "url needs token_file"),
        ({"url": "http://bao.example.org", "token_file": "/t"}, "must begin with https"),
    ],
)
def test_settings_that_cannot_work_are_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        SecretSettings(**given)
