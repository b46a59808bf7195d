"""Signing in: by password, one-time code, or (from `oidc`) a provider's word. Ends in a session.

These run before there is a principal, so they take their own transactions, and hash passwords
between them.
"""

from dataclasses import dataclass
from datetime import datetime

from moorage_core import unit
from moorage_core.audit import commands as audit
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind, Principal
from moorage_core.context import Context, Trace
from moorage_core.errors import Forbidden
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import tokens
from moorage_core.kit.db import Scope
from moorage_core.kit.ids import PLATFORM_ORG, SessionId
from moorage_core.people import commands, own_password, passwords, rules, store
from moorage_core.people.models import LoginUser
from moorage_core.people.schemas import Login, PasswordSet
from moorage_core.platform import Platform

LOGIN_ROUTE = "POST /v1/auth/login"


@dataclass(frozen=True)
class Opened:
    """A new session, with the token that only the browser keeps."""

    user_id: str
    session_id: str
    token: str
    csrf_token: str
    expires_at: datetime


async def sign_in(platform: Platform, given: Login, *, user_agent: str, trace: Trace) -> Opened:
    """Check a password. Every way to be wrong looks the same and takes the same time."""
    async with platform.database.transaction(Scope(), read_only=True) as db:
        user = await store.find_login_user(db, given.email)
    right = await passwords.is_right(user.password_hash if user else None, given.password)
    if user is None:
        raise _wrong()
    if not right:
        await own_password.note_wrong_password(platform, user.id)
    opened = await _let_in(platform, user, user_agent=user_agent, trace=trace) if right else None
    if opened is None:
        await _count_refusal(platform, user, trace)
        raise _wrong()
    return opened


async def _let_in(
    platform: Platform, checked: LoginUser, *, user_agent: str, trace: Trace
) -> Opened | None:
    """Open a session, unless the account is locked, disabled or has another password by now.

    Decided with the account's row locked: of many guesses at once the right one comes too late if
    the wrong ones have locked the account.
    """
    who = rules.person(checked.id, checked.name, (), credential="password")
    async with unit.work(platform, PLATFORM_ORG, principal=who, trace=trace) as ctx:
        user = await store.get_login_user(ctx.db, checked.id, lock=True)
        locked = rules.is_locked(user.locked_until, now=ctx.now)
        same = user.password_hash == checked.password_hash
        if locked or user.disabled_at is not None or not same:
            return None
        return await open_session(ctx, user_agent=user_agent)


async def open_session(ctx: Context, *, user_agent: str) -> Opened:
    """Open a session for the context's principal, whoever vouched for it."""
    await store.note_sign_in(ctx.db, ctx.principal.id, now=ctx.now)
    token = tokens.new(tokens.SESSION)
    session = await store.add_session(
        ctx.db,
        id=SessionId.new(),
        user=ctx.principal.id,
        token_hash=tokens.digest(token),
        user_agent=user_agent[:200],
        now=ctx.now,
        expires_at=ctx.now + ctx.platform.settings.identity.session_lifetime,
    )
    audit.record(ctx, registry.SESSION_STARTED.type, session.id, org=PLATFORM_ORG)
    data = registry.Credential(id=session.id, owner_id=ctx.principal.id)
    events.publish(
        ctx, registry.SESSION_STARTED, data, subject=session.id, version=1, org=PLATFORM_ORG
    )
    csrf = rules.csrf_token(token)
    return Opened(ctx.principal.id, session.id, token, csrf, session.expires_at)


async def set_password(platform: Platform, given: PasswordSet, *, trace: Trace) -> None:
    """Use up a one-time code and set the password. Ends every session and token of the account."""
    code_hash = tokens.digest(given.code)
    async with platform.database.transaction(Scope(), read_only=True) as db:
        user = await store.find_code_user(db, code_hash=code_hash, now=platform.clock.now())
    if user is None:
        raise _bad_code()
    password_hash = await passwords.hash_password(given.password)
    who = rules.person(user, user, (), credential="code")
    async with unit.work(platform, PLATFORM_ORG, principal=who, trace=trace) as ctx:
        if not await store.use_code(ctx.db, user, code_hash=code_hash):
            raise _bad_code()
        await store.get_login_user(ctx.db, user, lock=True)
        changed = await store.set_password(ctx.db, user, password_hash=password_hash, now=ctx.now)
        await own_password.end_credentials(ctx, user, keep=None)
        commands.record_user(
            ctx, Permission.IAM_SELF_MANAGE, registry.USER_PASSWORD_CHANGED, changed
        )


async def give_first_password(ctx: Context, user: str, *, password_hash: str) -> None:
    """The password of the first admin, made at first start."""
    changed = await store.set_password(ctx.db, user, password_hash=password_hash, now=ctx.now)
    events.publish(
        ctx,
        registry.USER_PASSWORD_CHANGED,
        registry.Person(id=user, disabled=False),
        subject=user,
        version=changed.version,
        org=PLATFORM_ORG,
    )


async def _count_refusal(platform: Platform, user: LoginUser, trace: Trace) -> None:
    who = Principal(Kind.USER, user.id, user.name)
    refusal = Forbidden("sign-in", org=PLATFORM_ORG)
    await audit.record_denial(
        platform, who, LOGIN_ROUTE, registry.SESSION_STARTED.type, refusal, trace
    )


def _wrong() -> rules.WrongPassword:
    return rules.WrongPassword(
        "E-mail and password do not fit, or the account is locked for a while after wrong tries. "
        "A platform admin can issue a code to set a new password."
    )


def _bad_code() -> rules.CodeNotValid:
    return rules.CodeNotValid("This code is used up, expired or wrong. Ask for a new one.")
