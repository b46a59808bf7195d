"""HTTP in, one command, HTTP out: signing in by a code that a person approves."""

from typing import Annotated, Any

from fastapi import Path, Request

from moorage_core.authz.permissions import Permission
from moorage_core.device_codes import commands, rules
from moorage_core.device_codes.models import Asked
from moorage_core.device_codes.schemas import (
    DeviceCodeCreate,
    DeviceCodeIssued,
    DeviceCodeRead,
    DeviceTokenRead,
    DeviceTokenRequest,
)
from moorage_core.http import authentication
from moorage_core.http.routing import PUBLIC, Ctx, PlatformDep, Routes
from moorage_core.people import commands as people

routes = Routes(tag="sign-in")

PAGE = "/login/code"
UserCode = Annotated[str, Path(max_length=40, description="As it was typed in.")]
DECIDING = (rules.UnknownCode, rules.AlreadyDecided, rules.NeedsSession)


@routes.machine(
    "POST",
    "/v1/auth/device-codes",
    key=PUBLIC,
    why_public="signing in is how credentials are got",
    status_code=201,
    response_model=DeviceCodeIssued,
    answers=(people.TokenTooLong,),
)
async def create_device_code(
    new: DeviceCodeCreate, request: Request, platform: PlatformDep
) -> dict[str, Any]:
    """Ask for a code by which somebody can let this program sign in as them."""
    address = authentication.address_of(platform, request)
    issued = await commands.ask(platform, new, address=address)
    page = platform.settings.url.rstrip("/") + PAGE
    return {
        "device_code": issued.device_code,
        "user_code": issued.user_code,
        "verification_uri": page,
        "verification_uri_complete": f"{page}?code={issued.user_code}",
        "expires_in": int(rules.LIFETIME.total_seconds()),
        "interval": rules.INTERVAL,
    }


@routes.machine(
    "POST",
    "/v1/auth/device-token",
    key=PUBLIC,
    why_public="the device code is the credential",
    response_model=DeviceTokenRead,
    answers=(rules.DeviceCodeNotValid, rules.SignInDenied),
)
async def redeem_device_code(
    given: DeviceTokenRequest, request: Request, platform: PlatformDep
) -> dict[str, Any]:
    """The token of whoever approved the code, once. With `wait`, answers when they have decided."""
    made = await commands.wait(platform, given.device_code, seconds=given.wait, request=request)
    if made is None:
        return {"status": "pending"}
    token, secret = made
    return {
        "status": "approved",
        "token": secret,
        "token_id": token.id,
        "expires_at": token.expires_at,
        "user_id": token.user_id,
    }


@routes.read(
    "/v1/auth/device-codes/{user_code}",
    key=Permission.IAM_SELF_READ,
    response_model=DeviceCodeRead,
    answers=(rules.UnknownCode,),
)
async def get_device_code(user_code: UserCode, ctx: Ctx) -> dict[str, Any]:
    """What asks to sign in as you, for you to decide."""
    return _shown(await commands.get(ctx, user_code))


@routes.machine(
    "POST",
    "/v1/auth/device-codes/{user_code}/approve",
    key=Permission.IAM_SELF_MANAGE,
    response_model=DeviceCodeRead,
    answers=DECIDING,
)
async def approve_device_code(
    user_code: UserCode, request: Request, platform: PlatformDep
) -> dict[str, Any]:
    """Let the program sign in as you. By a session alone, never by a token."""
    return _shown(await _decide(platform, request, user_code, approved=True))


@routes.machine(
    "POST",
    "/v1/auth/device-codes/{user_code}/deny",
    key=Permission.IAM_SELF_MANAGE,
    response_model=DeviceCodeRead,
    answers=DECIDING,
)
async def deny_device_code(
    user_code: UserCode, request: Request, platform: PlatformDep
) -> dict[str, Any]:
    """Keep the program out. By a session alone, never by a token."""
    return _shown(await _decide(platform, request, user_code, approved=False))


async def _decide(platform: PlatformDep, request: Request, code: str, *, approved: bool) -> Asked:
    who, trace = request.state.principal, request.state.trace
    return await commands.decide(platform, who, code, approved=approved, trace=trace)


def _shown(found: Asked) -> dict[str, Any]:
    status = rules.status(found)
    return {**found.__dict__, "status": status, "token_expires_in": found.lifetime_seconds}
