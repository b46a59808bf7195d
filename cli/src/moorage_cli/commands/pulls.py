"""`moor pulls`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from moorage import signatures
from moorage.models import PullIssued
from moorage_cli import names, progress
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.names import AppName, ProjectName
from moorage_cli.output import Done
from moorage_cli.verbs import group, verb

app = group("Pulls: fetching artifacts of apps that a project is entitled to.")


class Channel(StrEnum):
    DEV = "dev"
    STAGING = "staging"
    PROD = "prod"


@verb(app, "fetch")
async def fetch_artifact(
    at: Session,
    project: ProjectName,
    name: AppName,
    artifact: Annotated[
        str, typer.Argument(metavar="ARTIFACT", help="Its name in the version's manifest.")
    ],
    to: Annotated[Path, typer.Option(metavar="FILE", help="The file to write.")],
    version: Annotated[str | None, typer.Option(help="The version's number or id.")] = None,
    channel: Annotated[
        Channel | None, typer.Option(help="Or the channel that says which version.")
    ] = None,
    signed_by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help="Only if this public key (the x of its JWK) has signed it; several for any.",
        ),
    ] = None,
) -> Done:
    """Fetch an artifact into a file, which is there when it is whole and its digest is right.

    Run it again after a failure: it goes on where it stopped.
    """
    where = await names.project_id(at.client, project)
    app = await names.get_app(at.client, name)
    try:
        pull = await at.client.pulls.fetch(
            where,
            app=app,
            artifact=artifact,
            to=to,
            version=version,
            channel=None if channel is None else channel.value,
            progress=progress.line(artifact),
            check=lambda issued: _check(issued, signed_by or []),
        )
    except OSError as err:
        raise Refused(f"{to} cannot be written: {err.strerror}.") from err
    fields = {
        "file": str(to),
        "app": app.slug,
        "version": pull.version,
        "artifact": pull.artifact,
        "digest": pull.digest,
        "size": pull.size,
    }
    return Done(f"{app.slug} {pull.version}: {artifact} is in {to}, {pull.digest}.", fields)


def _check(pull: PullIssued, known: list[str]) -> None:
    if known:
        signatures.check(pull.digest, pull.signatures, known=known)
