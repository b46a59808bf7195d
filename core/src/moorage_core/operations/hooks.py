"""The slices whose things operations change. `main` puts them together by kind.

Operations know neither instances nor members: whoever owns the target of a kind hears of every
move of it, in the transaction of the move, with the instance's row locked.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from moorage_core.operations.models import Circumstances, Move, Operation, Said

if TYPE_CHECKING:
    from moorage_core.context import Context


class Target(Protocol):
    """Whoever owns what a kind of operation changes."""

    async def moved(self, ctx: "Context", moves: Sequence[Move]) -> None:
        """Operations have changed their state: follow with the target's own, and say so.

        Parents are told like their children, each by its own kind. The same operation may stand
        in it twice where it moved twice; the later is later in the list.
        """
        ...

    async def reported(self, ctx: "Context", said: Sequence[Said]) -> None:
        """What a controller says of targets while it is at work on them, in order."""
        ...

    async def admit(self, ctx: "Context", operation: Operation) -> None:
        """Before the first claim: may it still be done? Raises what refuses it, an ApiError."""
        ...

    async def authorize(self, ctx: "Context", operation: Operation) -> None:
        """Let through whoever could ask for it anew, or raise."""
        ...

    async def list_barred(
        self,
        ctx: "Context",
        operations: Sequence[Operation],
        around: Mapping[str, Circumstances],
    ) -> set[str]:
        """Those that failed or are blocked, and that `moved` would not let be opened again.

        `around` has the instances by id. For showing what can be done: nothing is locked.
        """
        ...

    async def list_withheld(self, ctx: "Context", operations: Sequence[Operation]) -> set[str]:
        """Those of which the caller may not read what they were given and answered."""
        ...


def word(kind: str) -> str:
    """The key of the target that owns what this kind changes."""
    return kind.partition(".")[0]
