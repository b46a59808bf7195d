"""Actions, as those that operations of their kind are about."""

from collections.abc import Mapping, Sequence

from moorage_core.actions import rules
from moorage_core.catalog import commands as catalog
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.entitlements import holding
from moorage_core.instances import commands as instances
from moorage_core.instances.models import Instance
from moorage_core.operations import commands as operations
from moorage_core.operations.models import Circumstances, Move, Operation, Said
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted


class Actions:
    """An action changes neither the instance's state nor a member's."""

    async def moved(self, ctx: Context, moves: Sequence[Move]) -> None:
        """What a controller says to be the result is what the manifest declares, or no result.

        One is done once more only where it could be asked for, too.
        """
        for move in moves:
            operation = move.operation
            if move.reopens:
                row = await instances.find(ctx, operation.instance_id, org=operation.org_id)
                assert row is not None, "an operation's instance is there, and locked"
                _check_reopened(operation, row)
            if operation.status == "succeeded":
                manifest = await catalog.manifest_of(ctx, str(operation.version_id))
                action = rules.find(manifest, str(operation.action))
                rules.check_output(action, operation.result)

    async def reported(self, ctx: Context, said: Sequence[Said]) -> None:
        """What it says of the instance and of members, those hear themselves."""

    async def admit(self, ctx: Context, operation: Operation) -> None:
        wanted = Wanted(
            operation.project_id, operation.app_id, "action", version=operation.version_id
        )
        await policy.require_again(ctx, wanted, org=operation.org_id)

    async def authorize(self, ctx: Context, operation: Operation) -> None:
        org, project, app = operation.org_id, operation.project_id, str(operation.app_id)
        manifest = await catalog.manifest_of(ctx, str(operation.version_id))
        key = rules.find(manifest, str(operation.action))["permission"]
        await holding.authorize_app(ctx, key, project=project, org=org, app=app)

    async def list_barred(
        self, ctx: Context, operations: Sequence[Operation], around: Mapping[str, Circumstances]
    ) -> set[str]:
        return {each.id for each in operations if around[each.instance_id].status not in rules.RUNS}

    async def list_withheld(self, ctx: Context, operations: Sequence[Operation]) -> set[str]:
        """What an action was given and answered is for those who hold its key."""
        held = {
            (project, app): await _held(ctx, project=project, app=app)
            for project, app in sorted({(each.project_id, str(each.app_id)) for each in operations})
        }
        keys = {
            version: await _keys(ctx, version)
            for version in sorted({str(each.version_id) for each in operations})
        }
        return {
            each.id
            for each in operations
            if keys[str(each.version_id)].get(str(each.action))
            not in held[each.project_id, str(each.app_id)]
        }


async def _held(ctx: Context, *, project: str, app: str) -> frozenset[str]:
    """The keys of the app that the caller holds there."""
    entitlement = await entitlements.find_for(ctx.db, project=project, app=app)
    return frozenset(entitlements.app_keys(ctx, entitlement) if entitlement else ())


async def _keys(ctx: Context, version: str) -> dict[str, str]:
    """What each action of a version takes."""
    manifest = await catalog.manifest_of(ctx, version)
    return {each["name"]: each["permission"] for each in manifest["actions"]}


def _check_reopened(operation: Operation, instance: Instance) -> None:
    if instance.status not in rules.RUNS:
        raise operations.InvalidTransition(
            f"Instance {instance.name} is {instance.status}: nobody there could do operation "
            f"{operation.id} once more."
        )
