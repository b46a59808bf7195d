"""`moor credentials`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.names import InProject, ProjectName
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Access credentials: SSH keys for machines without agent, in custody.")

Credential = Annotated[
    str,
    typer.Argument(metavar="CREDENTIAL", help="The credential's id; with --project, its name."),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A private key without passphrase; - is standard input. Left out: one is made.",
    ),
]
COLUMNS = ("id", "name", "username", "fingerprint", "previous_until", "revoked_at")


@verb(app, "list")
async def list_credentials(at: Session, project: ProjectName, limit: Limit = None) -> Rows:
    """The access credentials of a project."""
    where = await names.project_id(at.client, project)
    return Rows(at.client.access_credentials.list(where), COLUMNS, limit)


@verb(app, "create")
async def create_credential(
    at: Session,
    project: ProjectName,
    name: Annotated[str, typer.Argument(help="What it is called.")],
    username: Annotated[str, typer.Option(help="root, or one who may use sudo.")] = "root",
    key_file: KeyFile = None,
) -> Record:
    """Put a key into custody, or have one made. Its public half belongs on the machines."""
    where = await names.project_id(at.client, project)
    created = at.client.access_credentials.create(
        where, name=name, username=username, private_key=_key(key_file)
    )
    return Record(await created)


@verb(app, "get")
async def get_credential(at: Session, credential: Credential, project: InProject = None) -> Record:
    """One access credential, without its key."""
    id = await names.credential_id(at.client, credential, project=project)
    return Record(await at.client.access_credentials.get(id))


@verb(app, "rotate")
async def rotate_credential(
    at: Session,
    credential: Credential,
    project: InProject = None,
    key_file: KeyFile = None,
    overlap_hours: Annotated[
        int, typer.Option(min=0, max=720, help="The old key is tried so long. 0 if it leaked.")
    ] = 24,
) -> Record:
    """Put another key in its place. Put its public half on the machines before the overlap ends."""
    id = await names.credential_id(at.client, credential, project=project)
    rotated = at.client.access_credentials.rotate(
        id, private_key=_key(key_file), overlap_hours=overlap_hours
    )
    return Record(await rotated)


@verb(app, "revoke")
async def revoke_credential(
    at: Session, credential: Credential, project: InProject = None, yes: Yes = False
) -> Record:
    """Destroy the key. The machines still know its public half: take it off there too."""
    id = await names.credential_id(at.client, credential, project=project)
    consent.ask(f"Revoke the credential {credential}? What runs with it is broken off.", yes=yes)
    return Record(await at.client.access_credentials.revoke(id))


def _key(file: Path | None) -> str | None:
    """The text of a private key. Never from the command line, where others could read it."""
    if file is None:
        return None
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as err:
        raise Refused(f"{file} cannot be read as a key: {err}") from err
