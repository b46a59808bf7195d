"""`moor service-accounts keys`."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from moorage import MoorageError, PrivateKey
from moorage.models import KeyIssued
from moorage_cli import consent, durations, names, profiles, shown_once
from moorage_cli.connection import Session
from moorage_cli.durations import MaybeDuration
from moorage_cli.failures import Refused
from moorage_cli.names import InProject
from moorage_cli.output import Done, Record, Rows
from moorage_cli.shown_once import SecretFile, ShowSecret
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Keys: how a service account proves itself.")

Account = Annotated[
    str, typer.Argument(metavar="ACCOUNT", help="The account's id; with --project, its name.")
]


@verb(app, "list")
async def list_keys(
    at: Session, account: Account, project: InProject = None, limit: Limit = None
) -> Rows:
    """The keys of a service account, without their secrets."""
    found = await names.get_service_account(at.client, account, project=project)
    keys = at.client.service_accounts.list_keys(found)
    return Rows(keys, ("id", "kind", "created_at", "expires_at", "revoked_at"), limit)


@verb(app, "add")
async def add_key(
    at: Session,
    account: Account,
    project: InProject = None,
    generate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Make an Ed25519 key here, write its private half to this new file, "
            "which only you can read, and register the public half.",
        ),
    ] = None,
    expires_in: MaybeDuration = None,
    show_secret: ShowSecret = False,
    secret_file: SecretFile = None,
) -> Record:
    """Add a key: one made here whose private half stays here, or a secret made by the platform."""
    found = await names.get_service_account(at.client, account, project=project)
    lifetime = durations.seconds(expires_in) if expires_in else None
    if generate is None:
        with shown_once.place(show_secret, secret_file) as place:
            issued = await at.client.service_accounts.create_key(found, expires_in=lifetime)
            return place.keep(issued, "secret")
    if show_secret or secret_file:
        raise Refused("With --generate there is no secret: the private key is what proves it.")
    return Record(await _register(at, found.id, generate, lifetime), hidden=("secret",))


async def _register(at: Session, account: str, file: Path, lifetime: int | None) -> KeyIssued:
    key = PrivateKey.generate()
    with _kept(key, file):
        return await at.client.service_accounts.create_key(
            account, public_key=key.public, expires_in=lifetime
        )


@contextmanager
def _kept(key: PrivateKey, file: Path) -> Generator[None]:
    """Write the private half first: a key that is registered but not kept would be of no use."""
    try:
        profiles.write_private(file, key.pem)
    except OSError as err:
        raise Refused(f"{file} cannot be made: {err.strerror}.") from err
    try:
        yield
    except MoorageError:
        file.unlink(missing_ok=True)
        raise


@verb(app, "revoke")
async def revoke_key(
    at: Session,
    account: Account,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key's id.")],
    project: InProject = None,
    yes: Yes = False,
) -> Done:
    """Revoke a key. Tokens minted with it stop working within seconds."""
    found = await names.get_service_account(at.client, account, project=project)
    consent.ask(f"Revoke the key {key} of {found.name}?", yes=yes)
    await at.client.service_accounts.revoke_key(found, key)
    return Done(f"The key {key} is revoked.", {"id": key, "revoked": True})
