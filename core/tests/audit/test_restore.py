"""A log that was backed up while it grew is sound where it is restored, and grows on there."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from core.tests.embedded import places
from moorage_core import unit
from moorage_core.audit import commands
from moorage_core.audit.sweeps import SealAudit
from moorage_core.embedded import postgres
from moorage_core.events.sweeps import NumberRecords
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.main import open_platform
from moorage_core.migrations import run as migrations
from moorage_core.operate import arguments, audit_verify, backup, restore
from moorage_core.platform import Platform
from moorage_core.settings import Settings


@asynccontextmanager
async def running(place: Path) -> AsyncGenerator[Platform]:
    """The platform in a data folder, with its own server."""
    with places.prepared_folder(place) as folder:
        server = await asyncio.to_thread(postgres.start, folder, fsync=False)
        await asyncio.to_thread(migrations.upgrade, server.owner_url)
        settings = arguments.with_urls(Settings(data=folder.path), server)
        async with open_platform(settings, background=False) as platform:
            yield platform


async def grow(platform: Platform) -> None:
    """Two more entries under one more seal."""
    for _ in range(2):
        async with unit.work(platform, PLATFORM_ORG) as ctx:
            commands.record(ctx, "iam.org.update", "org_1", org=PLATFORM_ORG)
    await NumberRecords(platform).activate()
    await SealAudit(platform).activate()


async def test_a_restored_log_is_sound_and_goes_on() -> None:
    with places.open_place() as place:
        async with running(place / "data") as platform:
            await grow(platform)
            await grow(platform)
            file = place / "backup.tar"
            source = Settings(data=place / "data")
            saving = asyncio.create_task(asyncio.to_thread(backup.write, source, target=file))
            while not saving.done():
                await grow(platform)
            await saving
        await asyncio.to_thread(
            restore.read, Settings(data=place / "new"), source=file, place=place / "new"
        )

        async with running(place / "new") as restored:
            url = str(restored.settings.database.owner_url)
            before = audit_verify.check(restored.settings, url=url)
            await grow(restored)
            after = audit_verify.check(restored.settings, url=url)

        assert before.is_sound, before.findings
        assert before.seals >= 2
        assert after.is_sound, after.findings
        assert after.entries == before.entries + 2
        assert after.unsealed == 0
