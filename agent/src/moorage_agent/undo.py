"""Takes back what tasks changed on the host, by the record that was kept of it.

Units first, so that nothing runs any more; then files, then packages, then folders that are empty.
A change that was taken back is off the record. One that could not be stays on it, and is residue.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from moorage_agent import changes, commands, paths, snapshot
from moorage_agent.changes import Change
from moorage_agent.commands import Run
from moorage_agent.kinds import packages as packages_kind
from moorage_agent.kinds import put, service
from moorage_agent.tasks import Failed

_LOCKED = "dpkg frontend lock"
_PATIENCE = 60.0
_SETTLE = 1.0
_SYSTEM = range(1, 1000)


@dataclass(frozen=True)
class Host:
    """The host whose changes are taken back."""

    state: Path
    root: Path = Path("/")
    run: Run = commands.run


def everything(host: Host) -> dict[str, list[str]]:
    """Take back every change that was made for a tenant; what was done, by kind."""
    found = changes.of_tenants(host.state)
    removed: dict[str, list[str]] = {}
    for what, act in _ACTS:
        theirs = [change for change in found if change.what == what]
        if theirs:
            removed[what] = sorted(set(act(host, theirs)))
    if removed:
        host.run(["systemctl", "daemon-reload"])
        # A unit that could not be stopped can be once the file that said so is gone.
        late = [change for change in changes.of_tenants(host.state) if change.what == "unit"]
        removed["unit"] = sorted({*removed.get("unit", []), *_units(host, late)})
    return {_PLURAL.get(what, what): names for what, names in removed.items() if names}


def _units(host: Host, found: Iterable[Change]) -> list[str]:
    done: list[str] = []
    for change in found:
        try:
            is_back = _bring_back(host, change)
        except Failed:
            is_back = True  # systemd does not know it: nothing to do
        if is_back:
            changes.forget(host.state, change)
            done.append(change.name)
    return done


def _bring_back(host: Host, change: Change) -> bool:
    """Bring a unit back to how it was; whether it is. One that refuses to stop is killed."""
    before = change.before or {}
    for words in _moves(change.name, before, service.show(change.name, run=host.run)):
        host.run(["systemctl", "--quiet", *words], timeout=100)
    left = _moves(change.name, before, service.show(change.name, run=host.run))
    if ["stop", change.name] in left:
        host.run(["systemctl", "--quiet", "kill", "--signal=KILL", change.name])
        left = _settled(host, change)
    host.run(["systemctl", "--quiet", "reset-failed", change.name])
    return not left


def _settled(host: Host, change: Change) -> list[list[str]]:
    """What is still to be done after a kill, which systemd takes a moment to notice."""
    deadline = time.monotonic() + _SETTLE
    while True:
        now = service.show(change.name, run=host.run)
        left = _moves(change.name, change.before or {}, now)
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.1)


def _moves(unit: str, before: dict[str, Any], now: dict[str, str]) -> list[list[str]]:
    """What brings a unit back to how it was. Pure."""
    is_active = now.get("ActiveState") not in ("inactive", "failed")
    if now.get("LoadState") == "not-found":  # it may run on without its file
        return [["stop", unit]] if is_active and not before.get("active") else []
    is_enabled = now.get("UnitFileState", "").startswith("enabled")
    was_enabled = str(before.get("enabled", "")).startswith("enabled")
    moves: list[list[str]] = []
    if is_enabled != was_enabled:
        moves.append(["enable" if was_enabled else "disable", unit])
    if is_active != bool(before.get("active")):
        moves.append(["start" if before.get("active") else "stop", unit])
    return moves


def _files(host: Host, found: Iterable[Change]) -> list[str]:
    done: list[str] = []
    for change in found:
        try:
            if not _put_back(host, change):
                continue
        except (OSError, Failed):
            continue  # the residue names it
        changes.forget(host.state, change)
        done.append(change.name)
    return done


def _put_back(host: Host, change: Change) -> bool:
    """Remove a file that was not there, or put the former one back; False where it was not kept."""
    before = change.before
    content = changes.original(host.state, change)
    if before is not None and content is None:
        return False
    try:
        with paths.reach(change.name, root=host.root) as place:
            if before is None or content is None:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(place.name, dir_fd=place.folder)
            else:
                _restore(place, content, before)
            _remove_drafts(place.folder)
    except Failed as failed:
        if failed.code == "path_missing" and before is None:
            return True  # gone with the folder it was in
        raise
    return True


def _remove_drafts(folder: int) -> None:
    """Remove what a crash left of a file that was being put here."""
    for name in os.listdir(folder):
        if name.startswith(put.DRAFT):
            os.unlink(name, dir_fd=folder)


def _restore(place: paths.Place, content: bytes, before: dict[str, Any]) -> None:
    draft = f"{put.DRAFT}{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(draft, flags, 0o600, dir_fd=place.folder)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchown(descriptor, before["uid"], before["gid"])
            os.fchmod(descriptor, before["mode"])
            os.fsync(descriptor)
        os.rename(draft, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except BaseException:
        os.unlink(draft, dir_fd=place.folder)
        raise


def _packages(host: Host, found: Iterable[Change]) -> list[str]:
    """Purge what was installed, and remove the accounts that it made.

    A package that was there in another version, or that was removed, cannot be brought back without
    an archive: the residue names it.
    """
    records = list(found)
    own = origin(records)
    new = {what: [name for name in names if names[name] is None] for what, names in own.items()}
    _end_managers(host, new["users"])
    purged = _purge(host, sorted(new["packages"]))
    _remove_accounts(host, new["users"], new["groups"])
    if not moved(own["packages"], snapshot.packages(host.root)):
        for change in records:
            changes.forget(host.state, change)
    return purged


def origin(records: Iterable[Change]) -> dict[str, dict[str, Optional[str]]]:
    """What the host itself had of all that tasks changed, which come the latest first.

    Of several changes of one thing the first one knows: what a task brought is not the host's.
    """
    found: dict[str, dict[str, Optional[str]]] = {"packages": {}, "users": {}, "groups": {}}
    for change in records:
        for what, names in _changed(change).items():
            found[what].update(names)
    return found


def moved(own: Mapping[str, Optional[str]], now: Mapping[str, str]) -> dict[str, str]:
    """Packages of the host itself that are not as they were: what they were. Pure."""
    return {
        name: before
        for name, before in own.items()
        if before is not None and now.get(name) != before
    }


def _changed(change: Change) -> dict[str, dict[str, Optional[str]]]:
    """What a run changed. One that was cut off has said only what was there before it."""
    before = change.before or {}
    if "changed" in before:
        return before["changed"]
    return packages_kind.difference(before["all"], packages_kind.picture())


def _end_managers(host: Host, users: list[str]) -> None:
    """Whoever a package once ran something as has a manager of systemd's for a while after it, and
    cannot go before that."""
    there = snapshot.accounts(host.root / "etc/passwd")
    own = [there[name] for name in users if name in there and int(there[name]) in _SYSTEM]
    units = [f"user@{uid}.service" for uid in own]
    if units:
        host.run(["systemctl", "--quiet", "stop", "--", *units], timeout=100)


def _purge(host: Host, names: list[str]) -> list[str]:
    there = [name for name in names if name in snapshot.packages(host.root)]
    if not there:
        return []
    deadline = time.monotonic() + _PATIENCE
    while True:
        ended = host.run(["dpkg", "--purge", "--", *there], timeout=600)
        if ended.ok or _LOCKED not in ended.stderr or time.monotonic() > deadline:
            break
        time.sleep(1)
    left = snapshot.packages(host.root)
    return [name for name in there if name not in left]


def _remove_accounts(host: Host, users: list[str], groups: list[str]) -> None:
    for file, program, names in (("passwd", "userdel", users), ("group", "groupdel", groups)):
        there = snapshot.accounts(host.root / "etc" / file)
        for name in names:
            if name in there and int(there[name]) in _SYSTEM:
                host.run([program, "--", name])


def _folders(host: Host, found: Iterable[Change]) -> list[str]:
    done: list[str] = []
    for change in sorted(found, key=lambda one: one.name, reverse=True):
        with contextlib.suppress(Failed, OSError):
            with paths.reach(change.name, root=host.root) as place:
                os.rmdir(place.name, dir_fd=place.folder)
                done.append(change.name)
        changes.forget(host.state, change)
    return done


_ACTS: "tuple[tuple[str, Callable[[Host, list[Change]], list[str]]], ...]" = (
    ("unit", _units),
    ("file", _files),
    ("packages", _packages),
    ("folder", _folders),
)
_PLURAL = {"unit": "units", "file": "files", "folder": "folders"}
