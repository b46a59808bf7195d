"""Reading the audit log: entries, their proofs, and the seals."""

from typing import Annotated, Literal

from fastapi import Depends, Query
from pydantic import AwareDatetime, StringConstraints

from moorage_core.audit import commands, keyring, seals
from moorage_core.audit.keyring import AuditKeys
from moorage_core.audit.models import Entry, Seal, Wanted
from moorage_core.audit.proofs import Proof
from moorage_core.audit.schemas import (
    AuditKeyRead,
    EntryRead,
    ProofRead,
    SealRead,
    SealsRead,
    StepRead,
)
from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import AuditEntryId, OrgId, ProjectId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.kit.wire import NO_CONTROL, utc

routes = Routes(tag="audit")

HOW_TO_CHECK = (
    "1. leaf = SHA-256(0x00, seq as 8 bytes big-endian, SHA-256(content)). "
    "2. For each step of path: SHA-256(0x01, left, right), the step's hash on its side. "
    "3. The result is `root` in seal.signed, whose first_seq..last_seq include seq. "
    "4. seal.signature is the Ed25519 signature of seal.signed by public_key. "
    "5. public_key.id is one that you know as the platform's. "
    "Texts are hashed as they stand, in UTF-8."
)

Text = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_CONTROL)]


async def _wanted(
    org: Annotated[OrgId | None, Query(description="Only entries of this org.")] = None,
    project: Annotated[ProjectId | None, Query(description="Only those of this project.")] = None,
    actor: Annotated[Text | None, Query(description="Id of who did it or was refused.")] = None,
    action: Annotated[Text | None, Query(description="The permission key of the action.")] = None,
    target: Annotated[Text | None, Query(description="Id of what it was done to.")] = None,
    outcome: Annotated[Literal["allowed", "denied"] | None, Query()] = None,
    correlation_id: Annotated[Text | None, Query(description="All that one request did.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="At this moment or later.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Before this moment.")] = None,
    newest_first: Annotated[bool, Query(description="Go back in time from the newest.")] = False,
) -> Wanted:
    return Wanted(
        org=org,
        project=project,
        actor=actor,
        action=action,
        target=target,
        outcome=outcome,
        correlation_id=correlation_id,
        since=utc(since, "query.since"),
        until=utc(until, "query.until"),
        newest_first=newest_first,
    )


@routes.read("/v1/audit", key=Permission.AUDIT_ENTRY_READ, response_model=PageRead[EntryRead])
async def list_audit_entries(
    wanted: Annotated[Wanted, Depends(_wanted)], ctx: Ctx, page: Paging
) -> Page[Entry]:
    """Who did what, in the orgs and projects whose audit log you may read; oldest first.

    With filters a page may hold few entries, or none, though more follow: go on until `next` is
    null.
    """
    return await commands.list_entries(ctx, wanted, page)


@routes.read("/v1/audit/seals", key=Permission.AUDIT_ENTRY_READ, response_model=SealsRead)
async def list_audit_seals(ctx: Ctx, page: Paging) -> SealsRead:
    """The signed roots of the whole log, newest first, and the keys to check them with."""
    return _seals_read(*await commands.list_seals(ctx, page))


@routes.read(
    "/v1/audit/{entry}",
    key=Permission.AUDIT_ENTRY_READ,
    response_model=EntryRead,
    answers=(NotFound,),
)
async def get_audit_entry(entry: AuditEntryId, ctx: Ctx) -> Entry:
    """One entry."""
    return await commands.get_entry(ctx, entry)


@routes.read(
    "/v1/audit/{entry}/proof",
    key=Permission.AUDIT_ENTRY_READ,
    response_model=ProofRead,
    answers=(NotFound, commands.NotSealedYet, commands.SealBroken),
)
async def get_audit_proof(entry: AuditEntryId, ctx: Ctx) -> ProofRead:
    """An entry with what proves, to whoever knows the signing key, that it was sealed so."""
    return _proof_read(*await commands.prove(ctx, entry))


def _seal_read(seal: Seal) -> SealRead:
    return SealRead(
        number=seal.number,
        first_seq=seal.first_seq,
        last_seq=seal.last_seq,
        entries=seal.entries,
        root=seal.root.hex(),
        previous=seal.previous.hex(),
        at=seal.at,
        key_id=seal.key_id,
        signature=seal.signature.hex(),
        signed=seals.text(seal),
    )


def _seals_read(page: Page[Seal], keys: AuditKeys) -> SealsRead:
    return SealsRead(
        items=[_seal_read(seal) for seal in page.items],
        next=page.next,
        keys=[_key_read(raw) for raw in keys.public.values()],
    )


def _key_read(raw: bytes) -> AuditKeyRead:
    return AuditKeyRead(id=seals.key_id(raw), pem=keyring.pem(raw), raw=raw.hex())


def _proof_read(entry: Entry, seal: Seal, proof: Proof) -> ProofRead:
    return ProofRead(
        entry=EntryRead.model_validate(entry),
        content=proof.content,
        seq=proof.seq,
        path=[StepRead(side=step.side, hash=step.hash.hex()) for step in proof.path],
        seal=_seal_read(seal),
        public_key=_key_read(proof.public_key),
        how_to_check=HOW_TO_CHECK,
    )
