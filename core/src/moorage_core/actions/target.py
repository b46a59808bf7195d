"""Actions, as those that operations of their kind are about."""

from collections.abc import Sequence

from moorage_core.actions import rules
from moorage_core.catalog import commands as catalog
from moorage_core.context import Context
from moorage_core.operations.models import Move, Operation, Said
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted


class Actions:
    """An action changes neither the instance's state nor a member's."""

    async def moved(self, ctx: Context, moves: Sequence[Move]) -> None:
        """What a controller says to be the result is what the manifest declares, or no result."""
        for move in moves:
            operation = move.operation
            if operation.status == "succeeded":
                manifest = await catalog.manifest_of(ctx.db, str(operation.version_id))
                action = rules.find(manifest, str(operation.action))
                rules.check_output(action, operation.result)

    async def reported(self, ctx: Context, operation: Operation, said: Said) -> None:
        """What it says of the instance and of members, those hear themselves."""

    async def admit(self, ctx: Context, operation: Operation) -> None:
        wanted = Wanted(
            operation.project_id, operation.app_id, "action", version=operation.version_id
        )
        await policy.require_again(ctx, wanted, org=operation.org_id)
