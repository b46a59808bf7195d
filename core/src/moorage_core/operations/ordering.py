"""Who may start: the operations of one instance, in the order in which they were asked for.

Pure. It is asked at every change of an operation's state, with the instance's row locked, so that
a claim need not look for conflicts: whatever is `ready` may be done, all of it at once.

An instance is kept shared or exclusively by what is ready, running or undoing. What is exclusive
and was begun keeps it until it ends, also while it waits, is blocked or has children at work: the
instance is half-way then, and no other change could begin from there. A member is kept by all of
these and by what waits or is blocked, or comes back from that. Children work under their parent's
lock: one root never conflicts with itself over the instance. First come, first served: what
conflicts with somebody who asked earlier and has not started stands behind them. A repair yields:
it begins when nobody else wants anything.

Nobody waits for ever. The first that wants to start is held up only by those who keep something,
and these come to their end: nobody takes from what waits the member, or the instance, that it needs
to go on. So an exclusive parent does not begin while somebody else keeps a member that one of its
children needs: that one could not come back, and the child not begin.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from moorage_core.operations.models import Lock

KEEPS_INSTANCE = frozenset({"ready", "running", "undoing"})
KEEPS_MEMBERS = KEEPS_INSTANCE | {"waiting", "blocked"}


@dataclass(frozen=True)
class Entry:
    """An operation that has not ended, as far as order goes."""

    id: str
    root: str
    """Its parent, or itself."""
    place: int
    status: str
    lock: Lock
    members: frozenset[str] = frozenset()
    yields: bool = False
    parts: bool = False
    """A parent whose children are at work: it waits."""
    begun: bool = False
    """It was at work before: what it kept is still its own."""
    held_back: bool = False
    """A child whose turn has not come by its parent's word. It stands in line nevertheless."""

    @property
    def keeps_instance(self) -> bool:
        stays = self.lock == "exclusive" and (self.begun or self.parts)
        return self.status in KEEPS_INSTANCE or stays

    @property
    def keeps_members(self) -> bool:
        return self.status in KEEPS_MEMBERS or (self.status == "pending" and self.begun)


@dataclass
class _Kept:
    """What is taken, and by whom: those who keep it, or those who stand in line for it."""

    shared: set[str] = field(default_factory=set[str])
    exclusive: set[str] = field(default_factory=set[str])
    members: dict[str, str] = field(default_factory=dict[str, str])

    def take(self, entry: Entry, *, instance: bool, members: bool) -> None:
        if instance and entry.lock != "none":
            (self.exclusive if entry.lock == "exclusive" else self.shared).add(entry.root)
        if members and entry.lock != "none":
            self.members |= dict.fromkeys(entry.members, entry.id)

    def bars_instance(self, entry: Entry) -> bool:
        if entry.lock == "none":
            return False
        others = self.exclusive | self.shared if entry.lock == "exclusive" else self.exclusive
        return bool(others - {entry.root})

    def bars_members(self, entry: Entry) -> bool:
        if entry.lock == "none":
            return False
        return any(self.members.get(member, entry.id) != entry.id for member in entry.members)


def startable(entries: Iterable[Entry], slots: Mapping[str, int] | None = None) -> list[str]:
    """The ids of those that become ready now, in order.

    `slots` says of which roots no more than so many children start; the first in order do.
    """
    order = sorted(entries, key=_place)
    left = dict(slots or {})
    kept, ahead = _Kept(), _Kept()
    for entry in order:
        kept.take(entry, instance=entry.keeps_instance, members=entry.keeps_members)
    busy = any(_is_busy(entry) for entry in order)
    needs = _needs(order)
    started: list[str] = []
    for entry in order:
        if entry.status != "pending":
            continue
        wanted = replace(entry, members=entry.members | needs.get(entry.id, frozenset()))
        if _may_start(wanted, kept, ahead, busy=busy, left=left):
            started.append(entry.id)
            kept.take(entry, instance=True, members=True)
            if entry.root != entry.id and entry.root in left:
                left[entry.root] -= 1
        else:
            ahead.take(entry, instance=True, members=True)
    return started


def _place(entry: Entry) -> tuple[bool, int, bool, bool, str]:
    """Parents before their children, and children that come back before those not begun."""
    return entry.yields, entry.place, entry.root != entry.id, not entry.begun, entry.id


def _needs(entries: Iterable[Entry]) -> dict[str, frozenset[str]]:
    """By exclusive parent: the members that its children have yet to take."""
    exclusive = {entry.id for entry in entries if entry.lock == "exclusive"}
    needs: dict[str, frozenset[str]] = {}
    for entry in entries:
        if entry.root in exclusive and entry.root != entry.id and entry.status == "pending":
            needs[entry.root] = needs.get(entry.root, frozenset()) | entry.members
    return needs


def _is_busy(entry: Entry) -> bool:
    """Whether a repair has to yield to it. Repairs stand in line among themselves."""
    wants = entry.status == "pending" or entry.keeps_instance or entry.parts
    return wants and entry.lock != "none" and not entry.yields


def _may_start(
    entry: Entry, kept: _Kept, ahead: _Kept, *, busy: bool, left: Mapping[str, int]
) -> bool:
    if entry.held_back or (entry.root != entry.id and left.get(entry.root, 1) <= 0):
        return False
    if entry.yields and busy and not entry.begun:
        return False
    if kept.bars_instance(entry) or kept.bars_members(entry):
        return False
    # Whoever has it already stands behind nobody for it.
    has_instance = entry.root in kept.exclusive
    return (has_instance or not ahead.bars_instance(entry)) and (
        entry.begun or not ahead.bars_members(entry)
    )
