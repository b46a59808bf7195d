"""What the answers of hosts mean for a cluster's health, in words. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import moorage
from moorage_slurm import cluster, drift
from moorage_slurm.onhost import nodes, versions

Json = dict[str, Any]
LEAST_FREE_MB = 512
FREED = (
    "Slurm does not take that back: make room there, then resume the node (`slurm.node.resume`)."
)
THEIRS = "That is theirs to take back: `scontrol update NodeName=… State=RESUME`."
FRESH = 45
MOST_ASKED = 8
"""Workers that are asked in one look."""
Verdict = Literal["healthy", "degraded", "unhealthy", "unknown"]
BAD = frozenset({"DOWN", "FAIL", "NOT_RESPONDING", "INVALID_REG", "UNKNOWN"})
FILES = "files"
PROGRAM = "program"
PEOPLE = "people"
COMING_OR_GOING = frozenset(
    {"requested", "deploying", "starting", "stopping", "restarting", "deleting"}
)
"""What is down meanwhile is no trouble."""
CLOCKS = ("Expired credential", "Rewound credential", "out of sync clocks")
"""What Slurm says where clocks differ."""


@dataclass(frozen=True)
class Answer:
    """What a host said when it was asked, or why it said nothing."""

    said: Json | None = None
    why: str = ""
    lost: bool = False
    """Nothing can be done there from here."""
    skew: float = 0.0
    """Seconds by which its clock is ahead of ours."""


@dataclass(frozen=True)
class Finding:
    """How a member is."""

    health: Verdict = "healthy"
    reasons: Sequence[str] = ()
    mend: Sequence[str] = ()
    """What of it a repair can help. Where a person has to act first, it can help nothing."""
    version: str | None = None
    detail: Json | None = None


@dataclass(frozen=True)
class Judgement:
    """How a cluster is, and what of its members a repair can help, by name."""

    observed: moorage.Observed
    mend: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


def skew(there: float, *, sent: float, received: float) -> float:
    """How far a clock is ahead of ours, given when it was asked and when it had answered."""
    return there - min(max(there, sent), received)


# --- whom to ask ---------------------------------------------------------------------------------


def whom_to_ask(
    nodes: Sequence[Json], workers: Sequence[moorage.Member], *, ill: set[str], turn: int
) -> list[moorage.Member]:
    """Workers to look at: those that seem ill, and of the others a few in turn.

    Slurm itself hears of a dead daemon minutes later, and never of a full disk.
    """
    known = {node["node"]: set(node["states"]) for node in nodes}
    there = sorted((each for each in workers if each.reachable), key=lambda each: each.name)
    bad = [w for w in there if w.name in ill or known.get(w.name, BAD) & BAD]
    fine = [worker for worker in there if worker not in bad]
    room = max(0, MOST_ASKED - len(bad))
    start = turn * room % len(fine) if fine else 0
    return [*_turned(bad, turn)[:MOST_ASKED], *(fine[start:] + fine[:start])[:room]]


def _turned(members: list[moorage.Member], turn: int) -> list[moorage.Member]:
    start = turn * MOST_ASKED % len(members) if members else 0
    return members[start:] + members[:start]


def is_well(answer: Answer) -> bool:
    """Whether the host of a worker has nothing to complain about."""
    said = answer.said
    if said is None or not said["slurmd"] or said["homes"]:
        return False
    return not host_troubles(said, skew=answer.skew)


# --- people --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Strays:
    """People who should be in Slurm's books and are not, and the other way round."""

    absent: frozenset[str] = frozenset()
    """They cannot be: they have no account on the controller's host."""
    missing: frozenset[str] = frozenset()
    surplus: frozenset[str] = frozenset()

    def lasting(self, before: "Strays") -> "Strays":
        """Those who were so before: whoever comes or goes just now is no stray."""
        return Strays(
            self.absent & before.absent,
            self.missing & before.missing,
            self.surplus & before.surplus,
        )

    def words(self) -> Iterator[tuple[str, str | None]]:
        """What is to be said of them, each with what a repair can help."""
        if self.missing:
            yield f"{_some(self.missing)} cannot use Slurm: not in its books.", PEOPLE
        if self.surplus:
            words = f"{_some(self.surplus)} can still use Slurm, and left the project."
            yield words, PEOPLE
        if self.absent:
            who = _some(self.absent)
            yield f"{who} cannot use Slurm: its host has no account of theirs.", None


def strays(said: Json, people: Sequence[Json], programs: Collection[str]) -> Strays:
    """From what the controller's host says, and who may be on the cluster by the platform."""
    if "people" not in said:
        return Strays()
    wanted, booked = {person["login"] for person in people}, {*said["people"]}
    absent = wanted & {*said["absent"]}
    return Strays(
        frozenset(absent),
        frozenset(wanted - booked - absent),
        frozenset(booked - wanted - {*programs}),
    )


def _some(logins: Collection[str]) -> str:
    few = sorted(logins)
    return f"{', '.join(few[:5])}{f' and {len(few) - 5} more' if len(few) > 5 else ''}"


# --- the whole -----------------------------------------------------------------------------------


def before_a_look(instance: moorage.Instance) -> moorage.Observed | None:
    """What is so without asking anybody: there is nothing yet, or nothing any more."""
    if instance.status in COMING_OR_GOING:
        return moorage.Observed(health="progressing", fresh_for=FRESH)
    if instance.status == "stopped":
        return moorage.Observed(health="unknown", reasons=["It is stopped."], fresh_for=FRESH)
    if cluster.controller_of(instance) is None:
        return moorage.Observed(
            health="unhealthy", reasons=["The cluster has no controller."], fresh_for=FRESH
        )
    return None


def judge(
    instance: moorage.Instance,
    answer: Answer,
    workers: Mapping[str, Answer],
    *,
    changed: drift.Changed | None = None,
    strays: Strays | None = None,
) -> Judgement:
    """From what the controller's host says, those of the workers that were asked, files that
    somebody changed there, and people who are in the books or not and should not be so."""
    controller = cluster.controller_of(instance)
    assert controller is not None
    found = {controller.name: judge_controller(answer, auth=instance.config["auth"])}
    said = answer.said
    if said is not None and said["up"]:
        known = {node["node"]: node for node in said["nodes"]}
        for member in cluster.workers_of(instance):
            asked = workers.get(member.name)
            found[member.name] = judge_worker(
                member,
                known.get(member.name),
                asked,
                clock=answer.skew,
                heard=said["complaints"],
            )
    for name, files in (changed or {}).items():
        words = f"Somebody changed {', '.join(files)} on its host."
        found[name] = _also(found[name], words, mend=FILES)
    for words, mend in (strays or Strays()).words():
        found[controller.name] = _also(found[controller.name], words, mend=mend)
    ill = {name: each for name, each in found.items() if each.health != "healthy"}
    whole: Verdict = "healthy" if not ill else "degraded"
    if found[controller.name].health == "unhealthy":
        whole = "unhealthy"
    ids = {member.name: member.id for member in instance.members}
    return Judgement(
        moorage.Observed(
            health=whole,
            reasons=[f"{name}: {' '.join(each.reasons)}" for name, each in ill.items()],
            runtime_version=None if said is None else said.get("version"),
            endpoints=cluster.endpoints(controller),
            topology_mode=cluster.topology(instance),
            components=_components(instance, found),
            members={
                ids[name]: moorage.MemberSeen(
                    health=each.health,
                    reasons=[*each.reasons],
                    runtime_version=each.version or None,
                    adapter_detail=each.detail,
                )
                for name, each in found.items()
            },
            fresh_for=FRESH,
        ),
        {name: each.mend for name, each in ill.items() if each.mend},
    )


def _components(
    instance: moorage.Instance, found: Mapping[str, Finding]
) -> dict[str, moorage.ComponentSeen]:
    """How the parts of a cluster are: as their members, where those agree."""
    parts: dict[str, list[Verdict]] = {}
    for member in instance.members:
        seen = found.get(member.name, Finding("unknown"))
        parts.setdefault(member.component, []).append(seen.health)
    return {key: _component(each) for key, each in parts.items()}


def _component(members: Sequence[Verdict]) -> moorage.ComponentSeen:
    ill = [each for each in members if each != "healthy"]
    health = members[0] if len({*members}) == 1 else "degraded"
    said = f"{len(ill)} of {len(members)} not well" if ill else None
    return moorage.ComponentSeen(health=health, summary=said)


def _also(found: Finding, words: str, *, mend: str | None) -> Finding:
    """A member of which something more is not as it should be."""
    health = "degraded" if found.health == "healthy" else found.health
    helps = mend is not None and (found.mend or found.health == "healthy")
    more = (*found.mend, mend) if mend is not None and helps else found.mend
    return replace(found, health=health, reasons=[*found.reasons, words], mend=more)


# --- the controller ------------------------------------------------------------------------------


def judge_controller(answer: Answer, *, auth: str) -> Finding:
    """Without a scheduler nothing starts; without accounting jobs run, and are booked later."""
    said = answer.said
    if said is None:
        return Finding("unhealthy", [answer.why], mend=() if answer.lost else (PROGRAM,))
    own = host_troubles(said, skew=answer.skew)
    down = {
        name: f"{name} is {state}."
        for name, state in said["daemons"].items()
        if state != "active" and not (name == "munge" and auth == "slurm")
    }
    if not said["up"]:
        down["scheduler"] = f"slurmctld does not answer: {said.get('ping') or 'no word'}."
    elif not said["accounting"]:
        down["accounting"] = f"Accounting does not answer: {said['books']}."
    if said["homes"]:
        down["homes"] = said["homes"]
    if not down and not own:
        return Finding(version=said.get("version"))
    return Finding(
        "degraded" if said["up"] else "unhealthy",
        [*down.values(), *own],
        mend=() if own else [*down],
        version=said.get("version"),
    )


def host_troubles(said: Mapping[str, Any], *, skew: float) -> list[str]:
    """What is wrong with a host that no daemon can help: somebody has to see to it."""
    found = cluster.name_troubles(said)
    if said["free_mb"] < LEAST_FREE_MB:
        found.append(f"/var has only {said['free_mb']} MB free. Make room there.")
    if abs(skew) > cluster.MOST_SKEW:
        beyond = abs(skew) > cluster.LIMIT_OF_SKEW
        found.append(
            f"Its clock is {skew:+.0f} s from the others'"
            + (": nobody believes its credentials" if beyond else "")
            + ". Set the clock, and let something keep it."
        )
    return found


# --- workers -------------------------------------------------------------------------------------


def judge_worker(
    member: moorage.Member,
    node: Json | None,
    asked: Answer | None,
    *,
    clock: float,
    heard: Sequence[str] = (),
) -> Finding:
    """How the scheduler sees a worker, and what its host says, where it was asked.

    Args:
        clock: How far the clock of the controller's host is ahead of ours.
        heard: What the scheduler complained of: it is the one who does not believe a credential.
    """
    if not member.reachable:
        return Finding(
            "unhealthy", ["Its host does not answer the platform."], detail=_detail(member, node)
        )
    own: list[str] = []
    ill: dict[str, str] = {}
    homes: list[str] = []
    if asked is not None and asked.said is not None:
        own = host_troubles(asked.said, skew=asked.skew - clock)
        homes = [asked.said["homes"]] if asked.said["homes"] else []
        ill = {} if asked.said["slurmd"] else {"slurmd": "slurmd does not run."}
    elif asked is not None and asked.lost:
        own = [asked.why]
    elif asked is not None:
        ill = {PROGRAM: asked.why}
    seen = _as_seen(node, member.status)
    if seen.health == "unhealthy":
        ill = {"node": seen.reasons[0], **ill}
    complaints: list[str] = asked.said["complaints"] if asked and asked.said else []
    if ill and _is_disbelieved(complaints, heard):
        own.append(
            "Its clock and that of the controller's host differ by more than munge allows, "
            f"{cluster.LIMIT_OF_SKEW:.0f} s. Set the clock, and let something keep it."
        )
    elif ill and complaints:
        ill["slurmd"] = f"{ill.get('slurmd', '')} slurmd says: {complaints[-1]}.".strip()
    reasons = [*(ill.values() if ill else seen.reasons), *homes, *own]
    health: Verdict = "unhealthy" if ill else ("degraded" if own or homes else seen.health)
    parts = [*ill, *("homes" for _ in homes)] or (["release"] if _is_behind(node) else [])
    return Finding(
        health,
        reasons,
        mend=parts if not own and member.status == "ready" else (),
        version=None if node is None else node["version"],
        detail=_detail(member, node),
    )


def _is_disbelieved(complaints: Sequence[str], heard: Sequence[str]) -> bool:
    """Whether a worker cannot prove who it is, for the time that its clock shows."""
    clocks = any(word in each for each in (*complaints, *heard) for word in CLOCKS)
    return clocks and any("uthenticat" in each or "redential" in each for each in complaints)


def _as_seen(node: Json | None, status: str) -> Finding:
    if node is None:
        return Finding("unhealthy", ["The scheduler does not know it."])
    states, reason = set(node["states"]), node["reason"]
    bad = states & BAD
    if nodes.is_shut(node):
        state = "+".join(sorted(states & nodes.SHUT))
        who = node["by"] or "Somebody"
        return Finding("degraded", [f"{who} set it {state} in Slurm: {reason}. {THEIRS}"])
    if bad:
        why = f"Slurm says {'+'.join(sorted(bad))}{f': {reason}' if reason else ''}."
        return Finding("unhealthy", [why])
    if "DRAIN" in states and status == "ready":
        why = f"It is drained in Slurm: {reason or 'no reason given'}."
        return Finding("degraded", [f"{why} {FREED}" if nodes.FULL in reason else why])
    return Finding()


def _is_behind(node: Json | None) -> bool:
    """Whether it was put aside for the release that it runs, or for the key that it has."""
    return node is not None and any(each in node["reason"] for each in (versions.REASON, nodes.KEY))


def _detail(member: moorage.Member, node: Json | None) -> Json | None:
    """What is said of a worker. What was found when it joined stays with it."""
    if node is None:
        return None
    return {
        **member.adapter_detail,
        "node": node["node"],
        "state": "+".join(node["states"]),
        "reason": node["reason"],
    }
