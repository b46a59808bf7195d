"""`moor entitlements`."""

from typing import Annotated, Literal

import typer

from moorage.models import DeclarationRead, EntitlementDetail, OfferRead, PermissionDiffRead
from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.failures import Missing, Refused
from moorage_cli.names import AppName, InProject, ProjectName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.terminal import plain
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Entitlements: which apps a project may use, and what was accepted with them.")

Name = Annotated[
    str,
    typer.Argument(
        metavar="ENTITLEMENT", help="The entitlement's id; with --project, the app's slug."
    ),
]
Channel = Annotated[
    Literal["dev", "staging", "prod"] | None,
    typer.Option(help="Use what the publisher promotes there."),
]
Versions = Annotated[
    str, typer.Option(help="Only versions that this allows: ^1.2, ~1.2.3, '>=1.4 <2', 1.2.x, *.")
]
Accepted = Annotated[
    str | None,
    typer.Option("--consent", metavar="DIGEST", help="The digest of what you read and accept."),
]


@verb(app, "offer")
async def get_offer(
    at: Session,
    project: ProjectName,
    app: AppName,
    channel: Channel = None,
    versions: Versions = "*",
) -> Done:
    """What a project would get with an app, and what its tenant would accept."""
    where = await names.project_id(at.client, project)
    found = await names.get_app(at.client, app)
    offer = await at.client.entitlements.offer(where, found, channel=channel, versions=versions)
    return Done(_offered(offer), offer.model_dump(mode="json"))


@verb(app, "list")
async def list_entitlements(
    at: Session,
    project: ProjectName,
    app: Annotated[str | None, typer.Option(help="Only the one for this app: slug or id.")] = None,
    limit: Limit = None,
) -> Rows:
    """The apps that a project is entitled to, and the keys of theirs that you hold."""
    where = await names.project_id(at.client, project)
    only = None if app is None else await names.get_app(at.client, app)
    entitlements = at.client.entitlements.list(where, app=only)
    columns = ("id", "app_slug", "channel", "versions", "enabled", "your_permissions")
    return Rows(entitlements, columns, limit)


@verb(app, "create")
async def create_entitlement(
    at: Session,
    project: ProjectName,
    app: AppName,
    channel: Channel = None,
    versions: Versions = "*",
    given: Accepted = None,
    yes: Yes = False,
) -> Record:
    """Entitle a project to an app, accepting what the app asks for.

    Shows what that is and asks, unless --consent names what you have read. With --yes it accepts
    whatever is asked for now.
    """
    where = await names.project_id(at.client, project)
    found = await names.get_app(at.client, app)
    if given is None:
        offer = await at.client.entitlements.offer(where, found, channel=channel, versions=versions)
        given = _agreed(_offered(offer), offer.consent, yes=yes)
    created = at.client.entitlements.create(
        where, app=found, channel=channel, versions=versions, consent=given
    )
    return Record(await created)


@verb(app, "get")
async def get_entitlement(at: Session, entitlement: Name, project: InProject = None) -> Record:
    """One entitlement: the version it uses, the one that waits for consent, the keys you hold."""
    return Record(await _get(at, entitlement, project))


@verb(app, "update")
async def update_entitlement(
    at: Session,
    entitlement: Name,
    project: InProject = None,
    channel: Annotated[
        Literal["dev", "staging", "prod", "none"] | None,
        typer.Option(help="Use what is promoted there; none: the newest published version."),
    ] = None,
    versions: Annotated[str | None, typer.Option(help="Only versions that this allows.")] = None,
    given: Accepted = None,
) -> Record:
    """Change which versions an entitlement follows.

    Where that leads to a version which asks for more, --consent is needed.
    """
    if channel is None and versions is None:
        raise Refused("Say what should change: --channel or --versions.")
    found = await _get(at, entitlement, project)
    changed = at.client.entitlements.update(
        found, channel=channel, versions=versions, consent=given
    )
    return Record(await changed)


@verb(app, "disable")
async def disable_entitlement(at: Session, entitlement: Name, project: InProject = None) -> Record:
    """Stop the use of an app. Its permission keys are nobody's at once; what runs goes on."""
    found = await _get(at, entitlement, project)
    return Record(await at.client.entitlements.update(found, enabled=False))


@verb(app, "enable")
async def enable_entitlement(at: Session, entitlement: Name, project: InProject = None) -> Record:
    """Let a project use an app again."""
    found = await _get(at, entitlement, project)
    return Record(await at.client.entitlements.update(found, enabled=True))


@verb(app, "delete")
async def delete_entitlement(
    at: Session, entitlement: Name, project: InProject = None, yes: Yes = False
) -> Done:
    """Take an entitlement away. The app's permission keys that it gave are gone at once."""
    found = await _get(at, entitlement, project)
    consent.ask(f"Take the app {found.app_slug} away from the project?", yes=yes)
    await at.client.entitlements.delete(found)
    return Done(
        f"The project is no longer entitled to {found.app_slug}.",
        {"id": found.id, "deleted": True},
    )


@verb(app, "diff")
async def show_diff(
    at: Session,
    entitlement: Name,
    project: InProject = None,
    version: Annotated[
        str | None, typer.Option(help="A version's number or id; else the one that is wanted.")
    ] = None,
) -> Done:
    """What a version asks for, against what was accepted."""
    found = await _get(at, entitlement, project)
    diff = await at.client.entitlements.diff(found, version=version)
    return Done(_compared(diff), diff.model_dump(mode="json"))


@verb(app, "consent")
async def give_consent(
    at: Session,
    entitlement: Name,
    project: InProject = None,
    given: Accepted = None,
    yes: Yes = False,
) -> Record:
    """Accept what a newer version asks for.

    Shows what that is and asks, unless --consent names what you have read. With --yes it accepts
    whatever is asked for now.
    """
    found = await _get(at, entitlement, project)
    if given is None:
        diff = await at.client.entitlements.diff(found)
        given = _agreed(_compared(diff), diff.consent, yes=yes)
    return Record(await at.client.entitlements.give_consent(found, consent=given))


async def _get(at: Session, name: str, project: str | None) -> EntitlementDetail:
    """An entitlement by its id, or by the app's slug in a project."""
    if names.is_id(name):
        return await at.client.entitlements.get(name)
    if project is None:
        raise Refused(f"{name} is not an id. With --project an entitlement goes by its app's slug.")
    where = await names.project_id(at.client, project)
    found = await names.get_app(at.client, name)
    for entitlement in await at.client.entitlements.list(where, app=found).all():
        return await at.client.entitlements.get(entitlement)
    raise Missing(f"The project is not entitled to {name}.")


def _agreed(text: str, digest: str, *, yes: bool) -> str:
    """The digest, once somebody has read what it stands for and said yes."""
    typer.echo("\n".join(map(plain, text.split("\n"))), err=True)
    consent.ask("Accept this?", yes=yes)
    return digest


def _offered(offer: OfferRead) -> str:
    asks = [f"  {sentence}" for sentence in offer.declaration.sentences] or ["  nothing"]
    return "\n".join(
        [
            f"{offer.app.name} ({offer.app.slug}), version {offer.version.number}",
            offer.app.summary,
            "It asks for:",
            *asks,
            *_described(offer.declaration),
            f"Consent: {offer.consent}",
        ]
    )


def _described(declaration: DeclarationRead) -> list[str]:
    """What the keys are for, in the words of whoever declared them."""
    lines = [f"  {key.key}: {key.description}" for key in declaration.keys]
    for key in declaration.family_keys:
        note = "" if key.admitted else " Not admitted: nobody holds it."
        lines.append(f"  {key.key}: {key.description}{note}")
    return ["What the keys are for:", *lines] if lines else []


def _compared(diff: PermissionDiffRead) -> str:
    lines = [f"+ {each.sentence}" for each in diff.wider]
    lines += [f"- {each.sentence}" for each in diff.narrower]
    needed = "needs consent" if diff.consent_needed else "needs no consent"
    return "\n".join(
        [
            f"Version {diff.version.number} {needed}.",
            *(lines or ["It asks for what was accepted."]),
            f"Consent: {diff.consent}",
        ]
    )
