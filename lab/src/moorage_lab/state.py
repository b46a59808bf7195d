"""What a lab has claimed, as one JSON file: written before anything is made, removed last."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from moorage_lab.errors import LabError
from moorage_lab.layout import NAME, Places

VERSION = 1


@dataclass(frozen=True)
class State:
    """One lab's claims."""

    name: str
    subnet: int
    hosts: int
    image: str
    """The folder of the base image."""
    disk: int
    """Bytes that each host may write."""
    version: int = VERSION

    def grown_to(self, hosts: int) -> "State":
        """The same lab with at least so many hosts. A lab never shrinks."""
        return replace(self, hosts=max(hosts, self.hosts))


class Unreadable(LabError):
    """The file is not one that this release wrote."""

    exit_code = 5


def find(places: Places, name: str) -> State | None:
    """The lab's claims; None where there is no lab of this name."""
    path = places.state(name)
    try:
        return parse(path.read_text())
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as err:
        raise Unreadable(
            f"{path} is no lab's state: {err}. `moor lab down --name {name}` removes the lab."
        ) from err


def parse(text: str) -> State:
    """Read a state; ValueError or TypeError where it is none."""
    fields = json.loads(text)
    if fields.get("version") != VERSION:
        raise ValueError(f"version {fields.get('version')!r} instead of {VERSION}")
    return State(**fields)


def save(places: Places, state: State) -> None:
    """Write it whole or not at all."""
    path = places.state(state.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    with draft.open("w") as file:
        file.write(json.dumps(asdict(state), indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def names(places: Places) -> list[str]:
    """Every lab that has a folder here."""
    return sorted(path.name for path in _folders(places.run) if NAME.fullmatch(path.name))


def _folders(run: Path) -> Iterator[Path]:
    return (path for path in run.iterdir() if path.is_dir()) if run.is_dir() else iter(())
