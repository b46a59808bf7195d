"""HTTP in, one command, HTTP out: layers, effective policy, explanations."""

from typing import Any

from fastapi import Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import EntitlementId, OrgId, ProjectId
from moorage_core.policy import commands, limits, rules, schemas
from moorage_core.policy.models import Decision, OverlayRow, Wanted, Written
from moorage_core.policy.schemas import (
    DecisionRead,
    EffectivePolicyRead,
    OverlayRead,
    OverlayWrite,
    OverlayWritten,
    PolicyQuestion,
)

routes = Routes(tag="policy")
READ, UPDATE = Permission.POLICY_OVERLAY_READ, Permission.POLICY_OVERLAY_UPDATE
WRITE_ERRORS = (
    *etag.ERRORS,
    limits.ConstraintInvalid,
    limits.DimensionNotEnforced,
    limits.OverlayWidens,
)


@routes.read("/v1/policy/global", key=READ, response_model=OverlayRead)
async def get_global_overlay(ctx: Ctx, response: Response) -> dict[str, Any]:
    """The platform's layer, which is above all others."""
    return _read(response, await commands.get_overlay(ctx, await commands.global_place(ctx)))


@routes.mutation(
    "PUT",
    "/v1/policy/global",
    key=Permission.POLICY_GLOBAL_UPDATE,
    dry_run=True,
    response_model=OverlayWritten,
    answers=WRITE_ERRORS,
)
async def put_global_overlay(
    new: OverlayWrite, expected: ExpectedVersion, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Write the platform's layer. The answer counts what it takes away in each org."""
    place = await commands.global_place(ctx, write=True)
    return _written(
        response, await commands.put_overlay(ctx, place, new.document, expected=expected)
    )


@routes.read(
    "/v1/platform/orgs/{org}/overlay",
    key=Permission.POLICY_GLOBAL_UPDATE,
    response_model=OverlayRead,
    answers=(NotFound,),
)
async def get_tenant_overlay(org: OrgId, ctx: Ctx, response: Response) -> dict[str, Any]:
    """The platform's layer for one org, which is above the org's own."""
    return _read(response, await commands.get_overlay(ctx, await commands.tenant_place(ctx, org)))


@routes.mutation(
    "PUT",
    "/v1/platform/orgs/{org}/overlay",
    key=Permission.POLICY_GLOBAL_UPDATE,
    dry_run=True,
    response_model=OverlayWritten,
    answers=(NotFound, *WRITE_ERRORS),
)
async def put_tenant_overlay(
    org: OrgId, new: OverlayWrite, expected: ExpectedVersion, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Write the platform's layer for one org. The answer counts what it takes away there."""
    place = await commands.tenant_place(ctx, org)
    return _written(
        response, await commands.put_overlay(ctx, place, new.document, expected=expected)
    )


@routes.read("/v1/orgs/{org}/overlay", key=READ, response_model=OverlayRead, answers=(NotFound,))
async def get_org_overlay(org: OrgId, ctx: Ctx, response: Response) -> dict[str, Any]:
    """An org's layer."""
    return _read(response, await commands.get_overlay(ctx, await commands.org_place(ctx, org)))


@routes.mutation(
    "PUT",
    "/v1/orgs/{org}/overlay",
    key=UPDATE,
    dry_run=True,
    response_model=OverlayWritten,
    answers=(NotFound, *WRITE_ERRORS),
)
async def put_org_overlay(
    org: OrgId, new: OverlayWrite, expected: ExpectedVersion, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Write an org's layer. The answer lists what it takes away from those below."""
    place = await commands.org_place(ctx, org, write=True)
    return _written(
        response, await commands.put_overlay(ctx, place, new.document, expected=expected)
    )


@routes.read(
    "/v1/projects/{project}/overlay", key=READ, response_model=OverlayRead, answers=(NotFound,)
)
async def get_project_overlay(project: ProjectId, ctx: Ctx, response: Response) -> dict[str, Any]:
    """A project's layer."""
    place = await commands.project_place(ctx, project)
    return _read(response, await commands.get_overlay(ctx, place))


@routes.mutation(
    "PUT",
    "/v1/projects/{project}/overlay",
    key=UPDATE,
    dry_run=True,
    response_model=OverlayWritten,
    answers=(NotFound, *WRITE_ERRORS),
)
async def put_project_overlay(
    project: ProjectId,
    new: OverlayWrite,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> dict[str, Any]:
    """Write a project's layer. The answer lists what it takes away from those below."""
    place = await commands.project_place(ctx, project, write=True)
    return _written(
        response, await commands.put_overlay(ctx, place, new.document, expected=expected)
    )


@routes.read(
    "/v1/entitlements/{entitlement}/overlay",
    key=READ,
    response_model=OverlayRead,
    answers=(NotFound,),
)
async def get_entitlement_overlay(
    entitlement: EntitlementId, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """An entitlement's layer, which holds for one app in one project."""
    place = await commands.entitlement_place(ctx, entitlement)
    return _read(response, await commands.get_overlay(ctx, place))


@routes.mutation(
    "PUT",
    "/v1/entitlements/{entitlement}/overlay",
    key=UPDATE,
    dry_run=True,
    response_model=OverlayWritten,
    answers=(NotFound, *WRITE_ERRORS),
)
async def put_entitlement_overlay(
    entitlement: EntitlementId,
    new: OverlayWrite,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> dict[str, Any]:
    """Write an entitlement's layer. The answer says whether it takes its version away."""
    place = await commands.entitlement_place(ctx, entitlement, write=True)
    return _written(
        response, await commands.put_overlay(ctx, place, new.document, expected=expected)
    )


@routes.read(
    "/v1/projects/{project}/policy",
    key=READ,
    response_model=EffectivePolicyRead,
    answers=(NotFound,),
)
async def get_project_policy(project: ProjectId, ctx: Ctx) -> dict[str, Any]:
    """What all layers above and in a project leave, and which layer each limit comes from."""
    return await commands.get_effective(ctx, project)


@routes.read(
    "/v1/policy/explain",
    key=Permission.POLICY_DECISION_EXPLAIN,
    method="POST",
    response_model=DecisionRead,
    answers=(NotFound, rules.AppMissing),
)
async def explain_policy(question: PolicyQuestion, ctx: Ctx) -> Decision:
    """Whether something would be allowed, what each layer says, and who could change it."""
    asked: dict[str, Any] = question.model_dump()
    asked["artifact_sources"] = tuple(question.artifact_sources)
    return await commands.explain(ctx, Wanted(**asked))


def _read(response: Response, row: OverlayRow) -> dict[str, Any]:
    etag.put(response, row.version)
    return schemas.overlay(row)


def _written(response: Response, written: Written) -> dict[str, Any]:
    etag.put(response, written.row.version)
    return schemas.overlay(written.row, breaks=written.breaks, notes=written.notes)
