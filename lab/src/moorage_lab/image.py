"""The base image: made once for each recipe, then only read.

It is built beside its final place and renamed when it is complete, so a folder with an image's name
is an image. Whoever wants the same image at the same time waits for the one who builds it.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from moorage_lab import archive, cgroups, layout, locks, shell
from moorage_lab.errors import LabError
from moorage_lab.layout import Places
from moorage_lab.recipe import Recipe


class NotBuilt(LabError):
    """mmdebstrap could not make the image."""


def find(places: Places, recipe: Recipe) -> Path | None:
    """The image's folder, if it was ever completed."""
    place = places.cache / recipe.name
    return place if place.is_dir() else None


def ensure(places: Places, recipe: Recipe) -> Path:
    """The image's folder; builds it if nobody has."""
    found = find(places, recipe)
    if found:
        return found
    with locks.hold(places.cache / f"{recipe.name}.lock"):
        return find(places, recipe) or _build(places, recipe)


def _build(places: Places, recipe: Recipe) -> Path:
    draft = places.cache / f"{recipe.name}.draft"
    group = f"{layout.MARK}/.images/{recipe.name}"
    _clear(draft, group)  # what a build that was cut off has left
    try:
        with tempfile.TemporaryDirectory(prefix="moorage-lab-") as folder:
            _run(_command(recipe, draft=draft, folder=Path(folder)), group=group)
        shell.call("sync", "--file-system", draft)
        return draft.rename(places.cache / recipe.name)
    finally:
        _clear(draft, group)
        cgroups.remove_if_empty(f"{layout.MARK}/.images")
        cgroups.remove_if_empty(layout.MARK)


def _clear(draft: Path, group: str) -> None:
    cgroups.end(group)
    shutil.rmtree(draft, ignore_errors=True)


def _command(recipe: Recipe, *, draft: Path, folder: Path) -> list[str]:
    sources, options = archive.write(folder, suite=recipe.suite)
    finish = folder / "finish"
    finish.write_text(f"#!/bin/sh\n{recipe.finish}")
    finish.chmod(0o755)
    return [
        "mmdebstrap",
        "--mode=root",
        "--variant=minbase",
        "--format=directory",
        f"--include={','.join(recipe.packages)}",
        f"--aptopt={options}",
        f"--customize-hook={finish}",
        recipe.suite,
        str(draft),
        str(sources),
    ]


def _run(command: list[str], *, group: str) -> None:
    entering = shell.inside(cgroups.make(group), command)
    ended = subprocess.run(
        entering, stdin=subprocess.DEVNULL, capture_output=True, env=shell.ENVIRONMENT, check=False
    )
    if ended.returncode != 0:
        lines = ended.stderr.decode(errors="replace").strip().splitlines()
        said = "\n".join(lines[-15:])
        raise NotBuilt(f"mmdebstrap ended with {ended.returncode}:\n{said}")
