"""Use cases of access grants and certificates. Logins are in `logins`, nodes' lists in `lists`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from moorage_core.access import authorities, certificates, logins, node_store, rules, store
from moorage_core.access.authorities import TOPIC
from moorage_core.access.models import AccessGrant, Certificate, Contact, Machine
from moorage_core.access.schemas import AccessGrantCreate, SshCertificateCreate
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind
from moorage_core.context import Context
from moorage_core.errors import Fault
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import pagination
from moorage_core.kit.ids import AccessGrantId
from moorage_core.kit.pagination import Page, PageRequest


@dataclass(frozen=True)
class Issued:
    """A certificate and where it opens something."""

    text: str
    row: Certificate
    grant: AccessGrant
    contact: Contact


# Grants


async def create_grant(ctx: Context, allocation: str, new: AccessGrantCreate) -> AccessGrant:
    """Let somebody of the project into one of its machines. The node makes their account."""
    machine = await _machine(ctx, allocation, key=Permission.INFRA_ACCESS_CREATE, lock=True)
    rules.check_active(machine.id, machine.status)
    user = new.user or _caller(ctx)
    found = await store.find_person(ctx.db, user, org=machine.org_id, project=machine.project_id)
    person = rules.check_person(found, user=user, project=machine.project_id)
    longest = ctx.platform.settings.access.grant_lifetime_max
    lifetime = rules.check_lifetime(new.expires_in, longest=longest)
    login = await logins.ensure(ctx, person, org=machine.org_id, project=machine.project_id)
    number = await node_store.count_up(ctx.db, machine)
    id = AccessGrantId.new()
    added = await store.add_grant(
        ctx.db,
        machine,
        login,
        id=id,
        principal=f"moorage-{id}",
        sudo=new.sudo,
        forwarding=new.forwarding,
        reason=new.reason,
        granted_by=ctx.principal.id,
        expires_at=ctx.now + lifetime,
        listed_in=number,
        now=ctx.now,
    )
    if not added:
        present = await store.find_live(
            ctx.db, org=machine.org_id, allocation=machine.id, user=person.id
        )
        raise rules.AlreadyGranted(
            f"{login.login} may enter allocation {machine.id} already, by grant {present}. "
            "End it first to give other rights or another time."
        )
    grant = await _find(ctx, id, org=machine.org_id)
    _record(ctx, Permission.INFRA_ACCESS_CREATE, registry.ACCESS_GRANTED, grant)
    return grant


async def list_grants(
    ctx: Context,
    allocation: str,
    page: PageRequest,
    *,
    user: str | None = None,
    live: bool | None = None,
) -> Page[AccessGrant]:
    machine = await _machine(ctx, allocation, key=Permission.INFRA_ACCESS_READ)
    rows = await store.list_grants(
        ctx.db, page, org=machine.org_id, allocation=machine.id, user=user, live=live
    )
    return pagination.page(rows, page, key=lambda grant: grant.id)


async def get_grant(
    ctx: Context, id: str, *, key: str = Permission.INFRA_ACCESS_READ, lock: bool = False
) -> AccessGrant:
    orgs = sorted(ctx.principal.scope.orgs)
    grant = await store.find_grant(ctx.db, id, orgs=orgs, lock=lock)
    if grant is None:
        raise hidden("access grant", id)
    authorize(ctx, key, Resource("access grant", id, grant.org_id, grant.project_id))
    return grant


async def end_grant(ctx: Context, id: str) -> None:
    """The node takes the principal away and ends every session of the person within seconds."""
    grant = await get_grant(ctx, id, key=Permission.INFRA_ACCESS_DELETE)
    # The node's row first, as whoever grants does: two who meet here wait, and do not lock up.
    numbers = await node_store.count_up_many(ctx.db, [grant.allocation_id], org=grant.org_id)
    grant = await get_grant(ctx, id, key=Permission.INFRA_ACCESS_DELETE, lock=True)
    if grant.ended_at is not None:
        rules.check_live(grant, now=ctx.now)
    ending = [(grant.id, grant.allocation_id, rules.Because.ENDED)]
    await _end(ctx, ending, org=grant.org_id, numbers=numbers)


async def end_over(ctx: Context, over: list[tuple[str, str]], *, org: str) -> int:
    """End those of the grants that something has ended: (allocation, grant) each. How many."""
    allocations = sorted({allocation for allocation, _ in over})
    numbers = await node_store.count_up_many(ctx.db, allocations, org=org)
    standings = await store.lock_standing(ctx.db, [id for _, id in over], org=org)
    ending = [
        (standing.id, standing.allocation_id, because)
        for standing in standings
        if (because := rules.why_ended(standing, now=ctx.now)) is not None
    ]
    ended = await _end(ctx, ending, org=org, numbers=numbers)
    return len(ended)


async def _end(
    ctx: Context,
    ending: Sequence[tuple[str, str, rules.Because]],
    *,
    org: str,
    numbers: Mapping[str, int],
) -> list[AccessGrant]:
    """End locked grants: (grant, allocation, why) each. One statement, however many they are."""
    ended = await store.end_grants(
        ctx.db,
        [(grant, because, numbers.get(allocation, 0)) for grant, allocation, because in ending],
        org=org,
        now=ctx.now,
    )
    for grant in ended:
        _record(ctx, Permission.INFRA_ACCESS_DELETE, registry.ACCESS_ENDED, grant)
    return ended


# Certificates


async def issue_certificate(ctx: Context, id: str, new: SshCertificateCreate) -> Issued:
    """Certify a key of the grant's own person for minutes, with the grant's principal alone."""
    grant = await get_grant(ctx, id, key=Permission.INFRA_ACCESS_USE, lock=True)
    rules.check_own(grant, caller=ctx.principal.id)
    rules.check_live(grant, now=ctx.now)
    key = certificates.read_public_key(new.public_key)
    contact = await _contact(ctx, grant)
    until = _until(ctx, grant)
    row = await store.add_certificate(
        ctx.db,
        grant,
        key_id=f"{grant.id} {ctx.trace.correlation_id}",
        fingerprint=key.get_fingerprint(),
        correlation_id=ctx.trace.correlation_id,
        now=ctx.now,
        expires_at=until,
    )
    generation = await node_store.find_confirmed_generation(
        ctx.db, grant.allocation_id, org=grant.org_id
    )
    signer = authorities.choose(ctx.prepared, generation=generation)
    wish = certificates.Wish(
        serial=row.serial,
        key_id=row.key_id,
        principal=grant.principal,
        forwarding=grant.forwarding,
        since=ctx.now,
        until=until,
    )
    await _record_certificate(ctx, grant, row)
    return Issued(certificates.sign(signer.key, key, wish), row, grant, contact)


async def _contact(ctx: Context, grant: AccessGrant) -> Contact:
    """How the machine is reached, as long as the person may be on it."""
    found = await store.find_person(
        ctx.db, grant.user_id, org=grant.org_id, project=grant.project_id
    )
    rules.check_person(found, user=grant.user_id, project=grant.project_id)
    machine = await store.find_machine(ctx.db, grant.allocation_id, orgs=[grant.org_id])
    status = "gone" if machine is None else machine.status
    rules.check_active(grant.allocation_id, status)
    contact = await store.find_contact(ctx.db, allocation=grant.allocation_id)
    assert contact is not None, "an active allocation has a node"
    return contact


def _until(ctx: Context, grant: AccessGrant) -> datetime:
    return min(ctx.now + ctx.platform.settings.access.certificate_lifetime, grant.expires_at)


async def _record_certificate(ctx: Context, grant: AccessGrant, row: Certificate) -> None:
    version = await store.count_up(ctx.db, grant.id, org=grant.org_id, now=ctx.now)
    audit.record(
        ctx,
        Permission.INFRA_ACCESS_USE,
        grant.id,
        org=grant.org_id,
        project=grant.project_id,
        details={
            "serial": row.serial,
            "fingerprint": row.fingerprint,
            "expires_at": row.expires_at.isoformat(),
        },
    )
    events.publish(
        ctx,
        registry.CERTIFICATE_ISSUED,
        registry.Certificate(grant_id=grant.id, serial=row.serial, key_id=row.key_id),
        subject=grant.id,
        version=version,
        org=grant.org_id,
        project=grant.project_id,
    )


# What all of them do


async def _machine(ctx: Context, allocation: str, *, key: str, lock: bool = False) -> Machine:
    orgs = sorted(ctx.principal.scope.orgs)
    machine = await store.find_machine(ctx.db, allocation, orgs=orgs, lock=lock)
    if machine is None:
        raise hidden("allocation", allocation)
    authorize(ctx, key, Resource("allocation", allocation, machine.org_id, machine.project_id))
    return machine


def _caller(ctx: Context) -> str:
    if ctx.principal.kind is not Kind.USER:
        raise rules.NotAPerson(
            "You are a program, and only people enter machines. Name the user who is let in.",
            errors=[Fault("body.user", "missing")],
        )
    return ctx.principal.id


async def _find(ctx: Context, id: str, *, org: str) -> AccessGrant:
    grant = await store.find_grant(ctx.db, id, orgs=[org])
    assert grant is not None, "the row is locked by this transaction"
    return grant


def _record(ctx: Context, action: str, event: registry.EventType, grant: AccessGrant) -> None:
    ctx.topics |= {TOPIC, topic(grant.allocation_id)}
    data = registry.AccessGrant(
        id=grant.id,
        allocation_id=grant.allocation_id,
        user_id=grant.user_id,
        login=grant.login,
        sudo=grant.sudo,
        forwarding=grant.forwarding,
        ended_because=grant.ended_because,
    )
    details = data.model_dump(exclude={"id"}) | {
        "reason": grant.reason,
        "expires_at": grant.expires_at.isoformat(),
    }
    org, project = grant.org_id, grant.project_id
    audit.record(ctx, action, grant.id, org=org, project=project, details=details)
    events.publish(
        ctx, event, data, subject=grant.id, version=grant.version, org=org, project=project
    )


def topic(allocation: str) -> str:
    """Moves when the people on this machine, or what its node says of them, have changed."""
    return f"access:{allocation}"
