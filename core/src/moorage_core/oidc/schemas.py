"""Wire shapes of sign-in providers."""

from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints

from moorage_core.kit.ids import OidcProviderId
from moorage_core.kit.wire import Input, Moment, Name, Output, Reason, Slug

_LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"

Issuer = Annotated[
    str,
    StringConstraints(max_length=500, pattern=r"^https?://[!-~]+$"),
    Field(description="Exactly as the provider writes it, a slash at the end included."),
]
ClientId = Annotated[str, StringConstraints(max_length=255, pattern=r"^[!-~]+$")]
ClientSecret = Annotated[
    SecretStr,
    Field(min_length=1, max_length=1000, description="Kept sealed, and never shown again."),
]
Domain = Annotated[str, StringConstraints(max_length=200, pattern=rf"^(\*|{_LABEL}(\.{_LABEL})*)$")]
Domains = Annotated[
    list[Domain],
    Field(
        min_length=1,
        max_length=100,
        description="E-mail domains that it speaks for, without those below them; `*` for all.",
    ),
]


class OidcProviderCreate(Input):
    slug: Slug
    """Part of the callback address; cannot be changed."""
    name: Name
    """What the login page shows."""
    issuer: Issuer
    client_id: ClientId
    client_secret: ClientSecret
    domains: Domains
    enabled: bool = True


class OidcProviderUpdate(Input):
    """What is left out stays as it is. The issuer stays: subjects mean something to it alone."""

    name: Name | None = None
    client_id: ClientId | None = None
    client_secret: ClientSecret | None = None
    domains: Domains | None = None
    enabled: bool | None = None


class OidcIdentityLink(Input):
    subject: Annotated[str, StringConstraints(pattern=r"^[ -~]{1,255}$")]
    """Who it is at the provider: the claim `sub`."""
    reason: Reason | None = None
    """Needed where the person has used the account and has roles in orgs, which are told then."""


class OidcProviderRead(Output):
    id: OidcProviderId
    slug: str
    name: str
    issuer: str
    client_id: str
    domains: list[str]
    enabled: bool
    callback_url: str
    """The redirect URI to register at the provider."""
    version: int
    created_at: Moment
    updated_at: Moment


class SignInChoice(Output):
    """One button of the login page."""

    slug: str
    name: str


class SignInChoices(Output):
    items: list[SignInChoice]
