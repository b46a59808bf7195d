"""Changing one's own password, and what wrong guesses at it lead to."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from moorage_core.authz.authorize import authorize_self
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context
from moorage_core.events import registry
from moorage_core.http import authentication
from moorage_core.http.principal_cache import topic
from moorage_core.kit.db import Scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.people import commands, passwords, rules, store
from moorage_core.people.schemas import PasswordChange
from moorage_core.platform import Platform


@dataclass(frozen=True)
class Hashed:
    """A change whose slow part is done."""

    verified: str | None
    """The stored hash that the current password fits; None where it is wrong."""
    replacement: str


async def hash_change(
    at: Platform, who: Principal, body: bytes, path: Mapping[str, str]
) -> Hashed | None:
    """Check the current password and hash the new one, while no transaction is open.

    None where the request is refused for another reason, which costs no hashing.
    """
    change = _read(body)
    if change is None or Permission.IAM_SELF_MANAGE not in who.own:
        return None
    authentication.limit_guesses(at, who.id)
    async with at.database.transaction(who.scope, read_only=True) as db:
        stored = (await store.get_login_user(db, who.id)).password_hash
    if not await passwords.is_right(stored, change.current):
        return Hashed(None, "")
    return Hashed(stored, await passwords.hash_password(change.password))


async def change_password(ctx: Context) -> None:
    """Set a new password and end every other session and token of the person."""
    authorize_self(ctx, Permission.IAM_SELF_MANAGE)
    me = ctx.principal.id
    hashed: Hashed | None = ctx.prepared
    user = await store.get_login_user(ctx.db, me, lock=True)
    # Another change of the password may have come in between.
    right = hashed is not None and hashed.verified == user.password_hash is not None
    if hashed is None or not right or rules.is_locked(user.locked_until, now=ctx.now):
        guessed = hashed is not None and hashed.verified is None
        raise rules.WrongPassword(
            "The current password is not right, or the account is locked after wrong tries.",
            afterwards=(lambda: note_wrong_password(ctx.platform, me)) if guessed else None,
        )
    await ctx.db.set_scope(ctx.principal.scope.with_org(PLATFORM_ORG))
    changed = await store.set_password(ctx.db, me, password_hash=hashed.replacement, now=ctx.now)
    await end_credentials(ctx, me, keep=ctx.principal.credential)
    commands.record_user(ctx, Permission.IAM_SELF_MANAGE, registry.USER_PASSWORD_CHANGED, changed)


async def end_credentials(ctx: Context, user: str, *, keep: str | None) -> None:
    """End what the old password may have let a stranger make: sessions and tokens."""
    await store.end_other_sessions(ctx.db, user, keep=keep, now=ctx.now)
    revoked = await store.revoke_other_access_tokens(ctx.db, user, keep=keep, now=ctx.now)
    commands.publish_revoked(ctx, user, revoked)
    ctx.topics.add(topic(user))


async def note_wrong_password(at: Platform, user: str) -> None:
    """Count it; too many in a row lock the account for a while.

    Guesses at a locked account are no news and do not lengthen the lock, or whoever guesses on
    could keep its owner out for good.
    """
    identity, now = at.settings.identity, at.clock.now()
    async with at.database.transaction(Scope(principal=user)) as db:
        wrong = await store.note_wrong_password(db, user, now=now)
        lock = rules.lock_for(wrong or 0, after=identity.lockout_after, first=identity.lockout_for)
        if lock is not None:
            await store.lock_account(db, user, until=now + lock)


def _read(body: bytes) -> PasswordChange | None:
    """The change as the route will read it; None where the route will refuse it."""
    try:
        return PasswordChange.model_validate(json.loads(body))
    except (ValueError, RecursionError):
        return None
