"""`moor backup FILE`: everything that a restore on another machine needs, in one file.

Works while the platform runs, and what is taken at different moments fits together. Keys are only
ever added, and blobs outlive their rows by a day: taken after the database, they include all that
it refers to. Uploads under way are left out: whoever sends them begins again. Seals are copied to
their log after they are in the database, so the log is taken as long as it was before: the restored
platform copies what is missing there, whereas a log ahead of its database means to everybody that
somebody has cut the database.

The file holds the keys of the embedded secret store: whoever has it has everything. Secrets that
are in OpenBao are not in it.
"""

import importlib.metadata
import os
import tarfile
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from moorage_core.audit import seal_log
from moorage_core.embedded import binaries, cluster, postgres
from moorage_core.embedded import folder as folders
from moorage_core.embedded.binaries import Binaries
from moorage_core.embedded.errors import OperatorError
from moorage_core.embedded.folder import Folder
from moorage_core.embedded.postgres import Server
from moorage_core.operate import archive, arguments, dumps
from moorage_core.operate.archive import Manifest
from moorage_core.settings import Settings

SEAL_LOG = "seals/seals.jsonl"
"""Where the seal log lies in a data folder, wherever the settings had it."""


class NothingToBackUp(OperatorError):
    """There is no platform in this folder."""

    exit_code = 4


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write. It must not exist yet.")],
    data: arguments.Data = None,
    config: arguments.Config = None,
) -> None:
    """Write database, keys, certificates, seals and blobs into one file."""
    with arguments.refusals():
        settings = arguments.load_settings(config, data=data)
        target = file.absolute()
        manifest = write(settings, target=target)
        size = target.stat().st_size
    print(f"Wrote {target} ({size:,} bytes, {len(manifest.digests)} files).")
    print("It holds the platform's keys. Keep it where only you can read it.")
    if settings.secrets.url:
        print(
            "It does not hold the values of secrets:"
            f" they are in OpenBao at {settings.secrets.url}."
            " Back that up now, and keep the two together."
        )


def write(settings: Settings, *, target: Path) -> Manifest:
    """Back up the platform that `settings` describe into a new file."""
    folder = _existing_folder(settings)
    if target.exists():
        raise archive.FileTaken(f"{target} exists. Choose a new name; no backup is overwritten.")
    with _new_file(target) as partial, _source(settings, folder=folder) as (url, programs):
        with tempfile.TemporaryDirectory(prefix=".moorage-dump-", dir=target.parent) as place:
            dump = Path(place) / archive.DATABASE
            log, length = _seal_log(settings)
            schema = dumps.schema_revision(url)
            dumps.dump(url, binaries=programs, target=dump)
            with tarfile.open(partial, "w:", format=tarfile.PAX_FORMAT) as tar:
                writer = archive.Writer(tar)
                writer.add(archive.DATABASE, dump)
                if length:
                    writer.add(SEAL_LOG, log, size=length)
                for name in archive.FOLDERS:
                    writer.add_folder(name, folder.path / name)
                platform = importlib.metadata.version("moorage-core")
                return writer.finish(platform=platform, schema=schema, postgres=programs.major)


def _existing_folder(settings: Settings) -> Folder:
    place = settings.data
    is_ours = (place / "keys").is_dir()
    if is_ours and (settings.database.owner_url or cluster.major(place / "postgres")):
        return folders.prepare(place)
    raise NothingToBackUp(
        f"There is no platform's data in {place}. Name its folder with --data, or its settings "
        "with --config."
    )


def _seal_log(settings: Settings) -> tuple[Path, int]:
    path = seal_log.path_of(settings)
    return path, path.stat().st_size if path.exists() else 0


@contextmanager
def _new_file(target: Path) -> Generator[Path]:
    """A closed file beside the target that takes its name only when it is complete."""
    partial = target.with_name(f".{target.name}.partial")
    try:
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))
        partial.chmod(0o600)
        yield partial
        _sync(partial)
        # Linking refuses a name that somebody took meanwhile; renaming would overwrite it.
        os.link(partial, target)
        _sync(target.parent)
    except FileExistsError as err:
        raise archive.FileTaken(f"{target} exists. Choose a new name.") from err
    except OSError as err:
        raise archive.FileUnwritable(f"{target} cannot be written: {err.strerror or err}.") from err
    finally:
        partial.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _source(settings: Settings, *, folder: Folder) -> Generator[tuple[str, Binaries]]:
    """The URL to dump from, and programs that fit it."""
    if settings.database.owner_url:
        url = settings.database.owner_url
        yield url, binaries.choose_at_least(dumps.major(url))
        return
    running = postgres.find_running(folder)
    if running:
        yield running.super_url, running.binaries
        return
    server = postgres.start(folder)
    try:
        yield server.super_url, server.binaries
    finally:
        _stop_unless_taken_over(server)


def _stop_unless_taken_over(server: Server) -> None:
    """Stop what we started, unless a `moor up` has begun to use it meanwhile."""
    try:
        with folders.hold(server.folder):
            postgres.stop(server)
    except folders.FolderBusy:
        return
