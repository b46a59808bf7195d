"""An app's folder: `manifest.yaml` and the files that it names.

The folder may be a stranger's. Nothing outside of it is read, whatever a path or a link says, and
nothing but regular files is opened.
"""

import hashlib
import json
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from moorage_manifest import document, partial, reading
from moorage_manifest.faults import Fault, Place, ordered
from moorage_manifest.models import Artifact, Family, Manifest, namespace

MANIFEST = "manifest.yaml"
GREETING = "artifacts/greeting.txt"
LARGEST_RUNBOOK = 256 * 1024


@dataclass(frozen=True)
class Folder:
    """What was found in a folder. `text` and `runbook` are what a publisher sends."""

    path: Path
    manifest: Manifest | None = None
    text: str = ""
    runbook: str | None = None
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """The file of each artifact that has one, by the artifact's name."""
    faults: list[Fault] = field(default_factory=list[Fault])


class Unfit(Exception):
    """A file that is named cannot be used. Reported as a fault, never raised to a caller."""


class BadName(ValueError):
    """An app cannot be called so."""


def validate(path: Path | str, *, families: Mapping[str, Family] | None = None) -> list[Fault]:
    """Everything that is wrong with a folder: the manifest and each file that it names."""
    return load(path, families=families).faults


def load(path: Path | str, *, families: Mapping[str, Family] | None = None) -> Folder:
    """Read a folder. Its artifacts are read through once, for their digests, and not kept."""
    root = Path(path)
    try:
        content = _content(root, MANIFEST, document.LARGEST)
    except Unfit as err:
        return Folder(root, faults=[Fault(MANIFEST, 1, 1, "", str(err))])
    read = reading.read(content, file=MANIFEST, families=families)
    if read.manifest is None:
        return Folder(root, faults=read.faults)
    places = document.parse(content, file=MANIFEST)
    runbook, wrong = _runbook(root, read.manifest)
    wrong += [found for a in enumerate(read.manifest.artifacts) for found in _artifact(root, *a)]
    return Folder(
        root,
        read.manifest,
        content.decode("utf-8").removeprefix("\ufeff"),
        runbook,
        {a.name: root / a.file for a in read.manifest.artifacts if a.file is not None},
        ordered(places.fault(place, message) for place, message in wrong),
    )


def skeleton(slug: str, name: str | None = None) -> dict[str, bytes]:
    """The files of a new app, by path; `validate` finds nothing wrong with them.

    Raises:
        BadName: an app cannot have this slug or this name.
    """
    title = slug.replace("-", " ").capitalize() if name is None else name
    _check_names(slug, title)
    templates = dict(_templates())
    words = {"slug": slug, "namespace": namespace(slug), "title": title}
    greeting = _filled(templates[GREETING], words)
    words |= {
        "name": json.dumps(title, ensure_ascii=False),
        "digest": f"sha256:{hashlib.sha256(greeting).hexdigest()}",
        "size": str(len(greeting)),
    }
    return {path: _filled(template, words) for path, template in templates.items()}


def _check_names(slug: str, title: str) -> None:
    named = json.dumps(partial.BLANK | {"slug": slug, "name": title})
    faults = reading.read(named).faults
    if faults:
        raise BadName("; ".join(f"{fault.path}: {fault.message}" for fault in faults))


def _filled(template: str, words: Mapping[str, str]) -> bytes:
    return re.sub("@([a-z]+)@", lambda found: words[found[1]], template).encode()


def _templates() -> Iterator[tuple[str, str]]:
    yield from _below(resources.files("moorage_manifest") / "skeleton", "")


def _below(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _below(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry.read_text("utf-8")


def _runbook(root: Path, manifest: Manifest) -> tuple[str | None, list[tuple[Place, str]]]:
    if manifest.runbook is None:
        return None, []
    try:
        return _content(root, manifest.runbook, LARGEST_RUNBOOK).decode("utf-8"), []
    except UnicodeDecodeError:
        return None, [(("runbook",), f"{manifest.runbook} is not UTF-8 text")]
    except Unfit as err:
        return None, [(("runbook",), str(err))]


def _artifact(root: Path, index: int, artifact: Artifact) -> Iterator[tuple[Place, str]]:
    at: Place = ("artifacts", index)
    if artifact.file is None:
        return
    try:
        size, digest = _digest(root, artifact.file)
    except Unfit as err:
        yield (*at, "file"), str(err)
        return
    if size != artifact.size:
        yield (*at, "size"), f"{artifact.file} has {size} bytes: write 'size: {size}'"
    if digest != artifact.digest:
        yield (*at, "digest"), f"{artifact.file} has another digest: write 'digest: {digest}'"


def _digest(root: Path, name: str) -> tuple[int, str]:
    file = _inside(root, name)
    try:
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256")
            return content.tell(), f"sha256:{digest.hexdigest()}"
    except OSError as err:
        raise Unfit(f"{name} cannot be read: {err.strerror}") from err


def _content(root: Path, name: str, most: int) -> bytes:
    """A small file's content; whole, or one byte more than it may have."""
    file = _inside(root, name)
    try:
        with file.open("rb") as content:
            found = content.read(most + len("\ufeff".encode()) + 1)
    except OSError as err:
        raise Unfit(f"{name} cannot be read: {err.strerror}") from err
    if len(found) > most + len("\ufeff".encode()):
        raise Unfit(f"{name} is larger than {most // 1024} KiB")
    return found


def _inside(root: Path, name: str) -> Path:
    """The regular file of that name, which is below the folder even where links lead elsewhere."""
    try:
        home = root.resolve(strict=True)
        file = (home / name).resolve(strict=True)
        regular = stat.S_ISREG(file.stat().st_mode)
    except FileNotFoundError as err:
        raise Unfit(f"there is no {name} in the folder") from err
    except (OSError, RuntimeError) as err:
        raise Unfit(f"{name} cannot be reached") from err
    if not file.is_relative_to(home):
        raise Unfit(f"{name} leads out of the folder")
    if not regular:
        raise Unfit(f"{name} is not a regular file")
    return file
