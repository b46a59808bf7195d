"""What a simulated agent does with a task. Pure.

A script takes a task and the memory of its host and says how the task goes. `play` is the one that
everybody gets: it behaves like a host on which everything works, slowed down or made to fail as a
`Behaviour` says.
"""

import hashlib
import json
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

KINDS = ("exec", "put", "get", "packages", "service", "access-sync", "probe", "wipe")
ENSURING = ("put", "packages", "service", "access-sync")

Task = dict[str, Any]


@dataclass(frozen=True)
class Behaviour:
    """How a host is, other than well."""

    delay: float = 0
    """Seconds that each task takes."""
    failing: float = 0
    """The share of tasks that fail."""
    output: int = 0
    """Bytes that each command writes, besides what it echoes."""
    pieces: int = 1
    """In how many pieces the output comes; the delay is spread between them."""
    residue: tuple[str, ...] = ()
    """Files that a wipe leaves behind."""


@dataclass(frozen=True)
class Reaction:
    """How one task goes."""

    seconds: float = 0
    state: str = "succeeded"
    changed: bool | None = None
    result: dict[str, Any] = field(default_factory=dict[str, Any])
    error: dict[str, str] | None = None
    output: tuple[bytes, ...] = ()
    stream: str = "stdout"


@dataclass
class Memory:
    """What a host remembers between tasks."""

    inventory: dict[str, Any]
    chance: Random
    done: MutableMapping[str, str] = field(default_factory=dict[str, str])
    """What was ensured, by its place: the digest of what it should be."""


Script = Callable[[Task, Memory], Reaction]


def scripted(behaviour: Behaviour) -> Script:
    """The script of a host that is like this."""
    return lambda task, memory: play(task, memory, behaviour)


def play(task: Task, memory: Memory, behaviour: Behaviour) -> Reaction:
    """How the task goes on a host that behaves so."""
    if behaviour.failing and memory.chance.random() < behaviour.failing:
        said = {"code": "exit_nonzero", "message": "The simulated command ended with 1."}
        return Reaction(
            behaviour.delay, "failed", result={"exit_code": 1, "signal": None}, error=said
        )
    kind, given = task["kind"], task["input"]
    if kind == "exec":
        return _command(given, behaviour)
    if kind in ENSURING:
        return _ensured(kind, given, memory, behaviour)
    if kind == "get":
        content = f"simulated {given.get('path')}\n".encode()
        digest = hashlib.sha256(content).hexdigest()
        known = {"size": len(content), "digest": digest, "mode": "0644", "owner": "root"}
        return Reaction(behaviour.delay, result=known, output=(content,), stream="content")
    residue = {"files": list(behaviour.residue)} if behaviour.residue else {}
    if kind == "wipe":
        memory.done.clear()
        cleared = {"removed": {}, "residue": residue}
        return Reaction(behaviour.delay, changed=True, result=cleared)
    return Reaction(behaviour.delay, result=_probed(given, memory, residue))


def _command(given: dict[str, Any], behaviour: Behaviour) -> Reaction:
    words: list[str] = given.get("argv") or []
    said = f"{' '.join(words[1:])}\n".encode() if words[:1] == ["echo"] else b""
    whole = said + b"x" * behaviour.output
    size = max(1, -(-len(whole) // behaviour.pieces))
    pieces = tuple(whole[at : at + size] for at in range(0, len(whole), size))
    result: dict[str, Any] = {"exit_code": 0, "signal": None, "dropped": {}}
    return Reaction(behaviour.delay, result=result, output=pieces)


def _ensured(kind: str, given: dict[str, Any], memory: Memory, behaviour: Behaviour) -> Reaction:
    place = f"{kind} {given.get('path') or given.get('unit') or ''}"
    wanted = hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()
    changed = memory.done.get(place) != wanted
    memory.done[place] = wanted
    return Reaction(behaviour.delay, changed=changed, result=_said(kind, given, changed, wanted))


def _said(kind: str, given: dict[str, Any], changed: bool, digest: str) -> dict[str, Any]:
    if kind == "put":
        return {"changed": changed, "digest": digest}
    if kind == "packages":
        wanted: list[str] = given.get("present") or []
        names = [word.partition("=") for word in wanted]
        installed = {name: version or "1.0" for name, _, version in names}
        return {"changed": changed, "installed": installed, "removed": given.get("absent") or []}
    if kind == "service":
        active = "inactive" if given.get("state") == "stopped" else "active"
        enabled = bool(given.get("enabled"))
        return {"changed": changed, "active_state": active, "sub_state": "", "enabled": enabled}
    people: list[dict[str, Any]] = given.get("people") or []
    present = [person["login"] for person in people]
    return {"changed": changed, "present": present, "removed": [], "ended": {}, "clashes": []}


def _probed(given: dict[str, Any], memory: Memory, residue: dict[str, list[str]]) -> dict[str, Any]:
    known: dict[str, Any] = {
        "inventory": memory.inventory,
        "residue": residue,
        "services": {},
        "listening": [],
    }
    parts: list[str] = given.get("parts") or []
    return {part: known[part] for part in parts if part in known}
