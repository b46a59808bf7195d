"""HTTP in, one command, HTTP out: orgs, projects, memberships, roles."""

from typing import Any

from fastapi import Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion, OptionalVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import MembershipId, OrgId, ProjectId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.tenancy import commands, memberships, rules
from moorage_core.tenancy.models import Membership, Org, Project
from moorage_core.tenancy.schemas import (
    AdminAppoint,
    MembershipAdd,
    MembershipRead,
    MembershipUpdate,
    OrgCreate,
    OrgRead,
    OrgUpdate,
    ProjectCreate,
    ProjectRead,
    ProjectUpdate,
    RolesRead,
)

routes = Routes(tag="tenancy")
UPDATE_ERRORS = (NotFound, *etag.ERRORS)
DELETE_ERRORS = (NotFound, etag.Stale)
MEMBERSHIP_ERRORS = (rules.BeyondCeiling, rules.RoleNotHere)


@routes.mutation(
    "POST",
    "/v1/orgs",
    key=Permission.IAM_ORG_CREATE,
    status_code=201,
    response_model=OrgRead,
    answers=(rules.SlugTaken,),
)
async def create_org(new: OrgCreate, ctx: Ctx, response: Response) -> Org:
    """Create an org and name its first tenant admin."""
    org = await commands.create_org(ctx, new)
    etag.put(response, org.version)
    return org


@routes.read("/v1/orgs", key=Permission.IAM_ORG_READ, response_model=PageRead[OrgRead])
async def list_orgs(ctx: Ctx, page: Paging) -> Page[Org]:
    """The orgs you belong to; for platform admins, all orgs."""
    return await commands.list_orgs(ctx, page)


@routes.read(
    "/v1/orgs/{org}", key=Permission.IAM_ORG_READ, response_model=OrgRead, answers=(NotFound,)
)
async def get_org(org: OrgId, ctx: Ctx, response: Response) -> Org:
    """One org."""
    found = await commands.get_org(ctx, org)
    etag.put(response, found.version)
    return found


@routes.mutation(
    "PATCH",
    "/v1/orgs/{org}",
    key=Permission.IAM_ORG_UPDATE,
    response_model=OrgRead,
    answers=UPDATE_ERRORS,
)
async def update_org(
    org: OrgId, change: OrgUpdate, expected: ExpectedVersion, ctx: Ctx, response: Response
) -> Org:
    """Rename an org."""
    changed = await commands.update_org(ctx, org, change, expected=expected)
    etag.put(response, changed.version)
    return changed


@routes.mutation(
    "DELETE",
    "/v1/orgs/{org}",
    key=Permission.IAM_ORG_DELETE,
    status_code=204,
    answers=(*DELETE_ERRORS, rules.NotEmpty),
)
async def delete_org(org: OrgId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Delete an org that holds no project. Platform admins only."""
    await commands.delete_org(ctx, org, expected=expected)


@routes.mutation(
    "POST",
    "/v1/orgs/{org}/projects",
    key=Permission.IAM_PROJECT_CREATE,
    status_code=201,
    response_model=ProjectRead,
    answers=(NotFound, rules.SlugTaken),
)
async def create_project(org: OrgId, new: ProjectCreate, ctx: Ctx, response: Response) -> Project:
    """Create a project in an org."""
    project = await commands.create_project(ctx, org, new)
    etag.put(response, project.version)
    return project


@routes.read(
    "/v1/orgs/{org}/projects",
    key=Permission.IAM_PROJECT_READ,
    response_model=PageRead[ProjectRead],
    answers=(NotFound,),
)
async def list_projects(org: OrgId, ctx: Ctx, page: Paging) -> Page[Project]:
    """The projects of an org that you may see."""
    return await commands.list_projects(ctx, org, page)


@routes.read(
    "/v1/projects/{project}",
    key=Permission.IAM_PROJECT_READ,
    response_model=ProjectRead,
    answers=(NotFound,),
)
async def get_project(project: ProjectId, ctx: Ctx, response: Response) -> Project:
    """One project."""
    found = await commands.get_project(ctx, project)
    etag.put(response, found.version)
    return found


@routes.mutation(
    "PATCH",
    "/v1/projects/{project}",
    key=Permission.IAM_PROJECT_UPDATE,
    response_model=ProjectRead,
    answers=UPDATE_ERRORS,
)
async def update_project(
    project: ProjectId,
    change: ProjectUpdate,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> Project:
    """Rename a project."""
    changed = await commands.update_project(ctx, project, change, expected=expected)
    etag.put(response, changed.version)
    return changed


@routes.mutation(
    "DELETE",
    "/v1/projects/{project}",
    key=Permission.IAM_PROJECT_DELETE,
    status_code=204,
    answers=(*DELETE_ERRORS, rules.NotEmpty),
)
async def delete_project(project: ProjectId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Delete a project that holds no machine. Its accounts stop, its apps are closed, at once."""
    await commands.delete_project(ctx, project, expected=expected)


@routes.mutation(
    "POST",
    "/v1/orgs/{org}/memberships",
    key=Permission.IAM_MEMBER_ADD,
    status_code=201,
    response_model=MembershipRead,
    answers=(NotFound, rules.MembershipExists, *MEMBERSHIP_ERRORS),
)
async def add_org_membership(
    org: OrgId, new: MembershipAdd, ctx: Ctx, response: Response
) -> Membership:
    """Give somebody a role in a whole org. Who has no account gets an invited one."""
    return _with_etag(response, await memberships.add_org_membership(ctx, org, new))


@routes.read(
    "/v1/orgs/{org}/memberships",
    key=Permission.IAM_MEMBER_READ,
    response_model=PageRead[MembershipRead],
    answers=(NotFound,),
)
async def list_org_memberships(org: OrgId, ctx: Ctx, page: Paging) -> Page[Membership]:
    """Who has a role in the whole org."""
    return await memberships.list_org_memberships(ctx, org, page)


@routes.mutation(
    "POST",
    "/v1/projects/{project}/memberships",
    key=Permission.IAM_MEMBER_ADD,
    status_code=201,
    response_model=MembershipRead,
    answers=(NotFound, rules.MembershipExists, *MEMBERSHIP_ERRORS),
)
async def add_project_membership(
    project: ProjectId, new: MembershipAdd, ctx: Ctx, response: Response
) -> Membership:
    """Give somebody a role in a project. Who has no account gets an invited one."""
    return _with_etag(response, await memberships.add_project_membership(ctx, project, new))


@routes.read(
    "/v1/projects/{project}/memberships",
    key=Permission.IAM_MEMBER_READ,
    response_model=PageRead[MembershipRead],
    answers=(NotFound,),
)
async def list_project_memberships(project: ProjectId, ctx: Ctx, page: Paging) -> Page[Membership]:
    """Who has a role in the project itself."""
    return await memberships.list_project_memberships(ctx, project, page)


@routes.read(
    "/v1/memberships/{membership}",
    key=Permission.IAM_MEMBER_READ,
    response_model=MembershipRead,
    answers=(NotFound,),
)
async def get_membership(membership: MembershipId, ctx: Ctx, response: Response) -> Membership:
    """One membership."""
    return _with_etag(response, await memberships.get_membership(ctx, membership))


@routes.mutation(
    "PATCH",
    "/v1/memberships/{membership}",
    key=Permission.IAM_MEMBER_UPDATE,
    response_model=MembershipRead,
    answers=(*UPDATE_ERRORS, rules.LastAdmin, *MEMBERSHIP_ERRORS),
)
async def update_membership(
    membership: MembershipId,
    change: MembershipUpdate,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> Membership:
    """Give somebody another role."""
    return _with_etag(
        response, await memberships.update_membership(ctx, membership, change, expected=expected)
    )


@routes.mutation(
    "DELETE",
    "/v1/memberships/{membership}",
    key=Permission.IAM_MEMBER_REMOVE,
    status_code=204,
    answers=(*DELETE_ERRORS, rules.LastAdmin, *MEMBERSHIP_ERRORS),
)
async def remove_membership(membership: MembershipId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Take somebody's role away."""
    await memberships.remove_membership(ctx, membership, expected=expected)


@routes.mutation(
    "POST",
    "/v1/break-glass/orgs/{org}/admins",
    key=Permission.IAM_ORG_APPOINT_ADMIN,
    status_code=201,
    response_model=MembershipRead,
    answers=(NotFound, rules.MembershipExists),
)
async def appoint_org_admin(
    org: OrgId, new: AdminAppoint, ctx: Ctx, response: Response
) -> Membership:
    """Break-glass: appoint a tenant admin in an org that has lost its own.

    Needs a reason; the org sees it.
    """
    return _with_etag(response, await memberships.appoint_admin(ctx, org, new))


@routes.read("/v1/roles", key=Permission.IAM_ROLE_READ, response_model=RolesRead)
async def list_roles(ctx: Ctx) -> dict[str, Any]:
    """The built-in roles and the permission keys that each holds."""
    found = memberships.list_roles(ctx)
    return {
        "items": [
            {
                "role": role.role,
                "description": role.description,
                "levels": sorted(role.levels),
                "permissions": sorted(role.permissions),
            }
            for role in found
        ]
    }


def _with_etag(response: Response, membership: Membership) -> Membership:
    etag.put(response, membership.version)
    return membership
