"""What an entitlement comes to, and what that asks for, in a form that a person can decide on."""

from dataclasses import dataclass

from moorage_core.authz.authorize import hidden
from moorage_core.authz.permissions import Permission
from moorage_core.catalog import commands as catalog
from moorage_core.catalog.models import App, Version
from moorage_core.context import Context
from moorage_core.entitlements import app_keys, readable, rules
from moorage_core.entitlements.models import Entitlement
from moorage_core.entitlements.schemas import (
    DeclarationAskRead,
    DeclarationRead,
    EntitledVersion,
    EntitlementDetail,
    EntitlementRead,
    OfferedApp,
    OfferRead,
    PermissionDiffRead,
    WaitingVersion,
)
from moorage_core.families import commands as families
from moorage_core.kit.db import Db
from moorage_manifest import declarations
from moorage_manifest.declarations import Declaration

READ = Permission.CATALOG_ENTITLEMENT_READ


@dataclass(frozen=True)
class World:
    """An app's versions and channels, as the entitled project may see them."""

    versions: list[Version]
    channels: dict[str, str]

    @property
    def facts(self) -> tuple[list[Version], dict[str, str]]:
        return self.versions, self.channels

    def find(self, name: str) -> Version | None:
        """By its number or its id."""
        return next((each for each in self.versions if name in (each.number, each.id)), None)


async def shared_app(ctx: Context, id: str, *, org: str, project: str, key: str) -> App:
    """An app that who holds `key` sees, and that its publisher shows to the project too."""
    app = await catalog.find_visible(ctx, id, key=key)
    if app is None:
        raise hidden("app", id)
    if not catalog.is_offered_to(app, org=org, project=project):
        raise rules.AppNotShared(
            f"The app {app.slug} is shown to its own project only. Its publisher can show it to the"
            " whole org."
        )
    return app


async def world_of(ctx: Context, entitlement: Entitlement, *, key: str) -> World:
    """Nothing where the publisher no longer shows the app to the project.

    `key` is the one by which the caller got at the entitlement.
    """
    org, project = entitlement.org_id, entitlement.project_id
    app = await catalog.find_visible(ctx, entitlement.app_id, key=key)
    if app is None or not catalog.is_offered_to(app, org=org, project=project):
        return World([], {})
    return await versions_of(ctx.db, app.id, entitlement.accepted_version_id)


async def versions_of(db: Db, app: str, *named: str) -> World:
    return World(await catalog.versions_of(db, app, *named), await catalog.channels_of(db, app))


async def offer(
    ctx: Context, app: App, wish: rules.Wanted, *, present: Entitlement | None
) -> OfferRead:
    """What a tenant would accept if it entitled a project now."""
    version = rules.wanted(wish, *(await versions_of(ctx.db, app.id)).facts)
    if version is None:
        raise rules.no_version(wish, app.slug)
    asked = await declared(ctx.db, version)
    return OfferRead.model_validate(
        {
            "app": OfferedApp.model_validate(app),
            "version": EntitledVersion.model_validate(version),
            "channel": wish.channel,
            "versions": wish.versions,
            "consent": version.declaration_digest,
            "declaration": await _declaration(ctx, version, asked),
            "entitlement_id": present and present.id,
        }
    )


async def diff(
    ctx: Context, entitlement: Entitlement, *, version: str | None
) -> PermissionDiffRead:
    """What a version asks for, against what was accepted."""
    world = await world_of(ctx, entitlement, key=READ)
    found = world.find(version) if version else rules.wanted(entitlement, *world.facts)
    if found is None and version:
        raise hidden("version", version)
    if found is None:
        raise rules.no_version(entitlement, entitlement.app_slug)
    asked = await declared(ctx.db, found)
    both = declarations.diff(asked, rules.accepted(entitlement))
    return PermissionDiffRead.model_validate(
        {
            "entitlement_id": entitlement.id,
            "version": EntitledVersion.model_validate(found),
            "consent": found.declaration_digest,
            "consent_needed": bool(both.wider),
            "wider": [DeclarationAskRead.model_validate(each) for each in both.wider],
            "narrower": [DeclarationAskRead.model_validate(each) for each in both.narrower],
            "declaration": await _declaration(ctx, found, asked),
        }
    )


def shown(ctx: Context, entitlement: Entitlement) -> EntitlementRead:
    """An entitlement as a list has it: without a look at the app's versions."""
    held = app_keys.held(entitlement, ctx.principal)
    return EntitlementRead.model_validate({**entitlement.__dict__, "your_permissions": held})


async def detail(ctx: Context, entitlement: Entitlement, world: World) -> EntitlementDetail:
    """An entitlement with the version it uses and the one that waits for consent."""
    ids = [each.id for each in rules.to_compare(entitlement, *world.facts)]
    consent = rules.Consent(entitlement, await catalog.declarations_of(ctx.db, *ids))
    used = rules.resolve(entitlement, *world.facts, consent)
    waits = rules.waiting(entitlement, *world.facts, consent)
    return EntitlementDetail(
        **shown(ctx, entitlement).model_dump(),
        resolved=used and EntitledVersion.model_validate(used),
        waiting=waits and _waiting(waits),
    )


def _waiting(version: Version) -> WaitingVersion:
    return WaitingVersion.model_validate(
        {**version.__dict__, "consent": version.declaration_digest}
    )


async def declared(db: Db, version: Version) -> Declaration:
    """What a version asks for."""
    found = await catalog.declarations_of(db, version.id)
    return Declaration.model_validate(found[version.declaration_digest])


async def _declaration(ctx: Context, version: Version, asked: Declaration) -> DeclarationRead:
    ceilings = await families.ceilings(ctx.db, app=version.app_id)
    return readable.readable(
        asked,
        manifest=await catalog.manifest_of(ctx, version.id),
        families=await families.known(ctx.db),
        admitted=frozenset[str]().union(*ceilings.values()),
    )
