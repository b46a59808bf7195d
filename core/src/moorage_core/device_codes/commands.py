"""Use cases of codes: asking, deciding, waiting for the decision."""

import asyncio
import secrets
from dataclasses import dataclass

from starlette.requests import Request

from moorage_core import unit
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import authorize_self
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind, Principal
from moorage_core.context import Context, Trace
from moorage_core.device_codes import rules, store
from moorage_core.device_codes.models import Asked, Waiting
from moorage_core.device_codes.schemas import DeviceCodeCreate
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import authentication, waiting
from moorage_core.kit import tokens
from moorage_core.kit.db import Scope
from moorage_core.kit.ids import PLATFORM_ORG, DeviceCodeId
from moorage_core.people import commands as people
from moorage_core.people.models import AccessToken
from moorage_core.platform import Platform

LETTERS = 2 * rules.HALF
TRIES = 5
"""How often a new code may read like a live one before that is a fault of ours."""


@dataclass(frozen=True)
class Issued:
    device_code: str
    user_code: str


async def ask(platform: Platform, new: DeviceCodeCreate, *, address: str) -> Issued:
    """A pair of codes for a program that wants to sign in as somebody."""
    people.check_token_lifetime(platform, new.token_expires_in)
    device_code = tokens.new(tokens.DEVICE_CODE)
    now = platform.clock.now()
    for _ in range(TRIES):
        user_code = rules.spelled("".join(secrets.choice(rules.ALPHABET) for _ in range(LETTERS)))
        async with platform.database.transaction(Scope()) as db:
            if await store.add(
                db,
                id=DeviceCodeId.new(),
                device_hash=tokens.digest(device_code),
                user_hash=tokens.digest(user_code),
                client=new.client,
                address=address,
                lifetime=new.token_expires_in,
                now=now,
                expires_at=now + rules.LIFETIME,
            ):
                return Issued(device_code, user_code)
    raise RuntimeError(f"{TRIES} new codes in a row were in use")


async def get(ctx: Context, typed: str) -> Asked:
    """What asks for the caller's approval."""
    authorize_self(ctx, Permission.IAM_SELF_READ)
    return await _find(ctx, typed)


async def decide(
    platform: Platform, who: Principal, typed: str, *, approved: bool, trace: Trace
) -> Asked:
    """Let a program in as the caller, or keep it out. Said twice it is said once."""
    async with unit.work(platform, PLATFORM_ORG, principal=who, trace=trace) as ctx:
        authorize_self(ctx, Permission.IAM_SELF_MANAGE)
        if not who.cookie:
            raise rules.NeedsSession("Sign in to the console to approve or refuse a code.")
        found = await _find(ctx, typed)
        if rules.check_decision(found, person=who.id, approved=approved):
            await _decide(ctx, found, typed, approved=approved)
        return await _find(ctx, typed)


async def _decide(ctx: Context, found: Asked, typed: str, *, approved: bool) -> None:
    user_hash = tokens.digest(rules.spelled(typed))
    if not await store.decide(ctx.db, user_hash=user_hash, approved=approved, now=ctx.now):
        raise rules.AlreadyDecided("Somebody decided about this code a moment ago.")
    ctx.topics.add(_topic(found.id))
    event = registry.DEVICE_CODE_APPROVED if approved else registry.DEVICE_CODE_DENIED
    details = {"client": found.client, "address": found.address}
    audit.record(ctx, event.type, found.id, org=PLATFORM_ORG, details=details)
    data = registry.Credential(id=found.id, owner_id=ctx.principal.id)
    events.publish(ctx, event, data, subject=found.id, version=1, org=PLATFORM_ORG)


async def _find(ctx: Context, typed: str) -> Asked:
    """Codes are short: whoever types wrong ones is slowed down before the database is asked."""
    platform, guesser = ctx.platform, f"device:{ctx.principal.id}"
    authentication.check_guesses(platform, guesser)
    user_hash = tokens.digest(rules.spelled(typed))
    found = await store.find_typed(ctx.db, user_hash=user_hash, now=ctx.now)
    if found is None:
        authentication.note_guess(platform, guesser)
        raise rules.UnknownCode("There is no such code, or its ten minutes are over.")
    return found


async def wait(
    platform: Platform, device_code: str, *, seconds: float, request: Request
) -> tuple[AccessToken, str] | None:
    """The token of whoever approved the code; None while nobody has decided."""
    found = await _look(platform, device_code)
    if found.approved is None and seconds:
        with platform.waiting.seat(_topic(found.id)):
            found = await _sleep(platform, device_code, found, seconds=seconds, request=request)
    if found.approved is None:
        return None
    return await _redeem(platform, device_code, found, trace=request.state.trace)


async def _sleep(
    platform: Platform, device_code: str, found: Waiting, *, seconds: float, request: Request
) -> Waiting:
    deadline = asyncio.get_running_loop().time() + seconds
    with platform.hub.watch([_topic(found.id)]) as waiter:
        while True:
            found = await _look(platform, device_code)
            left = deadline - asyncio.get_running_loop().time()
            if found.approved is not None or left <= 0:
                return found
            if not await waiting.sleep(waiter, left, request):
                return found


async def _look(platform: Platform, device_code: str) -> Waiting:
    device_hash, now = tokens.digest(device_code), platform.clock.now()
    async with platform.database.transaction(Scope(), read_only=True) as db:
        found = await store.find_waiting(db, device_hash=device_hash, now=now)
    if found is None:
        raise _not_valid()
    if found.approved is False:
        raise rules.SignInDenied("The sign-in was refused in the console.")
    return found


async def _redeem(
    platform: Platform, device_code: str, found: Waiting, *, trace: Trace
) -> tuple[AccessToken, str]:
    who = Principal(Kind.USER, str(found.user_id), str(found.user_name), credential=found.id)
    async with unit.work(platform, PLATFORM_ORG, principal=who, trace=trace) as ctx:
        if not await store.use(ctx.db, device_hash=tokens.digest(device_code), now=ctx.now):
            raise _not_valid()
        return await people.issue_access_token(
            ctx, name=found.client, expires_in=found.lifetime_seconds
        )


def _not_valid() -> rules.DeviceCodeNotValid:
    return rules.DeviceCodeNotValid(
        "This code is used up, expired or was never issued. Ask for a new one."
    )


def _topic(id: str) -> str:
    return f"device:{id}"
