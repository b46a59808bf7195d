"""The two halves of a sign-in, with a stranger's login page between them.

Each talks to the network with no transaction open. What the first half needs to remember travels
in the browser, sealed (`pending`); what the second one learns is worth something only after
`id_tokens` has checked it.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import structlog

from moorage_core import unit
from moorage_core.audit import commands as audit
from moorage_core.authz.principals import Kind, Principal
from moorage_core.context import Trace
from moorage_core.errors import ApiError, Forbidden, not_found
from moorage_core.events import registry
from moorage_core.kit.db import Scope, org_scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.oidc import authorization, commands, id_tokens, pending, rules, store
from moorage_core.oidc.issuers import Redemption
from moorage_core.oidc.metadata import Metadata
from moorage_core.oidc.models import LinkedUser, LoginProvider
from moorage_core.oidc.rules import Answer, Profile
from moorage_core.people import signin
from moorage_core.platform import Platform
from moorage_core.secrets import commands as custody

CALLBACK_ROUTE = "GET /v1/auth/oidc/{provider}/callback"

log = structlog.get_logger()


@dataclass(frozen=True)
class Started:
    """Where to send the browser, and what it is to bring back."""

    url: str
    cookie: str


@dataclass(frozen=True)
class Finished:
    opened: signin.Opened
    return_to: str


@dataclass(frozen=True)
class Browser:
    """Who comes back from the provider."""

    cookie: str
    user_agent: str
    trace: Trace


@dataclass(frozen=True)
class _Identity:
    """Somebody whom a provider has vouched for."""

    subject: str
    profile: Profile


async def start(platform: Platform, slug: str, *, return_to: str) -> Started:
    """Begin a sign-in at a provider."""
    provider = await _provider(platform, slug)
    with _logging_refusals(provider):
        metadata = await platform.issuers.metadata(provider.issuer)
    login = pending.begin(provider.id, return_to=return_to, now=platform.clock.now())
    url = authorization.url(
        metadata.authorization_endpoint,
        client_id=provider.client_id,
        callback=rules.callback_url(platform.settings.url, slug),
        login=login,
    )
    return Started(url, pending.seal(login, platform.keyring))


async def finish(platform: Platform, slug: str, answer: Answer, browser: Browser) -> Finished:
    """Turn the provider's answer into a session."""
    provider = await _provider(platform, slug)
    with _logging_refusals(provider):
        login = pending.unseal(browser.cookie, platform.keyring, now=platform.clock.now())
        if login is None or login.provider_id != provider.id:
            raise rules.not_pending()
        rules.check_state(login.state, answer)
        metadata = await platform.issuers.metadata(provider.issuer)
        code = rules.check_answer(
            answer,
            issuer=provider.issuer,
            names_itself=metadata.names_itself,
            name=provider.name,
        )
        identity = await _identify(platform, provider, metadata, login, code=code)
        opened = await _open_session(platform, provider, identity, browser)
    return Finished(opened, login.return_to)


async def _identify(
    platform: Platform,
    provider: LoginProvider,
    metadata: Metadata,
    login: pending.PendingLogin,
    *,
    code: str,
) -> _Identity:
    issuers = platform.issuers
    redemption = Redemption(
        name=provider.name,
        client_id=provider.client_id,
        client_secret=await _client_secret(platform, provider),
        code=code,
        verifier=login.verifier,
        callback=rules.callback_url(platform.settings.url, provider.slug),
    )
    tokens = await issuers.redeem(metadata, redemption)
    expected = id_tokens.Expected(
        issuer=provider.issuer,
        client_id=provider.client_id,
        nonce=login.nonce,
        access_token=tokens.access_token,
        now=platform.clock.now(),
    )
    claims = await issuers.read_id_token(tokens.id_token, metadata, expected)
    subject: str = claims["sub"]
    profile = rules.read_profile(claims)
    if profile.email is None and await _find_user(platform, provider, subject) is None:
        # Nobody we know, so the address matters; many providers tell it at this place only.
        more = await issuers.read_userinfo(metadata, tokens, subject=subject)
        profile = rules.read_profile({"name": claims.get("name"), **more})
    return _Identity(subject, profile)


async def _open_session(
    platform: Platform, provider: LoginProvider, identity: _Identity, browser: Browser
) -> signin.Opened:
    try:
        async with unit.work(platform, PLATFORM_ORG, trace=browser.trace) as ctx:
            return await commands.sign_in(
                ctx,
                provider,
                subject=identity.subject,
                profile=identity.profile,
                user_agent=browser.user_agent,
            )
    except rules.AccountDisabled as refusal:
        await _count_refusal(platform, refusal.user, browser.trace)
        raise


async def _provider(platform: Platform, slug: str) -> LoginProvider:
    async with platform.database.transaction(Scope(), read_only=True) as db:
        provider = await store.find_login_provider(db, slug)
    if provider is None:
        raise not_found("sign-in provider", slug)
    return provider


async def _client_secret(platform: Platform, provider: LoginProvider) -> str:
    async with platform.database.transaction(org_scope(PLATFORM_ORG), read_only=True) as db:
        sealed = await custody.find(db, provider.secret_id, org=PLATFORM_ORG)
    return (await custody.reveal(platform, sealed)).decode()


async def _find_user(
    platform: Platform, provider: LoginProvider, subject: str
) -> LinkedUser | None:
    async with platform.database.transaction(Scope(), read_only=True) as db:
        return await store.find_user(db, provider=provider.id, subject=subject)


async def _count_refusal(platform: Platform, user: LinkedUser, trace: Trace) -> None:
    who = Principal(Kind.USER, user.id, user.name)
    refusal = Forbidden("sign-in", org=PLATFORM_ORG)
    key = registry.SESSION_STARTED.type
    await audit.record_denial(platform, who, CALLBACK_ROUTE, key, refusal, trace)


@contextmanager
def _logging_refusals(provider: LoginProvider) -> Generator[None]:
    try:
        yield
    except ApiError as refusal:
        cause = refusal.__cause__
        log.warning(
            "oidc.sign_in_refused",
            provider=provider.slug,
            code=refusal.code,
            detail=refusal.detail,
            cause=f"{type(cause).__name__}: {cause}" if cause else None,
        )
        raise
