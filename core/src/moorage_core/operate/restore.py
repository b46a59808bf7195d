"""`moor restore FILE --data DIR`: a platform from a backup, on this machine or another.

The file is checked first, all of it. Then everything is built in a folder beside the final one,
which takes its name at the very end: there is never half a platform under that name. Because
the database travels as a dump, it may go into a newer PostgreSQL than it came from.
"""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from moorage_core.embedded import binaries, postgres
from moorage_core.embedded import folder as folders
from moorage_core.embedded.errors import OperatorError
from moorage_core.embedded.folder import Folder
from moorage_core.operate import archive, arguments, dumps
from moorage_core.operate.archive import Manifest
from moorage_core.settings import Settings


class FolderOccupied(OperatorError):
    """A restore goes into an empty folder only."""

    exit_code = 5


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `moor backup` wrote.")],
    data: arguments.Data = None,
    config: arguments.Config = None,
) -> None:
    """Make a platform from a backup. The data folder must be empty or absent."""
    with arguments.refusals(), arguments.stop_on_signal():
        settings = arguments.load_settings(config, data=data)
        place = settings.data.expanduser().absolute()
        manifest = read(settings, source=file, place=place)
    print(f"Restored the backup of {manifest.created_at} into {place}.")
    if settings.audit.seal_log:
        print(f"Copy {place}/seals/seals.jsonl to {settings.audit.seal_log} if that is missing.")
    if settings.secrets.url:
        print(
            f"Secrets are not restored: OpenBao at {settings.secrets.url} must have those of then."
        )
    print(f"Next: moor up --data {place}, then moor audit verify --data {place}.")


def read(settings: Settings, *, source: Path, place: Path) -> Manifest:
    """Build a platform at `place` from the backup in `source`."""
    _check_free(place)
    manifest = archive.verify(source)
    with _built_beside(place) as beside:
        folder = folders.prepare(beside)
        archive.extract(source, into=folder.path)
        dump = folder.path / archive.DATABASE
        _fill(settings, manifest=manifest, folder=folder, dump=dump)
        dump.unlink()
        (folder.path / archive.MANIFEST).unlink()
    return manifest


def _check_free(place: Path) -> None:
    if place.is_dir() and not any(place.iterdir()) and not place.is_mount():
        return
    if place.is_mount():
        raise FolderOccupied(
            f"{place} is a mounted file system, which a folder built beside it cannot replace. "
            f"Name a folder inside it: --data {place / 'moorage'}"
        )
    if os.path.lexists(place):
        raise FolderOccupied(f"{place} is not an empty folder. Name another one with --data.")


@contextmanager
def _built_beside(place: Path) -> Generator[Path]:
    """A folder that becomes `place` if all goes well and disappears if anything does not."""
    beside = place.with_name(f".{place.name}.restoring-{os.getpid()}")
    try:
        yield beside
        for trace in (beside / "run").iterdir():
            shutil.rmtree(trace) if trace.is_dir() else trace.unlink()
        beside.rename(place)
    except OSError as err:
        raise archive.BackupUnusable(f"{place} cannot be made: {err.strerror or err}.") from err
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _fill(settings: Settings, *, manifest: Manifest, folder: Folder, dump: Path) -> None:
    """Restore the dump into a new server of our own, or into the empty one of the settings."""
    programs = binaries.choose_at_least(manifest.postgres)
    if settings.database.owner_url:
        dumps.restore(settings.database.owner_url, binaries=programs, source=dump)
        return
    server = postgres.start(folder, binaries=programs)
    try:
        dumps.restore(server.super_url, binaries=programs, source=dump)
    finally:
        postgres.stop(server)
