"""Members: the parts of an instance."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import HasId, id_of
from moorage._operation import Arguments
from moorage.models import (
    InstanceRead,
    MemberRead,
    MemberReplace,
    MembersAdd,
    MembersDrain,
    MembersRemove,
    MembersResume,
    OperationRead,
    Override,
)

Instance = InstanceRead | str
Member = MemberRead | str
Status = Literal[
    "requested",
    "joining",
    "ready",
    "draining",
    "drained",
    "removing",
    "replacing",
    "failed",
    "removed",
]
DrainPolicy = Literal["wait", "deadline", "force"]


class Members(Group):
    """Members. Each verb makes an operation with a child for every member, also for one alone."""

    @listing(operations.LIST_MEMBERS, MemberRead)
    def list(
        self,
        instance: Instance,
        *,
        component: str | None = None,
        status: Status | None = None,
        removed: bool = False,
        changed_since: datetime | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The members of an instance; with `removed`, those that are gone too.

        With `changed_since`, only those that changed then or later.
        """
        query = {
            "component": component,
            "status": status,
            "removed": removed or None,
            "changed_since": changed_since.isoformat() if changed_since else None,
            "limit": page_size,
        }
        return Arguments(path={"instance": id_of(instance)}, query=query)

    @call(operations.GET_MEMBER, MemberRead)
    def get(self, member: Member) -> Arguments:
        """One member."""
        return Arguments(path={"member": id_of(member)})

    @call(operations.ADD_MEMBERS, OperationRead)
    def add(
        self,
        instance: Instance,
        *,
        component: str,
        allocations: Sequence[HasId | str] = (),
        count: int | None = None,
        sku: str | None = None,
        region: str | None = None,
        keep_allocations: bool = False,
        max_parallel: int | None = None,
        failure_budget: int | None = None,
        reason: str = "add members",
    ) -> Arguments:
        """Add members on machines that the project holds, or on so many new ones of a SKU."""
        return Arguments(
            path={"instance": id_of(instance)},
            body=MembersAdd(
                component=component,
                allocations=[id_of(each) for each in allocations] or None,
                count=count,
                sku=sku,
                region=region,
                keep_allocations=keep_allocations,
                max_parallel=max_parallel,
                failure_budget=failure_budget,
                reason=reason,
            ),
        )

    @call(operations.DRAIN_MEMBERS, OperationRead)
    def drain(
        self,
        instance: Instance,
        *,
        members: Sequence[Member],
        reason: str,
        policy: DrainPolicy = "wait",
        deadline: int | None = None,
        max_parallel: int | None = None,
        failure_budget: int | None = None,
    ) -> Arguments:
        """Let members take nothing new, and empty them. `deadline` is in seconds."""
        return Arguments(
            path={"instance": id_of(instance)},
            body=MembersDrain(
                members=[id_of(member) for member in members],
                policy=policy,
                deadline=deadline,
                max_parallel=max_parallel,
                failure_budget=failure_budget,
                reason=reason,
            ),
        )

    @call(operations.RESUME_MEMBERS, OperationRead)
    def resume(
        self,
        instance: Instance,
        *,
        members: Sequence[Member],
        reason: str,
        max_parallel: int | None = None,
        failure_budget: int | None = None,
    ) -> Arguments:
        """Let drained members work again. Only the side that drained one may."""
        return Arguments(
            path={"instance": id_of(instance)},
            body=MembersResume(
                members=[id_of(member) for member in members],
                max_parallel=max_parallel,
                failure_budget=failure_budget,
                reason=reason,
            ),
        )

    @call(operations.REMOVE_MEMBERS, OperationRead)
    def remove(
        self,
        instance: Instance,
        *,
        members: Sequence[Member],
        reason: str,
        policy: DrainPolicy = "wait",
        deadline: int | None = None,
        lost: bool = False,
        keep_allocations: bool = False,
        max_parallel: int | None = None,
        failure_budget: int | None = None,
    ) -> Arguments:
        """Empty members, and take them out. `lost`: their machines will not answer any more."""
        return Arguments(
            path={"instance": id_of(instance)},
            body=MembersRemove(
                members=[id_of(member) for member in members],
                policy=policy,
                deadline=deadline,
                lost=lost,
                keep_allocations=keep_allocations,
                max_parallel=max_parallel,
                failure_budget=failure_budget,
                reason=reason,
            ),
        )

    @call(operations.REPLACE_MEMBER, OperationRead)
    def replace(
        self,
        member: Member,
        *,
        reason: str,
        allocation: HasId | str | None = None,
        sku: str | None = None,
        region: str | None = None,
        lost: bool = False,
        policy: DrainPolicy = "wait",
        deadline: int | None = None,
        keep_allocations: bool = False,
        override: str | None = None,
    ) -> Arguments:
        """Put another machine in a member's place. `lost`: its own will not answer any more."""
        return Arguments(
            path={"member": id_of(member)},
            body=MemberReplace(
                allocation=None if allocation is None else id_of(allocation),
                sku=sku,
                region=region,
                lost=lost,
                policy=policy,
                deadline=deadline,
                keep_allocations=keep_allocations,
                override=None if override is None else Override(reason=override),
                reason=reason,
            ),
        )
