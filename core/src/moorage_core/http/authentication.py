"""From a request to a principal.

By a session cookie, a personal access token, a service account's token, a node's token, or the
token of a live operation or watch.
"""

import hmac
import math

from starlette.requests import Request

from moorage_core.authz.principals import Principal
from moorage_core.controllers import watches
from moorage_core.errors import Forbidden, TooMany, Unauthenticated
from moorage_core.kit import addresses, tokens
from moorage_core.kit.ratelimit import Buckets
from moorage_core.nodes import commands as nodes
from moorage_core.operations import commands as operations
from moorage_core.people import commands as people
from moorage_core.people import rules as people_rules
from moorage_core.platform import Platform
from moorage_core.service_accounts import commands as service_accounts

SESSION_COOKIE = "moorage_session"
CSRF_HEADER = "x-csrf-token"
GRANTS = (tokens.OPERATION_GRANT, tokens.WATCH_GRANT)
MARKED = (tokens.NODE, *GRANTS)


class CsrfMissing(Forbidden):
    """A change made with a cookie needs the session's CSRF token."""

    code = "csrf_token_required"


async def authenticate(platform: Platform, request: Request) -> Principal:
    """The caller, or Unauthenticated. Says nothing about why a credential was not taken."""
    credential = _credential(request)
    if credential is None:
        limit_address(platform, request)
        raise Unauthenticated(
            "Send a bearer token in the Authorization header, or sign in.",
            headers={"WWW-Authenticate": "Bearer"},
        )
    if credential.startswith(GRANTS):
        # An operation or a watch may end at any moment, and what it opened with it.
        return await _look_up(platform, request, credential)
    digest = tokens.digest(credential)
    principal = platform.principals.find(digest)
    if principal is None:
        principal = await platform.principals.look_up(
            digest, lambda: _look_up(platform, request, credential)
        )
    return principal


async def _look_up(platform: Platform, request: Request, credential: str) -> Principal:
    # Before the database is asked: whoever guesses credentials does not get to keep it busy.
    guesses, guesser = _guesser(platform, request, credential)
    _limit(guesses.wait(guesser))
    if credential.startswith(tokens.SESSION):
        principal = await people.find_session_principal(platform, credential)
    elif credential.startswith(tokens.ACCESS_TOKEN):
        principal = await people.find_access_token_principal(platform, credential)
    elif credential.startswith(tokens.NODE):
        principal = await nodes.find_token_principal(platform, credential)
    elif credential.startswith(tokens.OPERATION_GRANT):
        principal = await operations.find_grant_principal(platform, credential)
    elif credential.startswith(tokens.WATCH_GRANT):
        principal = await watches.find_principal(platform, credential)
    else:
        principal = await service_accounts.find_token_principal(platform, credential)
    if principal is None:
        _limit(guesses.take(guesser))
        raise Unauthenticated(
            "The credential is not valid: expired, revoked, or never issued. Sign in again.",
            headers={"WWW-Authenticate": 'Bearer error="invalid_token"'},
        )
    return principal


def _guesser(platform: Platform, request: Request, credential: str) -> tuple[Buckets, str]:
    """Whose failures count against this look-up.

    Nobody makes up a token that carries our mark: many hosts call from one address, and what a
    neighbour there sends must not keep them from calling.
    """
    if credential.startswith(MARKED) and tokens.is_marked(credential, platform.node_key):
        return platform.by_claim, tokens.digest(credential).hex()
    return platform.by_address, address_of(platform, request)


def _credential(request: Request) -> str | None:
    return _bearer(request) or _cookie(request)


def _bearer(request: Request) -> str | None:
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() or None if scheme.lower() == "bearer" else None


def _cookie(request: Request) -> str | None:
    cookie = request.cookies.get(SESSION_COOKIE, "")
    return cookie if cookie.startswith(tokens.SESSION) else None


def check_csrf(principal: Principal, request: Request) -> None:
    """A browser attaches the cookie by itself; only our own pages can read the token."""
    if not principal.cookie or _bearer(request) is not None:
        return
    expected = people_rules.csrf_token(request.cookies.get(SESSION_COOKIE, ""))
    given = request.headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(expected.encode(), given.encode("utf-8", "surrogateescape")):
        raise CsrfMissing(
            f"Send the session's token in the header {CSRF_HEADER}; GET /v1/me gives it."
        )


def limit_principal(platform: Platform, principal: Principal) -> None:
    _limit(platform.by_principal.take(principal.id))


def limit_address(platform: Platform, request: Request) -> None:
    _limit(platform.by_address.take(address_of(platform, request)))


def limit_claim(platform: Platform, claim: str) -> None:
    _limit(platform.by_claim.take(claim))


def check_guesses(platform: Platform, guesser: str) -> None:
    """Refuse somebody who guessed wrong too often; the right ones cost nothing."""
    _limit(platform.by_guess.wait(guesser))


def note_guess(platform: Platform, guesser: str) -> None:
    platform.by_guess.take(guesser)


def limit_guesses(platform: Platform, account: str, request: Request | None = None) -> None:
    """Passwords are worth guessing and cost much to check: few tries, by account and by address."""
    wait = platform.by_guess.take(account.lower())
    if request is not None:
        wait = max(wait, platform.by_guess.take(address_of(platform, request)))
    _limit(wait)


def address_of(platform: Platform, request: Request) -> str:
    """Where a request comes from, as far as the proxies in between can be believed."""
    peer = request.client.host if request.client else ""
    forwarded = ",".join(request.headers.getlist("x-forwarded-for"))
    return addresses.caller(peer, forwarded, platform.settings.server.trusted_proxies)


def _limit(wait: float) -> None:
    if wait:
        raise TooMany(
            "You are sending requests faster than the limit. Wait as Retry-After says.",
            headers={"Retry-After": str(math.ceil(wait))},
        )
