"""Use cases of actions."""

from collections.abc import Mapping
from typing import Any

from moorage_core.actions import rules
from moorage_core.actions.schemas import ActionRun
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import hidden
from moorage_core.catalog import commands as catalog
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.entitlements import holding
from moorage_core.instances import commands as instances
from moorage_core.instances.models import Instance
from moorage_core.members import commands as members
from moorage_core.members.models import Member
from moorage_core.operations import commands as operations
from moorage_core.operations.models import NewOperation, Operation
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted


async def list_of_instance(ctx: Context, instance: str) -> list[dict[str, Any]]:
    """Every action that the instance's version declares, and which of them the caller can run."""
    found = await instances.get(ctx, instance)
    manifest = await catalog.manifest_of(ctx, found.version_id)
    entitlement = await entitlements.find_for(ctx.db, project=found.project_id, app=found.app_id)
    held = entitlements.app_keys(ctx, entitlement) if entitlement else []
    return [each | {"allowed": each["permission"] in held} for each in manifest["actions"]]


async def run(ctx: Context, instance: str, name: str, given: ActionRun) -> Operation:
    """Ask for an action. The app's controller does it."""
    found = await instances.get(ctx, instance, lock=True)
    manifest = await catalog.manifest_of(ctx, found.version_id)
    action = rules.find(manifest, name)
    org, project, app = found.org_id, found.project_id, found.app_id
    await holding.authorize_app(ctx, action["permission"], project=project, org=org, app=app)
    rules.check_input(action, given.input)
    rules.check_running(found)
    member = await _member(ctx, found, given.member) if given.member else None
    rules.check_member(action, given.member, member.component if member else None)
    wanted = Wanted(project, app, "action", version=found.version_id)
    await policy.require_of_project(ctx, wanted, org=org)
    operation = await operations.request(ctx, _wish(found, manifest, action, given, member))
    audit.record(
        ctx,
        action["permission"],
        operation.id,
        org=org,
        project=project,
        app=found.app_slug,
        instance=instance,
        details={"action": name, "member": given.member, "reason": given.reason},
    )
    return operation


async def _member(ctx: Context, instance: Instance, id: str) -> Member:
    found = await members.get(ctx, id)
    if found.instance_id != instance.id or not found.is_live:
        raise hidden("member", id)
    return found


def _wish(
    instance: Instance,
    manifest: Mapping[str, Any],
    action: Mapping[str, Any],
    given: ActionRun,
    member: Member | None,
) -> NewOperation:
    machine = member.allocation_id if member else None
    return NewOperation(
        kind="action",
        instance=instances.ref(instance),
        lock=rules.LOCKS[action["lock"]],
        timeout=rules.timeout(manifest),
        input=given.input,
        member=member.id if member else None,
        allocations=(machine,) if machine else (),
        action=action["name"],
        reason=given.reason or "",
    )
