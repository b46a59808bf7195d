"""What may be claimed, for how long, and what is told of it. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from moorage_core.controllers.models import Hint, Replica, Told, Watch
from moorage_core.errors import Conflict, Forbidden

LEASE = timedelta(seconds=30)
"""Of a replica, from the beginning of each claim."""
LONGEST_WAIT = 20.0
"""Seconds. An answer leaves the replica time to claim anew before its lease ends."""
AT_ONCE = 100
"""Watches in one answer."""
FORGOTTEN_AFTER = timedelta(days=7)
"""Replicas that nobody has heard of for so long are dropped."""


class NotAnOperator(Forbidden):
    """The caller is no operator of this app, or can no longer act as one."""

    code = "not_an_operator"


class WatchEnded(Conflict):
    """Another replica watches the instance, or nobody does any more."""

    code = "watch_ended"


@dataclass(frozen=True)
class Look:
    """What one look of a claim found."""

    replica: Replica
    handed: int
    """The last number that was given."""
    operations: Sequence[Told] = ()
    fresh: frozenset[str] = frozenset()
    """Those of the operations that were claimed just now."""
    watches: Sequence[Watch] = ()
    more_watches: bool = False
    """There are more that the replica has not heard of than fit."""
    hints: Sequence[Hint] = ()
    cancels: Sequence[Told] = ()
    lost: Sequence[str] = ()
    lost_watches: Sequence[str] = ()

    @property
    def urgent(self) -> bool:
        """Whether there is something to say at once."""
        parts = (self.operations, self.watches, self.hints, self.cancels)
        return any((*parts, self.lost, self.lost_watches))

    @property
    def next(self) -> int:
        """Up to which number the replica has heard everything, once it has this answer."""
        return self.watches[-1].handout if self.more_watches else self.handed

    @property
    def orgs(self) -> list[str]:
        parts = (self.operations, self.watches, self.hints, self.cancels)
        return sorted({each.org_id for part in parts for each in part})


@dataclass
class Counter:
    """Everything that a replica is handed gets the next number."""

    handed: int
    begin: int = field(init=False)

    def __post_init__(self) -> None:
        self.begin = self.handed

    def take(self, things: Sequence[object]) -> None:
        self.handed += len(things)

    @property
    def moved(self) -> bool:
        return self.handed != self.begin


def lost(named: Iterable[str], kept: set[str]) -> list[str]:
    """What a replica believes to hold and does not."""
    return [id for id in named if id not in kept]
