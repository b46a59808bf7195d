"""The account that PostgreSQL runs as, and what that account can reach.

PostgreSQL refuses to run as root, and rightly so. As root we therefore start it as `postgres`,
or as `nobody` where that does not exist; no account is made and no permission of a parent
folder is ever changed. Otherwise it runs as whoever started us.
"""

import os
import pwd
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moorage_core.embedded.errors import OperatorError

CANDIDATES = ("postgres", "nobody")
# The server inherits nothing of our environment: settings may carry secrets there.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True)
class Account:
    """Whom a database process runs as. `switch` is false where that is ourselves."""

    name: str
    uid: int
    gid: int
    switch: bool


class NoAccount(OperatorError):
    """There is nobody to run PostgreSQL as."""


class FolderClosed(OperatorError):
    """The database account cannot get into a folder that it needs."""


class CommandRefused(OperatorError):
    """A PostgreSQL program ended with an error."""


def database_account(owner: int | None = None) -> Account:
    """Ourselves; or, as root, the cluster's owner, else the first unprivileged account there is."""
    if os.geteuid() != 0:
        return ourselves()
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    owners = [entry.pw_name for entry in known.values() if entry.pw_uid == owner]
    for name in (*owners, *CANDIDATES):
        if name in known and known[name].pw_uid != 0:
            return Account(name, known[name].pw_uid, known[name].pw_gid, switch=True)
    raise NoAccount(
        "PostgreSQL does not run as root, and neither of the accounts "
        f"{' and '.join(CANDIDATES)} exists. Make one of them with useradd --system."
    )


def ourselves() -> Account:
    """Whoever runs this process."""
    return Account(_name(os.geteuid()), os.geteuid(), os.getegid(), switch=False)


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def run(
    account: Account, command: Sequence[str | Path], *, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program as `account`, without a shell, from `/`; its output comes back."""
    try:
        return subprocess.run(
            [str(part) for part in command],
            user=account.uid if account.switch else None,
            group=account.gid if account.switch else None,
            extra_groups=[] if account.switch else None,
            env=ENVIRONMENT | (environment or {}),
            cwd="/",
            umask=0o077,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except PermissionError as err:
        raise CommandRefused(
            f"The account {account.name} cannot run {command[0]}: {err.strerror}."
        ) from err


def check_run(account: Account, command: Sequence[str | Path]) -> str:
    """Run a program that must succeed; returns what it printed."""
    done = run(account, command)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise CommandRefused(f"{command[0]} ended with {done.returncode}: {said}")
    return done.stdout


def find_closed(path: Path, *, account: Account) -> Path | None:
    """The outermost folder on the way to `path`, or `path`, that `account` cannot enter or run."""
    for step in [*reversed(path.resolve().parents), path.resolve()]:
        if not _may_execute(step.stat(), account):
            return step
    return None


def check_reach(path: Path, *, account: Account, purpose: str) -> None:
    """Refuse, naming the folder that is in the way, if `account` cannot enter `path`."""
    closed = find_closed(path, account=account)
    if closed is not None:
        raise FolderClosed(
            f"The account {account.name}, which runs PostgreSQL, cannot enter {closed}, and so not "
            f"{path} ({purpose}). Choose another place with --data, or open that folder: "
            f"chmod o+x {closed}"
        )


def _may_execute(found: os.stat_result, account: Account) -> bool:
    if found.st_uid == account.uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == account.gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)
