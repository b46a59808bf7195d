"""Letting somebody in again, for whoever runs the platform's machine and can sign in no more."""

from dataclasses import dataclass

from moorage_core.context import Context
from moorage_core.errors import NotFound
from moorage_core.http.principal_cache import topic
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.people import commands, store
from moorage_core.people.models import User
from moorage_core.tenancy import memberships

REASON = "Recovered on the platform's own machine, with moor recover."


@dataclass(frozen=True)
class Recovered:
    user: User
    code: str


async def recover(ctx: Context, email: str, *, admin: bool) -> Recovered:
    """Enable and unlock an account and give it a one-time code, on behalf of the system."""
    found = await store.find_login_user(ctx.db, email)
    if found is None:
        raise NotFound(f"There is no account for {email}.")
    await store.unlock_account(ctx.db, found.id)
    user = await store.update_user(ctx.db, found.id, name=None, disabled=False, now=ctx.now)
    if admin:
        await memberships.appoint_again(ctx, user.id)
    orgs = await store.list_orgs_behind(ctx.db, user.id)
    code = await commands.put_code(ctx, user.id)
    await ctx.db.set_scope(org_scope(PLATFORM_ORG))
    ctx.topics.add(topic(user.id))
    await commands.record_code(ctx, user, orgs=orgs, reason=REASON)
    return Recovered(user, code)
