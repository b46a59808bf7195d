"""`moor sources`."""

from typing import Annotated, Literal

import typer

from moorage.models import SourceCredential
from moorage_cli import consent, names, shown_once
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.names import InOrg, OrgName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.shown_once import PasswordStdin
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Sources: registries and web servers that artifacts come from.")

Source = Annotated[
    str, typer.Argument(metavar="SOURCE", help="What policy calls it, as ORG/SLUG, or the id.")
]
TokenUrl = Annotated[
    str | None,
    typer.Option(help="Where a registry's tokens come from, if not from its own host."),
]
UserName = Annotated[str | None, typer.Option(help="Who we are there. Its password is asked for.")]
TokenStdin = Annotated[
    bool, typer.Option("--token-stdin", help="Read a token, instead, from standard input.")
]


@verb(app, "list")
async def list_sources(at: Session, org: InOrg = None, limit: Limit = None) -> Rows:
    """Sources of your orgs, or those that one org can use; with those that all share."""
    where = None if org is None else await names.org_id(at.client, org)
    columns = ("id", "policy_name", "kind", "url", "has_credential", "enabled")
    return Rows(at.client.sources.list(org=where), columns, limit)


@verb(app, "create")
async def create_source(
    at: Session,
    org: OrgName,
    slug: Annotated[str, typer.Argument(help="What policy calls it.")],
    name: Annotated[str, typer.Option(help="What people read.")],
    kind: Annotated[
        Literal["oci", "https"], typer.Option(help="A registry, or files below a URL.")
    ],
    url: Annotated[str, typer.Option(help="Where it is: https.")],
    token_url: TokenUrl = None,
    username: UserName = None,
    password_stdin: PasswordStdin = False,
    token_stdin: TokenStdin = False,
    disabled: Annotated[bool, typer.Option("--disabled", help="Not to be used yet.")] = False,
) -> Record:
    """Let artifacts come from a registry or a web server.

    A source of the platform's own org is shared with all.
    """
    where = await names.org_id(at.client, org)
    created = at.client.sources.create(
        where,
        slug=slug,
        name=name,
        kind=kind,
        url=url,
        token_url=token_url,
        credential=_credential(username, password_stdin, token_stdin),
        enabled=not disabled,
    )
    return Record(await created)


@verb(app, "get")
async def get_source(at: Session, source: Source) -> Record:
    """One source, without its credential."""
    return Record(await names.get_source(at.client, source))


@verb(app, "update")
async def update_source(
    at: Session,
    source: Source,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    url: Annotated[str | None, typer.Option(help="Another address.")] = None,
    token_url: TokenUrl = None,
    username: UserName = None,
    password_stdin: PasswordStdin = False,
    token_stdin: TokenStdin = False,
    clear_credential: Annotated[
        bool, typer.Option("--clear-credential", help="Take its credential away.")
    ] = False,
    clear_token_url: Annotated[
        bool, typer.Option("--clear-token-url", help="Tokens come from its own host alone.")
    ] = False,
    enabled: Annotated[
        bool | None, typer.Option("--enable/--disable", help="Let it be used, or not.")
    ] = None,
) -> Record:
    """Rename or move a source, give it another credential or none, switch it on or off.

    A source that moves needs its credential again.
    """
    credential = _credential(username, password_stdin, token_stdin)
    clear: list[Literal["credential", "token_url"]] = []
    if clear_credential:
        clear.append("credential")
    if clear_token_url:
        clear.append("token_url")
    if not (name or url or token_url or credential or clear) and enabled is None:
        raise Refused(
            "Say what should change: --name, --url, --token-url, a credential, --clear-credential,"
            " --clear-token-url, --enable, --disable."
        )
    found = await names.get_source(at.client, source)
    changed = at.client.sources.update(
        found,
        name=name,
        url=url,
        token_url=token_url,
        credential=credential,
        clear=clear or None,
        enabled=enabled,
    )
    return Record(await changed)


@verb(app, "delete")
async def delete_source(at: Session, source: Source, yes: Yes = False) -> Done:
    """Remove a source that no artifact comes from, with its credential."""
    found = await names.get_source(at.client, source)
    consent.ask(f"Remove the source {found.policy_name} ({found.url})?", yes=yes)
    await at.client.sources.delete(found)
    said = f"The source {found.policy_name} is removed."
    return Done(said, {"id": found.id, "deleted": True})


def _credential(
    username: str | None, password_stdin: bool, token_stdin: bool
) -> SourceCredential | None:
    """A secret comes from standard input or unseen from the terminal; never as an argument."""
    if token_stdin:
        if username is not None or password_stdin:
            raise Refused("A credential is a user name with its password, or a token alone.")
        return SourceCredential(
            token=shown_once.read_line("Token", from_stdin=True, flag="--token-stdin")
        )
    if username is None:
        if password_stdin:
            raise Refused("A password needs its --username.")
        return None
    password = shown_once.read_line("Password", from_stdin=password_stdin, flag="--password-stdin")
    return SourceCredential(username=username, password=password)
