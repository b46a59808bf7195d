"""`moor app init` and `moor app validate`: an app's folder here. No platform is asked."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from moorage import manifest
from moorage_cli.connection import Chosen
from moorage_cli.failures import Refused, Taken, Unsound
from moorage_cli.output import Done
from moorage_cli.verbs import local

verbs = typer.Typer()


@local(verbs, "init")
async def make_app(
    chosen: Chosen,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
    slug: Annotated[
        str | None, typer.Option(help="The app's slug; the folder's name if left out.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The app's name for people.")] = None,
) -> Done:
    """Make the folder of a new app: a manifest that validates, with the files that it names.

    Nothing that is there is overwritten.
    """
    try:
        files = manifest.folder.skeleton(slug or folder.resolve().name, name)
    except manifest.folder.BadName as err:
        raise Refused(f"An app cannot be called so: {err}. --slug and --name say it.") from err
    there = [path for path in files if (folder / path).exists()]
    if there:
        raise Taken(f"{folder} has {', '.join(there)} already, and keeps it.")
    try:
        for path, content in files.items():
            _write(folder / path, content)
    except OSError as err:
        raise Refused(f"{err.filename} cannot be written: {err.strerror}.") from err
    text = f"{folder} holds a new app: {', '.join(files)}. `moor app validate {folder}` checks it."
    return Done(text, {"folder": str(folder), "files": list(files)})


@local(verbs, "validate")
async def validate_app(
    chosen: Chosen,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The app's folder.")] = Path(),
) -> Done:
    """Judge an app's folder as the platform would: the manifest and every file that it names.

    Each fault is told with file, line and column. Families that a platform has beyond those of the
    contract are not known here.
    """
    found = manifest.folder.load(folder)
    if found.faults or found.manifest is None:
        raise unsound(folder, found.faults)
    app = found.manifest
    asked = manifest.declaration(app)
    return Done(
        f"{app.slug} {app.version}: nothing is wrong with {folder}.",
        {
            "slug": app.slug,
            "version": app.version,
            "digest": app.digest,
            "declaration": {**asked.model_dump(mode="json"), "digest": asked.digest},
            "faults": [],
        },
    )


def unsound(folder: Path, faults: Sequence[manifest.Fault]) -> Unsound:
    """What is wrong with a folder, each fault with its place."""
    return Unsound(_count(folder, len(faults)), [_told(folder, fault) for fault in faults])


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("xb") as made:
        made.write(content)


def _count(folder: Path, faults: int) -> str:
    return f"{folder} has {faults} {'fault' if faults == 1 else 'faults'}."


def _told(folder: Path, fault: manifest.Fault) -> dict[str, str | int]:
    return {**asdict(fault), "file": str(folder / fault.file)}
