"""What is left on a host that was not there when the agent came.

Residue is what the host has beyond its baseline, what it lacks of it, and what people and tasks
left: processes of people, files that tasks put, things in the folders for temporary files.

A host is looked after while the agent is on it: newer versions of its own packages and root's
temporary files are no residue, unless a task is on record for the one, or a wipe should have
cleared the other.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Optional

from moorage_agent import baseline as _baseline
from moorage_agent import changes, folders, people, processes, snapshot, sshd, undo
from moorage_agent.processes import Process
from moorage_agent.snapshot import Picture

baseline = _baseline.take
"""Take the baseline of this host, at the installation."""

Residue = dict[str, list[str]]
_GONE_IS_FINE = ("folders", "listening", "temporary", "transient_units")
"""What a host may lack of its baseline: a service that is stopped listens no more, and newer
packages keep their things elsewhere."""


def find(state: Path, *, root: Path = Path("/"), wiped: bool = False) -> Residue:
    """What is left on the host, by kind. Kinds of which nothing is left are not named."""
    before = _baseline.find(state)
    now = snapshot.take(root)
    found = compare(before or now, now)
    if not wiped:
        found["temporary"] = [name for name in found["temporary"] if _is_people_s(root, name)]
    found["packages"] = sorted({*found["packages"], *_versions(state, now["packages"])})
    if before is not None and "folders" in before:
        found["folders"] = folders.find_new(before["folders"], root=root)
    found["units"] = sorted({*found["units"], *_units(state)})
    found["people"] = _people(state, root)
    found["processes"] = _processes(before)
    found["files"] = _files(state, root)
    if before is None:
        found["baseline"] = ["none was taken on this host"]
    return {what: names for what, names in found.items() if names}


def compare(before: Picture, now: Picture) -> Residue:
    """What one picture has that another has not, in words. Pure."""
    found: Residue = {}
    for what, seen in now.items():
        known = before.get(what, seen)  # one of an older agent says nothing of it
        new = [name for name in seen if name not in known]
        other = [
            name for name in seen if name in known and _is_other(what, seen[name], known[name])
        ]
        gone = [name for name in known if name not in seen and what not in _GONE_IS_FINE]
        found[what] = sorted(
            [
                *(_named(what, name, seen) for name in new),
                *(f"{_named(what, name, seen)} (was {known[name]})" for name in other),
                *(f"{name} (gone)" for name in gone),
            ]
        )
    return found


def _is_other(what: str, now: str, before: str) -> bool:
    """Of packages another version is fine, but not one that is half there."""
    return now != before and (what != "packages" or now.endswith(")"))


def _versions(state: Path, now: Mapping[str, str]) -> list[str]:
    """Packages of the host that tasks moved to another version, or removed."""
    records = [change for change in changes.of_tenants(state) if change.what == "packages"]
    lost = undo.moved(undo.origin(records)["packages"], now)
    return [f"{name} {now.get(name, '(gone)')} (was {before})" for name, before in lost.items()]


def _units(state: Path) -> list[str]:
    """Units that tasks changed and that are not on the way back, or did not come back."""
    return [change.name for change in changes.of_tenants(state) if change.what == "unit"]


def _is_people_s(root: Path, name: str) -> bool:
    try:
        return processes.is_person((root / name.lstrip("/")).lstat().st_uid)
    except OSError:
        return False  # gone meanwhile


def _named(what: str, name: str, seen: Mapping[str, str]) -> str:
    return f"{name} {seen[name]}" if what == "packages" else name


def _people(state: Path, root: Path) -> list[str]:
    allowed = sshd.list_principals(sshd.Server(root))
    return sorted({*people.load(state).people, *allowed})


def _processes(before: Optional[Picture]) -> list[str]:
    """People's processes, by their short names: a command line may hold a secret."""
    return sorted({told(process) for process in of_people(before, processes.everything())})


def told(process: Process) -> str:
    """A process in words: whose it is, and its short name."""
    return f"{snapshot.user_name(max(process.uids))}: {process.name}"


def of_people(before: Optional[Picture], among: list[Process]) -> list[Process]:
    """Processes of users who are people, unless the host had that before. Pure.

    Had before: a service of the baseline, or the session of a user of the baseline. The host's own
    people come and go by their own means.
    """
    known = before or {}
    units = {Path(name).name for name in known.get("units", {})}
    hosts_own = {int(uid) for uid in known.get("users", {}).values()}
    return [
        process
        for process in among
        if any(processes.is_person(uid) for uid in process.uids)
        and not units.intersection(process.groups)
        and not (process.uids <= hosts_own and _is_session(process))
    ]


def _is_session(process: Process) -> bool:
    return any(group.startswith(("session-", "user@")) for group in process.groups)


def _files(state: Path, root: Path) -> list[str]:
    """Files that tasks put and that are not as they were before."""
    found: list[str] = []
    for change in changes.of_tenants(state):
        if change.what == "file":
            now = _digest(root / change.name.lstrip("/"))
            if now != (change.before or {}).get("digest"):
                found.append(change.name)
    return sorted(found)


def _digest(path: Path) -> Optional[str]:
    try:
        if path.is_symlink() or not path.is_file():
            return "another thing" if path.exists() or path.is_symlink() else None
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
