"""Sign-in providers."""

from collections.abc import Sequence

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import (
    OidcIdentityLink,
    OidcProviderCreate,
    OidcProviderRead,
    OidcProviderUpdate,
    UserRead,
)

Provider = OidcProviderRead | str


class OidcProviders(Group):
    """OpenID Connect providers that people sign in with. For platform admins."""

    @listing(operations.LIST_OIDC_PROVIDERS, OidcProviderRead)
    def list(self, *, page_size: int | None = None) -> Arguments:
        """All sign-in providers."""
        return Arguments(query={"limit": page_size})

    @call(operations.CREATE_OIDC_PROVIDER, OidcProviderRead)
    def create(
        self,
        *,
        slug: str,
        name: str,
        issuer: str,
        client_id: str,
        client_secret: str,
        domains: Sequence[str],
        enabled: bool = True,
    ) -> Arguments:
        """Add a sign-in provider. Register the `callback_url` of the answer there.

        `domains` are the e-mail domains that it speaks for.
        """
        body = OidcProviderCreate(
            slug=slug,
            name=name,
            issuer=issuer,
            client_id=client_id,
            client_secret=client_secret,
            domains=[*domains],
            enabled=enabled,
        )
        return Arguments(body=body)

    @call(operations.GET_OIDC_PROVIDER, OidcProviderRead)
    def get(self, provider: Provider) -> Arguments:
        """One sign-in provider."""
        return Arguments(path={"provider": id_of(provider)})

    @call(operations.UPDATE_OIDC_PROVIDER, OidcProviderRead)
    def update(
        self,
        provider: Provider,
        *,
        name: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        domains: Sequence[str] | None = None,
        enabled: bool | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Rename a provider, switch it on or off, give it another client or other domains."""
        body = OidcProviderUpdate(
            name=name,
            client_id=client_id,
            client_secret=client_secret,
            domains=None if domains is None else [*domains],
            enabled=enabled,
        )
        return Arguments(
            path={"provider": id_of(provider)}, body=body, version=version_of(provider, version)
        )

    @call(operations.DELETE_OIDC_PROVIDER, None)
    def delete(self, provider: Provider, *, version: int | None = None) -> Arguments:
        """Remove a provider. Accounts and open sessions stay."""
        return Arguments(path={"provider": id_of(provider)}, version=version_of(provider, version))

    @call(operations.LINK_OIDC_IDENTITY, None)
    def link(
        self,
        provider: Provider,
        user: UserRead | str,
        *,
        subject: str,
        reason: str | None = None,
    ) -> Arguments:
        """Let an identity open an account. Replaces the one that did before.

        For an account in use give a reason: the person's orgs see it.
        """
        return Arguments(
            path={"provider": id_of(provider), "user": id_of(user)},
            body=OidcIdentityLink(subject=subject, reason=reason),
        )

    @call(operations.UNLINK_OIDC_IDENTITY, None)
    def unlink(self, provider: Provider, user: UserRead | str) -> Arguments:
        """Forget which identity opens an account."""
        return Arguments(path={"provider": id_of(provider), "user": id_of(user)})
