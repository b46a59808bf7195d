"""Sealing and entering refusals, on a real database, with everything that can go wrong between."""

import asyncio
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL

from core.tests.audit.conftest import Do, Seal, Verify
from core.tests.callers import ActorMaker, Urls
from core.tests.factories.tenancy import OrgRow, ProjectRow
from moorage_core import settings as settings_module
from moorage_core.audit import keyring, rules, seal_log, seals, store
from moorage_core.audit.keyring import KeyUnusable
from moorage_core.audit.models import Denials
from moorage_core.audit.models import Seal as SealRow
from moorage_core.audit.sweeps import BATCH, EntriesMissing, FlushDenials, SealAudit
from moorage_core.errors import Busy
from moorage_core.events.sweeps import NumberRecords
from moorage_core.kit.clock import ManualClock
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import AuditEntryId
from moorage_core.main import open_platform
from moorage_core.platform import Platform
from moorage_core.settings import Settings

Sql = psycopg.AsyncConnection[Any]


async def rows(platform: Platform) -> list[SealRow]:
    async with platform.database.sweep() as db:
        return await store.list_seals_from(db, 1, limit=10_000)


def lines(settings: Settings) -> list[SealRow]:
    path = seal_log.path_of(settings)
    with path.open("rb") as file:
        found = list(seal_log.read(file, size=path.stat().st_size))
    return [line.seal for line in found if line.seal]


async def fill(platform: Platform, org: OrgRow, count: int) -> None:
    """Many entries at once, then their numbers."""
    made = [
        rules.denied_entry(
            Denials(
                org.id, None, "user", "usr_1", "Ada", "GET /", platform.clock.now(), "a.b.c", n, "c"
            ),
            id=AuditEntryId.new(),
        )
        for n in range(1, count + 1)
    ]
    for start in range(0, count, 1000):
        async with platform.database.transaction(org_scope(org.id)) as db:
            await store.add_entries(db, made[start : start + 1000], org=org.id)
    await NumberRecords(platform).activate()


async def test_the_first_seal_makes_the_key_and_reaches_both_places(
    platform: Platform, settings: Settings, do: Do, seal: Seal
) -> None:
    await do(times=3)

    seen = await seal()

    keys = keyring.read(settings.data / "keys")
    (row,) = await rows(platform)
    assert seen == {"sealed": 3}
    assert lines(settings) == [row]
    assert (row.number, row.first_seq, row.last_seq, row.entries) == (1, 1, 3, 3)
    assert seals.is_signed(row, keys=keys.public)


async def test_nothing_new_means_no_seal(platform: Platform, do: Do, seal: Seal) -> None:
    await do()
    await seal()

    assert await seal() == {"sealed": 0}
    assert len(await rows(platform)) == 1


async def test_entries_without_a_number_wait(platform: Platform, do: Do, seal: Seal) -> None:
    await do(number=False)

    assert await seal() == {"sealed": 0}
    assert await rows(platform) == []


async def test_seals_follow_each_other(
    platform: Platform, do: Do, seal: Seal, verify: Verify
) -> None:
    for _ in range(3):
        await do(times=2)
        await seal()

    first, second, third = await rows(platform)
    assert seals.follows(second, first)
    assert seals.follows(third, second)
    assert verify().is_sound


async def test_a_large_backlog_is_sealed_in_batches(
    platform: Platform, acme: OrgRow, seal: Seal, verify: Verify
) -> None:
    await fill(platform, acme, 2 * BATCH + 5)

    await seal()

    assert [row.entries for row in await rows(platform)] == [BATCH, BATCH, 5]
    assert verify().is_sound


async def test_the_interval_is_a_setting(platform: Platform, settings: Settings) -> None:
    assert SealAudit(platform).every == settings.audit.seal_every


async def test_a_rotated_key_signs_from_the_next_seal_on(
    platform: Platform, settings: Settings, do: Do, seal: Seal, verify: Verify
) -> None:
    await do()
    await seal()
    keyring.add(settings.data / "keys", number=2)

    await do()
    await seal()

    first, second = await rows(platform)
    assert first.key_id != second.key_id
    assert verify().is_sound


async def test_a_lost_key_stops_the_sealer_instead_of_being_replaced(
    settings: Settings, do: Do, seal: Seal
) -> None:
    await do()
    await seal()
    (settings.data / "keys" / "audit-1.pem").unlink()

    with pytest.raises(KeyUnusable, match="from a backup"):
        await seal()

    assert not (settings.data / "keys" / "audit-1.pem").exists()


# Crashes


async def test_a_crash_between_the_row_and_its_line_is_mended_by_the_next_run(
    platform: Platform, settings: Settings, do: Do, seal: Seal, verify: Verify
) -> None:
    folder = seal_log.path_of(settings).parent
    folder.rmdir()
    await do()
    with pytest.raises(FileNotFoundError):
        await seal()
    (row,) = await rows(platform)
    folder.mkdir()

    await seal()

    assert lines(settings) == [row]
    assert await rows(platform) == [row]
    assert verify().is_sound


@pytest.mark.parametrize("cut", [1, 200, -1])
async def test_a_crash_in_the_middle_of_a_line_is_mended_by_the_next_run(
    settings: Settings, do: Do, seal: Seal, verify: Verify, cut: int
) -> None:
    await do()
    await seal()
    path = seal_log.path_of(settings)
    before = path.read_bytes()
    await do()
    await seal()
    path.write_bytes(before + path.read_bytes()[len(before) :][:cut])

    await seal()

    assert [line.number for line in lines(settings)] == [1, 2]
    assert verify().is_sound


async def test_a_seal_log_that_was_lost_is_written_again(
    platform: Platform, settings: Settings, do: Do, seal: Seal
) -> None:
    for _ in range(3):
        await do()
        await seal()
    seal_log.path_of(settings).unlink()

    await seal()

    assert lines(settings) == await rows(platform)


SEALER = """
import asyncio
from moorage_core import main, settings
from moorage_core.audit.sweeps import SealAudit

async def work() -> None:
    async with main.open_platform(settings.load(), background=False) as platform:
        await SealAudit(platform).activate()

asyncio.run(work())
"""


def start_sealer(effective: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {settings_module.EFFECTIVE_VARIABLE: str(effective)}
    return subprocess.Popen([sys.executable, "-c", SEALER], env=environment)


async def test_a_sealer_killed_again_and_again_leaves_a_sound_log(
    platform: Platform, settings: Settings, acme: OrgRow, seal: Seal, verify: Verify
) -> None:
    await fill(platform, acme, 12 * BATCH)
    effective = settings.data / "effective.json"
    effective.write_text(settings_module.dump(settings))
    path = seal_log.path_of(settings)
    for target in (1, 6):
        victim = start_sealer(effective)
        async with asyncio.timeout(60):
            while not path.exists() or len(lines(settings)) < target:
                await asyncio.sleep(0.001)
        victim.kill()
        victim.wait()
        assert verify().is_sound

    await seal()

    assert sum(row.entries for row in await rows(platform)) == 12 * BATCH
    assert lines(settings) == await rows(platform)
    assert verify().is_sound


async def test_two_sealers_at_once_never_disagree(
    platform: Platform, settings: Settings, acme: OrgRow, verify: Verify
) -> None:
    await fill(platform, acme, 3 * BATCH)
    async with open_platform(settings, background=False) as other:
        pair = [SealAudit(platform), SealAudit(other)]

        ends = await asyncio.gather(*(one.activate() for one in pair), return_exceptions=True)
        await pair[0].activate()

    odd = [end for end in ends if isinstance(end, BaseException)]
    assert all(isinstance(end, Busy | BlockingIOError) for end in odd)
    assert lines(settings) == await rows(platform)
    assert verify().is_sound


# Alarms


async def test_a_database_put_back_to_an_older_state_stops_the_sealer(
    platform: Platform, do: Do, seal: Seal, sql: Sql
) -> None:
    for _ in range(2):
        await do()
        await seal()
    await sql.execute("DELETE FROM audit_seals WHERE number = 2")
    await do()

    with pytest.raises(seals.SealingStopped, match="does not hold"):
        await seal()

    assert [row.number for row in await rows(platform)] == [1]


async def test_after_a_restore_on_purpose_a_new_seal_log_is_begun(
    platform: Platform, settings: Settings, do: Do, seal: Seal, sql: Sql, verify: Verify
) -> None:
    for _ in range(2):
        await do()
        await seal()
    await sql.execute("DELETE FROM audit_seals WHERE number = 2")
    path = seal_log.path_of(settings)
    path.rename(path.with_suffix(".old"))

    await seal()

    assert lines(settings) == await rows(platform)
    assert verify().is_sound


async def test_a_rewritten_seal_stops_the_sealer(
    do: Do, seal: Seal, settings: Settings, sql: Sql
) -> None:
    await do()
    await seal()
    await sql.execute("UPDATE audit_seals SET root = '\\x00'")
    await do()

    with pytest.raises(seals.SealingStopped, match="differs from its copy"):
        await seal()

    assert len(lines(settings)) == 1


async def test_a_seal_that_somebody_else_put_in_is_not_copied(
    do: Do, seal: Seal, settings: Settings, sql: Sql
) -> None:
    await do()
    await seal()
    await sql.execute(
        "INSERT INTO audit_seals SELECT 2, 2, 9, 1, root, previous, at, key_id, signature"
        " FROM audit_seals"
    )

    with pytest.raises(seals.SealingStopped, match="not made by us"):
        await seal()

    assert len(lines(settings)) == 1


async def test_an_entry_removed_before_its_seal_raises_the_alarm_and_the_rest_is_sealed(
    platform: Platform, do: Do, seal: Seal, sql: Sql
) -> None:
    await do(times=3)
    await sql.execute("DELETE FROM audit_entries WHERE seq = 2")

    with pytest.raises(EntriesMissing, match="1 to 3"):
        await seal()

    assert [(row.last_seq, row.entries) for row in await rows(platform)] == [(3, 2)]


async def test_the_last_entry_removed_before_its_seal_raises_the_alarm(
    do: Do, seal: Seal, sql: Sql
) -> None:
    await do(times=2)
    await seal()
    await do()
    await sql.execute("DELETE FROM audit_entries WHERE seq = 3")

    with pytest.raises(EntriesMissing, match="3 to 3"):
        await seal()


async def test_an_entry_beyond_the_last_number_is_not_sealed(
    platform: Platform, do: Do, seal: Seal, sql: Sql
) -> None:
    await do(times=2)
    await sql.execute("UPDATE audit_entries SET seq = 99 WHERE seq = 2")

    await seal()
    with pytest.raises(EntriesMissing):
        await seal()

    assert [row.last_seq for row in await rows(platform)] == [1]


# Refusals


async def entries(sql: Sql) -> list[tuple[Any, ...]]:
    cursor = await sql.execute(
        "SELECT org_id, project_id, actor_id, action, target, outcome, count FROM audit_entries"
        " WHERE outcome = 'denied' ORDER BY pos"
    )
    return await cursor.fetchall()


async def denials(sql: Sql) -> int:
    row = await (await sql.execute("SELECT count(*) FROM audit_denials")).fetchone()
    return row[0] if row else 0


async def test_refusals_of_a_minute_become_one_entry_with_a_count(
    actor: ActorMaker, acme: OrgRow, platform: Platform, clock: ManualClock, sql: Sql
) -> None:
    viewer = await actor("viewer", org=acme)
    for _ in range(3):
        assert (await viewer.get(f"/v1/audit?org={acme.id}")).status_code == 403
    clock.move(timedelta(minutes=3))

    seen = await FlushDenials(platform).activate()

    assert seen == {"entered": 1}
    (entry,) = await entries(sql)
    assert entry[2:] == (viewer.id, "audit.entry.read", "GET /v1/audit", "denied", 3)
    assert await denials(sql) == 0


async def test_each_principal_and_route_has_its_own_entry(
    actor: ActorMaker, alpha: ProjectRow, platform: Platform, clock: ManualClock, sql: Sql
) -> None:
    one = await actor("viewer", project=alpha)
    two = await actor("viewer", project=alpha)
    await one.get("/v1/audit")
    await one.get("/v1/audit/seals")
    await two.get("/v1/audit")
    clock.move(timedelta(minutes=3))

    await FlushDenials(platform).activate()

    found = {(row[2], row[4]) for row in await entries(sql)}
    assert found == {
        (one.id, "GET /v1/audit"),
        (one.id, "GET /v1/audit/seals"),
        (two.id, "GET /v1/audit"),
    }


async def test_the_minute_that_is_not_over_waits(
    actor: ActorMaker, acme: OrgRow, platform: Platform, clock: ManualClock, sql: Sql
) -> None:
    viewer = await actor("viewer", org=acme)
    await viewer.get("/v1/audit")
    clock.move(timedelta(seconds=20))

    assert await FlushDenials(platform).activate() == {"entered": 0}
    assert await denials(sql) == 1


async def test_a_crash_while_refusals_are_entered_neither_loses_nor_doubles_them(
    actor: ActorMaker, acme: OrgRow, platform: Platform, clock: ManualClock, sql: Sql
) -> None:
    viewer = await actor("viewer", org=acme)
    await viewer.get("/v1/audit")
    clock.move(timedelta(minutes=3))
    # The database ends the transaction between taking the refusal away and entering it.
    await sql.execute("ALTER TABLE audit_entries ADD CONSTRAINT stop CHECK (count = 0) NOT VALID")
    with pytest.raises(psycopg.errors.CheckViolation):
        await FlushDenials(platform).activate()
    assert (await denials(sql), await entries(sql)) == (1, [])
    await sql.execute("ALTER TABLE audit_entries DROP CONSTRAINT stop")

    await FlushDenials(platform).activate()
    await FlushDenials(platform).activate()

    assert (await denials(sql), len(await entries(sql))) == (0, 1)


async def test_one_org_s_trouble_does_not_keep_the_others_refusals_out(
    actor: ActorMaker,
    acme: OrgRow,
    rival: OrgRow,
    platform: Platform,
    clock: ManualClock,
    sql: Sql,
) -> None:
    for org in (acme, rival):
        await (await actor("viewer", org=org)).get("/v1/audit")
    clock.move(timedelta(minutes=3))
    await sql.execute(
        SQL("ALTER TABLE audit_entries ADD CHECK (org_id <> {}) NOT VALID").format(acme.id)
    )

    with pytest.raises(psycopg.errors.CheckViolation):
        await FlushDenials(platform).activate()

    assert [row[0] for row in await entries(sql)] == [rival.id]


async def test_an_entry_that_is_there_already_does_not_keep_the_others_refusals_out(
    actor: ActorMaker,
    acme: OrgRow,
    rival: OrgRow,
    platform: Platform,
    clock: ManualClock,
    sql: Sql,
) -> None:
    for org in (acme, rival):
        viewer = await actor("viewer", org=org)
        await viewer.get("/v1/audit")
        await viewer.get("/v1/audit/seals")
    clock.move(timedelta(minutes=3))
    await sql.execute(
        SQL("CREATE UNIQUE INDEX ON audit_entries (org_id) WHERE org_id = {}").format(acme.id)
    )

    with pytest.raises(Busy):
        await FlushDenials(platform).activate()

    assert [row[0] for row in await entries(sql)] == [rival.id] * 2


async def test_entered_refusals_are_sealed_like_everything_else(
    actor: ActorMaker,
    acme: OrgRow,
    platform: Platform,
    clock: ManualClock,
    seal: Seal,
    verify: Verify,
) -> None:
    viewer = await actor("viewer", org=acme)
    await viewer.get("/v1/audit")
    clock.move(timedelta(minutes=3))
    await FlushDenials(platform).activate()
    await NumberRecords(platform).activate()

    assert await seal() == {"sealed": 1}
    assert verify().is_sound


# What the roles may do


async def refused(url: str, statements: list[str]) -> list[str]:
    """Those of the statements that a role is not allowed to run."""
    found: list[str] = []
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as db:
        for statement in statements:
            try:
                await db.execute(statement.encode())
            except psycopg.errors.InsufficientPrivilege:
                found.append(statement)
    return found


async def test_a_request_can_neither_change_remove_number_nor_seal(urls: Urls) -> None:
    statements = [
        "UPDATE audit_entries SET action = 'forged'",
        "DELETE FROM audit_entries",
        "INSERT INTO audit_entries (seq, id) VALUES (1, 'aud_1')",
        "UPDATE audit_seals SET root = '\\x00'",
        "DELETE FROM audit_seals",
        "INSERT INTO audit_seals (number) VALUES (1)",
        "UPDATE streams SET last = 0",
    ]

    assert await refused(urls.app, statements) == statements


async def test_a_sweep_reads_no_content_and_removes_nothing(urls: Urls) -> None:
    statements = [
        "SELECT action FROM audit_entries",
        "SELECT details FROM audit_entries",
        "INSERT INTO audit_entries (id) VALUES ('aud_1')",
        "DELETE FROM audit_entries",
        "SELECT principal_id FROM audit_denials",
        "DELETE FROM audit_denials",
        "UPDATE audit_seals SET root = '\\x00'",
        "DELETE FROM audit_seals",
    ]

    assert await refused(urls.system, statements) == statements
