"""HTTP in, one command, HTTP out: entitlements, offers, consent."""

from typing import Annotated

from fastapi import Query, Response

from moorage_core.authz.permissions import Permission
from moorage_core.entitlements import commands, rules
from moorage_core.entitlements.schemas import (
    Channel,
    ConsentGive,
    EntitlementCreate,
    EntitlementDetail,
    EntitlementRead,
    EntitlementUpdate,
    OfferRead,
    PermissionDiffRead,
    VersionsText,
)
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion, OptionalVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import AppId, EntitlementId, ProjectId
from moorage_core.kit.pagination import Page, PageRead, Paging

routes = Routes(tag="entitlements")
CHOICE_ERRORS = (NotFound, rules.AppNotShared, rules.ConstraintInvalid, rules.NoVersion)


@routes.read(
    "/v1/projects/{project}/offers/{app}",
    key=Permission.CATALOG_ENTITLEMENT_READ,
    response_model=OfferRead,
    answers=CHOICE_ERRORS,
)
async def get_offer(
    project: ProjectId,
    app: AppId,
    ctx: Ctx,
    channel: Annotated[
        Channel | None, Query(description="What the publisher promotes there.")
    ] = None,
    versions: Annotated[
        VersionsText, Query(description="A constraint on version numbers, such as `^1.2`.")
    ] = "*",
) -> OfferRead:
    """What a project would get with an app, and what its tenant would accept."""
    return await commands.offer(ctx, project, app, channel=channel, versions=versions)


@routes.mutation(
    "POST",
    "/v1/projects/{project}/entitlements",
    key=Permission.CATALOG_ENTITLEMENT_CREATE,
    status_code=201,
    response_model=EntitlementDetail,
    answers=(*CHOICE_ERRORS, rules.AlreadyEntitled, rules.ConsentNeeded),
)
async def create_entitlement(
    project: ProjectId, new: EntitlementCreate, ctx: Ctx, response: Response
) -> EntitlementDetail:
    """Entitle a project to an app, accepting what the app asks for."""
    return _with_etag(response, await commands.create(ctx, project, new))


@routes.read(
    "/v1/projects/{project}/entitlements",
    key=Permission.CATALOG_ENTITLEMENT_READ,
    response_model=PageRead[EntitlementRead],
    answers=(NotFound,),
)
async def list_entitlements(
    project: ProjectId,
    ctx: Ctx,
    page: Paging,
    app: Annotated[AppId | None, Query(description="Only the one for this app.")] = None,
) -> Page[EntitlementRead]:
    """The apps that a project is entitled to."""
    return await commands.list_in_project(ctx, project, page, app=app)


@routes.read(
    "/v1/entitlements/{entitlement}",
    key=Permission.CATALOG_ENTITLEMENT_READ,
    response_model=EntitlementDetail,
    answers=(NotFound,),
)
async def get_entitlement(
    entitlement: EntitlementId, ctx: Ctx, response: Response
) -> EntitlementDetail:
    """One entitlement: which version it uses, and whether one waits for consent."""
    return _with_etag(response, await commands.read(ctx, entitlement))


@routes.mutation(
    "PATCH",
    "/v1/entitlements/{entitlement}",
    key=Permission.CATALOG_ENTITLEMENT_UPDATE,
    response_model=EntitlementDetail,
    answers=(
        NotFound,
        *etag.ERRORS,
        rules.ConsentNeeded,
        rules.ConstraintInvalid,
        rules.NoVersion,
    ),
)
async def update_entitlement(
    entitlement: EntitlementId,
    change: EntitlementUpdate,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> EntitlementDetail:
    """Change an entitlement's channel or versions, disable or enable it."""
    return _with_etag(response, await commands.update(ctx, entitlement, change, expected=expected))


@routes.mutation(
    "DELETE",
    "/v1/entitlements/{entitlement}",
    key=Permission.CATALOG_ENTITLEMENT_DELETE,
    status_code=204,
    answers=(NotFound, etag.Stale),
)
async def delete_entitlement(
    entitlement: EntitlementId, expected: OptionalVersion, ctx: Ctx
) -> None:
    """Take an entitlement away. The app's permission keys that it gave are gone at once."""
    await commands.delete(ctx, entitlement, expected=expected)


@routes.mutation(
    "POST",
    "/v1/entitlements/{entitlement}/consent",
    key=Permission.CATALOG_ENTITLEMENT_CONSENT,
    response_model=EntitlementDetail,
    answers=(NotFound, rules.ConsentNeeded, rules.NoVersion),
)
async def give_consent(
    entitlement: EntitlementId, given: ConsentGive, ctx: Ctx, response: Response
) -> EntitlementDetail:
    """Accept what a version of the app asks for."""
    return _with_etag(response, await commands.consent(ctx, entitlement, given=given.consent))


@routes.read(
    "/v1/entitlements/{entitlement}/diff",
    key=Permission.CATALOG_ENTITLEMENT_READ,
    response_model=PermissionDiffRead,
    answers=(NotFound, rules.NoVersion),
)
async def get_permission_diff(
    entitlement: EntitlementId,
    ctx: Ctx,
    version: Annotated[
        str | None,
        Query(
            max_length=64,
            description="A version's number or id. Left out: the one that the entitlement wants.",
        ),
    ] = None,
) -> PermissionDiffRead:
    """What a version asks for, against what was accepted."""
    return await commands.diff(ctx, entitlement, version=version)


def _with_etag(response: Response, entitlement: EntitlementDetail) -> EntitlementDetail:
    etag.put(response, entitlement.version)
    return entitlement
