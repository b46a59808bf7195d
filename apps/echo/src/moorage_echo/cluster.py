"""What the servers of a cluster should be, and what their answers mean. Pure.

Nothing in here knows the platform, a host or a clock: everything comes in as an argument.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from moorage_echo import echod

PROGRAM = "/opt/echo/echod.py"
UNIT = "echo.service"
UNIT_FILE = f"/etc/systemd/system/{UNIT}"
SETTINGS, KEY = str(echod.SETTINGS), str(echod.KEY)
FOLDERS = ("/opt/echo", "/etc/echo", "/var/lib/echo", "/var/lib/private/echo")
"""Everything of echo on a host, besides its unit."""
LEADER, REPLICA = "leader", "replica"

UNIT_TEXT = f"""\
[Unit]
Description=Echo, a small store of keys and values
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=/usr/bin/python3 {PROGRAM} serve
Environment=ECHO_KEY=%d/cluster.key
LoadCredential=cluster.key:{KEY}
DynamicUser=yes
StateDirectory=echo
ProtectSystem=strict
ProtectHome=yes
NoNewPrivileges=yes
Restart=on-failure
RestartSec=1

[Install]
WantedBy=multi-user.target
"""

Health = Literal["healthy", "degraded", "unhealthy", "unknown"]
Mending = Literal["nothing", "reload", "restart"]
Json = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Where a server of the cluster stands."""

    name: str
    role: str
    address: str


@dataclass(frozen=True)
class Finding:
    """How a server is, and why."""

    health: Health
    reasons: tuple[str, ...] = ()
    version: str | None = None


def leader_of(places: Iterable[Place]) -> Place | None:
    return next((place for place in places if place.role == LEADER), None)


def settings(place: Place, *, leader: Place, config: Mapping[str, Any]) -> Json:
    """The settings of one server."""
    return {
        "name": place.name,
        "role": place.role,
        "address": place.address,
        "leader": leader.address,
        "port": config["port"],
        "max_keys": config["max_keys"],
    }


def wanted(
    place: Place,
    *,
    leader: Place,
    version: str,
    config: Mapping[str, Any],
    before: Mapping[str, Any] | None = None,
) -> Json:
    """What a server should be, and what it was set to before, where that is known."""
    return {
        "version": version,
        "settings": settings(place, leader=leader, config=config),
        "before": None if before is None else settings(place, leader=leader, config=before),
    }


def endpoints(leader: Place, *, config: Mapping[str, Any]) -> Json:
    """Where the cluster is used."""
    return {"leader_address": leader.address, "port": config["port"]}


def text(settings: Mapping[str, Any]) -> str:
    """Settings as they stand in their file."""
    return json.dumps(settings, indent=2, sort_keys=True) + "\n"


def config_hash(settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(text(settings).encode()).hexdigest()


def mending(said: Json | None, *, wanted: Mapping[str, Any]) -> Mending:
    """What a server needs to be as it should, from its status; None where it gave none."""
    if said is None or said["version"] != wanted["version"]:
        return "restart"
    return "nothing" if said["settings"] == echod.digest(wanted["settings"]) else "reload"


def restart_order(places: Iterable[Place]) -> list[Place]:
    """Replicas first: while the leader is away nobody can write."""
    return sorted(places, key=lambda place: (place.role == LEADER, place.name))


def judge(status: Json | None, places: Sequence[Place]) -> dict[str, Finding]:
    """How each server is, by its name, from what the leader says of the whole cluster."""
    if status is None:
        silent = Finding("unhealthy", ("The leader does not answer.",))
        return {
            place.name: silent if place.role == LEADER else Finding("unknown", silent.reasons)
            for place in places
        }
    return {place.name: _judge_one(place, status) for place in places}


def _judge_one(place: Place, status: Json) -> Finding:
    if place.role == LEADER:
        return Finding("healthy", version=status["version"])
    known: Json | None = status["replicas"].get(place.name)
    if known is None:
        return Finding("unhealthy", ("The leader does not know it.",))
    if "error" in known:
        return Finding("unhealthy", (f"It does not answer the leader: {known['error']}",))
    said: Json = known["status"]
    version = said["version"]
    if not known["drained"] and said["digest"] != status["digest"]:
        return Finding("degraded", ("It has not all keys of the leader.",), version)
    return Finding("healthy", version=version)


def overall(findings: Mapping[str, Finding], places: Sequence[Place]) -> Finding:
    """How the instance is: without its leader nobody can write, without a replica everybody can."""
    ill = {name: each for name, each in findings.items() if each.health != "healthy"}
    if not ill:
        versions = {each.version for each in findings.values()}
        return Finding("healthy", version=versions.pop() if len(versions) == 1 else None)
    reasons = tuple(f"{name}: {' '.join(each.reasons)}" for name, each in sorted(ill.items()))
    leader = leader_of(places)
    if leader is None or leader.name in ill:
        return Finding("unhealthy", reasons)
    return Finding("degraded", reasons)


def rows(status: Json) -> list[Json]:
    """The view of keys: one row for each server that answers."""
    replicas: list[Json] = [
        each["status"] for each in status["replicas"].values() if "status" in each
    ]
    return [
        {
            "member": each["name"],
            "role": each["role"],
            "keys": each["keys"],
            "revision": each["revision"],
            "writable": not each["drained"],
        }
        for each in [status, *replicas]
    ]


def usage(status: Json, *, now: datetime) -> list[Json]:
    """Writes by minute, as usage. A minute that is not over is left for later; told twice, it is
    the same record."""
    records: list[Json] = []
    for minute, writes in status["minutes"].items():
        begin = datetime.strptime(minute, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
        end = begin + timedelta(minutes=1)
        if end <= now:
            records.append({"key": minute, "quantity": writes, "from": begin, "until": end})
    return records


def is_drained(holds: Sequence[str], *, policy: str, overdue: bool) -> bool:
    """Whether a replica may go by what was asked: wait for its readers, for so long, or not."""
    return not holds or policy == "force" or (policy == "deadline" and overdue)


def left(listed: str, seen: Mapping[str, Any], *, port: int) -> list[str]:
    """What is still there of echo on a host that was cleared: paths, the unit, the port."""
    found = [line for line in listed.splitlines() if line]
    if UNIT in seen["services"]:
        found.append(f"{UNIT} is {seen['services'][UNIT]}")
    return found + [line for line in seen["listening"] if line.endswith(f":{port}")]
