"""What a provider's answer must say, and whose account it opens. Pure.

A provider is trusted for one thing: who somebody is there. Its subject is that identity for good.
The e-mail address is looked at once, to find or make the account, and counts only if the provider
vouches for it and may speak for its domain. An account that somebody uses already is not given
away for an address at all.
"""

import hmac
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from moorage_core.errors import ApiError, Busy, Conflict, Malformed, Unauthenticated
from moorage_core.kit.wire import Email
from moorage_core.oidc.models import LinkedUser, LoginProvider, Standing

MAX_PROVIDERS = 50
ALL_DOMAINS = "*"
LOCAL_PATH = r"^/([^/\\\x00-\x1f\x7f][^\\\x00-\x1f\x7f]*)?$"
"""A path of this site. `//host` and `/\\host` lead elsewhere; browsers drop control characters."""
_EMAIL = TypeAdapter[str](Email)
_ERROR = re.compile(r"[a-z_]{1,64}")


class SlugTaken(Conflict):
    """Another one already has this slug."""

    code = "slug_taken"


class TooManyProviders(Conflict):
    """The login page has no room for another provider."""

    code = "too_many_providers"


class IssuerNotAllowed(Malformed):
    """A sign-in provider cannot live there."""

    code = "issuer_not_allowed"


class LoginNotPending(Unauthenticated):
    """This browser has no such sign-in under way."""

    code = "login_not_pending"


class ProviderRefused(Unauthenticated):
    """The sign-in provider let nobody in."""

    code = "provider_refused"


class IdTokenRefused(Unauthenticated):
    """What the sign-in provider says about you does not prove who you are."""

    code = "id_token_refused"


class NoVerifiedEmail(ApiError):
    """The sign-in provider vouches for no e-mail address of yours."""

    status = 403
    code = "no_verified_email"


class DomainNotAllowed(ApiError):
    """The sign-in provider does not speak for addresses like yours."""

    status = 403
    code = "domain_not_allowed"


class LinkNeedsAdmin(Conflict):
    """The account is somebody's already; an address alone does not open it."""

    code = "link_needs_admin"


class AccountDisabled(ApiError):
    """The account is disabled."""

    status = 403
    code = "account_disabled"

    def __init__(self, user: LinkedUser) -> None:
        super().__init__("This account is disabled. A platform admin can enable it.")
        self.user = user


class LinkedToAnother(Conflict):
    """The account belongs to another identity of this sign-in provider."""

    code = "linked_to_another"


class ProviderUnreachable(Busy):
    """The sign-in provider does not answer."""

    code = "provider_unreachable"


class ProviderMisconfigured(ApiError):
    """The sign-in provider and this platform do not fit together."""

    status = 502
    code = "provider_misconfigured"


def check_room(have: int) -> None:
    if have >= MAX_PROVIDERS:
        raise TooManyProviders(f"There are {have} sign-in providers, the most there can be.")


def callback_url(base: str, slug: str) -> str:
    return f"{base.rstrip('/')}/v1/auth/oidc/{slug}/callback"


# What comes back


@dataclass(frozen=True)
class Answer:
    """The query with which the provider sends the browser back."""

    code: str | None
    state: str | None
    error: str | None
    issuer: str | None


def check_state(expected: str, answer: Answer) -> None:
    """Refuse an answer to a question that this browser did not ask."""
    if not hmac.compare_digest(expected.encode(), (answer.state or "").encode("utf-8", "replace")):
        raise not_pending()


def check_answer(answer: Answer, *, issuer: str, names_itself: bool, name: str) -> str:
    """The code to redeem; refuses an answer of another provider, or one that says no."""
    if (names_itself or answer.issuer is not None) and answer.issuer != issuer:
        raise IdTokenRefused(
            f"The answer names {printable(answer.issuer)} as its issuer instead of {issuer}. "
            "Start the sign-in again."
        )
    if answer.error is not None or not answer.code:
        raise refused(name, answer.error)
    return answer.code


def not_pending() -> LoginNotPending:
    return LoginNotPending(
        "This sign-in was not started in this browser, was finished already, or took more than "
        "ten minutes. Start it again."
    )


_ADVICE = {
    "access_denied": "You, or a rule of the provider, said no.",
    "invalid_grant": "The code was used already or has expired. Start the sign-in again.",
    "login_required": "Sign in at the provider first.",
    "temporarily_unavailable": "Try again shortly.",
}


def refused(name: str, error: object) -> ApiError:
    """What an error code of the protocol means. Its free text is not repeated."""
    code = error if isinstance(error, str) and _ERROR.fullmatch(error) else "no reason"
    if code in _ADVICE:
        return ProviderRefused(f"{name} answered {code}. {_ADVICE[code]}")
    return ProviderMisconfigured(
        f"{name} answered {code}. A platform admin can compare client id, client secret and "
        "callback address with what is registered there."
    )


# Who it is


@dataclass(frozen=True)
class Profile:
    """What a provider says of somebody beyond their subject."""

    email: str | None = None
    verified: bool = False
    name: str | None = None


def read_profile(claims: Mapping[str, Any]) -> Profile:
    email, name = claims.get("email"), claims.get("name")
    verified = claims.get("email_verified")
    return Profile(
        email=email if isinstance(email, str) and email else None,
        # Some providers write the word instead of the value.
        verified=verified is True or verified == "true",
        name=(_cleaned(name) or None) if isinstance(name, str) else None,
    )


def check_email(profile: Profile, *, provider: str) -> str:
    """The address to find or make an account by; refuses one that anybody could have typed in."""
    if profile.email is None:
        raise NoVerifiedEmail(
            f"{provider} names no e-mail address. It has to release the claims email and "
            "email_verified to this platform."
        )
    if not profile.verified:
        raise NoVerifiedEmail(
            f"{provider} has not verified your e-mail address. Verify it there, then sign in again."
        )
    try:
        return _EMAIL.validate_python(profile.email)
    except ValidationError as err:
        detail = f"{provider} names an e-mail address that this platform cannot use."
        raise NoVerifiedEmail(detail) from err


def check_domain(email: str, provider: LoginProvider) -> None:
    """Refuse an address that the provider does not speak for."""
    domain = email.rpartition("@")[2].lower()
    if not {domain, ALL_DOMAINS} & set(provider.domains):
        raise DomainNotAllowed(
            f"{provider.name} does not speak for addresses at {domain} on this platform. A "
            "platform admin can add the domain to the provider, or link your account to it."
        )


def check_standing(standing: Standing, email: str, provider: LoginProvider, subject: str) -> None:
    """Refuse to open for an address what a password, a role or another provider guards."""
    if standing.has_password or standing.runs_platform or standing.linked_elsewhere:
        raise LinkNeedsAdmin(
            f"The account of {email} has a password, another sign-in provider or a role on the "
            f"platform, so the address alone does not open it. Sign in as before, or ask a "
            f"platform admin to link the account to the identity {subject} of {provider.name}."
        )


def printable(value: object) -> str:
    """Something that a stranger said, fit to be repeated in a sentence."""
    return _cleaned(value) if isinstance(value, str) and value else "nothing"


def _cleaned(text: str) -> str:
    """As a name may be: no control character, no half of a character, 100 letters at most."""
    kept = "".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in text)
    return " ".join(kept.split())[:100].strip()
