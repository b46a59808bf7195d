"""HTTP in, one command, HTTP out: sign-in providers, and signing in through one."""

from typing import Annotated, Any

from fastapi import Query, Request, Response
from fastapi.responses import RedirectResponse

from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.errors import NotFound
from moorage_core.http import etag, session_cookie
from moorage_core.http.etag import ExpectedVersion, OptionalVersion
from moorage_core.http.routing import PUBLIC, Ctx, PlatformDep, Routes
from moorage_core.kit.ids import OidcProviderId, UserId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.kit.wire import Slug
from moorage_core.oidc import commands, pending, rules, signin
from moorage_core.oidc.models import LoginProvider, Provider
from moorage_core.oidc.schemas import (
    OidcIdentityLink,
    OidcProviderCreate,
    OidcProviderRead,
    OidcProviderUpdate,
    SignInChoices,
)
from moorage_core.people import commands as people

routes = Routes(tag="sign-in")

START_ERRORS = (NotFound, rules.ProviderUnreachable, rules.ProviderMisconfigured)
CALLBACK_ERRORS = (
    *START_ERRORS,
    rules.LoginNotPending,
    rules.ProviderRefused,
    rules.IdTokenRefused,
    rules.NoVerifiedEmail,
    rules.DomainNotAllowed,
    rules.LinkNeedsAdmin,
    rules.AccountDisabled,
    rules.LinkedToAnother,
)
LOGIN_PAGE = "/login"
"""Where the console says why a sign-in came to nothing."""

ReturnTo = Annotated[
    str,
    Query(
        max_length=500,
        pattern=rules.LOCAL_PATH,
        description="The page of this site to go to afterwards: a path, with its query.",
    ),
]


@routes.read(
    "/v1/auth/oidc/providers",
    key=PUBLIC,
    why_public="the login page shows them",
    response_model=SignInChoices,
)
async def list_sign_in_choices(ctx: Ctx) -> dict[str, list[LoginProvider]]:
    """The providers that people can sign in with."""
    return {"items": await commands.list_choices(ctx)}


@routes.machine(
    "GET",
    "/v1/auth/oidc/{provider}/start",
    key=PUBLIC,
    why_public="signing in is how credentials are got",
    status_code=302,
    response_class=RedirectResponse,
    answers=START_ERRORS,
    lands=LOGIN_PAGE,
)
async def start_sign_in(
    provider: Slug, platform: PlatformDep, return_to: ReturnTo = "/"
) -> RedirectResponse:
    """Send the browser to a provider's login page."""
    started = await signin.start(platform, provider, return_to=return_to)
    response = RedirectResponse(started.url, 302)
    response.set_cookie(
        pending.COOKIE,
        started.cookie,
        httponly=True,
        samesite="lax",
        secure=platform.settings.url.startswith("https:"),
        path=pending.PATH,
        max_age=int(pending.LIFETIME.total_seconds()),
    )
    return response


@routes.machine(
    "GET",
    "/v1/auth/oidc/{provider}/callback",
    key=PUBLIC,
    why_public="the provider's code is the credential",
    status_code=303,
    response_class=RedirectResponse,
    answers=CALLBACK_ERRORS,
    lands=LOGIN_PAGE,
)
async def finish_sign_in(
    provider: Slug,
    request: Request,
    platform: PlatformDep,
    code: Annotated[str | None, Query(max_length=8000)] = None,
    state: Annotated[str | None, Query(max_length=200)] = None,
    error: Annotated[str | None, Query(max_length=200)] = None,
    iss: Annotated[str | None, Query(max_length=500)] = None,
) -> RedirectResponse:
    """Where a provider sends the browser back to. Sets the session cookie."""
    finished = await signin.finish(
        platform,
        provider,
        rules.Answer(code=code, state=state, error=error, issuer=iss),
        signin.Browser(
            cookie=request.cookies.get(pending.COOKIE, ""),
            user_agent=request.headers.get("user-agent", ""),
            trace=request.state.trace,
        ),
    )
    response = RedirectResponse(finished.return_to, 303)
    response.delete_cookie(pending.COOKIE, path=pending.PATH)
    session_cookie.put(response, finished.opened.token, platform.settings)
    return response


@routes.mutation(
    "POST",
    "/v1/oidc-providers",
    key=Permission.IAM_OIDC_PROVIDER_CREATE,
    status_code=201,
    response_model=OidcProviderRead,
    answers=(rules.SlugTaken, rules.TooManyProviders, rules.IssuerNotAllowed),
)
async def create_oidc_provider(
    new: OidcProviderCreate, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Add a sign-in provider. Register the callback address of the answer there."""
    provider = await commands.create_provider(ctx, new)
    etag.put(response, provider.version)
    return _shown(ctx, provider)


@routes.read(
    "/v1/oidc-providers",
    key=Permission.IAM_OIDC_PROVIDER_READ,
    response_model=PageRead[OidcProviderRead],
)
async def list_oidc_providers(ctx: Ctx, page: Paging) -> Page[dict[str, Any]]:
    """All sign-in providers. Platform admins only."""
    found = await commands.list_providers(ctx, page)
    return Page([_shown(ctx, provider) for provider in found.items], found.next)


@routes.read(
    "/v1/oidc-providers/{provider}",
    key=Permission.IAM_OIDC_PROVIDER_READ,
    response_model=OidcProviderRead,
    answers=(NotFound,),
)
async def get_oidc_provider(
    provider: OidcProviderId, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """One sign-in provider. Platform admins only."""
    found = await commands.get_provider(ctx, provider)
    etag.put(response, found.version)
    return _shown(ctx, found)


@routes.mutation(
    "PATCH",
    "/v1/oidc-providers/{provider}",
    key=Permission.IAM_OIDC_PROVIDER_UPDATE,
    response_model=OidcProviderRead,
    answers=(NotFound, *etag.ERRORS),
)
async def update_oidc_provider(
    provider: OidcProviderId,
    change: OidcProviderUpdate,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> dict[str, Any]:
    """Rename a sign-in provider, switch it on or off, give it another client or other domains."""
    changed = await commands.update_provider(ctx, provider, change, expected=expected)
    etag.put(response, changed.version)
    return _shown(ctx, changed)


@routes.mutation(
    "DELETE",
    "/v1/oidc-providers/{provider}",
    key=Permission.IAM_OIDC_PROVIDER_DELETE,
    status_code=204,
    answers=(NotFound, etag.Stale),
)
async def delete_oidc_provider(
    provider: OidcProviderId, expected: OptionalVersion, ctx: Ctx
) -> None:
    """Remove a sign-in provider. Accounts and open sessions stay."""
    await commands.delete_provider(ctx, provider, expected=expected)


@routes.mutation(
    "PUT",
    "/v1/oidc-providers/{provider}/identities/{user}",
    key=Permission.IAM_OIDC_PROVIDER_UPDATE,
    status_code=204,
    answers=(NotFound, rules.LinkedToAnother, people.ReasonRequired),
)
async def link_oidc_identity(
    provider: OidcProviderId, user: UserId, new: OidcIdentityLink, ctx: Ctx
) -> None:
    """Let an identity of the provider open an account. Replaces the one that did before.

    For an account in use give a reason: the person's orgs see it.
    """
    await commands.link_user(ctx, provider, user, subject=new.subject, reason=new.reason)


@routes.mutation(
    "DELETE",
    "/v1/oidc-providers/{provider}/identities/{user}",
    key=Permission.IAM_OIDC_PROVIDER_UPDATE,
    status_code=204,
    answers=(NotFound,),
)
async def unlink_oidc_identity(provider: OidcProviderId, user: UserId, ctx: Ctx) -> None:
    """Forget which identity of the provider opens an account."""
    await commands.unlink_user(ctx, provider, user)


def _shown(ctx: Context, provider: Provider) -> dict[str, Any]:
    callback = rules.callback_url(ctx.platform.settings.url, provider.slug)
    return {**provider.__dict__, "callback_url": callback}
