"""HTTP in, one command, HTTP out: members."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import AwareDatetime

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import InstanceId, MemberId
from moorage_core.kit.pagination import PageRead, WidePaging
from moorage_core.kit.wire import utc
from moorage_core.members import commands, rules, shown, verbs
from moorage_core.members.models import Status, Wanted
from moorage_core.members.schemas import (
    MemberRead,
    MemberReplace,
    MembersAdd,
    MembersDrain,
    MembersRemove,
    MembersResume,
)
from moorage_core.operations.models import Operation
from moorage_core.operations.shapes import OperationRead
from moorage_core.policy import commands as policy

routes = Routes(tag="members")
ASKED = (NotFound, rules.InvalidTransition, rules.MemberLeaving, rules.VerbNotOffered)
PLACED = (*commands.PLACE_ERRORS, *commands.ALLOCATION_ERRORS, policy.PolicyRefused)


@routes.read(
    "/v1/instances/{instance}/members",
    key=Permission.APPS_INSTANCE_READ,
    response_model=PageRead[MemberRead],
    answers=(NotFound,),
)
async def list_members(
    instance: InstanceId,
    ctx: Ctx,
    page: WidePaging,
    component: Annotated[str | None, Query(description="Only those of this component.")] = None,
    status: Annotated[Status | None, Query(description="Only those in this state.")] = None,
    removed: Annotated[bool, Query(description="Those that are gone as well.")] = False,
    changed_since: Annotated[
        AwareDatetime | None, Query(description="Only those that changed then or later.")
    ] = None,
) -> dict[str, Any]:
    """The members of an instance.

    Whoever has read them all goes on with `changed_since` and `removed`: from a little before the
    latest `updated_at` they know, since what began earlier may be written later.
    """
    wanted = Wanted(component, status, removed, utc(changed_since, "query.changed_since"))
    found = await commands.list_of_instance(ctx, instance, page, wanted)
    return {"items": [shown.member(each) for each in found.items], "next": found.next}


@routes.read(
    "/v1/members/{member}",
    key=Permission.APPS_INSTANCE_READ,
    response_model=MemberRead,
    answers=(NotFound,),
)
async def get_member(member: MemberId, ctx: Ctx) -> dict[str, Any]:
    """One member, also after it is gone."""
    return shown.member(await commands.get(ctx, member))


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/members",
    key=Permission.APPS_MEMBER_ADD,
    status_code=202,
    response_model=OperationRead,
    answers=(*ASKED, *PLACED),
)
async def add_members(instance: InstanceId, new: MembersAdd, ctx: Ctx) -> Operation:
    """Add members, on machines of yours or on some that the platform allocates. Returns at once."""
    return await verbs.add(ctx, instance, new)


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/members/drain",
    key=Permission.APPS_MEMBER_DRAIN,
    status_code=202,
    response_model=OperationRead,
    answers=ASKED,
)
async def drain_members(instance: InstanceId, given: MembersDrain, ctx: Ctx) -> Operation:
    """Let members take nothing new, and empty them. Returns at once."""
    return await verbs.drain(ctx, instance, given)


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/members/resume",
    key=Permission.APPS_MEMBER_RESUME,
    status_code=202,
    response_model=OperationRead,
    answers=(*ASKED, rules.DrainedByOthers, policy.PolicyRefused),
)
async def resume_members(instance: InstanceId, given: MembersResume, ctx: Ctx) -> Operation:
    """Let drained members work again. Returns at once."""
    return await verbs.resume(ctx, instance, given)


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/members/remove",
    key=Permission.APPS_MEMBER_REMOVE,
    status_code=202,
    response_model=OperationRead,
    answers=(*ASKED, rules.TooFewMembers),
)
async def remove_members(instance: InstanceId, given: MembersRemove, ctx: Ctx) -> Operation:
    """Empty members and take them out of the instance. Returns at once."""
    return await verbs.remove(ctx, instance, given)


@routes.mutation(
    "POST",
    "/v1/members/{member}/replace",
    key=Permission.APPS_MEMBER_REPLACE,
    status_code=202,
    response_model=OperationRead,
    answers=(*ASKED, *PLACED),
)
async def replace_member(member: MemberId, given: MemberReplace, ctx: Ctx) -> Operation:
    """Let another machine take a member's place, also that of a host that is lost."""
    return await verbs.replace(ctx, member, given)
