"""Accounts, homes and `sudo` on the host, through the host's own programs."""

import os
import pwd
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from moorage_agent import commands, durable, mounts
from moorage_agent.commands import Run
from moorage_agent.people import Person
from moorage_agent.tasks import Failed

_SHELL = "/bin/bash"
_HOMES = "/home"


@dataclass(frozen=True)
class Host:
    """Where accounts are kept and how they are changed."""

    root: Path = Path("/")
    run: Run = commands.run

    def sudoers(self, login: str) -> Path:
        # `sudo` skips files with a dot in their name.
        return self.root / "etc/sudoers.d" / f"moorage-{login.replace('.', '=')}"


def find_uid(login: str) -> Optional[int]:
    """The number that the host has for a login, from files or a directory service."""
    try:
        return pwd.getpwnam(login).pw_uid
    except KeyError:
        return None


def find_login(uid: Optional[int]) -> Optional[str]:
    """The login that the host has for a number."""
    try:
        return None if uid is None else pwd.getpwuid(uid).pw_name
    except KeyError:
        return None


def ranges(host: Host) -> list[str]:
    """The lines that say which numbers people may use in containers."""
    found: list[str] = []
    for name in ("etc/subuid", "etc/subgid"):
        try:
            found += (host.root / name).read_text(errors="replace").splitlines()
        except FileNotFoundError:
            continue
    return found


def home_clash(person: Person) -> str:
    """Why the person cannot have the home, as a sentence; empty where they can."""
    home = Path(_HOMES, person.login)
    try:
        seen = home.lstat()
    except FileNotFoundError:
        return ""
    if stat.S_ISDIR(seen.st_mode) and seen.st_uid == person.uid:
        return ""
    return f"{home} is there and does not belong to uid {person.uid}."


def has_home(login: str) -> bool:
    """Whether there is anything where the person's home would be."""
    return os.path.lexists(Path(_HOMES, login))


def make(host: Host, person: Person) -> bool:
    """Make the account and its home; whether anything was missing."""
    changed = False
    if find_uid(person.login) is None:
        _make_group(host, person)
        _must(
            host,
            [
                *("useradd", "--uid", str(person.uid), "--gid", person.login, "--no-log-init"),
                *("--home-dir", f"{_HOMES}/{person.login}", "--shell", _SHELL),
                "--no-create-home" if _are_closed() else "--create-home",
                *("--key", "HOME_MODE=0700", "--comment", person.name, "--password", "*"),
                *("--", person.login),
            ],
        )
        changed = True
    return _make_home(person) or changed


def _make_group(host: Host, person: Person) -> None:
    made = host.run(["groupadd", "--gid", str(person.uid), "--", person.login])
    taken = (4, 9)  # the number or the name is in use: ours from before a crash, or a stranger's
    if made.code in taken and _group_is_ours(host, person):
        return
    if not made.ok:
        raise Failed("login_clash", f"The group {person.login} cannot be made: {made.words}")


def _group_is_ours(host: Host, person: Person) -> bool:
    line = f"{person.login}:"
    lines = (host.root / "etc/group").read_text().splitlines()
    return any(one.startswith(line) and one.split(":")[2] == str(person.uid) for one in lines)


def _are_closed() -> bool:
    """Whether root can make no homes: they come from elsewhere, where root of this host is nobody.

    Whoever serves them makes them.
    """
    return os.path.isdir(_HOMES) and not os.access(_HOMES, os.W_OK)


def _make_home(person: Person) -> bool:
    """A home of the person's own that nobody else can look into."""
    home = Path(_HOMES, person.login)
    if _are_closed():
        return False
    if not home.exists():
        home.mkdir(mode=0o700)
        os.chown(home, person.uid or 0, person.uid or 0)
        return True
    # Opened without following a link: the folder above is root's, but better safe.
    descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) == 0o700:
            return False
        os.fchmod(descriptor, 0o700)
        return True
    finally:
        os.close(descriptor)


def set_sudo(host: Host, login: str, *, allowed: bool) -> bool:
    """Let somebody become root, or not any more; whether that is new."""
    place = host.sudoers(login)
    if not allowed:
        was = place.exists()
        place.unlink(missing_ok=True)
        return was
    text = f"# Kept by moorage-agent.\n{login} ALL=(ALL:ALL) NOPASSWD: ALL\n"
    if place.is_file() and place.read_text() == text:
        return False
    checked = host.run(["visudo", "-c", "-q", "-f", "-"], stdin=text.encode())
    if checked.code == commands.ABSENT:
        raise Failed("sudo_missing", "The host has no sudo: install it, or grant none.")
    if not checked.ok:
        raise Failed("sudo_refused", f"sudo refuses the rule for {login}: {checked.words}")
    durable.write(place, text.encode(), mode=0o440)
    return True


def remove(host: Host, login: str) -> None:
    """Take an account away. Its home stays; what would start again by itself does not."""
    stop_recurring(host, [login])
    if find_uid(login) is not None:
        _must(host, ["userdel", "--", login])
    host.run(["groupdel", "--", login])  # userdel has taken it along, unless others are in it


def stop_recurring(host: Host, logins: Sequence[str]) -> list[str]:
    """Remove what starts a person's processes later: crontabs, and lingering user managers."""
    folders = ("var/spool/cron/crontabs", "var/spool/cron", "var/lib/systemd/linger")
    removed: list[str] = []
    for login in logins:
        for folder in folders:
            place = host.root / folder / login
            if place.is_file() or place.is_symlink():
                place.unlink()
                removed.append(str(place))
    return removed


def remove_home(host: Host, login: str, uid: int) -> Optional[str]:
    """Remove a home that we made, if it is still the person's and no other host's; its path.

    A home that is a mount point itself is the site's to clear: unmounted, it would only be hidden.
    """
    home = (host.root / _HOMES.lstrip("/")).resolve() / login
    table = mounts.read()
    try:
        is_theirs = home.lstat().st_uid == uid
    except FileNotFoundError:
        return None
    if not is_theirs or mounts.is_shared(home, table) or mounts.is_point(home, table):
        return None
    return f"{_HOMES}/{login}" if mounts.remove(home, run=host.run) else None


def _must(host: Host, argv: list[str]) -> None:
    ended = host.run(argv)
    if not ended.ok:
        raise Failed("account_refused", f"{argv[0]} for {argv[-1]}: {ended.words}")
