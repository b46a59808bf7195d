"""What stands on the paper: operations, members and changes, and the tables of their states."""

from dataclasses import dataclass, field
from typing import Any

ENDED = {"succeeded", "failed", "cancelled", "abandoned"}
HELD = {"running", "undoing"}
WORKING = {"ready", "running", "undoing"}
LEASE = 30.0
AUTOMATIC = 5
REPAIRS_AN_HOUR = 6
MOST_REPLICAS = 5
EVENTS = ENDED | HELD | {"waiting", "blocked"}
"""States of operations that are told; standing in line is nobody's event."""

WORK = {
    "instance.deploy": ("deploying", "running", "failed"),
    "instance.configure": ("configuring", "running", None),
    "instance.upgrade": ("upgrading", "running", None),
    "instance.rollback": ("rolling_back", "running", None),
    "instance.stop": ("stopping", "stopped", None),
    "instance.start": ("starting", "running", None),
    "instance.restart": ("restarting", "running", None),
    "credential.rotate": ("rotating", "running", None),
    "instance.decommission": ("deleting", "deleted", "delete_failed"),
}
"""What an instance is meanwhile, afterwards, and after a cancel; None: what it was."""
DURING = {during for during, _, _ in WORK.values()}
REVISES = {"instance.deploy", "instance.configure", "instance.upgrade", "instance.rollback"}
ASKED_RUNNING = set(WORK) - {"instance.deploy", "instance.start"} | {"instance.repair"}
ASKED = {
    "running": ASKED_RUNNING,
    "failed": ASKED_RUNNING | {"instance.start"},
    "stopped": {"instance.start", "instance.decommission"},
    "delete_failed": {"instance.decommission"},
}
ACTS = {"running", "configuring", "upgrading", "rolling_back", "restarting", "rotating"}
"""States in which an action can be asked for."""
AT_WORK = ACTS | {"starting", "failed"}
"""States in which members can be asked for something; resting ones can be removed besides."""
RESTING = {"stopping", "stopped"}
LEADS_TO = {
    "instance.stop": "stopped",
    "instance.start": "running",
    "instance.decommission": "deleting",
}
MEMBER_WORK = {"member.add": "joining", "member.drain": "draining", "member.remove": "removing"}
MEMBER_DONE = {
    "member.add": "ready",
    "member.drain": "drained",
    "member.resume": "ready",
    "member.remove": "removed",
}
MEMBER_SETTLED = {"requested", "ready", "drained", "failed", "removed"}
MEMBER_ASKED = {
    "drain": {"joining", "ready", "failed"},
    "resume": {"draining", "drained", "failed"},
    "remove": {"requested", "joining", "ready", "draining", "drained", "failed"},
    "replace": {"ready", "draining", "drained", "failed"},
}
BEGINS = {
    "joining": {"requested", "failed", "replacing", "joining"},
    "draining": {"ready", "drained", "failed", "replacing", "draining"},
    "removing": {"requested", "ready", "drained", "failed", "replacing", "removing"},
}
"""From which states of a member work on it begins."""


class Refused(Exception):
    """The rules do not allow it; the code says why."""


@dataclass
class Op:
    id: str
    kind: str
    lock: str
    place: int
    parent: str | None = None
    member: str | None = None
    others: tuple[str, ...] = ()
    """Members that a repair keeps besides."""
    wave: int = 0
    phase: str | None = None
    parallel: int | None = None
    budget: int | None = None
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    status: str = "pending"
    direction: str = "forward"
    attempt: int = 1
    begun: bool = False
    stops: bool = False
    no_return: bool = False
    recovery: str | None = None
    error: str | None = None
    residue: int = 0
    steps: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    holder: str | None = None
    fence: int = 0
    sequence: int = 0
    lease: float = 0
    due: float | None = None
    turn: int = 0
    told: list[str] = field(default_factory=list[str])

    @property
    def root(self) -> str:
        return self.parent or self.id

    @property
    def word(self) -> str:
        return self.kind.partition(".")[0]

    @property
    def verb(self) -> str:
        return self.kind.partition(".")[2]

    @property
    def is_open(self) -> bool:
        return self.status not in ENDED

    @property
    def is_untouched(self) -> bool:
        return not self.begun and self.attempt == 1

    @property
    def members(self) -> set[str]:
        return {*self.others, *([self.member] if self.member else [])}

    @property
    def keeps_instance(self) -> bool:
        stays = self.lock == "exclusive" and (self.begun or self.phase == "children")
        return self.is_open and self.lock != "none" and (self.status in WORKING or stays)

    @property
    def keeps_members(self) -> bool:
        waits = self.status in ("waiting", "blocked") or (self.status == "pending" and self.begun)
        return self.lock != "none" and (self.status in WORKING or waits)


@dataclass
class Part:
    """A member."""

    id: str
    component: str
    status: str = "requested"
    settled: str = "requested"
    at: str | None = None
    """The operation that was last at work on it."""
    owner: str | None = None
    told: list[str] = field(default_factory=lambda: ["requested"])

    @property
    def is_live(self) -> bool:
        return self.status != "removed"

    def is_of_others(self, op: Op) -> bool:
        """Whether what came of its addition is another operation's by now."""
        joins = self.status in ("requested", "joining")
        return op.kind == "member.add" and self.at != op.id and not joins


@dataclass
class Change:
    """A revision of the instance."""

    number: int
    operation: str
    version: str
    outcome: str = "pending"
