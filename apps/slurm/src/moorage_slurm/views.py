"""What people see of a cluster as tables, and what is metered, from what its host says. Pure."""

import base64
import json
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import moorage
from moorage_slurm import cluster

Json = dict[str, Any]
CPU, GPU = "slurm.cpu_seconds", "slurm.gpu_seconds"
PROJECT = "$project"
OBVIOUS = frozenset({"DYNAMIC_NORM", "DYNAMIC_FUTURE"})
"""Said of every worker, because every worker may come and go."""
WAITING = frozenset({"PENDING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT"})


def unpack(text: str) -> list[Json]:
    """Rows that were packed on the host."""
    names, _, rows = zlib.decompress(base64.b64decode(text)).decode().partition("\n")
    keys: list[str] = json.loads(names)
    return [dict(zip(keys, row, strict=True)) for row in json.loads(rows)]


def queue(said: Json, instance: moorage.Instance) -> list[Json]:
    """Jobs. One of an account that is not the project's is nobody's: its admins alone see it."""
    account = cluster.account(instance)
    return [_owned(job, account) for job in unpack(said["jobs"])]


def _owned(row: Json, account: str) -> Json:
    return row if row["account"] == account else {**row, PROJECT: None}


def nodes(said: Json, instance: moorage.Instance) -> list[Json]:
    names = {member.name for member in instance.members}
    return [
        {
            "node": node["node"],
            "member": node["node"] if node["node"] in names else "",
            "state": "+".join(state for state in node["states"] if state not in OBVIOUS),
            "reason": node["reason"],
            "cpus": node["cpus"],
            "cpus_used": node["cpus_used"],
            "memory_mb": node["memory_mb"],
            "gpus": node["gres"],
            "features": node["features"],
            "version": node["version"],
        }
        for node in said["nodes"]
    ]


def partitions(said: Json) -> list[Json]:
    """With how many jobs run and wait: every task of an array is one."""
    return [
        {**each, **_jobs(said["counts"].get(each["partition"], {}))} for each in said["partitions"]
    ]


def _jobs(states: dict[str, int]) -> Json:
    waiting = sum(count for state, count in states.items() if state in WAITING)
    return {"running": sum(states.values()) - waiting, "pending": waiting}


def usage(said: Json, instance: moorage.Instance) -> list[Json]:
    """What everybody's jobs that have ended took, by person and account."""
    account = cluster.account(instance)
    rows = [
        {
            "key": user if of == account else f"{user}/{of}",
            "account": of,
            "user": user,
            "jobs": jobs,
            "cpu_seconds": cpu,
            "gpu_seconds": gpu,
        }
        for user, of, jobs, cpu, gpu in said["usage"]["users"]
    ]
    return [_owned(row, account) for row in rows]


def metered(said: Json) -> Iterator[moorage.Usage]:
    """Hours that are over, each a record that counts once however often it is said."""
    for at, cpu, gpu in said["usage"]["hours"]:
        begin = datetime.strptime(at, "%Y-%m-%dT%H").replace(tzinfo=UTC)
        for meter, quantity in ((CPU, cpu), (GPU, gpu)):
            if quantity:
                yield moorage.Usage(
                    meter=meter,
                    key=at,
                    quantity=quantity,
                    from_at=begin,
                    until_at=begin + timedelta(hours=1),
                )
