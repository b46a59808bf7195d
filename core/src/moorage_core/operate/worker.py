"""`moor worker`: background work in a process of its own, beside servers that run none.

For installations whose servers have `background = false`. Any number may run; work that needs one
process only is held by one of them at a time.
"""

import asyncio
import signal

from moorage_core import main
from moorage_core.embedded import folder as folders
from moorage_core.embedded import postgres
from moorage_core.embedded.errors import OperatorError
from moorage_core.kit import logs
from moorage_core.operate import arguments
from moorage_core.settings import Settings


class NoDatabase(OperatorError):
    """There is no database to work on."""


def worker(data: arguments.Data = None, config: arguments.Config = None) -> None:
    """Run the platform's background work. Ctrl-C stops it."""
    with arguments.refusals():
        settings = _with_database(arguments.load_settings(config, data=data))
        logs.configure(level=settings.log.level, format=settings.log.format)
        asyncio.run(_work(settings))
    print("Stopped.", flush=True)


def _with_database(settings: Settings) -> Settings:
    if settings.database.owner_url:
        return settings
    server = postgres.find_running(folders.prepare(settings.data))
    if server is None:
        raise NoDatabase(
            f"No database runs in {settings.data}, and the settings name none. "
            "Start `moor up` first."
        )
    return arguments.with_urls(settings, server)


async def _work(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with main.open_platform(settings, background=True):
        print("Background work is running.", flush=True)
        await stop.wait()
