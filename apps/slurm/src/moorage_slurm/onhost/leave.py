"""Leaving a host as it was, and looking whether it is."""

import pwd
import shutil
from collections.abc import Iterable
from pathlib import Path

from moorage_slurm.onhost import homes, setup, shared, traces
from moorage_slurm.onhost.commands import Json, Refused, run, until

USERS = frozenset({"slurm", "munge", "mysql", "statd", "_rpc", "messagebus"})
"""Whom packages make, and leave behind."""
KEYS = ("/etc/munge/munge.key", "/etc/slurm/slurm.key", "/etc/slurm/slurm.jwks")
FOLDER = Path("/etc/systemd/system")
ENABLED = Path("/var/lib/systemd")
"""Where Debian notes what was enabled. What one suite had noted, packages of another leave."""


def clear(given: Json) -> Json:
    """Take a role off: its daemons and files; with the last role, what roles share as well. What
    was there before us is there again.

    On a host where nothing was begun nothing is taken: what is there is somebody else's.
    """
    role = given["role"]
    if not setup.HOME.exists():
        return {"others": [], "theirs": []}
    before = setup.before()
    theirs = before.get("theirs", [])
    units = traces.UNITS[role]
    if role == "controller" and is_guest(theirs):
        setup.drop_database()
    _stop(units)
    if role == "worker":
        _end_strays()
    else:
        shared.unmount()
    (setup.ROLES / role).unlink(missing_ok=True)
    others = setup.roles()
    if not others:
        units += traces.SHARED_UNITS
        _stop(traces.SHARED_UNITS)
        if homes.is_mounted_by_us():
            _stop((homes.MOUNT.name,))
        _purge()
    _remove(ours(traces.PATHS[role], theirs))
    if not others:
        _remove(traces.SHARED_PATHS)
        _remove(map(str, ENABLED.glob("deb-systemd-helper-*/**/slurm*")))
        setup.put_back()
    run("systemctl", "daemon-reload")
    run("systemctl", "reset-failed")
    _give_back(units, before)
    if not others:  # comes last: whoever is killed before does all of it again
        shutil.rmtree(setup.HOME, ignore_errors=True)
    return {"others": others, "theirs": theirs}


def is_guest(theirs: Iterable[str]) -> bool:
    """Whether our database is among the data of another's server, which stay."""
    return traces.DATA in theirs


def ours(paths: Iterable[str], theirs: Iterable[str]) -> list[str]:
    """What may go of these, where that was there before."""
    kept = traces.DATABASE.intersection(theirs)
    return [path for path in paths if path not in kept]


def _give_back(units: tuple[str, ...], before: Json) -> None:
    """Daemons that ran before us run again."""
    enabled = [unit for unit in units if unit in before.get("enabled", [])]
    active = [unit for unit in units if f"{unit} is active" in before.get("theirs", [])]
    if enabled:
        run("systemctl", "enable", "--quiet", *enabled)
    if active:
        run("systemctl", "start", *active)


def retire(given: Json) -> Json:
    """Stop a worker for good: not even a reboot starts it. Where nobody else needs it, the key of
    the cluster goes at once, too. Where nothing was begun there is nothing to stop."""
    if not setup.HOME.exists():
        return {}
    _stop(traces.UNITS["worker"])
    _end_strays()
    (FOLDER / "slurmd.service").symlink_to("/dev/null")
    run("systemctl", "daemon-reload")
    if setup.roles() == ["worker"]:
        _stop(traces.SHARED_UNITS)
        _remove(KEYS)
    return {}


def _stop(units: tuple[str, ...]) -> None:
    """Stop those that there are: not every host has each, and one that is missing stops nobody."""
    run("systemctl", "stop", *units, within=120)
    for unit in units:
        run("systemctl", "disable", "--quiet", "--no-reload", unit)
        (FOLDER / unit).unlink(missing_ok=True)
        shutil.rmtree(FOLDER / f"{unit}.d", ignore_errors=True)


def _end_strays() -> None:
    """End a worker's daemon of which systemd does not know: it holds the port against every other.
    What runs jobs has another name, and what runs in a container of the host is another's."""
    run("pkill", "-KILL", "-u", "root", "--ns", "1", "--nslist", "pid", "-x", "slurmd")


def _purge() -> None:
    """Packages that were not there before go, with their settings and the users they made."""
    if not setup.BEFORE.exists():
        return
    before = setup.before()
    now = setup.picture()
    new = sorted(name for name in now["packages"] if name not in before["packages"])
    made = sorted(set(now["users"]) - set(before["users"]) & USERS)
    if new:
        _end_managers(made)
        env = {"DEBIAN_FRONTEND": "noninteractive"}
        words = ("--purge", "--force-depends", "--force-remove-essential")
        # A daemon may still be on its way out, whose user cannot go before it; or somebody else is
        # at packages, such as the host's own upgrades. What is gone already is gone either way.
        done = until(
            lambda: run("dpkg", *words, *new, within=300, env=env), lambda done: done.ok, within=60
        )
        if not done.ok:
            raise Refused("packages_stay", f"dpkg did not remove its packages: {done.words}")
    for name in made:
        _away("userdel", name)
    for name in sorted(set(setup.picture()["groups"]) - set(before["groups"]) & USERS):
        _away("groupdel", name)


def _end_managers(users: Iterable[str]) -> None:
    """A user for whom a package once ran something has a manager of systemd's for a while after it,
    and cannot go before that."""
    if units := [f"user@{pwd.getpwnam(name).pw_uid}.service" for name in users]:
        run("systemctl", "stop", *units)


def _away(program: str, name: str) -> None:
    """A user goes once their last process has."""
    until(lambda: run(program, name).code, lambda code: code in (0, 6), within=5)  # 6: none there


def _remove(paths: Iterable[str]) -> None:
    for path in map(Path, paths):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def scan(given: Json) -> Json:
    """Everything of a role that is still on the host, and was not before us."""
    others = setup.roles()
    alone = not others
    left = traces.of_role(given["role"], alone=alone)
    left += [f"{homes.MOUNT.name} is there"] if alone and homes.is_mounted_by_us() else []
    left += traces.of_packages(setup.picture()) if alone else []
    return {"left": [each for each in left if each not in given["theirs"]], "others": others}


VERBS = {"retire": retire, "clear": clear, "scan": scan}
