"""HTTP in, one command, HTTP out: secrets of what runs. There is no way to read one back."""

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import OperationId
from moorage_core.operations import commands as operations
from moorage_core.runtime_secrets import commands, rules
from moorage_core.runtime_secrets.models import RuntimeSecret
from moorage_core.runtime_secrets.schemas import RuntimeSecretCreate, RuntimeSecretRead

routes = Routes(tag="tasks")


@routes.mutation(
    "POST",
    "/v1/operations/{operation}/secrets",
    key=Permission.APPS_SECRET_CREATE,
    status_code=201,
    response_model=RuntimeSecretRead,
    answers=(NotFound, operations.GrantEnded, *rules.ERRORS),
)
async def create_operation_secret(
    operation: OperationId, new: RuntimeSecretCreate, ctx: Ctx
) -> RuntimeSecret:
    """Put a secret into custody for tasks of your operation to name. Needs the operation's token.

    The value goes to nodes alone, once per node; nobody can read it back.
    """
    return await commands.put(ctx, operation, new)
