"""What people ask of members: add, drain, resume, remove, replace.

Each makes one operation with a child for every member. Verbs that give something back ask neither
policy nor entitlement: nobody is held on to what they want to be rid of.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.instances import commands as instances
from moorage_core.instances.models import Instance
from moorage_core.members import commands, rules, store
from moorage_core.members.models import Member, Placement
from moorage_core.members.schemas import (
    MemberReplace,
    MembersAdd,
    MembersDrain,
    MembersRemove,
    MembersResume,
)
from moorage_core.operations import commands as operations
from moorage_core.operations.models import InstanceRef, NewChild, NewOperation, Operation
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted
from moorage_manifest import Manifest

KEYS: dict[rules.Verb, Permission] = {
    "add": Permission.APPS_MEMBER_ADD,
    "drain": Permission.APPS_MEMBER_DRAIN,
    "resume": Permission.APPS_MEMBER_RESUME,
    "remove": Permission.APPS_MEMBER_REMOVE,
    "replace": Permission.APPS_MEMBER_REPLACE,
}


@dataclass(frozen=True)
class Asked:
    """An instance of which something is asked. Its row is locked."""

    row: Instance
    ref: InstanceRef
    manifest: Manifest

    @property
    def org(self) -> str:
        return self.ref.org_id


async def add(ctx: Context, instance: str, new: MembersAdd) -> Operation:
    """Make more members of a component."""
    asked = await _ask(ctx, instance, "add")
    rules.check_verb(asked.manifest, new.component, "add")
    placement = Placement(
        tuple(new.allocations or ()),
        new.count or 0,
        new.sku,
        new.region,
        keep_allocations=new.keep_allocations,
    )
    wanted = {new.component: placement}
    found = await commands.survey(
        ctx,
        wanted,
        manifest=asked.manifest,
        org=asked.org,
        project=asked.ref.project_id,
        instance=asked.ref.id,
    )
    given = {
        "component": new.component,
        "regions": list(found.regions),
        "skus": list(found.skus),
        "count": found.size,
    }
    may = wanted_of(asked.ref, "member.add", given)
    await policy.require_of_project(ctx, may, org=asked.org)
    children = await commands.add_rows(ctx, asked.ref, wanted, manifest=asked.manifest)
    limits = {"max_parallel": new.max_parallel, "failure_budget": new.failure_budget}
    return await _request(ctx, asked, "add", children, given, reason=new.reason, **limits)


async def drain(ctx: Context, instance: str, given: MembersDrain) -> Operation:
    """Let members take nothing new, and empty them."""
    asked = await _ask(ctx, instance, "drain")
    members = await _members(ctx, asked, given.members, "drain")
    how = rules.drain_input(given.policy, given.deadline, owner="user", reason=given.reason)
    children = _children(asked, "drain", members, lambda _: how, given)
    limits = {"max_parallel": given.max_parallel, "failure_budget": given.failure_budget}
    return await _request(ctx, asked, "drain", children, how, reason=given.reason, **limits)


async def resume(ctx: Context, instance: str, given: MembersResume) -> Operation:
    """Let drained members work again."""
    asked = await _ask(ctx, instance, "resume")
    members = await _members(ctx, asked, given.members, "resume")
    rules.check_may_resume(members, "user")
    may = wanted_of(asked.ref, "member.resume", {})
    await policy.require_of_project(ctx, may, org=asked.org)
    children = _children(asked, "resume", members, lambda _: {}, None)
    limits = {"max_parallel": given.max_parallel, "failure_budget": given.failure_budget}
    return await _request(ctx, asked, "resume", children, {}, reason=given.reason, **limits)


async def remove(ctx: Context, instance: str, given: MembersRemove) -> Operation:
    """Take members out of the instance. The app empties each first, and looks whether it is."""
    asked = await _ask(ctx, instance, "remove")
    members = await _members(ctx, asked, given.members, "remove")
    await _shrink(ctx, asked, members)
    if given.keep_allocations:
        ids = [member.id for member in members]
        await store.keep_allocations(ctx.db, ids, org=asked.org, now=ctx.now)
    how = rules.drain_input(given.policy, given.deadline, owner="user", reason=given.reason)

    def told(member: Member) -> dict[str, Any]:
        return {**how, "drained": member.status == "drained", "lost": given.lost}

    children = _children(asked, "remove", members, told, given)
    limits = {"max_parallel": given.max_parallel, "failure_budget": given.failure_budget}
    return await _request(ctx, asked, "remove", children, how, reason=given.reason, **limits)


async def replace(ctx: Context, id: str, given: MemberReplace) -> Operation:
    """Let another machine take a member's place.

    The new member comes first, unless the component has no room for both, or the old one's host is
    lost: nothing works there that could be kept meanwhile. Where it comes first there is one more
    for a while, and policy is asked about that.
    """
    old = await commands.get(ctx, id, key=KEYS["replace"])
    asked = await _ask(ctx, old.instance_id, "replace")
    (old,) = await _members(ctx, asked, [id], "replace")
    live = await store.count_live(ctx.db, asked.ref.id, org=asked.org)
    room = rules.adds_first(asked.manifest, old.component, live[old.component].live)
    new_first = room and not given.lost
    wanted = {old.component: _substitute(given)}
    found = await commands.survey(
        ctx,
        wanted,
        manifest=asked.manifest,
        org=asked.org,
        project=asked.ref.project_id,
        instance=asked.ref.id,
    )
    told = {
        "component": old.component,
        "old": old.id,
        "lost": given.lost,
        "order": "new_first" if new_first else "old_first",
        "count": int(new_first),
        "regions": list(found.regions),
        "skus": list(found.skus),
        "override": given.override.reason if given.override else None,
    }
    if given.override is not None:
        where = Resource("instance", asked.ref.id, asked.org, asked.ref.project_id)
        authorize(ctx, Permission.POLICY_OVERRIDE, where)
    may = wanted_of(asked.ref, "member.replace", told)
    await policy.require_of_project(ctx, may, org=asked.org, distrust=given.override is None)
    (comes,) = await commands.add_rows(
        ctx, asked.ref, wanted, manifest=asked.manifest, replaces=old.id
    )
    how = rules.drain_input(given.policy, given.deadline, owner="user", reason=given.reason)
    more = {"drained": old.status == "drained", "lost": given.lost, "replaced_by": comes.member}
    (goes,) = _children(asked, "remove", [old], lambda _: {**how, **more}, given)
    waves = {comes.member: 0 if new_first else 1, goes.member: 1 if new_first else 0}
    return await _request(
        ctx,
        asked,
        "replace",
        [_in_wave(each, waves[each.member]) for each in (comes, goes)],
        {**told, "new": comes.member},
        reason=given.reason,
        max_parallel=None,
        failure_budget=0,
    )


def wanted_of(instance: InstanceRef, kind: Any, given: dict[str, Any]) -> Wanted:
    """What policy is asked about an operation on members: by its input, now and at its start."""
    return Wanted(
        instance.project_id,
        instance.app_id,
        kind,
        version=instance.version_id,
        regions=tuple(given.get("regions", ())),
        skus=tuple(given.get("skus", ())),
        members=int(given.get("count", 0)),
    )


# What all of them do


async def _ask(ctx: Context, instance: str, verb: rules.Verb) -> Asked:
    """The instance, locked, if its members can be asked for this now."""
    row = await instances.get(ctx, instance, key=KEYS[verb], lock=True)
    ahead = await store.list_ahead(ctx.db, row.id, org=row.org_id)
    rules.check_instance(row.id, row.status, ahead, verb)
    return Asked(row, instances.ref(row), await instances.manifest_of(ctx, row.version_id))


async def _members(
    ctx: Context, asked: Asked, ids: Sequence[str], verb: rules.Verb
) -> list[Member]:
    """Members of the instance, locked, each of which can be asked for this now."""
    wanted = sorted({str(id) for id in ids})
    rows = await store.lock(ctx.db, wanted, org=asked.org)
    found = {row.id: row for row in rows if row.instance_id == asked.ref.id and row.is_live}
    for id in wanted:
        if id not in found:
            raise hidden("member", id)
    members = list(found.values())
    for component in sorted({member.component for member in members}):
        rules.check_verb(asked.manifest, component, verb)
    leaving = await store.list_leaving(ctx.db, wanted, org=asked.org)
    rules.check_members(members, verb, frozenset(leaving))
    return members


async def _shrink(ctx: Context, asked: Asked, members: Sequence[Member]) -> None:
    """So many are wanted from now on, and so many are enough."""
    live = await store.count_live(ctx.db, asked.ref.id, org=asked.org)
    leaving = Counter(member.component for member in members)
    staying = {key: live[key].staying - count for key, count in leaving.items()}
    rules.check_enough_left(asked.manifest, staying)
    await store.set_desired(ctx.db, staying, org=asked.org, instance=asked.ref.id)


def _children(
    asked: Asked,
    verb: rules.Verb,
    members: Sequence[Member],
    told: Callable[[Member], dict[str, Any]],
    given: MembersDrain | MembersRemove | MemberReplace | None,
) -> list[NewChild]:
    seconds = rules.timeout(asked.manifest, f"member.{verb}")
    if given is not None:
        seconds = rules.child_timeout(seconds, given.policy, given.deadline)
    return [
        NewChild(
            f"member.{verb}",
            member.id,
            told(member),
            allocations=(member.allocation_id,) if member.allocation_id else (),
            timeout=seconds,
            patient=given is not None and given.policy == "wait",
        )
        for member in members
    ]


def _in_wave(child: NewChild, wave: int) -> NewChild:
    return dataclasses.replace(child, wave=wave)


def _substitute(given: MemberReplace) -> Placement:
    named = () if given.allocation is None else (str(given.allocation),)
    return Placement(
        named,
        0 if named else 1,
        given.sku,
        given.region,
        keep_allocations=given.keep_allocations,
    )


async def _request(
    ctx: Context,
    asked: Asked,
    verb: rules.Verb,
    children: Sequence[NewChild],
    given: dict[str, Any],
    *,
    reason: str,
    max_parallel: int | None,
    failure_budget: int | None,
) -> Operation:
    kind = f"member.{verb}"
    operation = await operations.request(
        ctx,
        NewOperation(
            kind=kind,
            instance=asked.ref,
            lock="shared",
            timeout=rules.timeout(asked.manifest, kind),
            input=given,
            parent=True,
            max_parallel=max_parallel,
            failure_budget=failure_budget,
            children=tuple(children),
            reason=reason,
        ),
    )
    audit.record(
        ctx,
        KEYS[verb],
        operation.id,
        org=asked.org,
        project=asked.ref.project_id,
        app=asked.ref.app_slug,
        instance=asked.ref.id,
        details={
            "members": [child.member for child in children],
            "reason": reason,
            **{key: value for key, value in given.items() if key != "reason"},
        },
    )
    return operation
