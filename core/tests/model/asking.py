"""What people ask of an instance and of its members, and what is refused."""

from collections.abc import Sequence
from typing import Any

from core.tests.model.entries import (
    ACTS,
    ASKED,
    DURING,
    MEMBER_ASKED,
    MOST_REPLICAS,
    REPAIRS_AN_HOUR,
    REVISES,
    WORK,
    Change,
    Op,
    Part,
    Refused,
)
from core.tests.model.paper import Paper


def change(paper: Paper, kind: str, ids: Sequence[str], *, preempt: bool = False) -> None:
    """A change of the instance as a whole; `ids` are the new operations, children last."""
    _check_may_ask(paper, kind, preempt=preempt)
    if kind in REVISES:
        _check_revises(paper, kind)
    if kind == "instance.repair":
        if sum(at > paper.now - 3600 for at in paper.repairs) >= REPAIRS_AN_HOUR:
            raise Refused("too_many_repairs")
        paper.repairs.append(paper.now)
    lock = "shared" if kind == "instance.repair" else "exclusive"
    down = kind == "instance.decommission"
    op = _new(paper, ids[:1], kind, lock=lock, phase="prepare" if down else None)
    if down:
        op.parallel = 10
        order = sorted((p for p in paper.parts.values() if p.is_live), key=lambda p: p.id)
        for part, id in zip(order, ids[1:], strict=True):
            wave = 0 if part.component == "replica" else 1
            _new(paper, [id], "member.remove", parent=op, member=part.id, wave=wave)
            paper.desired[part.component] = 0
    if preempt:
        for ahead in paper.open_roots():
            if ahead.place < op.place and "cancel" in paper.verbs(ahead):
                paper.stop(ahead)
    paper.settle()
    if kind in REVISES:
        _revise(paper, op, kind)


def _check_may_ask(paper: Paper, kind: str, *, preempt: bool) -> None:
    ahead = [op.kind for op in paper.open_roots()]
    will_be = paper.status
    for each in ahead:
        will_be = WORK[each][1] if each in WORK else will_be
    if preempt and "instance.decommission" not in ahead and paper.status in DURING:
        will_be = paper.settled
    allowed = ASKED.get(will_be, set()) if paper.deployed else {"instance.decommission"}
    if will_be == "deleted" or kind not in allowed:
        raise Refused("invalid_transition")


def _check_revises(paper: Paper, kind: str) -> None:
    pending = [each for each in paper.changes if each.outcome == "pending"]
    if any(paper.ops[each.operation].is_open for each in pending):
        raise Refused("change_pending")
    if kind == "instance.upgrade" and paper.version == "1.1.0":
        raise Refused("nothing_changes")
    if kind == "instance.rollback" and _before(paper) is None:
        raise Refused("rollback_unsupported")


def _before(paper: Paper) -> Change | None:
    """The revision that ran before the present one."""
    ran = [c for c in paper.changes if c.outcome == "applied" and c.number < paper.revision]
    return max(ran, key=lambda each: each.number, default=None)


def _revise(paper: Paper, op: Op, kind: str) -> None:
    for each in paper.changes:
        if each.outcome == "pending":
            each.outcome = "discarded"
    version, goal = paper.version, _before(paper)
    if kind == "instance.upgrade":
        version = "1.1.0"
    elif kind == "instance.rollback" and goal is not None:
        version = goal.version
    paper.changes.append(Change(len(paper.changes) + 1, op.id, version))


def deploy(paper: Paper, ids: Sequence[str], members: Sequence[tuple[str, str]]) -> None:
    op = _new(paper, ids[:1], "instance.deploy", lock="exclusive", phase="prepare")
    op.budget = 0
    for (member, component), id in zip(members, ids[1:], strict=True):
        paper.parts[member] = Part(member, component)
        paper.desired[component] += 1
        wave = 0 if component == "leader" else 1
        _new(paper, [id], "member.add", parent=op, member=member, wave=wave)
    paper.settle()
    paper.changes.append(Change(1, op.id, paper.version))


def act(paper: Paper, lock: str, ids: Sequence[str], member: str | None) -> None:
    if paper.status not in ACTS:
        raise Refused("instance_not_running")
    if member is not None and not paper.parts[member].is_live:
        raise Refused("not_found")
    _new(paper, ids, "action", lock=lock, member=member)
    paper.settle()


def add(paper: Paper, ids: Sequence[str], members: Sequence[str], number: int, **how: Any) -> None:
    paper.check_members_may("add")
    if len(paper.live("replica")) + number > MOST_REPLICAS:
        raise Refused("too_many_members")
    paper.desired["replica"] = paper.staying("replica") + number
    for member in members:
        paper.parts[member] = Part(member, "replica")
    _bulk(paper, "add", ids, members, **how)


def ask_members(
    paper: Paper, verb: str, ids: Sequence[str], members: Sequence[str], **how: Any
) -> None:
    paper.check_members_may(verb)
    parts = _check_members(paper, verb, members)
    if verb == "remove":
        paper.desired["replica"] = paper.staying("replica") - len(parts)
    _bulk(paper, verb, ids, [part.id for part in parts], **how)


def replace(paper: Paper, ids: Sequence[str], old: str, new: Sequence[str]) -> None:
    paper.check_members_may("replace")
    (part,) = _check_members(paper, "replace", [old])
    most = 1 if part.component == "leader" else MOST_REPLICAS
    new_first = len(paper.live(part.component)) < most
    (comes,) = new
    paper.parts[comes] = Part(comes, part.component)
    op = _new(paper, ids[:1], "member.replace", lock="shared", phase="prepare")
    op.budget, op.given = 0, {"old": old, "new": comes}
    link = {"part_of": "replacement"}
    _new(
        paper, ids[1:2], "member.add", parent=op, member=comes, wave=int(not new_first), given=link
    )
    _new(paper, ids[2:3], "member.remove", parent=op, member=old, wave=int(new_first), given=link)
    paper.settle()


def _check_members(paper: Paper, verb: str, ids: Sequence[str]) -> list[Part]:
    parts = [paper.parts[id] for id in sorted(set(ids))]
    if not all(part.is_live for part in parts):
        raise Refused("not_found")
    if verb != "replace" and any(part.component == "leader" for part in parts):
        raise Refused("verb_not_offered")
    if any(part.id in paper.leaving() for part in parts):
        raise Refused("member_leaving")
    if any(part.status not in MEMBER_ASKED[verb] for part in parts):
        raise Refused("invalid_transition")
    return parts


def _bulk(
    paper: Paper,
    verb: str,
    ids: Sequence[str],
    members: Sequence[str],
    *,
    parallel: int | None,
    budget: int | None,
) -> None:
    kind = f"member.{verb}"
    op = _new(paper, ids[:1], kind, lock="shared", phase="prepare")
    op.parallel, op.budget = parallel, budget
    for id, member in zip(ids[1:], members, strict=True):
        _new(paper, [id], kind, parent=op, member=member)
    paper.settle()


def _new(
    paper: Paper, ids: Sequence[str], kind: str, *, parent: Op | None = None, **more: Any
) -> Op:
    if parent is None:
        paper.places += 1
    lock = more.pop("lock", "shared")
    place = parent.place if parent else paper.places
    op = Op(ids[0], kind, lock, place, parent=parent.id if parent else None, **more)
    if parent is None:
        op.told.append("requested")
    paper.ops[op.id] = op
    return op
