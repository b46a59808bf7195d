"""What the answers of hosts mean for a cluster's health, in words. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import moorage
from moorage_slurm import cluster

Json = dict[str, Any]
LEAST_FREE_MB = 512
FRESH = 45
Verdict = Literal["healthy", "degraded", "unhealthy", "unknown"]


@dataclass(frozen=True)
class Judgement:
    """How a cluster is, and what for it should be mended."""

    observed: moorage.Observed
    mend: str | None = None


def judge(said: Json | None, instance: moorage.Instance) -> Judgement:
    """From what the controller's host says; None where it says nothing."""
    controller = cluster.controller_of(instance)
    if said is None or controller is None:
        return Judgement(_observed("unhealthy", ["The controller's host does not answer."]))
    reasons = host_reasons(said)
    down = scheduler_reasons(said)
    members = {} if down else _workers(said, instance)
    own: Verdict = "unhealthy" if down else ("degraded" if reasons else "healthy")
    members[controller.id] = moorage.MemberSeen(
        health=own, reasons=[*down, *reasons], runtime_version=said.get("version")
    )
    ill = [
        f"{member.name}: {' '.join(seen.reasons)}"
        for member in instance.members
        if (seen := members.get(member.id)) is not None and seen.health != "healthy"
    ]
    whole: Verdict = "unhealthy" if down else ("degraded" if ill else "healthy")
    return Judgement(
        _observed(whole, ill, members=members, version=said.get("version"), controller=controller),
        mend=_mend(down, said, instance),
    )


def scheduler_reasons(said: Json) -> list[str]:
    """Why nobody schedules."""
    found = [f"{name} is {state}." for name, state in said["daemons"].items() if state != "active"]
    if not said["up"]:
        found.append(f"slurmctld does not answer: {said.get('ping') or 'no word'}.")
    elif not said["accounting"]:
        found.append(f"Accounting does not answer: {said['books']}.")
    return found


def host_reasons(said: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    if said["free_mb"] < LEAST_FREE_MB:
        found.append(f"/var has only {said['free_mb']} MB free.")
    if said["resolves_in"] > cluster.SLOW_NAMES:
        found.append(f"Looking up its own name takes {said['resolves_in']} s.")
    return found


def _workers(said: Json, instance: moorage.Instance) -> dict[str, moorage.MemberSeen]:
    known = {node["node"]: node for node in said["nodes"]}
    return {
        member.id: judge_worker(known.get(member.name), member.status)
        for member in cluster.workers_of(instance)
    }


def judge_worker(node: Json | None, status: str) -> moorage.MemberSeen:
    """How the scheduler sees a worker."""
    if node is None:
        why = ["The scheduler does not know it."]
        return moorage.MemberSeen(health="unhealthy", reasons=why)
    states, reason = set(node["states"]), node["reason"]
    detail = {"node": node["node"], "state": "+".join(node["states"]), "reason": reason}
    bad = states & {"DOWN", "FAIL", "NOT_RESPONDING", "INVALID_REG", "UNKNOWN"}
    if bad:
        why = [f"Slurm says {'+'.join(sorted(bad))}{f': {reason}' if reason else ''}."]
        return moorage.MemberSeen(
            health="unhealthy", reasons=why, runtime_version=node["version"], adapter_detail=detail
        )
    if "DRAIN" in states and status == "ready":
        why = [f"It is drained in Slurm: {reason or 'no reason given'}."]
        return moorage.MemberSeen(
            health="degraded", reasons=why, runtime_version=node["version"], adapter_detail=detail
        )
    return moorage.MemberSeen(
        health="healthy", runtime_version=node["version"], adapter_detail=detail
    )


def _mend(down: list[str], said: Json, instance: moorage.Instance) -> str | None:
    if down:
        return " ".join(down)
    lost = [
        member.name
        for member in cluster.workers_of(instance)
        if member.status == "ready" and member.reachable and _is_mendable(said, member.name)
    ]
    return f"Workers that the scheduler does not use: {', '.join(sorted(lost))}." if lost else None


def _is_mendable(said: Json, name: str) -> bool:
    node = next((each for each in said["nodes"] if each["node"] == name), None)
    return node is None or bool(set(node["states"]) & {"DOWN", "NOT_RESPONDING", "INVALID_REG"})


def _observed(
    health: Verdict,
    reasons: list[str],
    *,
    members: dict[str, moorage.MemberSeen] | None = None,
    version: str | None = None,
    controller: moorage.Member | None = None,
) -> moorage.Observed:
    return moorage.Observed(
        health=health,
        reasons=reasons,
        runtime_version=version,
        endpoints=None if controller is None else cluster.endpoints(controller),
        members=members or {},
        fresh_for=FRESH,
    )
