"""What controllers are told of instances and of their members, together.

Here and not among the commands: members stand on those, and this stands on members.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from moorage_core.context import Context
from moorage_core.instances import commands, store
from moorage_core.members import commands as members
from moorage_core.operations.models import Operation


async def of_instances(ctx: Context, ids: Sequence[str], *, org: str) -> dict[str, dict[str, Any]]:
    """By instance: what whoever watches it is told."""
    told = await commands.briefs(ctx, ids, org=org)
    live = await members.briefs(ctx, sorted(told), org=org) if told else {}
    return {id: _with_members(brief, live[id]) for id, brief in told.items()}


async def of_operations(ctx: Context, operations: Sequence[Operation]) -> dict[str, dict[str, Any]]:
    """By operation: its instance as it is to be, and the members that it is about.

    All are of one org. The number of statements is always the same.
    """
    if not operations:
        return {}
    org = operations[0].org_id
    ids = sorted({each.instance_id for each in operations})
    made = await store.list_made_by(ctx.db, [each.id for each in operations], org=org)
    changes = {each.operation_id: each for each in made if each.outcome == "pending"}
    told = await commands.briefs(ctx, ids, org=org)
    # An exclusive operation is at its instance alone: at most one change of each is on its way.
    new = {each.instance_id: each for each in changes.values()}
    to_be = await commands.briefs(ctx, sorted(new), org=org, changes=new) if new else {}
    live = await members.briefs(ctx, ids, org=org)
    named = sorted({id for each in operations for id in _members_of(each)})
    known = await members.briefs_named(ctx, named, org=org) if named else {}
    return {
        each.id: {
            "instance": _with_members(
                (to_be if each.id in changes else told)[each.instance_id], live[each.instance_id]
            ),
            "member": known.get(each.member_id or ""),
            "members": [known[id] for id in each.member_ids if id in known],
        }
        for each in operations
    }


def _with_members(brief: Mapping[str, Any], live: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {**brief, "members": live, "members_complete": len(live) < members.BRIEFED}


def _members_of(operation: Operation) -> list[str]:
    own = [operation.member_id] if operation.member_id else []
    return [*own, *operation.member_ids]
