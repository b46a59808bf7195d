"""What an app says for the kit: `conformance.yaml`, beside its manifest.

controller: [node, controller.mjs]
components: {host: 2}
grow: host
configure: {greeting: welcome}
actions: {node_echo.say: {word: aboard}}
traces:
  paths: [/etc/node-echo]

An app whose manifest is written by a build says that alone, and the build writes the rest:

build: [make, "release={folder}"]
"""

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from moorage.manifest import Manifest, folder
from moorage_conformance.findings import CannotRun

FILE = "conformance.yaml"


class Part(BaseModel):
    """Nothing is taken that has no meaning: a wrong word would leave something unjudged."""

    model_config = ConfigDict(extra="forbid", frozen=True)


P = TypeVar("P", bound=Part)


class Traces(Part):
    """What the app leaves on a host while it is there."""

    paths: list[str] = Field(default_factory=list[str])
    """Files, and folders with all that is in them. Each file is the same in every life."""
    varying: list[str] = Field(default_factory=list[str])
    """Those among them that are of another content each time: keys, data. It counts that they are
    there."""
    units: list[str] = Field(default_factory=list[str])
    """Services of systemd's."""


class Command(Part):
    """A command on a member's host, and what it reads."""

    argv: list[str] = Field(min_length=1)
    stdin: str = ""


class Busy(Part):
    """How a member comes to have something that a drain waits for."""

    begin: Command
    end: Command
    """Safe to run where it has ended already."""


class Answer(Part):
    """A part of what an action answered earlier in the same life, for the input of another."""

    answer: str
    """The action."""
    field: str


class Said(Part):
    """The file."""

    controller: list[str] = Field(min_length=1)
    """The command that runs a replica of the controller, in the app's folder."""
    cut: list[str] | None = None
    """The command that writes another version into a folder: `{version}` and `{folder}` are filled
    in. Left out: the folder is copied, and the number in its manifest changed."""
    components: dict[str, int] = Field(min_length=1)
    """How many members of each component the first deployment has."""
    grow: str
    """The component of which members come and go."""
    config: dict[str, Any] = Field(default_factory=dict)
    """The configuration of the first deployment."""
    configure: dict[str, Any]
    """What becomes of it: fields that are changed."""
    actions: dict[str, dict[str, Answer | Any]] = Field(default_factory=dict)
    """Actions to run in this order, each with its input. One of a component acts on its first
    member."""
    patience: float = Field(default=60, gt=0, le=3600)
    """Seconds that an operation may take that nothing holds up."""
    traces: Traces
    busy: Busy | None = None
    """Left out: nobody looks whether a drain waits."""
    fault: str | None = None
    """A folder of the app's on a host: with a file in its place, a member cannot join. Left out:
    the first of the traces."""


class Built(Part):
    """The file of an app whose folder a build writes: manifest, artifacts and a file as above."""

    build: list[str] = Field(min_length=1)
    """The command, run beside this file; `{folder}`, which is not there yet, is filled in."""


class Plan(Part):
    """An app that is to be judged."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    path: Path
    said: Said
    manifest: Manifest
    runbook: str | None

    @property
    def machines(self) -> int:
        """How many it takes: the first deployment, one to grow by and one to move to."""
        return sum(self.said.components.values()) + 2

    @property
    def fault(self) -> str:
        return self.said.fault or self.said.traces.paths[0]


def read(path: Path) -> Plan:
    """Read an app's folder.

    Raises:
        CannotRun: something of it is not as it should be; every fault is named.
    """
    found = folder.load(path)
    if found.manifest is None or found.faults:
        faults = "; ".join(f"{f.path or 'the file'}: {f.message}" for f in found.faults)
        raise CannotRun(f"{path / 'manifest.yaml'} cannot be used: {faults}.")
    said = read_said(path / FILE)
    _check(said, found.manifest)
    return Plan(path=path.resolve(), said=said, manifest=found.manifest, runbook=found.runbook)


def find_build(path: Path) -> list[str] | None:
    """The command that writes the folder which is judged; None where it is this one."""
    file = path / FILE
    if not file.is_file():
        return None
    document = _load(file)
    if not isinstance(document, dict) or "build" not in document:
        return None
    return _model(Built, document, file).build


def read_said(file: Path) -> Said:
    return _model(Said, _load(file), file)


def _load(file: Path) -> Any:
    try:
        return yaml.safe_load(file.read_text("utf-8"))
    except OSError as err:
        raise CannotRun(
            f"{file} cannot be read ({err.strerror}): an app says there how it is to be judged."
        ) from err
    except yaml.YAMLError as err:
        raise CannotRun(f"{file} is no YAML: {err}.") from err


def _model(model: type[P], document: Any, file: Path) -> P:
    try:
        return model.model_validate(document)
    except ValidationError as err:
        faults = [f"{'.'.join(map(str, e['loc'])) or 'the file'}: {e['msg']}" for e in err.errors()]
        raise CannotRun(f"{file} cannot be used: {'; '.join(faults)}.") from err


def _check(said: Said, manifest: Manifest) -> None:
    """What the file names is in the manifest too."""
    faults = [
        f"components: the manifest has no component {name!r}"
        for name in said.components
        if name not in manifest.components
    ]
    if said.grow not in manifest.components:
        faults.append(f"grow: the manifest has no component {said.grow!r}")
    declared = {action.name for action in manifest.actions}
    faults += [f"actions: the manifest has no {name!r}" for name in said.actions.keys() - declared]
    faults += [f"actions: nothing is said of {name!r}" for name in declared - said.actions.keys()]
    faults += [f"actions: {why}" for why in _unanswered(said)]
    if not said.traces.paths:
        faults.append("traces.paths: name what the app leaves on a host")
    if faults:
        raise CannotRun(f"{FILE} does not fit the manifest: {'; '.join(sorted(faults))}.")


def _unanswered(said: Said) -> list[str]:
    """Answers that nobody has given when they are needed."""
    found: list[str] = []
    before: list[str] = []
    for name, given in said.actions.items():
        wanted = [value.answer for value in given.values() if isinstance(value, Answer)]
        found += [f"{name} wants an answer of {each!r}" for each in wanted if each not in before]
        before.append(name)
    return [f"{each}, which does not come before it" for each in found]
