"""What other slices ask of instances.

Members stand on this module, so it knows nothing of members: what needs both is in `deploying` and
`target`. What people ask is there and in `changing`; what they see is in `reading`.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from moorage_core.authz.authorize import Resource, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.catalog import commands as catalog
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.instances import plan_store, rules, store, telling
from moorage_core.instances.models import Instance
from moorage_core.operations import commands as operations
from moorage_core.operations.models import InstanceRef, NewOperation, Operation
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted
from moorage_manifest import Manifest

NOUN = "instance"
CREATE, READ = Permission.APPS_INSTANCE_CREATE, Permission.APPS_INSTANCE_READ
UPDATE, DELETE = Permission.APPS_INSTANCE_UPDATE, Permission.APPS_INSTANCE_DELETE
EVENTS = {
    "requested": registry.INSTANCE_REQUESTED,
    "deploying": registry.INSTANCE_DEPLOYING,
    "running": registry.INSTANCE_RUNNING,
    "stopping": registry.INSTANCE_STOPPING,
    "stopped": registry.INSTANCE_STOPPED,
    "starting": registry.INSTANCE_STARTING,
    "restarting": registry.INSTANCE_RESTARTING,
    "configuring": registry.INSTANCE_CONFIGURING,
    "upgrading": registry.INSTANCE_UPGRADING,
    "rolling_back": registry.INSTANCE_ROLLING_BACK,
    "rotating": registry.INSTANCE_ROTATING,
    "failed": registry.INSTANCE_FAILED,
    "deleting": registry.INSTANCE_DELETING,
    "delete_failed": registry.INSTANCE_DELETE_FAILED,
    "deleted": registry.INSTANCE_DELETED,
}
FRESH = timedelta(seconds=90)
"""How long an observation counts, where the controller does not say it."""
InvalidTransition = rules.InvalidTransition
REPAIR_ERRORS = (rules.InvalidTransition, rules.TooManyRepairs)

# For other slices


async def get(ctx: Context, id: str, *, key: str = READ, lock: bool = False) -> Instance:
    """An instance that the caller holds `key` on, or a family's key that means it there."""
    row = await store.find(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs), lock=lock)
    if row is None:
        raise hidden(NOUN, id)
    where = Resource(NOUN, id, row.org_id, row.project_id)
    await entitlements.authorize_on_app(ctx, key, where, app=row.app_id)
    return row


async def find(ctx: Context, id: str, *, org: str, lock: bool = False) -> Instance | None:
    """An instance of an org, for whoever was let in by another door."""
    return await store.find(ctx.db, id, orgs=[org], lock=lock)


async def manifest_of(ctx: Context, version_id: str) -> Manifest:
    """What the version says about itself."""
    return await catalog.read_manifest(ctx, version_id)


def ref(row: Instance) -> InstanceRef:
    """The instance as operations see it. The caller has locked its row."""
    return InstanceRef(
        id=row.id,
        org_id=row.org_id,
        project_id=row.project_id,
        app_id=row.app_id,
        app_slug=row.app_slug,
        operator_id=row.operator_id,
        version_id=row.version_id,
        status=row.status,
    )


async def report_observed(
    ctx: Context, id: str, *, org: str, said: Mapping[str, Any]
) -> Instance | None:
    """What a controller saw of an instance. It sets health and conditions, and never a state.

    `said` has, as far as it was said: health, reasons, conditions, endpoints, topology_mode,
    runtime_version, components by key, fresh_for in seconds. What it says of members is for their
    own slice. None where the instance is gone.
    """
    row = await store.find(ctx.db, id, orgs=[org], lock=True)
    if row is None or row.deleted_at is not None:
        return None
    fresh = timedelta(seconds=said["fresh_for"]) if said.get("fresh_for") else FRESH
    seen = {**said, "observed_at": ctx.now, "observed_until": ctx.now + fresh}
    changed = said.get("health", row.health) != row.health
    await store.save_observed(ctx.db, id, org=org, seen=seen, changed=changed, now=ctx.now)
    parts: Mapping[str, Mapping[str, Any]] = said.get("components") or {}
    if parts:
        await store.save_components(ctx.db, id, parts, org=org)
    saved = await store.find(ctx.db, id, orgs=[org])
    assert saved is not None, "its row is locked"
    events.hint(ctx, id, "instance")
    if changed:
        publish(ctx, saved, registry.INSTANCE_HEALTH_CHANGED)
    return saved


def publish(ctx: Context, row: Instance, event: registry.EventType | None = None) -> None:
    """Say what the instance has become. Its row is locked."""
    data = registry.Instance(
        id=row.id,
        name=row.name,
        status=row.status,
        reason=row.status_reason,
        health=row.health,
        app_version=row.app_version,
        revision=row.revision,
        operation_id=row.last_operation_id,
    )
    events.publish(
        ctx,
        event or EVENTS[row.status],
        data,
        subject=row.id,
        version=row.version,
        org=row.org_id,
        project=row.project_id,
        app=row.app_slug,
        instance=row.id,
        topics=(f"ins:{row.id}",),
    )


async def briefs(ctx: Context, ids: Sequence[str], *, org: str) -> dict[str, dict[str, Any]]:
    """What controllers are told of instances, all but their members.

    One statement, once the versions that they have are known.
    """
    rows = await store.list_briefs(ctx.db, sorted(set(ids)), org=org)
    return {
        row["id"]: row | {"artifacts": await _artifacts(ctx, row["version_id"])} for row in rows
    }


async def _artifacts(ctx: Context, version: str) -> list[dict[str, Any]]:
    return telling.artifacts(await catalog.manifest_of(ctx, version))


async def changes(
    ctx: Context, operations: Sequence[str], now: Mapping[str, Mapping[str, Any]], *, org: str
) -> dict[str, dict[str, Any]]:
    """What operations make of their instances, by operation; of those that make something of it.

    `now` has what controllers are told of the instances. One that is being deployed is already
    what its first revision says.
    """
    made = await store.list_made_by(ctx.db, operations, org=org)
    new = [
        each
        for each in made
        if each.outcome == "pending" and each.number != now[each.instance_id]["revision"]
    ]
    return {
        each.operation_id: {
            **telling.change(each, now[each.instance_id]),
            "artifacts": await _artifacts(ctx, each.version_id),
        }
        for each in new
    }


async def request_repair(
    ctx: Context, row: Instance, *, reason: str, members: Sequence[str] = ()
) -> Operation:
    """Ask the app to make the instance what it should be. The caller has locked it.

    People and the app's own watch come through here; within an hour it is done so often and no
    more, and policy can switch it off.
    """
    kind = "instance.repair"
    ahead = await open_kinds(ctx, row)
    rules.check_allowed(row, kind, ahead)
    wanted = Wanted(row.project_id, row.app_id, kind, version=row.version_id)
    await policy.require_of_project(ctx, wanted, org=row.org_id)
    since = ctx.now - timedelta(hours=1)
    rules.check_repairs(await plan_store.count_repairs(ctx.db, row.id, org=row.org_id, since=since))
    live = {each["id"] for each in await plan_store.list_members(ctx.db, row.id, org=row.org_id)}
    for each in members:
        if each not in live:
            raise hidden("member", each)
    manifest = await manifest_of(ctx, row.version_id)
    new = NewOperation(
        kind,
        ref(row),
        lock="shared",
        timeout=rules.timeout(manifest, kind),
        members=tuple(members),
        reason=reason,
    )
    return await request(ctx, row, new)


async def request(ctx: Context, row: Instance, new: NewOperation) -> Operation:
    """Ask for an operation on an instance as a whole. The caller has locked it."""
    operation = await operations.request(ctx, new)
    await store.note_operation(ctx.db, row.id, org=row.org_id, operation=operation.id)
    return operation


async def open_kinds(ctx: Context, row: Instance) -> list[str]:
    """What was asked of the instance and has not ended, in order. Children are not told."""
    found = await operations.list_open(ctx, row.id, org=row.org_id)
    return [each.kind for each in found if each.parent_id is None]
