"""`moor families`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from moorage import Client, manifest
from moorage.errors import NotFound
from moorage.models import AdmissionRead, FamilyKeyWrite, FamilyRead
from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.failures import Refused, Unsound
from moorage_cli.names import AppName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Families: sets of permission keys that several apps share, and who is admitted.")

FamilyName = Annotated[str, typer.Argument(metavar="FAMILY", help="The family's name.")]


@verb(app, "list")
async def list_families(at: Session, limit: Limit = None) -> Rows:
    """All families."""
    return Rows(at.client.families.list(), ("name", "description", "version"), limit)


@verb(app, "get")
async def get_family(at: Session, family: FamilyName) -> Record:
    """One family with its keys and what they mean."""
    found = await at.client.families.get(family)
    keys = Rows(found.keys, ("key", "means", "description"))
    return Record(found, details=keys)


@verb(app, "apply")
async def apply_family(
    at: Session,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The family as contract/families has it: YAML.")
    ],
) -> Record:
    """Bring a family to what a file says: add it, or extend it. For platform admins.

    Keys may be added and reworded, never taken away. Where nothing differs, nothing is done.
    """
    wanted = _read(file)
    keys = [
        FamilyKeyWrite(key=entry.key, description=entry.description, means=entry.means)
        for entry in wanted.keys
    ]
    description = wanted.description.strip()
    have = await _find(at.client, wanted.name)
    if have is not None and _is_as(have, description, keys):
        return Record(have)
    put = at.client.families.put(have or wanted.name, description=description, keys=keys)
    return Record(await put)


@verb(app, "admissions")
async def list_admissions(at: Session, family: FamilyName, limit: Limit = None) -> Rows:
    """The apps admitted to a family, as far as you can see them."""
    found = at.client.families.list_admissions(family)
    return Rows(found, ("app_id", "slug", "keys", "version"), limit)


@verb(app, "admission")
async def get_admission(at: Session, family: FamilyName, app: AppName) -> Record:
    """An app's place in a family."""
    return Record(await _admission(at.client, family, app))


@verb(app, "admit")
async def admit_app(
    at: Session,
    family: FamilyName,
    app: AppName,
    key: Annotated[
        list[str] | None,
        typer.Option(help="A key that its versions may use; may be given again."),
    ] = None,
    all_keys: Annotated[
        bool, typer.Option("--all-keys", help="Every key that the family has now.")
    ] = False,
) -> Record:
    """Admit an app to a family, or change what it may use there. For platform admins.

    Without a key it may call itself one of the family, and use none.
    """
    if key and all_keys:
        raise Refused("Say either --key or --all-keys.")
    keys = key or []
    if all_keys:
        keys = [entry.key for entry in (await at.client.families.get(family)).keys]
    id = await _app_id(at.client, app)
    try:
        version = (await at.client.families.get_admission(family, id)).version
    except NotFound:
        version = None
    return Record(await at.client.families.admit(family, id, keys=keys, version=version))


@verb(app, "withdraw")
async def withdraw_app(at: Session, family: FamilyName, app: AppName, yes: Yes = False) -> Done:
    """Take an app out of a family. Policy refuses its versions from then on."""
    found = await _admission(at.client, family, app)
    consent.ask(f"Withdraw {found.slug} from the family {family}?", yes=yes)
    await at.client.families.withdraw(family, found.app_id, version=found.version)
    said = f"{found.slug} is no longer admitted to {family}."
    return Done(said, {"app_id": found.app_id, "family": family, "withdrawn": True})


def _read(file: Path) -> manifest.Family:
    try:
        text = file.read_bytes()
    except OSError as err:
        raise Refused(f"{file} cannot be read: {err.strerror}.") from err
    reading = manifest.read_family(text, file=str(file))
    if reading.family is None:
        count = len(reading.faults)
        told = f"{file} has {count} {'fault' if count == 1 else 'faults'}."
        raise Unsound(told, [asdict(fault) for fault in reading.faults])
    return reading.family


async def _find(client: Client, name: str) -> FamilyRead | None:
    try:
        return await client.families.get(name)
    except NotFound:
        return None


def _is_as(have: FamilyRead, description: str, keys: list[FamilyKeyWrite]) -> bool:
    kept = [(entry.key, entry.description, entry.means) for entry in have.keys]
    wanted = [(entry.key, entry.description, entry.means) for entry in keys]
    return have.description == description and kept == wanted


async def _app_id(client: Client, name: str) -> str:
    """By its id even where the caller cannot see the app: those who admit do not own it."""
    return name if names.is_id(name) else (await names.get_app(client, name)).id


async def _admission(client: Client, family: str, app: str) -> AdmissionRead:
    return await client.families.get_admission(family, await _app_id(client, app))
