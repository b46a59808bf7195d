"""Allocations: machines that a project holds."""

from collections.abc import Mapping
from typing import Any, Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import HasId, id_of, version_of
from moorage._operation import Arguments
from moorage.models import (
    AllocationRead,
    AllocationRelease,
    AllocationRequest,
    AllocationsPlaced,
    AllocationUpdate,
    EvidencePage,
    ForcedRelease,
    NodeAllocationRequest,
    ProjectRead,
)

Allocation = AllocationRead | str
Status = Literal[
    "requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"
]


class Allocations(Group):
    """Allocations: machines that a project holds, until they are shown to be clean again."""

    @listing(operations.LIST_ALLOCATIONS, AllocationRead)
    def list(
        self,
        project: ProjectRead | str,
        *,
        status: Status | None = None,
        live: bool = False,
        page_size: int | None = None,
    ) -> Arguments:
        """The machines of a project. `live`: only those that still hold a node."""
        return Arguments(
            path={"project": id_of(project)},
            query={"status": status, "live": live or None, "limit": page_size},
        )

    @call(operations.CREATE_ALLOCATIONS, AllocationsPlaced)
    def create(
        self,
        project: ProjectRead | str,
        *,
        sku: str,
        region: str,
        count: int = 1,
        strategy: Literal["spread", "pack"] = "spread",
        name: str | None = None,
        scheduler_type: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Arguments:
        """Ask for machines by SKU and region. The platform chooses them; all of them, or none."""
        return Arguments(
            path={"project": id_of(project)},
            body=AllocationRequest(
                sku=sku,
                region=region,
                count=count,
                strategy=strategy,
                name=name,
                scheduler_type=scheduler_type,
                metadata=dict(metadata or {}),
            ),
        )

    @call(operations.CREATE_NODE_ALLOCATION, AllocationsPlaced)
    def create_on_node(
        self,
        node: HasId | str,
        *,
        project: ProjectRead | str,
        reason: str,
        name: str | None = None,
        scheduler_type: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Arguments:
        """Give a project one named node. For those who run the platform."""
        return Arguments(
            path={"node": id_of(node)},
            body=NodeAllocationRequest(
                project=id_of(project),
                reason=reason,
                name=name,
                scheduler_type=scheduler_type,
                metadata=dict(metadata or {}),
            ),
        )

    @call(operations.GET_ALLOCATION, AllocationRead)
    def get(self, allocation: Allocation) -> Arguments:
        """One machine: its state, its host, and what it came to so far."""
        return Arguments(path={"allocation": id_of(allocation)})

    @call(operations.GET_ALLOCATION_EVIDENCE, EvidencePage)
    def evidence(
        self, allocation: Allocation, *, after: str | None = None, page_size: int | None = None
    ) -> Arguments:
        """What the host said: how it was made ready and cleaned, and who came in by SSH.

        The steps stand on every page; `items` go on with `after` = `next`.
        """
        return Arguments(
            path={"allocation": id_of(allocation)}, query={"after": after, "limit": page_size}
        )

    @call(operations.UPDATE_ALLOCATION, AllocationRead)
    def update(
        self,
        allocation: Allocation,
        *,
        name: str | None = None,
        scheduler_type: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Rename, or note something else. What is left out stays as it is.

        An empty `scheduler_type` takes it away; `metadata` takes the place of all that was noted.
        """
        noted = None if metadata is None else dict(metadata)
        return Arguments(
            path={"allocation": id_of(allocation)},
            body=AllocationUpdate(name=name, scheduler_type=scheduler_type, metadata=noted),
            version=version_of(allocation, version),
        )

    @call(operations.RELEASE_ALLOCATION, AllocationRead)
    def release(self, allocation: Allocation, *, reason: str | None = None) -> Arguments:
        """Give a machine back, or try again where that failed. Whoever works on it is out."""
        return Arguments(
            path={"allocation": id_of(allocation)}, body=AllocationRelease(reason=reason)
        )

    @call(operations.FORCE_RELEASE_ALLOCATION, AllocationRead)
    def force_release(self, allocation: Allocation, *, reason: str) -> Arguments:
        """Break-glass: take a machine back without cleaning it. The tenant is told."""
        return Arguments(path={"allocation": id_of(allocation)}, body=ForcedRelease(reason=reason))
