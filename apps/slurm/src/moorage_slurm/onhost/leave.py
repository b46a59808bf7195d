"""Leaving a host as it was, and looking whether it is."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from moorage_slurm.onhost import homes, setup
from moorage_slurm.onhost.commands import Json, Refused, run, until

UNITS: dict[str, tuple[str, ...]] = {
    "controller": (
        *("moorage-slurm-people.path", "moorage-slurm-people.service"),
        *("moorage-slurm-copy.timer", "moorage-slurm-copy.service"),
        *("moorage-slurm-status.socket", "slurmctld.service"),
        *("slurmdbd.service", "mariadb.service", "mariadb.socket", "moorage-slurm-homes.service"),
    ),
    "worker": ("slurmd.service", "moorage-slurm-keep.socket", "moorage-slurm-keep.service"),
}
SHARED_UNITS = ("munge.service",)
PATHS: dict[str, tuple[str, ...]] = {
    "controller": (
        "/etc/systemd/system/moorage-slurm-status@.service",
        "/var/lib/moorage-slurm-homes",
        *("/etc/moorage-slurm", "/var/lib/mysql", "/var/lib/slurm/slurmctld", "/etc/mysql"),
        *(
            "/var/log/mysql",
            "/run/mysqld",
            "/run/slurmctld",
            "/run/slurmdbd",
            "/root/.mysql_history",
        ),
    ),
    "worker": ("/var/lib/slurm/slurmd", "/run/slurm"),
}
DATABASE = frozenset(
    {"/var/lib/mysql", "/etc/mysql", "/var/log/mysql", "/run/mysqld", "/root/.mysql_history"}
)
"""Goes with the server of databases, unless that was there before us: then it is not ours."""
SHARED_PATHS = (
    *("/etc/slurm", "/etc/munge", "/var/lib/munge", "/var/log/munge", "/run/munge"),
    *("/var/lib/slurm", "/var/log/slurm", "/var/spool/slurm", "/usr/sbin/policy-rc.d"),
)
PORTS: dict[str, tuple[int, ...]] = {"controller": (817, 6817, 6819, 3306), "worker": (6816, 6818)}
USERS = frozenset({"slurm", "munge", "mysql", "statd", "_rpc", "messagebus"})
"""Whom packages make, and leave behind."""
KEYS = ("/etc/munge/munge.key", "/etc/slurm/slurm.key", "/etc/slurm/slurm.jwks")
FOLDER = Path("/etc/systemd/system")
ENABLED = Path("/var/lib/systemd")
"""Where Debian notes what was enabled. What one suite had noted, packages of another leave."""


def clear(given: Json) -> Json:
    """Take a role off: its daemons and files; with the last role, what roles share as well.

    On a host where nothing was begun nothing is taken: what is there is somebody else's.
    """
    role = given["role"]
    if not setup.HOME.exists():
        return {"others": []}
    packages = _packages_before()
    _stop(UNITS[role])
    (setup.ROLES / role).unlink(missing_ok=True)
    others = setup.roles()
    if not others:
        _stop(SHARED_UNITS)
        if homes.is_mounted_by_us():
            _stop((homes.MOUNT.name,))
        _purge()
    _remove(ours(PATHS[role], packages))
    if not others:
        _remove(SHARED_PATHS)
        _remove(map(str, ENABLED.glob("deb-systemd-helper-*/**/slurm*")))
        shutil.rmtree(setup.HOME, ignore_errors=True)
    run("systemctl", "daemon-reload")
    run("systemctl", "reset-failed")
    return {"others": others}


def ours(paths: Iterable[str], before: Iterable[str]) -> list[str]:
    """What may go of these, where these packages were there before."""
    kept = DATABASE if "mariadb-server" in before else frozenset[str]()
    return [path for path in paths if path not in kept]


def _packages_before() -> list[str]:
    if not setup.BEFORE.exists():
        return []
    return [*json.loads(setup.BEFORE.read_text())["packages"]]


def retire(given: Json) -> Json:
    """Stop a worker for good: not even a reboot starts it. Where nobody else needs it, the key of
    the cluster goes at once, too."""
    _stop(UNITS["worker"])
    (FOLDER / "slurmd.service").symlink_to("/dev/null")
    run("systemctl", "daemon-reload")
    if setup.roles() == ["worker"]:
        _stop(SHARED_UNITS)
        _remove(KEYS)
    return {}


def _stop(units: tuple[str, ...]) -> None:
    """Stop those that there are: not every host has each, and one that is missing stops nobody."""
    run("systemctl", "stop", *units, within=120)
    for unit in units:
        run("systemctl", "disable", "--quiet", "--no-reload", unit)
        (FOLDER / unit).unlink(missing_ok=True)
        shutil.rmtree(FOLDER / f"{unit}.d", ignore_errors=True)


def _purge() -> None:
    """Packages that were not there before go, with their settings and the users they made."""
    if not setup.BEFORE.exists():
        return
    before = json.loads(setup.BEFORE.read_text())
    now = setup.picture()
    new = sorted(name for name in now["packages"] if name not in before["packages"])
    if new:
        env = {"DEBIAN_FRONTEND": "noninteractive"}
        words = ("--purge", "--force-depends", "--force-remove-essential")
        # A daemon may still be on its way out, whose user cannot go before it; or somebody else is
        # at packages, such as the host's own upgrades. What is gone already is gone either way.
        done = until(
            lambda: run("dpkg", *words, *new, within=300, env=env), lambda done: done.ok, within=60
        )
        if not done.ok:
            raise Refused("packages_stay", f"dpkg did not remove its packages: {done.words}")
    for name in sorted(set(now["users"]) - set(before["users"]) & USERS):
        _away("userdel", name)
    for name in sorted(set(setup.picture()["groups"]) - set(before["groups"]) & USERS):
        _away("groupdel", name)


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
    """Everything of a role that is still on the host."""
    role = given["role"]
    others = setup.roles()
    alone = not others
    paths = PATHS[role] + (SHARED_PATHS if alone else ())
    units = UNITS[role] + (SHARED_UNITS if alone else ())
    left = [path for path in paths if Path(path).exists()]
    left += [f"{unit} is {state}" for unit in units if (state := _state(unit)) != "inactive"]
    left += [f"{homes.MOUNT.name} is there"] if alone and homes.is_mounted_by_us() else []
    left += [f"port {port} is open" for port in PORTS[role] if _listens(port)]
    if alone:
        form = "${Package} ${Version} ${db:Status-Abbrev}\n"
        said = run("dpkg-query", "-W", f"-f={form}", "slurm*", "munge", "mariadb-server").lines
        words = [line.split() for line in said]
        left += [f"package {w[0]} {w[1]}" for w in words if len(w) == 3 and w[2] != "un"]
        known = setup.picture()
        left += [f"user {name}" for name in ("slurm", "munge", "mysql") if name in known["users"]]
    return {"left": left, "others": others}


def _state(unit: str) -> str:
    return run("systemctl", "is-active", unit).stdout.strip() or "inactive"


def _listens(port: int) -> bool:
    return bool(run("ss", "-Hltn", f"sport = :{port}").lines)


VERBS = {"retire": retire, "clear": clear, "scan": scan}
