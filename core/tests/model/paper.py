"""The rules of operations, instances and members, as somebody would play them on paper.

One instance, one thing after the other, everything in memory: slow, mutable and without any of the
core's code. It says what every move leads to, or with which code it is refused. Where it and the
platform disagree, one of them does not keep the rules of the contract.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

from core.tests.model import line
from core.tests.model.entries import (
    ACTS,
    AT_WORK,
    DURING,
    ENDED,
    EVENTS,
    HELD,
    LEADS_TO,
    MEMBER_DONE,
    MEMBER_SETTLED,
    MEMBER_WORK,
    RESTING,
    REVISES,
    WORK,
    WORKING,
    Change,
    Op,
    Part,
    Refused,
)


@dataclass
class Paper:
    status: str = "requested"
    settled: str = "requested"
    revision: int = 1
    version: str = "1.0.0"
    ops: dict[str, Op] = field(default_factory=dict[str, Op])
    parts: dict[str, Part] = field(default_factory=dict[str, Part])
    changes: list[Change] = field(default_factory=list[Change])
    desired: dict[str, int] = field(default_factory=lambda: {"leader": 0, "replica": 0})
    told: list[str] = field(default_factory=lambda: ["requested"])
    now: float = 0
    places: int = 0
    turns: int = 0
    repairs: list[float] = field(default_factory=list[float])

    def attempt(self, move: Callable[["Paper"], None]) -> tuple["Paper", str | None]:
        """The paper after a move; or this one, and the code of the refusal."""
        after = copy.deepcopy(self)
        try:
            move(after)
        except Refused as refusal:
            return self, str(refusal)
        return after, None

    # What there is

    def open_roots(self) -> list[Op]:
        found = [op for op in self.ops.values() if op.parent is None and op.is_open]
        return sorted(found, key=lambda op: op.place)

    def children(self, op: Op) -> list[Op]:
        return line.children(self.ops, op)

    def count(self, op: Op, *statuses: str) -> int:
        return sum(each.status in statuses for each in self.children(op))

    def failures(self, op: Op) -> int:
        return self.count(op, "failed", "abandoned")

    def live(self, component: str) -> list[Part]:
        return [p for p in self.parts.values() if p.is_live and p.component == component]

    def leaving(self) -> set[str]:
        removals = (op for op in self.ops.values() if op.kind == "member.remove" and op.is_open)
        return {str(op.member) for op in removals}

    def staying(self, component: str) -> int:
        return sum(p.id not in self.leaving() for p in self.live(component))

    @property
    def deployed(self) -> bool:
        return any(each.outcome == "applied" for each in self.changes)

    def verbs(self, op: Op) -> list[str]:
        """What people may do about an operation now."""
        failed, blocked = op.status == "failed", op.status == "blocked"
        parent = self.ops[op.parent] if op.parent else None
        orphan = parent is not None and not (parent.is_open and parent.phase == "children")
        over = op.status in ENDED and not failed
        offered = {
            "retry": failed and op.recovery != "terminal" and not orphan,
            "resume": blocked,
            "cancel": not over
            and not (op.no_return or op.stops or op.direction == "undo")
            and not (failed and orphan),
            "replace": failed and op.member is not None and op.recovery == "terminal",
            "abandon": op.stops or op.no_return if op.status == "running" else not over,
        }
        return [verb for verb, is_offered in offered.items() if is_offered]

    def offered(self, op: Op) -> list[str]:
        """Those of them that the instance and the member, being as they are, would not refuse."""
        opens = {"failed": {"retry", "cancel"}, "blocked": {"resume"}}.get(op.status, set())
        return [verb for verb in self.verbs(op) if verb not in opens or self.accepts(verb, op.id)]

    def accepts(self, verb: str, id: str) -> bool:
        return self.attempt(lambda paper: paper.person(verb, id))[1] is None

    def check_members_may(self, verb: str) -> None:
        will_be = self.status
        for op in self.open_roots():
            if op.lock == "exclusive":
                will_be = LEADS_TO.get(op.kind, will_be)
        if will_be not in AT_WORK and not (verb == "remove" and will_be in RESTING):
            raise Refused("invalid_transition")

    # What people do about operations

    def person(self, verb: str, id: str) -> None:
        op = self.ops[id]
        if verb not in self.verbs(op):
            rolls = verb == "cancel" and op.no_return and op.is_open
            raise Refused("rolls_forward_only" if rolls else "invalid_transition")
        going = self.status in ("deleting", "delete_failed", "deleted")
        again = verb == "retry" or (verb == "cancel" and op.status == "failed")
        if again and going and op.kind != "instance.decommission":
            raise Refused("invalid_transition")
        getattr(self, verb)(op)
        self.settle()

    def cancel(self, op: Op) -> None:
        self.stop(op)

    def retry(self, op: Op) -> None:
        if op.parent is None:
            self.places += 1
            for each in (op, *self.children(op)):
                each.place = self.places
        forward = op.direction == "forward"
        self.reopen(op)
        reopened = False
        for child in self.children(op) if forward else ():
            ok = child.recovery != "terminal" and child.direction == "forward"
            if child.status == "failed" and ok and self.could_begin(child):
                self.reopen(child)
                reopened = True
        if reopened:
            op.phase = "prepare"
        op.told.append("reopened")

    def resume(self, op: Op) -> None:
        self.reopen(op)
        op.told.append("reopened")

    def reopen(self, op: Op) -> None:
        stuck = op.status == "blocked"
        back = stuck and op.phase != "finish" and self.goes_back(op)
        undo = back or op.direction == "undo"
        op.stops = op.stops and (undo or (stuck and not op.no_return))
        op.direction = "undo" if undo else op.direction
        op.begun = op.begun and stuck
        op.attempt += 1
        op.error, op.recovery, op.residue, op.due = None, None, 0, None
        self.move(op, "pending")

    def abandon(self, op: Op, status: str = "abandoned") -> None:
        op.fence += 1
        op.residue += not op.is_untouched
        self.move(op, status)

    def stop(self, op: Op) -> None:
        op.stops = True
        if op.phase == "children":
            op.told.append("cancel_requested")
            self.stop_children(op)
        elif op.is_untouched:
            self.move(op, "cancelled")
        else:
            if op.status not in HELD:
                self.turn_round(op)
            op.told.append("cancel_requested")

    def stop_children(self, op: Op) -> None:
        for child in self.children(op):
            if child.is_open and "cancel" in self.verbs(child):
                self.stop(child)

    def turn_round(self, op: Op) -> None:
        failed = op.status == "failed"
        if not self.is_half_done_bulk(op):
            op.direction = "undo"
        op.attempt += failed
        op.begun = op.begun and not failed
        op.error, op.recovery, op.due = None, None, None
        op.holder = None  # one whose lease had run out does not know that it goes back
        if op.status != "ready":
            self.move(op, "pending")

    def is_half_done_bulk(self, op: Op) -> bool:
        is_bulk = op.phase is not None and op.word == "member"
        return is_bulk and self.count(op, "succeeded") > 0

    def goes_back(self, op: Op) -> bool:
        return op.stops and not op.no_return and not self.is_half_done_bulk(op)

    # Moving

    def move(self, op: Op, after: str) -> None:
        before, op.status = op.status, after
        if before == after:
            return
        if after in EVENTS:
            op.told.append(after)
        if after not in WORKING:
            op.holder = None
        self.follow(op, before)
        if op.phase is not None and after in ENDED:
            for child in self.children(op):
                if child.is_open:
                    self.end_with(child, after)

    def end_with(self, child: Op, after: str) -> None:
        if after == "abandoned":
            self.abandon(child)
        elif after == "failed":
            child.recovery, child.error = "retryable", "parent_ended"
            self.move(child, "failed")
        else:
            self.move(child, "cancelled")

    def follow(self, op: Op, before: str) -> None:
        reopens = op.status == "pending" and (
            before == "failed" or (before == "blocked" and op.direction == "forward")
        )
        if op.word == "member":
            if reopens:
                self.check_members_reopen(op, before)
            self.follow_member(op, before)
        elif op.word == "action":
            if reopens and self.status not in ACTS:
                raise Refused("invalid_transition")
        else:
            self.follow_instance(op, before, reopens=reopens)

    def check_members_reopen(self, op: Op, before: str) -> None:
        if op.parent is None:
            self.check_members_may(op.verb)
        elif not self.could_begin(op):
            raise Refused("invalid_transition")
        about = self.parts.get(op.member or op.given.get("old", ""))
        if before == "failed" and about and not about.is_live:
            raise Refused("invalid_transition")

    def could_begin(self, child: Op) -> bool:
        """Whether a part of a larger whole can be done once more."""
        part = self.parts[str(child.member)]
        rests = self.status in RESTING and child.verb != "remove"
        return not rests and self.status != "deleted" and not part.is_of_others(child)

    def follow_instance(self, op: Op, before: str, *, reopens: bool) -> None:
        if reopens and op.kind != "instance.decommission":
            ahead = {each.kind for each in self.open_roots()}
            gone = self.status in ("deleting", "delete_failed", "deleted")
            if gone or "instance.decommission" in ahead:
                raise Refused("invalid_transition")
        if op.kind not in WORK:
            return
        if op.kind in REVISES:
            self.follow_revision(op, before)
        during, done, undone = WORK[op.kind]
        down = op.kind == "instance.decommission"
        if op.status in HELD:
            self.become(during, op)
            return
        ends = {
            "succeeded": done,
            "failed": "delete_failed" if down else "failed",
            "cancelled": undone or self.settled,
            "abandoned": "deleted" if down else "failed",
        }
        given_up = down and op.status == "abandoned" and before != "pending"
        began = self.status == during or op.kind == "instance.deploy"
        if op.status in ends and (began or given_up):
            self.become(ends[op.status], op)

    def follow_revision(self, op: Op, before: str) -> None:
        change = next((each for each in self.changes if each.operation == op.id), None)
        superseded = change is None or change.outcome == "discarded"
        if superseded and before == "failed" and op.status == "pending":
            raise Refused("change_superseded")
        if change is None or change.outcome != "pending":
            return
        if op.status == "succeeded":
            change.outcome = "applied"
            self.revision, self.version = change.number, change.version
        elif op.status in ("cancelled", "abandoned"):
            change.outcome = "discarded"

    def become(self, after: str, op: Op) -> None:
        if self.status in (after, "deleted"):
            return
        if after in DURING:
            anew = op.direction == "forward" and op.attempt == 1
            if anew and self.status not in DURING:
                self.settled = self.status
        elif after not in ("failed", "delete_failed"):
            self.settled = after
        self.status = after
        self.told.append(after)
        if after == "deleted":
            self.vanish()

    def vanish(self) -> None:
        """Nothing of an instance that is gone goes on, or is tried again."""
        for part in self.parts.values():
            self.put(part, "removed", "removed")
        for op in sorted(self.ops.values(), key=lambda each: each.parent is None):
            if op.is_open:
                self.abandon(op)
        for op in self.ops.values():
            if op.status == "failed":
                op.recovery = "terminal"

    # Members follow their operations

    def follow_member(self, op: Op, before: str) -> None:
        if op.kind == "member.replace" and op.parent is None:
            self.follow_replacement(op)
        if op.member is None or (before == "failed" and op.status != "abandoned"):
            return
        part = self.parts[op.member]
        was_live = part.is_live
        self.count_wanted(op, part)
        if was_live:
            self.follow_one(op, part)
        if was_live and not part.is_live:
            self.forget(part)

    def follow_one(self, op: Op, part: Part) -> None:
        is_at_it = part.at == op.id
        joins = op.kind == "member.add" and not part.is_of_others(op)
        leaves = op.kind == "member.remove"
        match op.status:
            case "running":
                if not is_at_it:
                    resting = part.status in MEMBER_SETTLED
                    part.settled = part.status if resting else part.settled
                part.at = op.id
                self.put(part, MEMBER_WORK.get(op.kind, part.status), part.settled)
                if op.kind == "member.drain":
                    part.owner = "user"
            case "succeeded":
                self.put(part, MEMBER_DONE[op.kind], MEMBER_DONE[op.kind])
            case "failed" if joins or is_at_it:
                part.at = op.id
                self.put(part, "failed", "failed" if joins else part.settled)
            case "cancelled" if joins:
                self.put(part, "removed", "removed")
            case "cancelled" if is_at_it:
                self.put(part, part.settled, part.settled)
            case "abandoned" if joins or leaves:
                self.put(part, "removed", "removed")
            case "abandoned" if is_at_it:
                self.put(part, "failed", "failed")
            case _:
                pass

    def count_wanted(self, op: Op, part: Part) -> None:
        """What is taken back is not wanted any more; what failed still is."""
        if op.given.get("part_of") == "replacement" or (part.is_live and part.is_of_others(op)):
            return
        if op.kind == "member.add" and op.status in ("cancelled", "abandoned"):
            self.want(part.component, -1)
        if op.kind == "member.remove" and op.status == "cancelled" and part.is_live:
            self.want(part.component, 1)

    def want(self, component: str, more: int) -> None:
        self.desired[component] = max(self.desired[component] + more, 0)

    def follow_replacement(self, op: Op) -> None:
        old, new = self.parts[op.given["old"]], self.parts[op.given["new"]]
        joined = new.is_live and new.status not in ("requested", "joining")
        if op.status == "cancelled" and old.is_live and joined:
            self.want(old.component, 1)
        if op.status == "running" and old.status in ("ready", "drained", "failed"):
            old.at = op.id
            self.put(old, "replacing", old.status)
        elif op.status in ENDED and old.status == "replacing":
            self.put(old, old.settled, old.settled)

    def put(self, part: Part, status: str, settled: str) -> None:
        if not part.is_live:
            return
        if status != part.status:
            part.told.append(status)
        part.status, part.settled = status, settled
        if status == "ready":
            part.owner = None

    def forget(self, part: Part) -> None:
        """Nothing more is done for a member that is gone."""
        for op in sorted(self.ops.values(), key=lambda each: (each.place, each.id)):
            if op.member == part.id and op.is_open:
                op.no_return = False
                if "cancel" in self.verbs(op):
                    self.stop(op)
                    self.settle()
        for op in self.ops.values():
            if op.member == part.id and op.status == "failed":
                op.recovery = "terminal"

    # Order

    def settle(self) -> None:
        self.end_parts()
        for op in line.in_line(self.ops):
            if op.status == "pending" and line.may_start(self.ops, op):
                self.turns += 1
                op.turn = self.turns
                self.move(op, "ready")

    def end_parts(self) -> None:
        parents = [op for op in line.in_line(self.ops) if op.phase == "children"]
        for op in parents:
            if op.budget is not None and self.failures(op) > op.budget:
                for child in self.children(op):
                    unbegun = child.status in ("pending", "ready", "waiting")
                    if unbegun and child.is_untouched:
                        self.move(child, "cancelled")
        for op in parents:
            if op.is_open and all(not each.is_open for each in self.children(op)):
                self.go_on(op)

    def go_on(self, op: Op) -> None:
        if not op.stops or self.is_half_done_bulk(op):
            op.phase = "finish"
            self.move(op, "pending")
        elif op.steps:
            op.phase, op.direction = "prepare", "undo"
            self.move(op, "pending")
        else:
            self.move(op, "cancelled")
