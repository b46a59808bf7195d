"""The database of a platform on this machine, whether the platform runs or rests."""

from collections.abc import Generator
from contextlib import contextmanager

from moorage_core.embedded import cluster, postgres
from moorage_core.embedded import folder as folders
from moorage_core.embedded.postgres import Server
from moorage_core.operate import arguments
from moorage_core.settings import Settings


def is_here(settings: Settings) -> bool:
    """Whether the settings name a database, or a data folder that holds one."""
    if settings.database.owner_url:
        return True
    data = settings.data
    return (data / "keys").is_dir() and cluster.major(data / "postgres") is not None


@contextmanager
def database(settings: Settings) -> Generator[Settings]:
    """The settings with the database's URLs; our own server is started for the while."""
    if settings.database.owner_url:
        yield settings
        return
    folder = folders.prepare(settings.data)
    if running := postgres.find_running(folder):
        yield arguments.with_urls(settings, running)
        return
    server = postgres.start(folder)
    try:
        yield arguments.with_urls(settings, server)
    finally:
        _stop_unless_taken_over(server)


def _stop_unless_taken_over(server: Server) -> None:
    try:
        with folders.hold(server.folder):
            postgres.stop(server)
    except folders.FolderBusy:
        return
