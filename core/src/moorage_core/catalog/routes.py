"""HTTP in, one command, HTTP out: apps, versions, channels, promotions."""

from typing import Annotated, Any, TypeVar

from fastapi import Path, Query, Response

from moorage_core.authz.permissions import Permission
from moorage_core.catalog import commands, manifests, promotions, rules, versions
from moorage_core.catalog.models import App, Promotion, ShownVersion, Version
from moorage_core.catalog.schemas import (
    AppCreate,
    AppRead,
    AppSlug,
    AppUpdate,
    ChannelName,
    ChannelRead,
    PromotionCreate,
    PromotionRead,
    Status,
    VersionDeprecate,
    VersionDetail,
    VersionNumber,
    VersionPublish,
    VersionRead,
    VersionRetire,
    VersionWrite,
)
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion, OptionalVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import AppId, AppVersionId, OrgId, ProjectId
from moorage_core.kit.pagination import Page, PageRead, Paging

routes = Routes(tag="catalog")
T = TypeVar("T", App, ShownVersion)
MANIFEST_ERRORS = (rules.ManifestInvalid, rules.ManifestMisfit, rules.RunbookMissing)


# Apps


@routes.mutation(
    "POST",
    "/v1/projects/{project}/apps",
    key=Permission.CATALOG_APP_CREATE,
    status_code=201,
    response_model=AppRead,
    answers=(NotFound, rules.SlugTaken, rules.SlugReserved, rules.LimitReached),
)
async def create_app(project: ProjectId, new: AppCreate, ctx: Ctx, response: Response) -> App:
    """Register an app in the catalog. The project is its publisher from then on."""
    return _with_etag(response, await commands.create(ctx, project, new))


@routes.read("/v1/apps", key=Permission.CATALOG_APP_READ, response_model=PageRead[AppRead])
async def list_apps(
    ctx: Ctx,
    page: Paging,
    slug: Annotated[AppSlug | None, Query(description="The app of this slug alone.")] = None,
    org: Annotated[OrgId | None, Query(description="Published by one of your orgs.")] = None,
    project: Annotated[
        ProjectId | None, Query(description="Published by one of your projects.")
    ] = None,
) -> Page[App]:
    """The apps that you can see: those of your projects, and those that others show you."""
    return await commands.list_apps(ctx, page, slug=slug, org=org, project=project)


@routes.read(
    "/v1/apps/{app}",
    key=Permission.CATALOG_APP_READ,
    response_model=AppRead,
    answers=(NotFound,),
)
async def get_app(app: AppId, ctx: Ctx, response: Response) -> App:
    """One app."""
    return _with_etag(response, await commands.get_visible(ctx, app))


@routes.mutation(
    "PATCH",
    "/v1/apps/{app}",
    key=Permission.CATALOG_APP_UPDATE,
    response_model=AppRead,
    answers=(NotFound, *etag.ERRORS, rules.StillEntitled),
)
async def update_app(
    app: AppId, change: AppUpdate, expected: ExpectedVersion, ctx: Ctx, response: Response
) -> App:
    """Rename an app, or show it to more or fewer."""
    return _with_etag(response, await commands.update(ctx, app, change, expected=expected))


@routes.mutation(
    "DELETE",
    "/v1/apps/{app}",
    key=Permission.CATALOG_APP_DELETE,
    status_code=204,
    answers=(NotFound, etag.Stale, rules.AppPublished),
)
async def delete_app(app: AppId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Remove an app of which nothing was ever published, and its drafts."""
    await commands.delete(ctx, app, expected=expected)


# Versions


@routes.mutation(
    "POST",
    "/v1/apps/{app}/versions",
    key=Permission.CATALOG_VERSION_CREATE,
    status_code=201,
    response_model=VersionDetail,
    answers=(NotFound, *MANIFEST_ERRORS, rules.VersionExists, rules.LimitReached),
    before=manifests.read,
)
async def create_app_version(
    app: AppId, new: VersionWrite, ctx: Ctx, response: Response
) -> ShownVersion:
    """Draft a version from its manifest. Only its project sees it until it is published."""
    return _with_etag(response, await versions.create(ctx, app))


@routes.read(
    "/v1/apps/{app}/versions",
    key=Permission.CATALOG_APP_READ,
    response_model=PageRead[VersionRead],
    answers=(NotFound,),
)
async def list_app_versions(
    app: AppId,
    ctx: Ctx,
    page: Paging,
    status: Annotated[Status | None, Query(description="Those in this state alone.")] = None,
    number: Annotated[VersionNumber | None, Query(description="The one of this number.")] = None,
) -> Page[Version]:
    """The versions of an app, newest first; drafts only for its own project."""
    return await versions.list_in_app(ctx, app, page, status=status, number=number)


@routes.read(
    "/v1/app-versions/{version}",
    key=Permission.CATALOG_APP_READ,
    response_model=VersionDetail,
    answers=(NotFound,),
)
async def get_app_version(version: AppVersionId, ctx: Ctx, response: Response) -> ShownVersion:
    """One version with its manifest, what it asks for, its artifacts and its channels."""
    return _with_etag(response, await versions.get(ctx, version))


@routes.mutation(
    "PUT",
    "/v1/app-versions/{version}",
    key=Permission.CATALOG_VERSION_CREATE,
    response_model=VersionDetail,
    answers=(NotFound, *etag.ERRORS, *MANIFEST_ERRORS, rules.NotADraft),
    before=manifests.read,
)
async def replace_app_version(
    version: AppVersionId,
    change: VersionWrite,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> ShownVersion:
    """Replace a draft's manifest and runbook. What was published never changes."""
    return _with_etag(response, await versions.update(ctx, version, expected=expected))


@routes.mutation(
    "DELETE",
    "/v1/app-versions/{version}",
    key=Permission.CATALOG_VERSION_CREATE,
    status_code=204,
    answers=(NotFound, etag.Stale, rules.NotADraft),
)
async def delete_app_version(version: AppVersionId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Throw a draft away."""
    await versions.delete(ctx, version, expected=expected)


@routes.mutation(
    "POST",
    "/v1/app-versions/{version}/publish",
    key=Permission.CATALOG_VERSION_PUBLISH,
    response_model=VersionDetail,
    answers=(NotFound, rules.NotADraft, rules.DraftChanged, rules.ArtifactsNotReady),
)
async def publish_app_version(
    version: AppVersionId, given: VersionPublish, ctx: Ctx, response: Response
) -> ShownVersion:
    """Publish a draft. Its artifacts must be uploaded; from then on it never changes."""
    done = await versions.publish(ctx, version, manifest_digest=given.manifest_digest)
    return _with_etag(response, done)


@routes.mutation(
    "POST",
    "/v1/app-versions/{version}/deprecate",
    key=Permission.CATALOG_VERSION_DEPRECATE,
    response_model=VersionDetail,
    answers=(NotFound, rules.InvalidTransition),
)
async def deprecate_app_version(
    version: AppVersionId, given: VersionDeprecate, ctx: Ctx, response: Response
) -> ShownVersion:
    """Advise against a version. It goes on working and can be restored."""
    return _with_etag(response, await versions.deprecate(ctx, version, note=given.note))


@routes.mutation(
    "POST",
    "/v1/app-versions/{version}/restore",
    key=Permission.CATALOG_VERSION_DEPRECATE,
    response_model=VersionDetail,
    answers=(NotFound, rules.InvalidTransition),
)
async def restore_app_version(version: AppVersionId, ctx: Ctx, response: Response) -> ShownVersion:
    """Take a deprecation back: the version is published as before."""
    return _with_etag(response, await versions.restore(ctx, version))


@routes.mutation(
    "POST",
    "/v1/app-versions/{version}/retire",
    key=Permission.CATALOG_VERSION_RETIRE,
    response_model=VersionDetail,
    answers=(NotFound, rules.InvalidTransition, rules.OnChannel),
)
async def retire_app_version(
    version: AppVersionId, given: VersionRetire, ctx: Ctx, response: Response
) -> ShownVersion:
    """End a version for good: nobody begins to use it any more."""
    return _with_etag(response, await versions.retire(ctx, version, reason=given.reason))


# Channels


@routes.read(
    "/v1/apps/{app}/channels",
    key=Permission.CATALOG_APP_READ,
    response_model=PageRead[ChannelRead],
    answers=(NotFound,),
)
async def list_app_channels(app: AppId, ctx: Ctx) -> dict[str, Any]:
    """The version that each channel points to."""
    return {"items": await promotions.list_channels(ctx, app), "next": None}


@routes.mutation(
    "DELETE",
    "/v1/apps/{app}/channels/{channel}",
    key=Permission.CATALOG_VERSION_PROMOTE,
    status_code=204,
    answers=(NotFound,),
)
async def clear_app_channel(
    app: AppId, channel: Annotated[str, Path(max_length=40)], ctx: Ctx
) -> None:
    """Let a channel point to nothing. The history keeps what it pointed to."""
    await promotions.clear(ctx, app, channel)


@routes.mutation(
    "POST",
    "/v1/apps/{app}/promotions",
    key=Permission.CATALOG_VERSION_PROMOTE,
    status_code=201,
    response_model=PromotionRead,
    answers=(NotFound, rules.InvalidTransition, rules.AlreadyThere, rules.ArtifactsNotReady),
)
async def promote_app_version(app: AppId, new: PromotionCreate, ctx: Ctx) -> Promotion:
    """Point a channel to a published version. An older one is a way back."""
    return await promotions.promote(ctx, app, new)


@routes.read(
    "/v1/apps/{app}/promotions",
    key=Permission.CATALOG_APP_READ,
    response_model=PageRead[PromotionRead],
    answers=(NotFound,),
)
async def list_app_promotions(
    app: AppId,
    ctx: Ctx,
    page: Paging,
    channel: Annotated[ChannelName | None, Query(description="To this channel alone.")] = None,
) -> Page[Promotion]:
    """How versions came to their channels, newest first."""
    return await promotions.list_in_app(ctx, app, page, channel=channel)


def _with_etag(response: Response, thing: T) -> T:
    etag.put(response, thing.version)
    return thing
