"""What a role puts on a host, and what of that is there."""

from collections.abc import Iterable
from pathlib import Path

from moorage_slurm.onhost.commands import Json, run

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
DATA = "/var/lib/mysql"
EXPORT = "/srv/moorage-slurm"
"""Where an export is mounted that has the state of a cluster."""
PATHS: dict[str, tuple[str, ...]] = {
    "controller": (
        "/etc/systemd/system/moorage-slurm-status@.service",
        "/var/lib/moorage-slurm-homes",
        "/etc/mysql/mariadb.conf.d/60-moorage-slurm.cnf",
        EXPORT,
        *("/etc/moorage-slurm", DATA, "/var/lib/slurm/slurmctld", "/etc/mysql"),
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
DATABASE = frozenset({DATA, "/etc/mysql", "/var/log/mysql", "/run/mysqld", "/root/.mysql_history"})
"""Goes with the server of databases, unless that was there before us: then it is not ours."""
SHARED_PATHS = (
    *("/etc/slurm", "/etc/munge", "/var/lib/munge", "/var/log/munge", "/run/munge"),
    *("/var/lib/slurm", "/var/log/slurm", "/var/spool/slurm"),
)
PORTS: dict[str, tuple[int, ...]] = {"controller": (817, 6817, 6819, 3306), "worker": (6816, 6818)}
USERS = ("slurm", "munge", "mysql")


def of_role(role: str, *, alone: bool) -> list[str]:
    """What of a role is there, in words; where no other role is, what roles share as well."""
    paths = PATHS[role] + (SHARED_PATHS if alone else ())
    units = UNITS[role] + (SHARED_UNITS if alone else ())
    return _of(paths, units, PORTS[role])


def of_anybody() -> list[str]:
    """The same of every role."""
    paths = [path for each in PATHS.values() for path in each]
    units = [unit for each in UNITS.values() for unit in each]
    ports = [port for each in PORTS.values() for port in each]
    return _of([*paths, *SHARED_PATHS], [*units, *SHARED_UNITS], ports)


def of_packages(picture: Json) -> list[str]:
    """Packages of ours that are there, and whom they made."""
    versions = {name.partition(":")[0]: each for name, each in picture["packages"].items()}
    found = [f"package {name} {versions[name]}" for name in sorted(versions) if _is_ours(name)]
    return found + [f"user {name}" for name in USERS if name in picture["users"]]


def _is_ours(package: str) -> bool:
    return package.startswith("slurm") or package in ("munge", "mariadb-server")


def _of(paths: Iterable[str], units: Iterable[str], ports: Iterable[int]) -> list[str]:
    found = [path for path in paths if Path(path).exists()]
    found += [f"{unit} is {state}" for unit, state in _states([*units]) if state != "inactive"]
    listening = _listening()
    return found + [f"port {port} is open" for port in ports if str(port) in listening]


def _states(units: list[str]) -> list[tuple[str, str]]:
    said = run("systemctl", "is-active", *units).stdout.split()
    return [*zip(units, said, strict=False)]


def _listening() -> set[str]:
    words = [line.split() for line in run("ss", "-Hltn").lines]
    return {each[3].rpartition(":")[2] for each in words if len(each) > 3}
