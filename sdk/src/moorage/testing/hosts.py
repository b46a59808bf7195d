"""Hosts of a test's world: files, packages, services, and commands that the test gives.

They do what the platform's agent does with the same tasks, as far as a controller can tell. A
command that the test does not know is not found, as on a real host.
"""

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from moorage.controller.holds import Ended, Wish

UNIT_FOLDERS = ("/etc/systemd/system/", "/usr/lib/systemd/system/")


@dataclass(frozen=True)
class File:
    """A file. Of a secret the name is known, and not the value."""

    content: bytes = b""
    mode: str = "0644"
    owner: str = "root"
    secret: str | None = None

    @property
    def text(self) -> str:
        return self.content.decode()


@dataclass
class Service:
    """A service that systemd knows."""

    active: bool = False
    enabled: bool = False
    content: str | None = None
    starts: int = 0
    """How often it was started anew."""


@dataclass(frozen=True)
class Command:
    """A program that is to run."""

    argv: tuple[str, ...]
    stdin: str = ""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    run_as: str = "root"


@dataclass(frozen=True)
class Output:
    """What a program does, as far as its caller can tell."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


Commands = Callable[["Host", Command], Output | str | None]
"""What the programs of a host do; None for those that it does not have."""


@dataclass
class Host:
    """A machine that a member stands on."""

    name: str
    address: str = ""
    files: dict[str, File] = field(default_factory=dict[str, File])
    packages: dict[str, str] = field(default_factory=dict[str, str])
    services: dict[str, Service] = field(default_factory=dict[str, Service])
    commands: Commands | None = None
    provides: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The units that come with a package."""
    inventory: dict[str, Any] = field(default_factory=dict[str, Any])
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    """For the commands: what else there is to know about the host."""
    foreign: bool = False
    """It carries members of another instance."""
    reachable: bool = True
    forgets: int = 0
    """So many of the next tasks are done, and nobody can say how they ended."""
    ran: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """Every command that ran, in order."""

    @property
    def allocation(self) -> str:
        return f"alc_{self.name}"

    def running(self, unit: str) -> bool:
        """Whether a service is active."""
        return unit in self.services and self.services[unit].active


@dataclass(frozen=True)
class Played:
    """How a task ended, and what it wrote."""

    ended: Ended
    output: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


class Refused(Exception):
    """A task fails, with a code of the agent's."""

    def __init__(self, code: str, message: str, **result: Any) -> None:
        super().__init__(message)
        self.code = code
        self.result = result


Given = dict[str, Any]


def play(host: Host, wish: Wish, *, id: str, secrets: Mapping[str, int]) -> Played:
    """Do a task on a host."""
    output: dict[str, bytes] = {}
    try:
        changed, result = _KINDS[wish.kind](host, wish, secrets, output)
    except Refused as err:
        failed = Ended(id, "failed", None, err.result, err.code, str(err))
        return Played(failed, output)
    return Played(Ended(id, "succeeded", changed, result), output)


Outcome = tuple[bool | None, Given]


def _exec(host: Host, wish: Wish, secrets: Mapping[str, int], output: dict[str, bytes]) -> Outcome:
    given = wish.input
    secret = _secret(given.get("stdin"), secrets)
    for name in given.get("secret_files", []):
        _secret({"$secret": name}, secrets)
    stdin = given.get("stdin") or "" if secret is None else f"<{secret}>"
    command = Command(tuple(given["argv"]), stdin, given.get("env", {}), wish.run_as)
    return None, _run(host, command, output)


def _run(host: Host, command: Command, output: dict[str, bytes]) -> Given:
    host.ran.append(command.argv)
    said = host.commands(host, command) if host.commands is not None else None
    if said is None:
        said = _builtin(host, command)
    if said is None:
        raise Refused("command_not_found", f"There is no program {command.argv[0]}.")
    done = Output(said) if isinstance(said, str) else said
    output["stdout"], output["stderr"] = done.stdout.encode(), done.stderr.encode()
    result: Given = {"exit_code": done.exit_code, "signal": None, "dropped": {}}
    if done.exit_code:
        raise Refused("exit_nonzero", f"It ended with {done.exit_code}.", **result)
    return result


def _builtin(host: Host, command: Command) -> Output | None:
    """What every host has, and has an effect that the world shows."""
    program, *words = command.argv
    if program == "rm":
        gone = [word.rstrip("/") for word in words if word.startswith("/")]
        for path in list(host.files):
            if any(path == root or path.startswith(f"{root}/") for root in gone):
                del host.files[path]
        return Output()
    return Output() if program in {"mkdir", "true"} else None


def _put(host: Host, wish: Wish, secrets: Mapping[str, int], output: dict[str, bytes]) -> Outcome:
    given, path = wish.input, str(wish.input["path"])
    known, secret = host.files.get(path), _secret(given.get("content"), secrets)
    if secret is not None:
        raw = f"{secret}:{secrets[secret]}".encode()
    elif "digest" in given:
        raw = str(given["digest"]).encode()
    else:
        raw = base64.b64decode(given["content"])
    mode = given.get("mode") or (known.mode if known else "0600" if secret else "0644")
    owner = given.get("owner") or (known.owner if known else "root")
    host.files[path] = File(raw, mode, owner, secret)
    changed = known != host.files[path]
    return changed, {"changed": changed, "digest": hashlib.sha256(raw).hexdigest()}


def _get(host: Host, wish: Wish, secrets: Mapping[str, int], output: dict[str, bytes]) -> Outcome:
    found = host.files.get(wish.input["path"])
    if found is None:
        raise Refused("path_missing", f"There is no {wish.input['path']}.")
    output["content"] = found.content
    return None, {"size": len(found.content), "mode": found.mode, "owner": found.owner}


def _packages(
    host: Host, wish: Wish, secrets: Mapping[str, int], output: dict[str, bytes]
) -> Outcome:
    before = dict(host.packages)
    installed: dict[str, str] = {}
    for wanted in wish.input.get("present", []):
        name, _, version = wanted.partition("=")
        host.packages[name] = version or before.get(name, "1.0")
        installed[name] = host.packages[name]
        for unit in host.provides.get(name, ()):
            host.services.setdefault(unit, Service())
    for name in wish.input.get("absent", []):
        host.packages.pop(name, None)
        for unit in host.provides.get(name, ()):
            host.services.pop(unit, None)
    removed = sorted(before.keys() - host.packages.keys())
    changed = host.packages != before
    return changed, {"changed": changed, "installed": installed, "removed": removed}


def _service(
    host: Host, wish: Wish, secrets: Mapping[str, int], output: dict[str, bytes]
) -> Outcome:
    given = wish.input
    unit, content = str(given["unit"]), given.get("content")
    if content is not None or any(f"{folder}{unit}" in host.files for folder in UNIT_FOLDERS):
        host.services.setdefault(unit, Service())
    known = host.services.get(unit)
    if known is None:
        raise Refused("unit_missing", f"There is no unit {unit}.")
    before = (known.active, known.enabled, known.content, known.starts)
    known.content = known.content if content is None else content
    known.enabled = known.enabled if given.get("enabled") is None else given["enabled"]
    state = given.get("state")
    if state == "restarted" or (state == "started" and not known.active):
        known.starts += 1
    if state in {"started", "restarted", "stopped"}:
        known.active = state != "stopped"
    changed = before != (known.active, known.enabled, known.content, known.starts)
    active = "active" if known.active else "inactive"
    said = {"active_state": active, "sub_state": "", "enabled": known.enabled}
    return changed, {"changed": changed, **said}


def _probe(host: Host, wish: Wish, secrets: Mapping[str, int], output: dict[str, bytes]) -> Outcome:
    if argv := wish.input.get("argv"):
        return None, _run(host, Command(tuple(argv)), output)
    active = [unit for unit, service in host.services.items() if service.active]
    known: Given = {
        "inventory": host.inventory,
        "services": dict.fromkeys(active, "active (running)"),
        "listening": host.state.get("listening", []),
        "residue": {
            kind: names
            for kind, names in (("files", [*host.files]), ("units", [*host.services]))
            if names
        },
    }
    return None, {part: known[part] for part in wish.input["parts"]}


def _secret(value: Any, secrets: Mapping[str, int]) -> str | None:
    """The name of the secret that a value refers to; None where it is no reference."""
    if not isinstance(value, dict):
        return None
    name = str(cast(dict[str, Any], value)["$secret"])
    if name not in secrets:
        raise Refused("secret_missing", f"The platform keeps no secret {name}.")
    return name


_KINDS: dict[str, Callable[[Host, Wish, Mapping[str, int], dict[str, bytes]], Outcome]] = {
    "exec": _exec,
    "put": _put,
    "get": _get,
    "packages": _packages,
    "service": _service,
    "probe": _probe,
}
