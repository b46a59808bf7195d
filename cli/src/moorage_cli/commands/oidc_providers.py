"""`moor oidc-providers`."""

from typing import Annotated

import typer

from moorage_cli import consent, names, shown_once
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("OIDC providers: where people can sign in. For platform admins.")

Provider = Annotated[str, typer.Argument(metavar="PROVIDER", help="The provider's slug or id.")]
SecretStdin = Annotated[
    bool, typer.Option("--client-secret-stdin", help="Read the secret from standard input.")
]
User = Annotated[str, typer.Argument(metavar="USER", help="The e-mail or id.")]


@verb(app, "list")
async def list_providers(at: Session, limit: Limit = None) -> Rows:
    """All sign-in providers."""
    columns = ("id", "slug", "name", "issuer", "client_id", "domains", "enabled")
    return Rows(at.client.oidc_providers.list(), columns, limit)


@verb(app, "create")
async def create_provider(
    at: Session,
    slug: Annotated[str, typer.Argument(help="Part of the callback address.")],
    name: Annotated[str, typer.Option(help="What the login page shows.")],
    issuer: Annotated[str, typer.Option(help="The provider's address, exactly as it writes it.")],
    client_id: Annotated[str, typer.Option(help="What we are called there.")],
    domain: Annotated[
        list[str],
        typer.Option(help="An e-mail domain that it speaks for; may be given again. * for all."),
    ],
    client_secret_stdin: SecretStdin = False,
) -> Record:
    """Add a provider. Register the callback address of the answer there."""
    created = at.client.oidc_providers.create(
        slug=slug,
        name=name,
        issuer=issuer,
        client_id=client_id,
        client_secret=_secret(client_secret_stdin),
        domains=domain,
    )
    return Record(await created)


@verb(app, "get")
async def get_provider(at: Session, provider: Provider) -> Record:
    """One provider."""
    return Record(await names.get_oidc_provider(at.client, provider))


@verb(app, "update")
async def update_provider(
    at: Session,
    provider: Provider,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    client_id: Annotated[str | None, typer.Option(help="Another client.")] = None,
    client_secret_stdin: SecretStdin = False,
    domain: Annotated[
        list[str] | None, typer.Option(help="The domains from now on; may be given again.")
    ] = None,
    enabled: Annotated[
        bool | None, typer.Option("--enable/--disable", help="Show on the login page, or not.")
    ] = None,
) -> Record:
    """Rename a provider, switch it on or off, give it another client or other domains."""
    if not (name or client_id or domain or client_secret_stdin) and enabled is None:
        raise Refused(
            "Say what should change: --name, --client-id, --domain, a secret, --enable, --disable."
        )
    found = await names.get_oidc_provider(at.client, provider)
    changed = at.client.oidc_providers.update(
        found,
        name=name,
        client_id=client_id,
        client_secret=_secret(client_secret_stdin) if client_secret_stdin else None,
        domains=domain or None,
        enabled=enabled,
    )
    return Record(await changed)


@verb(app, "delete")
async def delete_provider(at: Session, provider: Provider, yes: Yes = False) -> Done:
    """Remove a provider. Accounts and open sessions stay."""
    found = await names.get_oidc_provider(at.client, provider)
    consent.ask(f"Remove the provider {found.slug} ({found.name})?", yes=yes)
    await at.client.oidc_providers.delete(found)
    return Done(f"The provider {found.slug} is removed.", {"id": found.id, "deleted": True})


@verb(app, "link")
async def link_identity(
    at: Session,
    provider: Provider,
    user: User,
    subject: Annotated[str, typer.Option(help="Who it is at the provider: the claim `sub`.")],
    reason: Annotated[
        str | None,
        typer.Option(
            help="Why, in at least 8 characters. For an account in use; the person's orgs see it."
        ),
    ] = None,
) -> Done:
    """Let an identity open an account. Replaces the one that did before."""
    found = await names.get_oidc_provider(at.client, provider)
    person = await names.get_user(at.client, user)
    await at.client.oidc_providers.link(found, person, subject=subject, reason=reason)
    said = f"{person.email} is {subject} at {found.slug} now."
    return Done(said, {"id": person.id, "linked": True})


@verb(app, "unlink")
async def unlink_identity(at: Session, provider: Provider, user: User) -> Done:
    """Forget which identity opens an account."""
    found = await names.get_oidc_provider(at.client, provider)
    person = await names.get_user(at.client, user)
    await at.client.oidc_providers.unlink(found, person)
    said = f"{person.email} has no identity at {found.slug} any more."
    return Done(said, {"id": person.id, "unlinked": True})


def _secret(from_stdin: bool) -> str:
    return shown_once.read_line(
        "Client secret", from_stdin=from_stdin, flag="--client-secret-stdin"
    )
