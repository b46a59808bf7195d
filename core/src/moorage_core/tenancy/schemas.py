"""Wire shapes of orgs, projects and memberships."""

from typing import Literal

from moorage_core.authz.roles import Level
from moorage_core.kit.ids import MembershipId, OrgId, ProjectId, UserId
from moorage_core.kit.wire import Email, Input, Moment, Name, Output, Reason, Slug

RoleName = Literal["platform_admin", "tenant_admin", "project_admin", "project_member", "viewer"]


class OrgCreate(Input):
    slug: Slug
    name: Name
    admin_email: Email
    """Becomes the org's first tenant admin."""


class OrgUpdate(Input):
    name: Name


class OrgRead(Output):
    id: OrgId
    slug: str
    name: str
    version: int
    created_at: Moment
    updated_at: Moment


class ProjectCreate(Input):
    slug: Slug
    name: Name


class ProjectUpdate(Input):
    name: Name


class ProjectRead(Output):
    id: ProjectId
    org_id: OrgId
    slug: str
    name: str
    version: int
    created_at: Moment
    updated_at: Moment


class MembershipAdd(Input):
    email: Email
    role: RoleName


class MembershipUpdate(Input):
    role: RoleName


class MembershipRead(Output):
    id: MembershipId
    org_id: OrgId
    project_id: ProjectId | None
    user_id: UserId
    email: str
    name: str
    """What the address says, until the person has signed in with this role."""
    role: str
    version: int
    created_at: Moment
    updated_at: Moment


class AdminAppoint(Input):
    email: Email
    reason: Reason


class RoleRead(Output):
    role: str
    description: str
    levels: list[Level]
    permissions: list[str]


class RolesRead(Output):
    items: list[RoleRead]
