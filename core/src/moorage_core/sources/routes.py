"""HTTP in, one command, HTTP out: sources."""

from typing import Annotated

from fastapi import Query, Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound, Stale
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion, OptionalVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import OrgId, SourceId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.sources import commands, rules
from moorage_core.sources.models import Source
from moorage_core.sources.schemas import SourceCreate, SourceRead, SourceUpdate

routes = Routes(tag="sources")
GIVEN_ERRORS = (NotFound, rules.UrlNotAllowed, rules.CredentialNotUsable)


@routes.mutation(
    "POST",
    "/v1/orgs/{org}/sources",
    key=Permission.CATALOG_SOURCE_CREATE,
    status_code=201,
    response_model=SourceRead,
    answers=(*GIVEN_ERRORS, rules.SlugReserved, rules.SlugTaken),
)
async def create_source(org: OrgId, new: SourceCreate, ctx: Ctx, response: Response) -> Source:
    """Let artifacts come from a registry or a web server. The platform's org shares with all."""
    return _with_etag(response, await commands.create(ctx, org, new))


@routes.read(
    "/v1/sources",
    key=Permission.CATALOG_SOURCE_READ,
    response_model=PageRead[SourceRead],
    answers=(NotFound,),
)
async def list_sources(
    ctx: Ctx,
    page: Paging,
    org: Annotated[OrgId | None, Query(description="Those that this org can use.")] = None,
) -> Page[Source]:
    """Sources of your orgs, and those that the platform shares with all."""
    return await commands.list_sources(ctx, page, org=org)


@routes.read(
    "/v1/sources/{source}",
    key=Permission.CATALOG_SOURCE_READ,
    response_model=SourceRead,
    answers=(NotFound,),
)
async def get_source(source: SourceId, ctx: Ctx, response: Response) -> Source:
    """One source, without its credential."""
    return _with_etag(response, await commands.get(ctx, source))


@routes.mutation(
    "PATCH",
    "/v1/sources/{source}",
    key=Permission.CATALOG_SOURCE_UPDATE,
    response_model=SourceRead,
    answers=(*GIVEN_ERRORS, *etag.ERRORS, rules.CredentialNeeded),
)
async def update_source(
    source: SourceId,
    change: SourceUpdate,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> Source:
    """Rename a source, move it, replace or clear its credential, switch it on or off."""
    return _with_etag(response, await commands.update(ctx, source, change, expected=expected))


@routes.mutation(
    "DELETE",
    "/v1/sources/{source}",
    key=Permission.CATALOG_SOURCE_DELETE,
    status_code=204,
    answers=(NotFound, Stale, rules.SourceInUse),
)
async def delete_source(source: SourceId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Remove a source that no artifact comes from. Its credential goes with it."""
    await commands.delete(ctx, source, expected=expected)


def _with_etag(response: Response, source: Source) -> Source:
    etag.put(response, source.version)
    return source
