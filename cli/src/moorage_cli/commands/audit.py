"""`moor audit`."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from moorage import Model, proofs
from moorage.models import ProofRead
from moorage.resources.audit import Outcome
from moorage_cli import names, profiles
from moorage_cli.connection import Chosen, Session
from moorage_cli.failures import Refused
from moorage_cli.names import InOrg, InProject
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import group, local, verb

app = group("Audit: who did what, or was refused it.")

COLUMNS = ("at", "actor_name", "action", "target", "outcome", "count", "correlation_id", "id")
SOME = 50

Entry = Annotated[str, typer.Argument(metavar="ENTRY", help="The entry's id.")]
Moment = Annotated[
    datetime | None,
    typer.Option(
        formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"],
        metavar="MOMENT",
        help="A day or a moment in UTC: 2026-03-01, or 2026-03-01T12:00:00Z.",
    ),
]
KnownKeys = Annotated[
    list[str] | None,
    typer.Option(
        "--key", metavar="ID", help="A key that you know as the platform's; several times for more."
    ),
]


class Proved(Model):
    """What a proof shows."""

    proved: bool
    key_id: str
    key_known: bool
    seal: int
    entry: dict[str, Any]


@verb(app, "list")
async def list_entries(
    at: Session,
    org: InOrg = None,
    project: InProject = None,
    actor: Annotated[str | None, typer.Option(help="Id of who did it.")] = None,
    action: Annotated[str | None, typer.Option(help="The permission key of the action.")] = None,
    target: Annotated[str | None, typer.Option(help="Id of what it was done to.")] = None,
    outcome: Annotated[Outcome | None, typer.Option(help="Done or refused.")] = None,
    correlation_id: Annotated[str | None, typer.Option(help="All that one request did.")] = None,
    since: Moment = None,
    until: Moment = None,
    oldest_first: Annotated[
        bool, typer.Option("--oldest-first", help="Begin at the start.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="Show so many at most.")] = SOME,
) -> Rows:
    """Entries of the orgs and projects whose log you may read, newest first."""
    entries = at.client.audit.list(
        org=await names.org_id(at.client, org) if org else None,
        project=await names.project_id(at.client, project) if project else None,
        actor=actor,
        action=action,
        target=target,
        outcome=outcome,
        correlation_id=correlation_id,
        since=_utc(since),
        until=_utc(until),
        newest_first=not oldest_first,
        page_size=min(limit, 200),
    )
    return Rows(entries, COLUMNS, limit)


@verb(app, "get")
async def get_entry(at: Session, entry: Entry) -> Record:
    """One entry."""
    return Record(await at.client.audit.get(entry))


@verb(app, "proof")
async def get_proof(
    at: Session,
    entry: Entry,
    key: KnownKeys = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the proof in this new file, for `audit check`."),
    ] = None,
) -> Record:
    """Fetch the proof that an entry was sealed as it is, and check it on this machine."""
    proof = await at.client.audit.get_proof(entry)
    proved = _check(proof, key)
    if save is not None:
        try:
            profiles.write_private(save, proof.model_dump_json(indent=2).encode())
        except OSError as err:
            raise Refused(f"{save} cannot be made: {err.strerror}.") from err
    return Record(proved)


@local(app, "check")
async def check_proof(
    chosen: Chosen,
    file: Annotated[Path, typer.Argument(help="A proof that `audit proof --save` kept.")],
    key: KnownKeys = None,
) -> Record:
    """Check a proof that you kept. Asks no platform."""
    return Record(_check(_read(file), key))


@verb(app, "seals")
async def list_seals(
    at: Session, limit: Annotated[int, typer.Option(min=1, max=200)] = SOME
) -> Rows:
    """The signed roots of the whole log, newest first. Their keys: `audit keys`."""
    page = await at.client.audit.list_seals(page_size=limit)
    return Rows(page.items, ("number", "first_seq", "last_seq", "at", "key_id"))


@verb(app, "keys")
async def list_keys(at: Session) -> Rows:
    """The keys that seals are checked with. Note their ids down somewhere else."""
    page = await at.client.audit.list_seals(page_size=1)
    return Rows(page.keys, ("id", "raw"))


def _check(proof: ProofRead, known: list[str] | None) -> Proved:
    """The verdict. Without known keys it says whose word it is, for you to compare."""
    entry = proofs.check(proof, known=known) if known else proofs.check_seal(proof)
    return Proved(
        proved=True,
        key_id=proof.public_key.id,
        key_known=bool(known),
        seal=proof.seal.number,
        entry=entry,
    )


def _read(file: Path) -> ProofRead:
    try:
        return proofs.load(file.read_bytes())
    except OSError as err:
        raise Refused(f"{file} cannot be read: {err.strerror}.") from err


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
