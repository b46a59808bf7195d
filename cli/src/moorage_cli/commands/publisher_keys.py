"""`moor publisher-keys`."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from moorage import MoorageError, PrivateKey
from moorage_cli import consent, names, profiles
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.names import InProject, ProjectName
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Publisher keys: what a project signs its artifacts with.")


@verb(app, "list")
async def list_keys(at: Session, project: ProjectName, limit: Limit = None) -> Rows:
    """The publisher keys of a project, revoked ones too."""
    keys = at.client.publisher_keys.list(await names.project_id(at.client, project))
    return Rows(keys, ("id", "name", "created_at", "revoked_at"), limit)


@verb(app, "create")
async def create_key(
    at: Session,
    project: ProjectName,
    name: Annotated[str, typer.Argument(help="What it is called.")],
    generate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Make an Ed25519 key here, write its private half to this new file, "
            "which only you can read, and register the public half.",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Register the public half of this private key."),
    ] = None,
) -> Record:
    """Register a key to sign artifacts with. The private half stays here."""
    if (generate is None) == (key is None):
        raise Refused("Say which key: --generate FILE makes one, --key FILE takes yours.")
    where = await names.project_id(at.client, project)
    with _private(generate, key) as private:
        return Record(await at.client.publisher_keys.create(where, name=name, key=private))


@contextmanager
def _private(generate: Path | None, key: Path | None) -> Generator[PrivateKey]:
    """The key to register. One that is made here is kept first: registered alone it is no use."""
    if key is not None:
        try:
            yield PrivateKey.load(key)
        except OSError as err:
            raise Refused(f"{key} cannot be read: {err.strerror}.") from err
        return
    assert generate is not None
    private = PrivateKey.generate()
    try:
        profiles.write_private(generate, private.pem)
    except OSError as err:
        raise Refused(f"{generate} cannot be made: {err.strerror}.") from err
    try:
        yield private
    except MoorageError:
        generate.unlink(missing_ok=True)
        raise


@verb(app, "revoke")
async def revoke_key(
    at: Session,
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="The key's id; with --project, its name.")
    ],
    reason: Annotated[
        str,
        typer.Option(help="Why, in at least 8 characters; shown on what it alone has signed."),
    ],
    project: InProject = None,
    yes: Yes = False,
) -> Record:
    """Revoke a key. What it alone has signed is no longer trusted, at once."""
    found = await names.publisher_key_id(at.client, key, project=project)
    consent.ask(f"Revoke the publisher key {key}? That is final.", yes=yes)
    return Record(await at.client.publisher_keys.revoke(found, reason=reason))
