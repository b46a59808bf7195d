"""A simulated host with files, units and programs: what one task puts there, the next one finds.

`Host.play` is a script for an agent. Programs come from whoever makes the host; a few of every
host's own are here, as far as they leave something behind that tasks can see. Everything else that
a command might be is not found, as on a real host.
"""

import base64
import hashlib
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from moorage_lab.simulated import script
from moorage_lab.simulated.script import Behaviour, Memory, Reaction, Task

UNITS = "/etc/systemd/system"

Given = dict[str, Any]


@dataclass
class Unit:
    """A service of systemd's."""

    active: bool = False
    enabled: bool = False
    starts: int = 0
    """How often one of its name was started here, ever: no two starts have the same number."""


@dataclass(frozen=True)
class Ran:
    """How a program ended."""

    code: int = 0
    stdout: str = ""
    stderr: str = ""


Program = Callable[["Host", Sequence[str], str], Ran | None]
"""What a command does with what it reads; None where the host has no such program."""


@dataclass
class Host:
    """One machine, as its tasks leave it."""

    name: str
    address: str
    program: Program = lambda host, argv, stdin: None
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    units: dict[str, Unit] = field(default_factory=dict[str, Unit])
    seconds: float = 0
    """How long each task takes."""
    effects: Counter[str] = field(default_factory=Counter[str])
    """What has really happened here, and how often: `start UNIT`, `write PATH`."""
    started: Counter[str] = field(default_factory=Counter[str])
    """Starts of units by name, also of those that are gone."""

    def play(self, task: Task, memory: Memory) -> Reaction:
        """Do a task."""
        does = {
            "exec": self._exec,
            "put": self._put,
            "get": self._get,
            "service": self._service,
            "probe": self._probe,
        }
        if task["kind"] in does:
            return does[task["kind"]](task, memory)
        if task["kind"] == "wipe":
            self.files.clear()
            self.units.clear()
        return script.play(task, memory, Behaviour(delay=self.seconds))

    def starts(self, unit: str) -> int:
        """How often a unit was started, or 0 while it does not run."""
        found = self.units.get(unit)
        return found.starts if found is not None and found.active else 0

    # --- kinds -----------------------------------------------------------------------------------

    def _exec(self, task: Task, memory: Memory) -> Reaction:
        given: Given = task["input"]
        stdin = given.get("stdin") or ""
        if isinstance(stdin, dict):
            stdin = base64.b64decode(task["secrets"][stdin["$secret"]]).decode()
        return self._run(given["argv"], stdin)

    def _run(self, argv: Sequence[str], stdin: str) -> Reaction:
        ran = self.program(self, argv, stdin) or _of_every_host(self, argv)
        if ran is None:
            return self._refuse("command_not_found", f"There is no program {argv[0]}.")
        result: Given = {"exit_code": ran.code, "signal": None, "dropped": {}}
        error = None
        if ran.code:
            error = {"code": "exit_nonzero", "message": f"The command ended with {ran.code}."}
        return Reaction(
            self.seconds,
            "failed" if ran.code else "succeeded",
            result=result,
            error=error,
            output=(ran.stdout.encode(),),
        )

    def _put(self, task: Task, memory: Memory) -> Reaction:
        """A file; in place of an artifact's bytes stands its digest."""
        given: Given = task["input"]
        content = given.get("content")
        if content is None:
            raw = str(given["digest"]).encode()
        elif isinstance(content, dict):
            raw = base64.b64decode(task["secrets"][content["$secret"]])
        else:
            raw = base64.b64decode(content)
        path = str(given["path"])
        blocking = next((f for f in self.files if path.startswith(f"{f}/")), None)
        if blocking is not None:
            return self._refuse("path_unusable", f"{blocking} is not a folder.")
        changed = self.files.get(path) != raw
        self.files[path] = raw
        self.effects[f"write {given['path']}"] += changed
        digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
        return Reaction(
            self.seconds, changed=changed, result={"changed": changed, "digest": digest}
        )

    def _get(self, task: Task, memory: Memory) -> Reaction:
        path = task["input"]["path"]
        if path not in self.files:
            return self._refuse("path_missing", f"There is no {path}.")
        content = self.files[path]
        known = {"size": len(content), "mode": "0644", "owner": "root"}
        known["digest"] = f"sha256:{hashlib.sha256(content).hexdigest()}"
        return Reaction(self.seconds, result=known, output=(content,), stream="content")

    def _service(self, task: Task, memory: Memory) -> Reaction:
        given: Given = task["input"]
        name, path = given["unit"], f"{UNITS}/{given['unit']}"
        changed = False
        if given.get("content") is not None:
            raw = str(given["content"]).encode()
            changed, self.files[path] = self.files.get(path) != raw, raw
        if path not in self.files:
            return self._refuse("unit_missing", f"The host has no unit {name}.")
        unit = self.units.setdefault(name, Unit(starts=self.started[name]))
        before = (unit.active, unit.enabled, unit.starts)
        self.effects[f"write {path}"] += changed
        if given.get("enabled") is not None:
            unit.enabled = given["enabled"]
        _move(unit, given.get("state"))
        self.effects[f"start {name}"] += unit.starts - before[2]
        self.started[name] = unit.starts
        changed = changed or before != (unit.active, unit.enabled, unit.starts)
        active = "active" if unit.active else "inactive"
        said = {"active_state": active, "sub_state": "", "enabled": unit.enabled}
        return Reaction(self.seconds, changed=changed, result={"changed": changed, **said})

    def _probe(self, task: Task, memory: Memory) -> Reaction:
        if argv := task["input"].get("argv"):
            return self._run(argv, "")
        known: Given = {
            "inventory": memory.inventory,
            "services": {name: "active (running)" for name in self.units if self.starts(name)},
            "listening": [],
            "residue": {"files": sorted(self.files)} if self.files else {},
        }
        return Reaction(self.seconds, result={part: known[part] for part in task["input"]["parts"]})

    def _refuse(self, code: str, message: str) -> Reaction:
        return Reaction(self.seconds, "failed", error={"code": code, "message": message})


def _move(unit: Unit, state: str | None) -> None:
    if state == "restarted" or (state == "started" and not unit.active):
        unit.starts += 1
    if state in ("started", "restarted", "stopped"):
        unit.active = state != "stopped"


def _of_every_host(host: Host, argv: Sequence[str]) -> Ran | None:
    program, *words = argv
    paths = [word for word in words if word.startswith("/")]
    if program == "rm":
        for path in [*host.files]:
            if any(path == gone or path.startswith(f"{gone}/") for gone in paths):
                del host.files[path]
        return Ran()
    if program == "touch":
        for path in paths:
            host.files.setdefault(path, b"")
        return Ran()
    if program == "ls":
        there = [p for p in paths if any(f == p or f.startswith(f"{p}/") for f in host.files)]
        return Ran(0 if there == paths else 2, "".join(f"{path}\n" for path in there))
    if program == "find":
        return _find(host, words)
    if program == "systemctl":
        return _systemctl(host, words)
    return Ran() if program == "true" else None


def _find(host: Host, words: Sequence[str]) -> Ran:
    """`find PATH... -type f -exec sha256sum {} ;`: every file with its digest."""
    paths = [*itertools.takewhile(lambda word: word.startswith("/"), words)]
    there = sorted(f for f in host.files if any(_is_below(f, path) for path in paths))
    lines = [f"{hashlib.sha256(host.files[path]).hexdigest()}  {path}\n" for path in there]
    missing = [path for path in paths if not any(_is_below(f, path) for f in there)]
    return Ran(1 if missing else 0, "".join(lines))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _systemctl(host: Host, words: Sequence[str]) -> Ran:
    if words[0] == "show":
        return _show(host, [word for word in words[1:] if not word.startswith("-")])
    verb, names = words[0], [word for word in words[1:] if not word.startswith("-")]
    if verb == "disable":
        for unit in (host.units[name] for name in names if name in host.units):
            unit.active, unit.enabled = unit.active and "--now" not in words, False
    if verb == "daemon-reload":
        for name in [*host.units]:
            if f"{UNITS}/{name}" not in host.files and not host.units[name].active:
                del host.units[name]
    return Ran()


def _show(host: Host, names: Sequence[str]) -> Ran:
    """`systemctl show --property=Id,LoadState,ActiveState,UnitFileState -- UNIT...`."""
    blocks: list[str] = []
    for name in names:
        unit = host.units.get(name)
        loaded = "not-found" if unit is None else "loaded"
        active = "active" if unit is not None and unit.active else "inactive"
        enabled = "" if unit is None else "enabled" if unit.enabled else "disabled"
        blocks.append(
            f"Id={name}\nLoadState={loaded}\nActiveState={active}\nUnitFileState={enabled}\n"
        )
    return Ran(0, "\n".join(blocks))
