"""Nodes, as the scheduler sees them."""

import re
import socket
from pathlib import Path

from moorage_slurm.onhost import gres
from moorage_slurm.onhost.commands import Json, Refused, fields, journal, must, run, until

ANSWERS_WITHIN = 5.0
USABLE = frozenset({"IDLE", "MIXED", "ALLOCATED", "COMPLETING"})
SIGNATURE = re.compile(r" \[(\S+)@\S+\]$")
"""Who set a reason, and when, as scontrol shows it after the reason."""
SLURM = "slurm"
"""Whose reasons are those of the scheduler itself."""
OURS = "moorage"
"""How every reason of ours begins."""
SHUT = frozenset({"DOWN", "FAIL"})
"""States that somebody can give a node. Slurm gives the first as well."""
NOT_STARTED = "Unable to allocate resources"
"""What srun says where no job began in the time that it has."""
BAD = frozenset({"DOWN", "FAIL", "NOT_RESPONDING", "INVALID_REG", "UNKNOWN", "ERROR"})


def find(name: str) -> Json | None:
    """A node by its name, or None where the scheduler knows none."""
    done = run("scontrol", "-o", "show", "node", name, within=20)
    if not done.ok or "not found" in done.stdout + done.stderr:
        if "not found" in done.stdout + done.stderr or "Invalid node" in done.stderr:
            return None
        raise Refused("scheduler_silent", f"slurmctld gave no answer about {name}: {done.words}")
    return describe(fields(done.lines[0]))


def list_all() -> list[Json]:
    done = run("scontrol", "-o", "show", "node", within=30)
    if not done.ok:
        raise Refused("scheduler_silent", f"slurmctld gave no answer: {done.words}")
    return [describe(fields(line)) for line in done.lines if line.startswith("NodeName=")]


def list_nodes(given: Json) -> Json:
    return {"nodes": list_all()}


def describe(said: Json) -> Json:
    """What matters of a node."""
    reason = _said(said.get("Reason", ""))
    signed = SIGNATURE.search(reason)
    return {
        "node": said["NodeName"],
        "states": said.get("State", "").replace("*", "+NOT_RESPONDING").split("+"),
        "reason": SIGNATURE.sub("", reason),
        "by": signed[1] if signed else "",
        "cpus": int(said.get("CPUTot", 0)),
        "cpus_used": int(said.get("CPUAlloc", 0)),
        "memory_mb": int(said.get("RealMemory", 0)),
        "partitions": _said(said.get("Partitions", "")),
        "gres": _said(said.get("Gres", "")),
        "features": _said(said.get("AvailableFeatures", "")),
        "version": said.get("Version", ""),
        "address": said.get("NodeAddr", ""),
    }


def _said(text: str) -> str:
    return "" if text == "(null)" else text


def is_usable(node: Json) -> bool:
    states = set(node["states"])
    return bool(states & USABLE) and not states & BAD


def is_shut(node: Json) -> bool:
    """Whether somebody took the node out of use for a reason of theirs, other than by a drain.

    What Slurm itself finds it signs as itself.
    """
    theirs = bool(node["reason"]) and node["by"] != SLURM and not node["reason"].startswith(OURS)
    return theirs and not SHUT.isdisjoint(node["states"])


def await_registered(given: Json) -> Json:
    """Until the scheduler would give the node a job, or somebody alone keeps it from that; what it
    says otherwise."""

    def is_registered(node: Json | None) -> bool:
        return node is not None and (is_usable(node) or is_shut(node))

    found = until(lambda: find(given["node"]), is_registered, within=given.get("seconds", 10))
    return {"node": found, "registered": is_registered(found)}


def why_silent(given: Json) -> Json:
    """On a worker: what may keep the scheduler from hearing of it."""
    state = run("systemctl", "is-active", "slurmd").stdout.strip()
    why = [] if state == "active" else [f"slurmd is {state} there."]
    reaches = True
    try:
        socket.create_connection((given["address"], given["port"]), timeout=5).close()
    except OSError as err:
        reaches = False
        place = f"{given['address']} port {given['port']}"
        why.append(f"The host cannot reach the scheduler at {place}: {err.strerror or err}.")
    log = journal("slurmd")
    try:
        log += Path("/var/log/slurm/slurmd.log").read_text(errors="replace").splitlines()[-20:]
    except OSError:
        pass
    said = [line for line in log if ("error" in line or "fatal" in line) and "Retry" not in line]
    if said:
        why.append(f"slurmd says: {said[-1][-300:].rstrip('.')}.")
    why = why or ["slurmd runs and reaches the scheduler."]
    return {"why": why, "reaches": reaches, "log": log}


def canary(given: Json) -> Json:
    """A job of root's on one node: it starts and ends well.

    Where there is no room because jobs run already, those have shown the same; where others wait,
    it does not wait behind them; and where the node is shut, nobody's job starts.
    """
    name = given["node"]
    node = _must_find(name)
    if not has_room(node):
        return {"ran": False}
    words = ("--nodelist", name, "--nodes=1", "--account=root", "--time=1", "--mem=1")
    place = f"--partition={node['partitions'].partition(',')[0]}"
    name_it = ("--job-name=moorage-canary", "--quiet", "--chdir=/", "--immediate=10")
    done = run("srun", place, *words, *name_it, "/bin/true", within=given.get("seconds", 30))
    if done.ok:
        return {"ran": True}
    if jobs_on(name) or are_waiting() or not has_room(_must_find(name)):
        return {"ran": False}
    if given.get("may_not_start") and NOT_STARTED in done.words:
        return {"ran": False}
    raise Refused("canary_failed", f"A job on {name} did not end well: {done.words}")


def has_room(node: Json) -> bool:
    """Whether a job could start on a node at once, as far as its state tells."""
    is_open = "DRAIN" not in node["states"] and not is_shut(node) and bool(node["partitions"])
    return is_open and node["cpus_used"] < node["cpus"]


def try_one(given: Json) -> Json:
    """The same on one of these nodes that has room; on which, if there is one."""
    names = {*given["nodes"]}

    def look() -> list[Json]:
        return [node for node in list_all() if node["node"] in names]

    found = pick(until(look, is_said, within=ANSWERS_WITHIN))
    # A scheduler that has just been started may take its time.
    ran = found is not None and canary({"node": found, "may_not_start": True})["ran"]
    return {"node": found if ran else None}


def is_said(found: list[Json]) -> bool:
    """Whether the answer is known: a node has room, or none that is still to be heard of may."""
    return pick(found) is not None or all(is_usable(node) or is_shut(node) for node in found)


def pick(found: list[Json]) -> str | None:
    """The node with the least to do, of those that have room."""
    free = [node for node in found if is_usable(node) and has_room(node)]
    return min(free, key=lambda node: (node["cpus_used"], node["node"]))["node"] if free else None


def mend(given: Json) -> Json:
    """Let a node that was down, or lacked the key, be used again. What others closed stays closed.

    Whether the scheduler knows it: one that was killed forgets who came in the seconds before it.
    """
    node = find(given["node"])
    if node is None:
        return {"known": False}
    if parts(node, KEY)[0]:
        release({**given, "owner": KEY})
    if "DOWN" in node["states"] and "DRAIN" not in node["states"] and not is_shut(node):
        _update(node["node"], "State=RESUME")
    return {"known": True}


def delete(given: Json) -> Json:
    """Let the scheduler forget a node, and look whether it has."""
    name = given["node"]
    gres.know({"nodes": {name: []}})
    if find(name) is None:
        return {"deleted": False}
    must("scontrol", "delete", f"NodeName={name}", code="node_busy")
    if find(name) is not None:
        raise Refused("node_remains", f"{name} is still in the scheduler's list.")
    return {"deleted": True}


# --- drains: each has an owner, who alone takes it back ------------------------------------------

MEMBER, DRAIN, CORDON = "moorage: ", "moorage drain: ", "moorage cordon: "
"""How the reasons of our drains begin: the member's, and those of the actions."""
KEY = "moorage key: "
"""That of a worker which has not got the cluster's new key."""
FULL = "SlurmdSpoolDir is full"
"""Slurm's own words: it drains a worker that cannot write, and does not take that back. It writes
them over the reason of whoever drained the node before, so only a person can tell what to do."""
BETWEEN = " ; "
"""A node has one reason. Where several drain it, each has a part of it, and it stays drained until
the last part is taken back."""


def parts(node: Json, owner: str) -> tuple[list[str], list[str]]:
    """Of the reason for which a node is drained: what is the owner's, and what is others'."""
    if "DRAIN" not in node["states"]:
        return [], []
    said = [part for part in node["reason"].split(BETWEEN) if part] or ["no reason given"]
    own = [part for part in said if part.startswith(owner)]
    return own, [part for part in said if part not in own]


def close(given: Json) -> Json:
    """Start no more jobs on a node, with a reason. Drains that are others' stay theirs."""
    node, owner = _must_find(given["node"]), given["owner"]
    _, others = parts(node, owner)
    text = given["reason"].replace(";", ",") if owner else given["reason"]
    _drain(node["node"], [*others, f"{owner}{text}"[:200]])
    theirs = {"reason": BETWEEN.join(others)} if others else {}
    return {**describe_now(given), **theirs, "drained_by_another": bool(others)}


def reopen(given: Json) -> Json:
    """Take back a drain of this owner. One that is another's stays, and is named."""
    found = release(given)
    _, others = parts(_must_find(given["node"]), given["owner"])
    if others:
        raise Refused(
            "drained_by_another",
            f"{found['node']} is drained in Slurm for another reason: {BETWEEN.join(others)}. "
            "Have whoever did it take it back (`scontrol update NodeName="
            f"{found['node']} State=RESUME`), then resume this operation.",
        )
    return found


def release(given: Json) -> Json:
    """Take back a drain of this owner, where there is one; whatever else there is stays."""
    node = _must_find(given["node"])
    own, others = parts(node, given["owner"])
    if own and others:
        _drain(node["node"], others)
    elif own:
        _update(node["node"], "State=RESUME")
    if not others:
        # Whoever took the last drain back: the scheduler asks the worker before it gives it jobs.
        until(lambda: _must_find(given["node"]), is_usable, within=ANSWERS_WITHIN)
    return describe_now(given)


def _drain(name: str, reasons: list[str]) -> None:
    reason = BETWEEN.join(reasons).replace('"', "'")
    _update(name, "State=DRAIN", f"Reason={reason}")


def describe_now(given: Json) -> Json:
    """How a node is, and which jobs it has."""
    node = _must_find(given["node"])
    return {
        "node": node["node"],
        "state": "+".join(node["states"]),
        "reason": node["reason"],
        "jobs": jobs_on(node["node"]),
    }


def jobs_on(name: str) -> list[int]:
    words = ("--states=running,completing,suspended,configuring", "-o", "%A")
    done = run("squeue", "-h", "-a", f"--nodelist={name}", *words, within=30)
    if not done.ok:
        raise Refused("scheduler_silent", f"squeue: {done.words}")
    return sorted({int(line) for line in done.lines})


def are_waiting() -> bool:
    """Whether somebody's jobs are in the queue that could start if there were room."""
    done = run("squeue", "-h", "-a", "--states=pending", "-o", "%r", within=30)
    return any(line.strip() in ("Resources", "Priority") for line in done.lines)


def evict(given: Json) -> Json:
    """Take the jobs off a node: back into the queue where that is possible, else to their end."""
    cut = jobs_on(given["node"])
    for job in cut:
        if not run("scontrol", "requeue", str(job), within=30).ok:
            run("scancel", str(job), within=30)
    return {"jobs": cut}


def forget_lost(given: Json) -> Json:
    """Forget a node whose host is gone. Its jobs go back into the queue, or end."""
    name = given["node"]
    if find(name) is None:
        return {"jobs": [], "gone": True}
    cut = jobs_on(name)
    _update(name, "State=DOWN", f"Reason={MEMBER}its host is gone")
    left = until(lambda: jobs_on(name), lambda jobs: not jobs, within=given.get("seconds", 20))
    if not left:
        delete(given)
    return {"jobs": cut, "gone": not left}


def _must_find(name: str) -> Json:
    node = find(name)
    if node is None:
        raise Refused("node_unknown", f"The scheduler knows no node {name}.")
    return node


def _update(name: str, *words: str) -> None:
    must("scontrol", "update", f"NodeName={name}", *words, code="update_refused")


# --- actions of operators ------------------------------------------------------------------------


def _shut(given: Json, owner: str) -> Json:
    return close({**given, "owner": owner, "reason": f"{given['reason']} ({given['by']})"})


def drain(given: Json) -> Json:
    return _shut(given, DRAIN)


def cordon(given: Json) -> Json:
    return _shut(given, CORDON)


def resume(given: Json) -> Json:
    """Take back a drain of this action's, or the one that Slurm made for a full disk. That may have
    been written over the reason of a member's drain, which is not this action's to take back."""
    if given["is_ready"] and parts(_must_find(given["node"]), FULL)[0]:
        found = release({**given, "owner": FULL})
        if "DRAIN" not in found["state"]:
            return found
    return _open(given, DRAIN)


def uncordon(given: Json) -> Json:
    return _open(given, CORDON)


def _open(given: Json, owner: str) -> Json:
    """Take back the part of it that is this action's. Where others keep the node shut, say so."""
    own, others = parts(_must_find(given["node"]), owner)
    if others and not own:
        why = BETWEEN.join(others)
        raise Refused("drained_by_another", f"{given['node']} is drained by another: {why}.")
    return release({**given, "owner": owner})


def label(given: Json) -> Json:
    """These labels, beside the one by which partitions find our nodes. Partitions follow."""
    node = _must_find(given["node"])
    features = ",".join(["moorage", *sorted({*given["labels"]})])
    if node["features"] != features:
        _update(node["node"], f"AvailableFeatures={features}", f"ActiveFeatures={features}")
        # Which nodes a partition has is worked out when the configuration is read.
        must("scontrol", "reconfigure", code="update_refused")
    return describe_now(given)


VERBS = {
    "list": list_nodes,
    "await": await_registered,
    "why": why_silent,
    "canary": canary,
    "try": try_one,
    "delete": delete,
    "mend": mend,
    "close": close,
    "reopen": reopen,
    "release": release,
    "now": describe_now,
    "evict": evict,
    "forget_lost": forget_lost,
    "drain": drain,
    "resume": resume,
    "cordon": cordon,
    "uncordon": uncordon,
    "label": label,
}
