"""`moor policy`."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from moorage import manifest
from moorage.models import DecisionRead, EffectiveChoice, EffectivePolicyRead, OverlayWritten
from moorage.resources.policy import OperationKind
from moorage_cli import names
from moorage_cli.commands import policy_documents as documents
from moorage_cli.commands.policy_documents import Layer
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.names import InOrg, InProject, ProjectName
from moorage_cli.output import Done, Record
from moorage_cli.verbs import group, verb

app = group("Policy: what layers allow, and why something is refused.")

ForApp = Annotated[
    str | None,
    typer.Option("--app", help="With --project: the layer of its entitlement to this app."),
]
OfPlatform = Annotated[
    bool,
    typer.Option("--platform", help="The platform's own layer; with --org, its word on one org."),
]
LARGEST = 256 * 1024


@verb(app, "show")
async def show_layer(
    at: Session,
    platform: OfPlatform = False,
    org: InOrg = None,
    project: InProject = None,
    for_app: ForApp = None,
) -> Record:
    """One layer: the platform's, an org's, a project's, or that of an entitlement."""
    layer = await documents.layer(at, platform=platform, org=org, project=project, app=for_app)
    return Record(await layer.read())


@verb(app, "set")
async def set_layer(
    at: Session,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The whole layer, as YAML or JSON; - reads it here."),
    ] = None,
    platform: OfPlatform = False,
    org: InOrg = None,
    project: InProject = None,
    for_app: ForApp = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT=A,B", help="Allow only these, such as regions=eu,us; regions=any: all."
        ),
    ] = None,
    deny: Annotated[
        list[str] | None,
        typer.Option(metavar="WHAT=A,B", help="Deny these, such as channels=dev; channels=: none."),
    ] = None,
    quota: Annotated[
        list[str] | None,
        typer.Option(metavar="WHAT=N", help="At most so many, such as gpus=8; gpus=any: no limit."),
    ] = None,
    versions: Annotated[
        list[str] | None,
        typer.Option(metavar="APP=LIMIT", help="Versions of an app, such as echo=^1; echo=any."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would take away, and change nothing.")
    ] = False,
) -> Done:
    """Write a layer: whole from a file, or with options on top of what it says now.

    Name the layer: an org's, a project's, that of an entitlement, or the platform's. A layer can
    only narrow what those above it leave.
    """
    changes = documents.Changes(allow or [], deny or [], quota or [], versions or [])
    if (file is None) == changes.is_empty:
        raise Refused("Say what the layer limits: with a FILE, or with --allow, --deny, --quota.")
    layer = await documents.layer(at, platform=platform, org=org, project=project, app=for_app)
    present = await layer.read()
    document = _read(file) if file is not None else changes.applied(present.document)
    written = await layer.write(document, present.version, dry_run)
    return Done(_written(layer, written, dry_run=dry_run), written.model_dump(mode="json"))


@verb(app, "effective")
async def show_effective(at: Session, project: ProjectName) -> Done:
    """What all layers leave to a project, and which layer each limit comes from."""
    found = await at.client.policy.effective(await names.project_id(at.client, project))
    return Done(_left(found), found.model_dump(mode="json"))


@verb(app, "explain")
async def explain(
    at: Session,
    project: ProjectName,
    app: Annotated[
        str,
        typer.Argument(metavar="APP", help="The app's slug or id; - where no app is involved."),
    ],
    operation: Annotated[
        OperationKind, typer.Argument(metavar="OPERATION", help="Such as instance.deploy.")
    ],
    version: Annotated[str | None, typer.Option(help="A version's number or id.")] = None,
    channel: Annotated[
        Literal["dev", "staging", "prod"] | None, typer.Option(help="What is promoted there.")
    ] = None,
    artifact: Annotated[str | None, typer.Option(help="One artifact by its name.")] = None,
    region: Annotated[str | None, typer.Option(help="Where.")] = None,
    sku: Annotated[str | None, typer.Option(help="On which class of machine.")] = None,
    sources: Annotated[
        list[str] | None,
        typer.Option("--source", help="A further source of artifacts; several times for more."),
    ] = None,
    instances: Annotated[int | None, typer.Option(min=0, help="How many more.")] = None,
    members: Annotated[int | None, typer.Option(min=0, help="How many more.")] = None,
    allocations: Annotated[int | None, typer.Option(min=0, help="How many more.")] = None,
    gpus: Annotated[
        int | None, typer.Option(min=0, help="How many more; left out: as many as the SKU has.")
    ] = None,
) -> Done:
    """Whether something would be allowed, what each layer says, and who could change it."""
    decision = await at.client.policy.explain(
        project=await names.project_id(at.client, project),
        app=None if app == "-" else await names.get_app(at.client, app),
        operation=operation,
        version=version,
        channel=channel,
        artifact=artifact,
        region=region,
        sku=sku,
        artifact_sources=sources or [],
        instances=instances,
        members=members,
        allocations=allocations,
        gpus=gpus,
    )
    return Done(_explained(decision), decision.model_dump(mode="json"))


def _read(file: Path) -> dict[str, Any]:
    """A file as plain data. What it says is judged by the platform."""
    found = manifest.document.parse(_bytes(file), file=str(file))
    if found.faults:
        raise Refused("\n".join(str(fault) for fault in found.faults[:10]))
    if not isinstance(found.data, dict):
        raise Refused(f"{file} does not hold a layer: it says no names with values.")
    return cast(dict[str, Any], found.data)


def _bytes(file: Path) -> bytes:
    if str(file) == "-":
        return sys.stdin.buffer.read(LARGEST + 1)
    try:
        with file.open("rb") as opened:
            return opened.read(LARGEST + 1)
    except OSError as err:
        raise Refused(f"{file} cannot be read: {err.strerror}.") from err


def _written(layer: Layer, written: OverlayWritten, *, dry_run: bool) -> str:
    head = f"{layer.name} is written; it is at version {written.version}."
    if dry_run:
        head = f"Nothing was changed. {layer.name} would be at version {written.version}."
    notes, breaks = [f"  Note: {note}" for note in written.notes], written.breaks
    if not breaks.count:
        seen = "It takes nothing away" + ("." if breaks.complete else ", as far as was looked.")
        return "\n".join([f"{head} {seen}", *notes])
    things = "1 thing" if breaks.count == 1 else f"{breaks.count} things"
    lines = [f"{head} It takes away {things}:"]
    for each in breaks.items:
        what = f"{each.app} {each.version} → {each.instead or 'nothing'}: " if each.app else ""
        place = each.entitlement_id or each.project_id or each.org_id
        lines.append(f"  {place}  {what}{each.sentence}")
    more = breaks.count - len(breaks.items)
    rest = [f"  and {more} more"] if more > 0 and layer.spelled else []
    rest += (
        [] if breaks.complete else ["  There may be more: not all below the layer was looked at."]
    )
    return "\n".join([*lines, *rest, *notes])


def _left(found: EffectivePolicyRead) -> str:
    dimensions = ("operations", "channels", "artifact_sources", "regions", "skus")
    lines = [line for name in dimensions for line in _choice(name, getattr(found, name))]
    for slug, constraints in found.versions.items():
        lines += [f"versions of {slug}: {each.constraint} ({each.layer})" for each in constraints]
    lines += [f"{name}: at most {each.limit} ({each.layer})" for name, each in found.quotas.items()]
    return "\n".join(lines) or "No layer limits anything."


def _choice(name: str, choice: EffectiveChoice | None) -> list[str]:
    if choice is None:
        return []
    lines = [f"{name}: {each.value} is denied ({each.layer})" for each in choice.deny]
    if choice.allow is None:
        return lines
    only = ", ".join(choice.allow) or "nothing"
    return [f"{name}: only {only} ({', '.join(choice.allowed_by)})", *lines]


def _explained(decision: DecisionRead) -> str:
    lines = ["Allowed." if decision.allowed else "Refused."]
    if decision.version is not None:
        lines.append(f"Version {decision.version.number}, {decision.version.manifest_digest}")
    if decision.held_back is not None:
        held = decision.held_back
        lines.append(f"Version {held.number} is held back by {held.layer}: {held.sentence}")
    if len({(verdict.allowed, verdict.sentence) for verdict in decision.verdicts}) == 1:
        return "\n".join([*lines, f"  {'every layer':<25}{decision.verdicts[0].sentence}"])
    for verdict in decision.verdicts:
        word = {True: "yes", False: "no", None: "-"}[verdict.allowed]
        lines.append(f"  {word:<4}{verdict.layer:<21}{verdict.sentence}")
        if verdict.who_can_change:
            lines.append(f"{'':27}It can be changed by {verdict.who_can_change}.")
    return "\n".join(lines)
