"""Who stands where in line, and who may start."""

from collections.abc import Mapping

from core.tests.model.entries import WORKING, Op

Ops = Mapping[str, Op]


def in_line(ops: Ops) -> list[Op]:
    """What has not ended, in the order in which it was asked for; repairs after everybody."""
    return sorted((op for op in ops.values() if op.is_open), key=_place)


def children(ops: Ops, op: Op) -> list[Op]:
    found = [each for each in ops.values() if each.parent == op.id]
    return sorted(found, key=lambda each: each.id)


def may_start(ops: Ops, op: Op) -> bool:
    parent = ops[op.parent] if op.parent else None
    if parent is not None and not _has_turn(ops, op, parent):
        return False
    line = in_line(ops)
    if op.kind == "instance.repair" and not op.begun and any(_is_busy(each) for each in line):
        return False
    has_instance = any(o.root == op.root and _keeps_all(o) for o in line)
    needs = op.members | _needs(ops, op)
    ahead = line[: line.index(op)]
    for other in line:
        if other is op or "none" in (other.lock, op.lock):
            continue
        waits_before = other in ahead and other.status == "pending"
        keeps = other.keeps_instance or (waits_before and not has_instance)
        if keeps and _share_no_instance(op, other):
            return False
        keeps = other.keeps_members or (waits_before and not op.begun)
        if keeps and needs & other.members:
            return False
    return True


def _has_turn(ops: Ops, op: Op, parent: Op) -> bool:
    siblings = [each for each in children(ops, parent) if each.is_open]
    working = sum(each.status in WORKING for each in siblings)
    if parent.parallel is not None and working >= parent.parallel:
        return False
    first = min(each.wave for each in siblings)
    return op.begun or (parent.phase == "children" and op.wave == first)


def _needs(ops: Ops, op: Op) -> set[str]:
    """An exclusive parent begins when its children could, too."""
    if op.lock != "exclusive":
        return set()
    waiting = (each for each in children(ops, op) if each.status == "pending")
    return {member for each in waiting for member in each.members}


def conflicts(ops: Ops) -> list[tuple[str, str]]:
    """Pairs at work that the locks forbid, which is never so."""
    at_work = [op for op in in_line(ops) if op.status in WORKING and op.lock != "none"]
    pairs = [(a, b) for n, a in enumerate(at_work) for b in at_work[n + 1 :]]
    return [(a.id, b.id) for a, b in pairs if _share_no_instance(a, b) or a.members & b.members]


def _place(op: Op) -> tuple[bool, int, bool, bool, str]:
    repairs = op.kind == "instance.repair"
    return repairs, op.place, op.parent is not None, not op.begun, op.id


def _share_no_instance(one: Op, other: Op) -> bool:
    return one.root != other.root and "exclusive" in (one.lock, other.lock)


def _keeps_all(op: Op) -> bool:
    return op.lock == "exclusive" and op.keeps_instance


def _is_busy(op: Op) -> bool:
    wants = op.status == "pending" or op.keeps_instance or op.phase == "children"
    return wants and op.lock != "none" and op.kind != "instance.repair"
