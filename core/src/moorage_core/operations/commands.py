"""Use cases of operations."""

from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import GRANT_PERMISSIONS
from moorage_core.kit import tokens
from moorage_core.kit.db import Scope
from moorage_core.operations import store
from moorage_core.platform import Platform


async def find_grant_principal(platform: Platform, token: str) -> Principal | None:
    """Whoever holds the token of a live operation. Asked anew for each request, never remembered.

    The principal is the operation; its credential is the grant.
    """
    async with platform.database.transaction(Scope(), read_only=True) as db:
        found = await store.find_principal(
            db, token_hash=tokens.digest(token), now=platform.clock.now()
        )
    if found is None:
        return None
    grant = Grant(found["org_id"], found["project_id"], frozenset(map(str, GRANT_PERMISSIONS)))
    return Principal(
        Kind.OPERATION,
        found["operation_id"],
        found["operation_id"],
        grants=(grant,),
        credential=found["id"],
    )
