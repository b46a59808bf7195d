"""Use cases of sources, and what other slices ask of them."""

from urllib.parse import urlsplit

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, authorize_anywhere, hidden, platform
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.ids import SourceId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.secrets import commands as custody
from moorage_core.sources import opening, rules, store
from moorage_core.sources.models import Source
from moorage_core.sources.schemas import SourceCreate, SourceUpdate

PURPOSE = "artifact_source"
FETCH_ERRORS = (
    rules.SourceNotUsable,
    rules.SourceUnreachable,
    rules.SourceRefused,
    rules.SourceMismatch,
)
"""What `open_remote` raises, for routes that give out what it opens."""
SourceMismatch = rules.SourceMismatch

# What other slices ask


find_usable = opening.find_usable
open_remote = opening.open_remote

# Sources


async def create(ctx: Context, org: str, new: SourceCreate) -> Source:
    """Add a source for an org; for the platform's own org, one that all can use."""
    authorize(ctx, Permission.CATALOG_SOURCE_CREATE, Resource("org", org, org))
    rules.check_slug(org, new.slug)
    private = ctx.platform.settings.sources.private_addresses
    url = rules.check_url(new.url, private=private)
    token_url = rules.check_token_url(new.kind, new.token_url, private=private)
    if name := await store.find_foreign_name(ctx.db, new.slug, org=org):
        raise rules.name_taken(name)
    secret = None
    if new.credential is not None:
        packed = rules.read_credential(new.credential).packed()
        secret = await custody.put(ctx, packed, purpose=PURPOSE, org=org)
    source = await store.add(
        ctx.db,
        id=SourceId.new(),
        org=org,
        slug=new.slug,
        name=new.name,
        kind=new.kind,
        url=url,
        token_url=token_url,
        secret=secret,
        enabled=new.enabled,
        now=ctx.now,
    )
    if source is None:
        raise rules.SlugTaken(f"The org has a source with the slug {new.slug} already.")
    _record(ctx, Permission.CATALOG_SOURCE_CREATE, registry.SOURCE_CREATED, source)
    return source


async def list_sources(ctx: Context, page: PageRequest, *, org: str | None) -> Page[Source]:
    """The org's own and the shared ones; without an org, those of all the caller's orgs."""
    key = Permission.CATALOG_SOURCE_READ
    if org is not None:
        authorize(ctx, key, Resource("org", org, org, by_any_project=True))
        orgs = [org]
    else:
        authorize_anywhere(ctx, key)
        orgs = sorted({place.org for place in ctx.principal.places(key)})
    rows = await store.list_sources(ctx.db, page, orgs=orgs)
    return pagination.page(rows, page, key=lambda source: source.id)


async def get(ctx: Context, id: str) -> Source:
    """A source of an org in which the caller may read sources anywhere, or a shared one."""
    source = await store.find(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs))
    if source is None:
        raise hidden("source", id)
    key = Permission.CATALOG_SOURCE_READ
    if source.shared:
        authorize_anywhere(ctx, key)
    else:
        authorize(ctx, key, Resource("source", id, source.org_id, by_any_project=True))
    return source


async def update(ctx: Context, id: str, change: SourceUpdate, *, expected: int) -> Source:
    """Rename it, point it elsewhere, give it another credential or none, switch it on or off."""
    source = await _owned(ctx, id, Permission.CATALOG_SOURCE_UPDATE)
    etag.check("source", id, have=source.version, expected=expected)
    rules.check_clear(change)
    private = ctx.platform.settings.sources.private_addresses
    url = source.url if change.url is None else rules.check_url(change.url, private=private)
    token_url = rules.check_token_url(source.kind, change.token_url, private=private)
    if token_url is None and "token_url" not in (change.clear or ()):
        token_url = source.token_url
    rules.check_move(source, change, url=url, token_url=token_url)
    changed = await store.change(
        ctx.db,
        id,
        org=source.org_id,
        name=source.name if change.name is None else change.name,
        url=url,
        token_url=token_url,
        secret=await _new_secret(ctx, source, change),
        enabled=source.enabled if change.enabled is None else change.enabled,
        now=ctx.now,
    )
    if source.secret_id is not None and changed.secret_id != source.secret_id:
        await custody.remove(ctx, source.secret_id, org=source.org_id)
    _record(ctx, Permission.CATALOG_SOURCE_UPDATE, registry.SOURCE_UPDATED, changed)
    return changed


async def delete(ctx: Context, id: str, *, expected: int | None) -> None:
    """Remove a source that no artifact names, with its credential."""
    source = await _owned(ctx, id, Permission.CATALOG_SOURCE_DELETE)
    etag.check("source", id, have=source.version, expected=expected)
    rules.check_unused(source, uses=await store.count_uses(ctx.db, id))
    gone = await store.delete(ctx.db, id, org=source.org_id, now=ctx.now)
    if source.secret_id is not None:
        await custody.remove(ctx, source.secret_id, org=source.org_id)
    _record(ctx, Permission.CATALOG_SOURCE_DELETE, registry.SOURCE_DELETED, gone)


async def _owned(ctx: Context, id: str, key: str) -> Source:
    """The source, locked, for whoever holds the key on the org that owns it."""
    source = await get(ctx, id)
    owner = Resource("org", source.org_id, source.org_id)
    authorize(ctx, key, platform() if source.shared else owner)
    locked = await store.find(ctx.db, id, orgs=[source.org_id], lock=True)
    if locked is None:
        raise hidden("source", id)
    return locked


async def _new_secret(ctx: Context, source: Source, change: SourceUpdate) -> str | None:
    """The id of the secret after the change. A new value is a new secret."""
    if change.credential is not None:
        packed = rules.read_credential(change.credential).packed()
        return await custody.put(ctx, packed, purpose=PURPOSE, org=source.org_id)
    return None if "credential" in (change.clear or ()) else source.secret_id


def _record(ctx: Context, action: str, event: registry.EventType, source: Source) -> None:
    # The host alone: the rest of a URL may well be a password of its own.
    details = {
        "slug": source.slug,
        "kind": source.kind,
        "host": urlsplit(source.url).hostname,
        "has_credential": source.has_credential,
        "enabled": source.enabled,
    }
    audit.record(ctx, action, source.id, org=source.org_id, details=details)
    data = registry.Source(id=source.id, slug=source.slug, kind=source.kind, enabled=source.enabled)
    events.publish(ctx, event, data, subject=source.id, version=source.version, org=source.org_id)
