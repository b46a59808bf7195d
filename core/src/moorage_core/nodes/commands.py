"""Use cases of nodes."""

from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import NODE_PERMISSIONS
from moorage_core.kit import tokens
from moorage_core.kit.db import Scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.nodes import store
from moorage_core.platform import Platform


async def find_token_principal(platform: Platform, token: str) -> Principal | None:
    """The node that this token was given to, as long as nothing is held against it.

    Its grant names a place that is nobody's: what a node may see, it sees as itself.
    """
    async with platform.database.transaction(Scope(), read_only=True) as db:
        found = await store.find_principal(
            db, token_hash=tokens.digest(token), now=platform.clock.now()
        )
    if found is None:
        return None
    grant = Grant(PLATFORM_ORG, found["id"], frozenset(map(str, NODE_PERMISSIONS)))
    return Principal(
        Kind.NODE, found["id"], found["name"], grants=(grant,), until=found["expires_at"]
    )
