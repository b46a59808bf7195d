"""Use cases of publisher keys and of the signatures that they make."""

from moorage_core.artifacts import commands, rules, store
from moorage_core.artifacts.models import Artifact, PublisherKey, Signature
from moorage_core.artifacts.rules import Trust
from moorage_core.artifacts.schemas import PublisherKeyCreate, SignatureCreate
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import pagination
from moorage_core.kit.ids import PublisherKeyId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.tenancy import commands as tenancy


async def create(ctx: Context, project: str, new: PublisherKeyCreate) -> PublisherKey:
    action = Permission.CATALOG_PUBLISHER_KEY_CREATE
    where = await tenancy.get_project(ctx, project, key=action)
    public_key = new.public_key.model_dump()
    rules.check_public_key(public_key)
    rules.check_proof(new.proof, public_key, project=project)
    key = await store.add_key(
        ctx.db,
        PublisherKey(
            id=PublisherKeyId.new(),
            org_id=where.org_id,
            project_id=project,
            name=new.name,
            public_key=public_key,
            version=1,
            created_at=ctx.now,
            updated_at=ctx.now,
            revoked_at=None,
        ),
    )
    if key is None:
        raise rules.KeyTaken(
            "The project has this key already, or had it and revoked it. Make a new pair."
        )
    _record(ctx, action, registry.PUBLISHER_KEY_CREATED, key)
    return key


async def list_in_project(ctx: Context, project: str, page: PageRequest) -> Page[PublisherKey]:
    await tenancy.get_project(ctx, project, key=Permission.CATALOG_PUBLISHER_KEY_READ)
    rows = await store.list_keys(ctx.db, page, project=project)
    return pagination.page(rows, page, key=lambda key: key.id)


async def revoke(ctx: Context, id: str, *, reason: str) -> PublisherKey:
    """Take a key out of use, and its trust from what it alone has signed, at once."""
    action = Permission.CATALOG_PUBLISHER_KEY_REVOKE
    key = await store.lock_key(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs))
    if key is None:
        raise hidden("publisher key", id)
    authorize(ctx, action, Resource("publisher key", id, key.org_id, key.project_id))
    rules.check_key(key, id)
    await store.lock_signed(ctx.db, org=key.org_id, key=id)
    key = await store.revoke_key(ctx.db, id, org=key.org_id, now=ctx.now)
    why = rules.failed_reason(key, reason)
    failed = await store.fail_unsigned(ctx.db, org=key.org_id, key=id, reason=why, now=ctx.now)
    for artifact in failed:
        commands.publish(ctx, registry.ARTIFACT_FAILED, artifact)
    details = {"reason": reason, "failed": len(failed)}
    _record(ctx, action, registry.PUBLISHER_KEY_REVOKED, key, **details)
    return key


# Signatures


async def sign(ctx: Context, artifact_id: str, new: SignatureCreate) -> Artifact:
    """Keep a good signature: the artifact is verified from now on."""
    action = Permission.CATALOG_ARTIFACT_SIGN
    artifact = await commands.get(ctx, artifact_id, key=action)
    org, project = artifact.org_id, artifact.project_id
    # The key before the artifact, as whoever revokes it locks them.
    found = await store.share_key(ctx.db, new.key, org=org, project=project)
    artifact = await commands.get(ctx, artifact_id, key=action, lock=True)
    rules.check_signable(artifact)
    rules.check_allowed(artifact.digest, await store.find_revocation(ctx.db, artifact.digest))
    key = rules.check_key(found, new.key)
    raw = rules.check_signature(new.signature, key.public_key, digest=artifact.digest)
    signature = Signature(artifact_id, key.id, raw, key.public_key, ctx.now, None)
    if not await store.add_signature(ctx.db, signature, org=org, project=project):
        raise rules.AlreadySigned(f"The key {key.id} has signed artifact {artifact_id} already.")
    artifact = await store.set_trust(
        ctx.db, artifact_id, org=org, trust=Trust.VERIFIED, reason=None, now=ctx.now
    )
    commands.record(ctx, action, registry.ARTIFACT_VERIFIED, artifact)
    return artifact


async def list_signatures(ctx: Context, artifact_id: str, page: PageRequest) -> Page[Signature]:
    artifact = await commands.get(ctx, artifact_id)
    rows = await store.list_signatures(ctx.db, page, org=artifact.org_id, artifact=artifact_id)
    return pagination.page(rows, page, key=lambda signature: signature.key_id)


def _record(
    ctx: Context, action: str, event: registry.EventType, key: PublisherKey, **details: object
) -> None:
    org, project = key.org_id, key.project_id
    data = registry.PublisherKey(id=key.id, name=key.name, revoked=key.revoked)
    audit.record(
        ctx, action, key.id, org=org, project=project, details={"name": key.name, **details}
    )
    events.publish(ctx, event, data, subject=key.id, version=key.version, org=org, project=project)
