"""`moor app versions`, `version`, `promote` and the rest: versions and where they stand."""

from typing import Annotated

import typer

from moorage import Client
from moorage.models import AppRead, VersionDetail, VersionRead
from moorage.resources.apps import Channel, Status
from moorage_cli import consent, names
from moorage_cli.choices import Format
from moorage_cli.connection import Session
from moorage_cli.failures import Missing
from moorage_cli.names import AppName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, verb

verbs = typer.Typer()

Number = Annotated[str, typer.Argument(metavar="NUMBER", help="The version, such as 1.4.0.")]
ToChannel = Annotated[Channel, typer.Argument(metavar="CHANNEL", help="dev, staging or prod.")]
Why = Annotated[str, typer.Option("--reason", help="Why; users read it.")]


@verb(verbs, "versions")
async def list_versions(
    at: Session,
    app: AppName,
    status: Annotated[Status | None, typer.Option(help="Those in this state alone.")] = None,
    limit: Limit = None,
) -> Rows:
    """The versions of an app, newest first; drafts only for its publisher."""
    found = await names.get_app(at.client, app)
    versions = at.client.apps.list_versions(found, status=status)
    return Rows(versions, ("id", "number", "status", "published_at", "note"), limit)


@verb(verbs, "version")
async def get_version(
    at: Session,
    app: AppName,
    number: Number,
    manifest: Annotated[
        bool, typer.Option("--manifest", help="Print the text of its manifest.")
    ] = False,
    runbook: Annotated[bool, typer.Option("--runbook", help="Print its runbook.")] = False,
) -> Record | Done:
    """One version: what it says, what it asks for, its artifacts and channels."""
    _, version = await _find(at.client, app, number)
    found = await at.client.apps.get_version(version)
    if manifest or runbook:
        text = found.manifest_text if manifest else found.runbook
        return Done(text.rstrip("\n"), {"text": text})
    columns = ("name", "digest", "size", "media_type", "trust")
    # People ask for the texts by name; programs get everything.
    hidden = () if at.chosen.format is Format.JSON else ("manifest_text", "manifest", "runbook")
    return Record(found, hidden=hidden, details=Rows(found.artifacts, columns))


@verb(verbs, "discard")
async def discard_draft(at: Session, app: AppName, number: Number, yes: Yes = False) -> Done:
    """Throw a draft away. What was published stays."""
    where, version = await _find(at.client, app, number)
    consent.ask(f"Throw the draft {where.slug} {version.number} away?", yes=yes)
    await at.client.apps.delete_version(version)
    text = f"The draft {where.slug} {version.number} is gone."
    return Done(text, {"id": version.id, "deleted": True})


@verb(verbs, "deprecate")
async def deprecate_version(
    at: Session,
    app: AppName,
    number: Number,
    note: Annotated[str, typer.Option(help="What to use instead; users read it.")],
) -> Done:
    """Advise against a version. It goes on working; `restore` takes it back."""
    where, version = await _find(at.client, app, number)
    return _moved(where, await at.client.apps.deprecate_version(version, note=note))


@verb(verbs, "restore")
async def restore_version(at: Session, app: AppName, number: Number) -> Done:
    """Take the deprecation of a version back."""
    where, version = await _find(at.client, app, number)
    return _moved(where, await at.client.apps.restore_version(version))


@verb(verbs, "retire")
async def retire_version(
    at: Session, app: AppName, number: Number, reason: Why, yes: Yes = False
) -> Done:
    """End a version for good: nobody begins to use it any more. No channel may point to it."""
    where, version = await _find(at.client, app, number)
    consent.ask(f"Retire {where.slug} {version.number} for good?", yes=yes)
    return _moved(where, await at.client.apps.retire_version(version, reason=reason))


@verb(verbs, "channels")
async def list_channels(at: Session, app: AppName) -> Rows:
    """The version that each channel points to."""
    found = await names.get_app(at.client, app)
    columns = ("channel", "number", "status", "updated_at")
    return Rows(at.client.apps.list_channels(found), columns)


@verb(verbs, "promote")
async def promote_version(
    at: Session,
    app: AppName,
    number: Number,
    channel: ToChannel,
    reason: Annotated[str | None, typer.Option(help="Why; kept in the history.")] = None,
) -> Done:
    """Point a channel to a version. An older one is a way back. Where it is already, it stays."""
    where, version = await _find(at.client, app, number)
    channels = {c.channel: c.version_id for c in await at.client.apps.list_channels(where).all()}
    fields = {"app": where.slug, "number": version.number, "channel": channel}
    if channels.get(channel) == version.id:
        text = f"{channel} of {where.slug} is {version.number} already."
        return Done(text, {**fields, "changed": False})
    made = await at.client.apps.promote(where, channel=channel, version=version, reason=reason)
    text = f"{channel} of {where.slug} is {version.number} now."
    return Done(text, {**fields, "changed": True, "id": made.id})


@verb(verbs, "clear-channel")
async def clear_channel(at: Session, app: AppName, channel: ToChannel, yes: Yes = False) -> Done:
    """Let a channel point to nothing. Where it points to nothing already, it stays so."""
    found = await names.get_app(at.client, app)
    there = {c.channel: c.number for c in await at.client.apps.list_channels(found).all()}
    fields = {"app": found.slug, "channel": channel}
    if channel not in there:
        text = f"{channel} of {found.slug} points to nothing already."
        return Done(text, {**fields, "changed": False})
    asked = f"Clear {channel} of {found.slug}, which is {there[channel]}?"
    consent.ask(asked, yes=yes)
    await at.client.apps.clear_channel(found, channel)
    text = f"{channel} of {found.slug} points to nothing now."
    return Done(text, {**fields, "changed": True})


@verb(verbs, "promotions")
async def list_promotions(
    at: Session,
    app: AppName,
    channel: Annotated[Channel | None, typer.Option(help="To this channel alone.")] = None,
    limit: Limit = None,
) -> Rows:
    """How versions came to their channels, newest first."""
    found = await names.get_app(at.client, app)
    promotions = at.client.apps.list_promotions(found, channel=channel)
    return Rows(promotions, ("at", "channel", "number", "actor_name", "reason"), limit)


async def _find(client: Client, app: str, number: str) -> tuple[AppRead, VersionRead]:
    found = await names.get_app(client, app)
    version = await client.apps.find_version(found, number)
    if version is None:
        raise Missing(f"There is no version {number} of {found.slug} that you can see.")
    return found, version


def _moved(app: AppRead, version: VersionDetail) -> Done:
    fields = {"id": version.id, "number": version.number, "status": version.status}
    return Done(f"{app.slug} {version.number} is {version.status}.", fields)
