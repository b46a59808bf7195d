"""HTTP in, one command, HTTP out: families and admissions."""

from fastapi import Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound, Stale
from moorage_core.families import commands, rules
from moorage_core.families.models import Admission, FamilyRow
from moorage_core.families.schemas import (
    AdmissionRead,
    AdmissionWrite,
    FamilyName,
    FamilyRead,
    FamilyWrite,
)
from moorage_core.http import etag
from moorage_core.http.etag import OptionalVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import AppId
from moorage_core.kit.pagination import Page, PageRead, Paging

routes = Routes(tag="families")


@routes.read(
    "/v1/families", key=Permission.CATALOG_FAMILY_READ, response_model=PageRead[FamilyRead]
)
async def list_families(ctx: Ctx, page: Paging) -> Page[FamilyRow]:
    """All families: named sets of permission keys that several apps share."""
    return await commands.list_families(ctx, page)


@routes.read(
    "/v1/families/{family}",
    key=Permission.CATALOG_FAMILY_READ,
    response_model=FamilyRead,
    answers=(NotFound,),
)
async def get_family(family: FamilyName, ctx: Ctx, response: Response) -> FamilyRow:
    """One family with its keys and what they mean."""
    return _with_etag(response, await commands.get_family(ctx, family))


@routes.mutation(
    "PUT",
    "/v1/families/{family}",
    key=Permission.CATALOG_FAMILY_WRITE,
    response_model=FamilyRead,
    answers=(
        NotFound,
        *etag.ERRORS,
        rules.NameReserved,
        rules.NameOfAnApp,
        rules.KeyNotAllowed,
        rules.KeysStay,
    ),
)
async def put_family(
    family: FamilyName, given: FamilyWrite, expected: OptionalVersion, ctx: Ctx, response: Response
) -> FamilyRow:
    """Add a family, or extend one: then send the ETag that you read. Keys are never taken away."""
    return _with_etag(response, await commands.put_family(ctx, family, given, expected=expected))


@routes.read(
    "/v1/families/{family}/admissions",
    key=Permission.CATALOG_FAMILY_READ,
    response_model=PageRead[AdmissionRead],
    answers=(NotFound,),
)
async def list_admissions(family: FamilyName, ctx: Ctx, page: Paging) -> Page[Admission]:
    """The apps admitted to a family, as far as you can see them."""
    return await commands.list_admissions(ctx, family, page)


@routes.read(
    "/v1/families/{family}/admissions/{app}",
    key=Permission.CATALOG_FAMILY_READ,
    response_model=AdmissionRead,
    answers=(NotFound,),
)
async def get_admission(family: FamilyName, app: AppId, ctx: Ctx, response: Response) -> Admission:
    """An app's place in a family."""
    admission = await commands.get_admission(ctx, family, app)
    etag.put(response, admission.version)
    return admission


@routes.mutation(
    "PUT",
    "/v1/families/{family}/admissions/{app}",
    key=Permission.CATALOG_FAMILY_ADMIT,
    response_model=AdmissionRead,
    answers=(NotFound, *etag.ERRORS, rules.KeyUnknown),
)
async def admit_app(
    family: FamilyName,
    app: AppId,
    given: AdmissionWrite,
    expected: OptionalVersion,
    ctx: Ctx,
    response: Response,
) -> Admission:
    """Admit an app to a family, with the most keys its versions may use. Its publisher is told."""
    admission = await commands.admit(ctx, family, app, given, expected=expected)
    etag.put(response, admission.version)
    return admission


@routes.mutation(
    "DELETE",
    "/v1/families/{family}/admissions/{app}",
    key=Permission.CATALOG_FAMILY_ADMIT,
    status_code=204,
    answers=(NotFound, Stale),
)
async def withdraw_app(family: FamilyName, app: AppId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Withdraw an app from a family. Policy refuses its versions then; its publisher is told."""
    await commands.withdraw(ctx, family, app, expected=expected)


def _with_etag(response: Response, family: FamilyRow) -> FamilyRow:
    etag.put(response, family.version)
    return family
