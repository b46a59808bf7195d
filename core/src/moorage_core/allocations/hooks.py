"""Those who stand on allocated machines, and hear what becomes of them. `main` puts them there."""

from typing import TYPE_CHECKING, Protocol

from moorage_core.allocations.models import Allocation

if TYPE_CHECKING:
    from moorage_core.context import Context


class Occupants(Protocol):
    """Whoever owns what stands on machines.

    Both are called in the transaction of the change, with the allocation's instance and then the
    allocation locked.
    """

    async def arrived(self, ctx: "Context", allocation: Allocation) -> None:
        """A machine that was waited for is there."""
        ...

    async def lost(self, ctx: "Context", allocation: Allocation) -> None:
        """A machine could not be made ready, or was taken back without cleaning."""
        ...
