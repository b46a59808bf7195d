"""What controllers are told of instances and of their members, together.

An answer tells each instance once, with all its members: an instance of a thousand members has
operations by the hundred. An operation only adds what the instance does not say.

Here and not among the commands: members stand on those, and this stands on members.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from moorage_core.context import Context
from moorage_core.instances import commands, rules
from moorage_core.members import commands as members

Brief = dict[str, Any]


async def tell(
    ctx: Context, operations: Sequence[Brief], others: Iterable[str], *, org: str
) -> tuple[dict[str, Brief], list[Brief]]:
    """The instances of some operations and some others, by id; and the operations in full.

    All are of one org. The number of statements does not grow with them.
    """
    ids = sorted({*others, *(each["instance_id"] for each in operations)})
    if not ids:
        return {}, []
    instances = await _instances(ctx, ids, org=org)
    if not operations:
        return instances, []
    revising = [each["id"] for each in operations if each["kind"] in rules.REVISES]
    changes = await commands.changes(ctx, revising, instances, org=org) if revising else {}
    rosters = {id: {each["id"]: each for each in told["members"]} for id, told in instances.items()}
    unlisted = await _unlisted(ctx, operations, rosters, org=org)
    return instances, [
        {
            **each,
            "change": changes.get(each["id"]),
            "member": rosters[each["instance_id"]].get(each["member_id"])
            or unlisted.get(each["member_id"]),
            "members": [unlisted[id] for id in each["member_ids"] if id in unlisted],
        }
        for each in operations
    ]


async def _instances(ctx: Context, ids: Sequence[str], *, org: str) -> dict[str, Brief]:
    told = await commands.briefs(ctx, ids, org=org)
    live = await members.briefs(ctx, sorted(told), org=org) if told else {}
    return {
        id: {**brief, "members": live[id], "members_complete": len(live[id]) < members.BRIEFED}
        for id, brief in told.items()
    }


async def _unlisted(
    ctx: Context,
    operations: Sequence[Brief],
    rosters: Mapping[str, Mapping[str, Brief]],
    *,
    org: str,
) -> dict[str, Brief]:
    """Members that operations name and no roster has: they are gone, or are too many."""
    named = {
        id
        for each in operations
        for id in (each["member_id"], *each["member_ids"])
        if id is not None and id not in rosters[each["instance_id"]]
    }
    return await members.briefs_named(ctx, sorted(named), org=org) if named else {}
