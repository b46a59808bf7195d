"""An app: its manifest, and which function does what."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from moorage.controller.operation import (
    ActionOperation,
    BatchOperation,
    InstanceOperation,
    MemberOperation,
)
from moorage.controller.reports import Observed
from moorage.controller.watching import WatchedInstance
from moorage_manifest import Manifest, read

O = TypeVar("O")  # noqa: E741 - the operation that a function takes
B = TypeVar("B")

Handler = Callable[[O], Awaitable[Any]]
Look = Callable[[WatchedInstance], Awaitable[Observed]]
EVERY = 15.0


class ManifestUnusable(ValueError):
    """The manifest cannot be read, or what stands in it is wrong."""


class Slot(Generic[O, B]):
    """A kind of operation, to be given its function: `@app.instance.restart`.

    `prepare` and `finish` are for parents: once before the operations of the members, and once
    after them.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.work: Handler[O] | None = None
        self.before: Handler[B] | None = None
        self.after: Handler[B] | None = None

    def __call__(self, function: Handler[O]) -> Handler[O]:
        self.work = self._first(self.work, function, "")
        return function

    def prepare(self, function: Handler[B]) -> Handler[B]:
        self.before = self._first(self.before, function, ".prepare")
        return function

    def finish(self, function: Handler[B]) -> Handler[B]:
        self.after = self._first(self.after, function, ".finish")
        return function

    def _first(self, known: Handler[Any] | None, function: Handler[Any], part: str) -> Handler[Any]:
        if known is not None:
            raise ValueError(f"{self.name}{part} has a function already: {known.__qualname__}.")
        return function


InstanceSlot = Slot[InstanceOperation, InstanceOperation]
MemberSlot = Slot[MemberOperation, BatchOperation]


class InstanceSlots:
    """What can be asked of an instance.

    `deploy` and `decommission` have the operations of the members in their middle: `.prepare` comes
    before them, the function itself after them.
    """

    def __init__(self) -> None:
        self.deploy = InstanceSlot("instance.deploy")
        self.configure = InstanceSlot("instance.configure")
        self.upgrade = InstanceSlot("instance.upgrade")
        self.rollback = InstanceSlot("instance.rollback")
        self.stop = InstanceSlot("instance.stop")
        self.start = InstanceSlot("instance.start")
        self.restart = InstanceSlot("instance.restart")
        self.repair = InstanceSlot("instance.repair")
        self.decommission = InstanceSlot("instance.decommission")

    def slot(self, verb: str) -> InstanceSlot:
        return getattr(self, verb)


class MemberSlots:
    """What can be asked of a member of one component."""

    def __init__(self, component: str) -> None:
        self.add = MemberSlot(f"member({component}).add")
        self.drain = MemberSlot(f"member({component}).drain")
        self.resume = MemberSlot(f"member({component}).resume")
        self.remove = MemberSlot(f"member({component}).remove")
        self.replace = MemberSlot(f"member({component}).replace")

    def slot(self, verb: str) -> MemberSlot:
        return getattr(self, verb)


@dataclass(frozen=True)
class Watcher:
    """How instances are looked at."""

    look: Look
    every: float


@dataclass
class App:
    """An app and its functions.

    Make one per controller, at the top of a module, and decorate the functions that do the work.
    """

    manifest: Manifest
    instance: InstanceSlots = field(default_factory=InstanceSlots)
    members: dict[str, MemberSlots] = field(default_factory=dict[str, MemberSlots])
    actions: dict[str, Handler[ActionOperation]] = field(
        default_factory=dict[str, Handler[ActionOperation]]
    )
    rotation: Handler[InstanceOperation] | None = None
    watcher: Watcher | None = None

    @classmethod
    def from_manifest(cls, path: str | Path) -> Self:
        """The app that a manifest file describes."""
        file = Path(path)
        return cls.from_text(file.read_text(encoding="utf-8"), file=str(file))

    @classmethod
    def from_text(cls, text: str, *, file: str = "manifest.yaml") -> Self:
        """The app that a manifest describes."""
        reading = read(text, file=file)
        if reading.manifest is None:
            raise ManifestUnusable("\n".join(map(str, reading.faults)))
        members = {key: MemberSlots(key) for key in reading.manifest.components}
        return cls(reading.manifest, members=members)

    def member(self, component: str) -> MemberSlots:
        """What can be asked of members of a component."""
        if component not in self.members:
            raise ValueError(f"The manifest has no component {component}.")
        return self.members[component]

    def action(self, name: str) -> Callable[[Handler[ActionOperation]], Handler[ActionOperation]]:
        """The function of an action. What it returns is the action's answer."""
        if name not in {action.name for action in self.manifest.actions}:
            raise ValueError(f"The manifest has no action {name}.")
        if name in self.actions:
            raise ValueError(f"The action {name} has a function already.")

        def declare(function: Handler[ActionOperation]) -> Handler[ActionOperation]:
            self.actions[name] = function
            return function

        return declare

    def rotate(self, function: Handler[InstanceOperation]) -> Handler[InstanceOperation]:
        """The function that puts new secrets in the place of the old ones."""
        if self.rotation is not None:
            raise ValueError("The rotation has a function already.")
        self.rotation = function
        return function

    def watch(self, *, every: float = EVERY) -> Callable[[Look], Look]:
        """The function that looks at an instance, every so many seconds and after every hint."""
        if self.watcher is not None:
            raise ValueError("Instances have a function that looks at them already.")

        def declare(function: Look) -> Look:
            self.watcher = Watcher(function, every)
            return function

        return declare

    def missing(self) -> list[str]:
        """What the manifest promises and no function does. With gaps, no controller starts."""
        gaps = [
            f"member({key}).{verb}"
            for key, component in self.manifest.components.items()
            # Members come with the deployment and go with the instance, whatever can be asked.
            for verb in dict.fromkeys(["add", "remove", *component.verbs])
            if verb != "replace" and self.members[key].slot(verb).work is None
        ]
        gaps += [f"action {a.name}" for a in self.manifest.actions if a.name not in self.actions]
        rollback = self.manifest.rollback
        if rollback is not None and rollback.supported and self.instance.rollback.work is None:
            gaps.append("instance.rollback")
        return gaps
