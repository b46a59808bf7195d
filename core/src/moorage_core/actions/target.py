"""Actions, as those that operations of their kind are about."""

from collections.abc import Sequence

from moorage_core.actions import rules
from moorage_core.catalog import commands as catalog
from moorage_core.context import Context
from moorage_core.instances import commands as instances
from moorage_core.instances.models import Instance
from moorage_core.operations import commands as operations
from moorage_core.operations.models import Move, Operation, Said
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
                manifest = await catalog.manifest_of(ctx.db, str(operation.version_id))
                action = rules.find(manifest, str(operation.action))
                rules.check_output(action, operation.result)

    async def reported(self, ctx: Context, said: Sequence[Said]) -> None:
        """What it says of the instance and of members, those hear themselves."""

    async def admit(self, ctx: Context, operation: Operation) -> None:
        wanted = Wanted(
            operation.project_id, operation.app_id, "action", version=operation.version_id
        )
        await policy.require_again(ctx, wanted, org=operation.org_id)


def _check_reopened(operation: Operation, instance: Instance) -> None:
    if instance.status not in rules.RUNS:
        raise operations.InvalidTransition(
            f"Instance {instance.name} is {instance.status}: nobody there could do operation "
            f"{operation.id} once more."
        )
