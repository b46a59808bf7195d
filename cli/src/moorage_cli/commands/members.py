"""`moor members`."""

from typing import Annotated

import typer

from moorage.resources.members import Status
from moorage_cli import intent, names, patience, watching
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.intent import Placement
from moorage_cli.names import InstanceName, MemberName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.patience import HowLong, Policy, Until
from moorage_cli.verbs import Limit, group, verb
from moorage_cli.watching import Detach

app = group("Members: the parts of an instance, each on a machine of its own project.")

COLUMNS = ("name", "component", "status", "health", "node_name", "app_version", "runtime_version")
Names = Annotated[
    list[str], typer.Argument(metavar="MEMBER...", help="The members, by name or id.")
]
Why = Annotated[str, typer.Option("--reason", help="Why: it stands with the operation.")]
AtOnce = Annotated[
    int | None, typer.Option("--max-parallel", min=1, help="Work on so many at a time.")
]
Budget = Annotated[
    int | None,
    typer.Option("--failure-budget", min=0, help="Start no more once more than this failed."),
]
Lost = Annotated[
    bool, typer.Option("--lost", help="The machine is gone for good: nothing is asked of it.")
]
Keep = Annotated[
    bool,
    typer.Option("--keep-allocations", help="Keep machines that were allocated for members."),
]
NewMachines = Annotated[
    str | None,
    typer.Option("--new", metavar="COUNT:SKU:REGION", help="Have machines allocated for them."),
]


@verb(app, "list")
async def list_members(
    at: Session,
    instance: InstanceName,
    component: Annotated[str | None, typer.Option(help="Only those of this component.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only those in this state.")] = None,
    removed: Annotated[
        bool, typer.Option("--removed", help="With those that were removed.")
    ] = False,
    limit: Limit = None,
) -> Rows:
    """The members of an instance: where each is, in which state, and how it is."""
    where = await names.instance_id(at.client, instance)
    found = at.client.members.list(where, component=component, status=status, removed=removed)
    return Rows(found, COLUMNS, limit)


@verb(app, "get")
async def get_member(at: Session, member: MemberName) -> Record:
    """One member, with what the app says about it."""
    return Record(await at.client.members.get(await names.member_id(at.client, member)))


@verb(app, "add")
async def add_members(
    at: Session,
    instance: InstanceName,
    component: Annotated[str, typer.Argument(metavar="COMPONENT", help="Which part they are.")],
    allocations: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ALLOCATION...]", help="The machines, by id or name."),
    ] = None,
    new: NewMachines = None,
    max_parallel: AtOnce = None,
    failure_budget: Budget = None,
    keep_allocations: Keep = False,
    reason: Why = "add members",
    detach: Detach = False,
) -> Done | None:
    """Add members: on machines that the project holds, or on new ones.

    One request adds any number. The app prepares once, they join side by side, the app finishes
    once.
    """
    if bool(allocations) == (new is not None):
        raise Refused("Say where they go: allocations, or --new COUNT:SKU:REGION.")
    found = await names.get_instance(at.client, instance)
    wished = intent.placement(new) if new else Placement(allocations=allocations or ())
    where = await names.placed(at.client, wished, project=found.project_id)
    asked = await at.client.members.add(
        found,
        component=component,
        allocations=where.allocations,
        count=where.count,
        sku=where.sku,
        region=where.region,
        max_parallel=max_parallel,
        failure_budget=failure_budget,
        keep_allocations=keep_allocations,
        reason=reason,
    )
    return await watching.finish(at, asked, detach=detach)


@verb(app, "drain")
async def drain_members(
    at: Session,
    instance: InstanceName,
    members: Names,
    reason: Why,
    policy: HowLong = Policy.WAIT,
    deadline: Until = None,
    max_parallel: AtOnce = None,
    detach: Detach = False,
) -> Done | None:
    """Let members come to rest: they take nothing new, and carry nothing at the end."""
    where = await names.instance_id(at.client, instance)
    asked = await at.client.members.drain(
        where,
        members=await names.member_ids(at.client, where, members),
        policy=policy.value,
        deadline=patience.seconds(policy, deadline),
        max_parallel=max_parallel,
        reason=reason,
    )
    return await watching.finish(at, asked, detach=detach)


@verb(app, "resume")
async def resume_members(
    at: Session, instance: InstanceName, members: Names, reason: Why, detach: Detach = False
) -> Done | None:
    """Let drained members work again."""
    where = await names.instance_id(at.client, instance)
    ids = await names.member_ids(at.client, where, members)
    asked = await at.client.members.resume(where, members=ids, reason=reason)
    return await watching.finish(at, asked, detach=detach)


@verb(app, "remove")
async def remove_members(
    at: Session,
    instance: InstanceName,
    members: Names,
    reason: Why,
    policy: HowLong = Policy.WAIT,
    deadline: Until = None,
    max_parallel: AtOnce = None,
    lost: Lost = False,
    keep_allocations: Keep = False,
    detach: Detach = False,
) -> Done | None:
    """Remove members: drained first, then taken off their machines.

    Machines that were allocated for them are given back.
    """
    where = await names.instance_id(at.client, instance)
    asked = await at.client.members.remove(
        where,
        members=await names.member_ids(at.client, where, members),
        policy=policy.value,
        deadline=patience.seconds(policy, deadline),
        max_parallel=max_parallel,
        lost=lost,
        keep_allocations=keep_allocations,
        reason=reason,
    )
    return await watching.finish(at, asked, detach=detach)


@verb(app, "replace")
async def replace_member(
    at: Session,
    member: MemberName,
    reason: Why,
    allocation: Annotated[
        str | None, typer.Option("--with", metavar="ALLOCATION", help="The machine, by id or name.")
    ] = None,
    new: Annotated[
        str | None, typer.Option(metavar="SKU:REGION", help="Have a machine allocated for it.")
    ] = None,
    lost: Lost = False,
    policy: HowLong = Policy.WAIT,
    deadline: Until = None,
    override: Annotated[
        str | None,
        typer.Option(
            metavar="REASON", help="Go on where an artifact was revoked; needs policy.override."
        ),
    ] = None,
    detach: Detach = False,
) -> Done | None:
    """Put a new member on another machine in the place of one."""
    if (allocation is None) == (new is None):
        raise Refused("Say where the new one goes: --with ALLOCATION, or --new SKU:REGION.")
    found = await at.client.members.get(await names.member_id(at.client, member))
    wished = intent.placement(f"1:{new}") if new else Placement(allocations=[str(allocation)])
    where = await names.placed(at.client, wished, project=found.project_id)
    asked = await at.client.members.replace(
        found,
        allocation=next(iter(where.allocations), None),
        sku=where.sku,
        region=where.region,
        lost=lost,
        policy=policy.value,
        deadline=patience.seconds(policy, deadline),
        override=override,
        reason=reason,
    )
    return await watching.finish(at, asked, detach=detach)
