"""Use cases of families: the platform's operators write them and admit apps; everybody reads."""

import structlog

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import authorize, authorize_anywhere, hidden, missing, platform
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.errors import ConditionMissing, Stale
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.families import rules, store
from moorage_core.families.models import Admission, Candidate, FamilyRow
from moorage_core.families.schemas import AdmissionWrite, FamilyWrite
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.db import Db
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.kit.pagination import Page, PageRequest
from moorage_manifest.models import Family, namespace

log = structlog.get_logger()

# What other slices ask


async def known(db: Db) -> dict[str, Family]:
    """Every family by its name, as manifests are judged by it."""
    return {row.name: rules.as_known(row) for row in await store.list_all(db)}


async def ceilings(db: Db, *, app: str) -> dict[str, frozenset[str]]:
    """The families that an app is admitted to, each with the keys that its versions may use."""
    rows = await store.list_ceilings(db, app=app)
    return {row["family"]: frozenset(row["keys"]) for row in rows}


async def ceilings_of_each(db: Db, apps: list[str]) -> dict[str, dict[str, frozenset[str]]]:
    """The same of many apps at a time."""
    found: dict[str, dict[str, frozenset[str]]] = {app: {} for app in apps}
    for row in await store.list_ceilings_of_each(db, apps):
        found[row["app_id"]][row["family"]] = frozenset(row["keys"])
    return found


# Families


async def list_families(ctx: Context, page: PageRequest) -> Page[FamilyRow]:
    authorize_anywhere(ctx, Permission.CATALOG_FAMILY_READ)
    rows = await store.list_families(ctx.db, page, after=rules.name_of(page.after))
    return pagination.page(rows, page, key=lambda family: namespace(family.name))


async def get_family(ctx: Context, name: str) -> FamilyRow:
    authorize_anywhere(ctx, Permission.CATALOG_FAMILY_READ)
    return await _family(ctx, name)


async def put_family(
    ctx: Context, name: str, family: FamilyWrite, *, expected: int | None
) -> FamilyRow:
    """Add a family, or extend the one that is there."""
    authorize(ctx, Permission.CATALOG_FAMILY_WRITE, platform())
    rules.check_keys(name, family)
    keys = [entry.model_dump() for entry in family.keys]
    have = await store.find_family(ctx.db, name, lock=True)
    _check_version("family", name, have=have and have.version, expected=expected)
    if have is None:
        rules.check_name(name)
        if await store.is_name_of_app(ctx.db, name):
            raise rules.NameOfAnApp(
                f"An app has the slug {name}, and its keys begin so. Call the family otherwise."
            )
        row = await store.add_family(
            ctx.db, name, description=family.description, keys=keys, now=ctx.now
        )
    else:
        rules.check_extends(have, family)
        row = await store.change_family(
            ctx.db, name, description=family.description, keys=keys, now=ctx.now
        )
    _record_family(ctx, row)
    return row


async def keep_up(ctx: Context, comes: Family) -> None:
    """Write a family that comes with a release, or give the one that is there what is new in it.

    A platform may have been restored from one where an app has the name: it is left as it is.
    """
    name = comes.name
    await store.lock_name(ctx.db, name)
    have = await store.find_family(ctx.db, name, lock=True)
    up = rules.brought_up(have, comes)
    if up is None:
        return
    if have is None and await store.is_name_of_app(ctx.db, name):
        log.warning(
            "family_name_taken", family=name, help="An app has this slug; the family waits."
        )
        return
    write = store.add_family if have is None else store.change_family
    keys = [entry.model_dump() for entry in up.keys]
    row = await write(ctx.db, name, description=up.description, keys=keys, now=ctx.now)
    _record_family(ctx, row)


# Admissions


async def list_admissions(ctx: Context, name: str, page: PageRequest) -> Page[Admission]:
    """The admitted apps that the caller may see; all of them for those who admit."""
    await get_family(ctx, name)
    if _admits(ctx):
        rows = await store.list_all_admissions(ctx.db, page, family=name)
    else:
        rows = await store.list_admissions(ctx.db, page, family=name, **_sight(ctx))
    return pagination.page(rows, page, key=lambda admission: admission.app_id)


async def get_admission(ctx: Context, name: str, app: str) -> Admission:
    await get_family(ctx, name)
    if _admits(ctx):
        found = await store.find_any_admission(ctx.db, name, app)
    else:
        found = await store.find_admission(ctx.db, name, app, **_sight(ctx))
    if found is None:
        raise hidden("admission of app", app)
    return found


async def admit(
    ctx: Context, name: str, app: str, admission: AdmissionWrite, *, expected: int | None
) -> Admission:
    """Let an app use keys of a family, whoever publishes it. The publisher hears of it."""
    authorize(ctx, Permission.CATALOG_FAMILY_ADMIT, platform())
    keys = rules.ceiling(await _family(ctx, name), admission.keys)
    candidate = await store.find_candidate(ctx.db, app)
    if candidate is None:
        raise hidden("app", app)
    have = await store.find_any_admission(ctx.db, name, app, lock=True)
    _check_version("admission of app", app, have=have and have.version, expected=expected)
    admitted = await store.admit(ctx.db, name, candidate, keys=keys, now=ctx.now)
    await _record_admission(ctx, registry.FAMILY_APP_ADMITTED, candidate, admitted)
    return admitted


async def withdraw(ctx: Context, name: str, app: str, *, expected: int | None) -> None:
    """Take an app out of a family. Policy refuses its versions from then on."""
    authorize(ctx, Permission.CATALOG_FAMILY_ADMIT, platform())
    await _family(ctx, name)
    candidate = await store.find_candidate(ctx.db, app)
    have = await store.find_any_admission(ctx.db, name, app, lock=True)
    if candidate is None or have is None:
        raise hidden("admission of app", app)
    etag.check("admission of app", app, have=have.version, expected=expected)
    version = await store.withdraw(ctx.db, name, app, now=ctx.now)
    await _record_admission(ctx, registry.FAMILY_APP_WITHDRAWN, candidate, have, version=version)


async def _family(ctx: Context, name: str) -> FamilyRow:
    family = await store.find_family(ctx.db, name)
    if family is None:
        raise hidden("family", name)
    return family


def _check_version(noun: str, id: str, *, have: int | None, expected: int | None) -> None:
    """What is not there is made without a version; what is there is changed with the one read."""
    if have is None:
        if expected is not None:
            raise Stale(f"There is no {noun} {id} any more, or not yet. Leave If-Match out.")
        return
    if expected is None:
        raise ConditionMissing(
            f"There is a {noun} {id} already, at version {have}. To change it, send the ETag that"
            " you read in the If-Match header."
        )
    etag.check(noun, id, have=have, expected=expected)


def _admits(ctx: Context) -> bool:
    wanted = frozenset({str(Permission.CATALOG_FAMILY_ADMIT)})
    return not missing(ctx.principal, wanted, org=PLATFORM_ORG, project=None)


def _sight(ctx: Context) -> dict[str, list[str]]:
    """Whose apps the caller may read."""
    key = Permission.CATALOG_APP_READ
    return {
        "whole": ctx.principal.orgs_with(key),
        "projects": ctx.principal.projects_with(key),
        "orgs": sorted({grant.org for grant in ctx.principal.grants if key in grant.permissions}),
    }


def _record_family(ctx: Context, family: FamilyRow) -> None:
    data = registry.Family(name=family.name, keys=[str(entry["key"]) for entry in family.keys])
    action = Permission.CATALOG_FAMILY_WRITE
    audit.record(ctx, action, family.name, org=PLATFORM_ORG, details={"keys": data.keys})
    events.publish(
        ctx,
        registry.FAMILY_WRITTEN,
        data,
        subject=family.name,
        version=family.version,
        org=PLATFORM_ORG,
    )


async def _record_admission(
    ctx: Context,
    event: registry.EventType,
    app: Candidate,
    admission: Admission,
    *,
    version: int | None = None,
) -> None:
    """An entry where the platform's operators look, and events there and for the publisher."""
    data = registry.Admission(
        family=admission.family, app_id=app.id, slug=app.slug, keys=admission.keys
    )
    action = Permission.CATALOG_FAMILY_ADMIT
    details = {"event": event.type, **data.model_dump()}
    audit.record(ctx, action, app.id, org=PLATFORM_ORG, app=app.slug, details=details)
    for org, project in ((PLATFORM_ORG, None), (app.org_id, app.project_id)):
        events.publish(
            ctx,
            event,
            data,
            subject=f"{admission.family}/{app.id}",
            version=version or admission.version,
            org=org,
            project=project,
            app=app.slug,
        )
    # Comes last: from here on nothing but the records is written.
    await ctx.db.set_scope(ctx.principal.scope.with_org(app.org_id))
