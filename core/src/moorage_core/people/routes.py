"""HTTP in, one command, HTTP out: signing in, accounts, sessions, personal tokens."""

from typing import Any

from fastapi import Request, Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http import authentication, etag, session_cookie
from moorage_core.http.authentication import SESSION_COOKIE
from moorage_core.http.etag import ExpectedVersion
from moorage_core.http.routing import PUBLIC, Ctx, PlatformDep, Routes
from moorage_core.kit.ids import AccessTokenId, SessionId, UserId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.people import commands, own_password, rules, signin
from moorage_core.people.models import AccessToken, Session, User
from moorage_core.people.schemas import (
    AccessTokenCreate,
    AccessTokenIssued,
    AccessTokenRead,
    Login,
    LoginRead,
    MeRead,
    PasswordChange,
    PasswordCodeIssue,
    PasswordCodeRead,
    PasswordSet,
    SessionRead,
    UserCreate,
    UserRead,
    UserUpdate,
)
from moorage_core.tenancy import memberships

routes = Routes(tag="people")


@routes.machine(
    "POST",
    "/v1/auth/login",
    key=PUBLIC,
    why_public="signing in is how credentials are got",
    response_model=LoginRead,
    answers=(rules.WrongPassword,),
)
async def login(
    given: Login, request: Request, response: Response, platform: PlatformDep
) -> signin.Opened:
    """Sign in with e-mail and password. Sets the session cookie."""
    authentication.limit_guesses(platform, given.email, request)
    opened = await signin.sign_in(
        platform,
        given,
        user_agent=request.headers.get("user-agent", ""),
        trace=request.state.trace,
    )
    session_cookie.put(response, opened.token, platform.settings)
    return opened


@routes.machine(
    "POST",
    "/v1/auth/password",
    key=PUBLIC,
    why_public="the one-time code is the credential",
    status_code=204,
    answers=(rules.CodeNotValid,),
)
async def set_password(given: PasswordSet, request: Request, platform: PlatformDep) -> None:
    """Set a password with a one-time code. Sessions and tokens of the account end."""
    await signin.set_password(platform, given, trace=request.state.trace)


@routes.read("/v1/me", key=Permission.IAM_SELF_READ, response_model=MeRead)
async def get_me(ctx: Ctx, request: Request) -> dict[str, Any]:
    """Who you are to this platform and what you hold where."""
    who = ctx.principal
    names = await commands.list_grant_names(ctx)
    nothing = (None, None)
    cookie = request.cookies.get(SESSION_COOKIE) if who.cookie else None
    return {
        "kind": who.kind,
        "id": who.id,
        "name": who.name,
        "session_id": who.credential if who.cookie else None,
        "csrf_token": rules.csrf_token(cookie) if cookie else None,
        "own_permissions": sorted(who.own),
        "grants": [
            {
                "org_id": grant.org,
                "org_slug": names[grant.org][0],
                "org_name": names[grant.org][1],
                "project_id": grant.project,
                "project_slug": names.get(grant.project or "", nothing)[0],
                "project_name": names.get(grant.project or "", nothing)[1],
                "permissions": sorted(grant.permissions),
            }
            for grant in who.grants
            if grant.org in names
        ],
    }


@routes.mutation(
    "POST",
    "/v1/me/password",
    key=Permission.IAM_SELF_MANAGE,
    status_code=204,
    answers=(rules.WrongPassword,),
    before=own_password.hash_change,
)
async def change_password(change: PasswordChange, ctx: Ctx) -> None:
    """Change your password. Your other sessions and your other tokens end."""
    await own_password.change_password(ctx)


@routes.mutation(
    "POST",
    "/v1/users",
    key=Permission.IAM_USER_CREATE,
    status_code=201,
    response_model=UserRead,
    answers=(rules.EmailTaken,),
)
async def create_user(new: UserCreate, ctx: Ctx, response: Response) -> User:
    """Make an account for a person.

    They set a password with a one-time code, or sign in by a provider.
    """
    return _with_etag(response, await commands.create_user(ctx, new))


@routes.read("/v1/users", key=Permission.IAM_USER_READ, response_model=PageRead[UserRead])
async def list_users(ctx: Ctx, page: Paging) -> Page[User]:
    """All accounts of people. Platform admins only."""
    return await commands.list_users(ctx, page)


@routes.read(
    "/v1/users/{user}", key=Permission.IAM_USER_READ, response_model=UserRead, answers=(NotFound,)
)
async def get_user(user: UserId, ctx: Ctx, response: Response) -> User:
    """One account. Platform admins only."""
    return _with_etag(response, await commands.get_user(ctx, user))


@routes.mutation(
    "PATCH",
    "/v1/users/{user}",
    key=Permission.IAM_USER_UPDATE,
    response_model=UserRead,
    answers=(NotFound, *etag.ERRORS, rules.OwnAccount, memberships.LastAdmin),
)
async def update_user(
    user: UserId, change: UserUpdate, expected: ExpectedVersion, ctx: Ctx, response: Response
) -> User:
    """Rename, disable or enable an account."""
    return _with_etag(response, await commands.update_user(ctx, user, change, expected=expected))


@routes.mutation(
    "POST",
    "/v1/users/{user}/password-codes",
    key=Permission.IAM_USER_RESET_PASSWORD,
    status_code=201,
    response_model=PasswordCodeRead,
    answers=(NotFound, rules.ReasonRequired),
    rotate="ask for a new code with a new Idempotency-Key; it replaces the first.",
)
async def issue_password_code(user: UserId, given: PasswordCodeIssue, ctx: Ctx) -> dict[str, Any]:
    """Issue a one-time code with which the person sets a password.

    Break-glass where the person has used the account and has roles in orgs: needs a reason, and
    those orgs see it.
    """
    found, code = await commands.issue_password_code(ctx, user, reason=given.reason)
    return {"user_id": found.id, "code": code, "expires_at": ctx.now + rules.CODE_LIFETIME}


@routes.read("/v1/sessions", key=Permission.IAM_SELF_READ, response_model=PageRead[SessionRead])
async def list_sessions(ctx: Ctx, page: Paging) -> Page[Session]:
    """Your open browser sessions."""
    return await commands.list_sessions(ctx, page)


@routes.mutation(
    "DELETE",
    "/v1/sessions/{session}",
    key=Permission.IAM_SELF_MANAGE,
    status_code=204,
    answers=(NotFound,),
)
async def end_session(session: SessionId, ctx: Ctx, response: Response) -> None:
    """End one of your sessions; your own is signing out."""
    await commands.end_session(ctx, session)
    if session == ctx.principal.credential:
        response.delete_cookie(SESSION_COOKIE, path="/")


@routes.mutation(
    "POST",
    "/v1/access-tokens",
    key=Permission.IAM_SELF_MANAGE,
    status_code=201,
    response_model=AccessTokenIssued,
    answers=(NotFound, rules.TokenTooLong, rules.BeyondOwnRights),
    rotate="revoke the token and make a new one.",
)
async def create_access_token(new: AccessTokenCreate, ctx: Ctx) -> dict[str, Any]:
    """Make a personal access token. Its secret is shown once."""
    token, secret = await commands.create_access_token(ctx, new)
    return {**token.__dict__, "token": secret}


@routes.read(
    "/v1/access-tokens",
    key=Permission.IAM_SELF_READ,
    response_model=PageRead[AccessTokenRead],
)
async def list_access_tokens(ctx: Ctx, page: Paging) -> Page[AccessToken]:
    """Your personal access tokens, without their secrets."""
    return await commands.list_access_tokens(ctx, page)


@routes.mutation(
    "DELETE",
    "/v1/access-tokens/{token}",
    key=Permission.IAM_SELF_MANAGE,
    status_code=204,
    answers=(NotFound,),
)
async def revoke_access_token(token: AccessTokenId, ctx: Ctx) -> None:
    """Revoke one of your tokens, with all that were made with it. They stop working at once."""
    await commands.revoke_access_token(ctx, token)


def _with_etag(response: Response, user: User) -> User:
    etag.put(response, user.version)
    return user
