"""Memberships and roles."""

from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import (
    MembershipAdd,
    MembershipRead,
    MembershipUpdate,
    OrgRead,
    ProjectRead,
    RoleRead,
)

RoleName = Literal["platform_admin", "tenant_admin", "project_admin", "project_member", "viewer"]


class Memberships(Group):
    """Memberships: who holds which role in an org or a project."""

    @listing(operations.LIST_ORG_MEMBERSHIPS, MembershipRead)
    def list_in_org(self, org: OrgRead | str, *, page_size: int | None = None) -> Arguments:
        """Who has a role in the whole org."""
        return Arguments(path={"org": id_of(org)}, query={"limit": page_size})

    @listing(operations.LIST_PROJECT_MEMBERSHIPS, MembershipRead)
    def list_in_project(
        self, project: ProjectRead | str, *, page_size: int | None = None
    ) -> Arguments:
        """Who has a role in the project itself."""
        return Arguments(path={"project": id_of(project)}, query={"limit": page_size})

    @call(operations.ADD_ORG_MEMBERSHIP, MembershipRead)
    def add_to_org(self, org: OrgRead | str, *, email: str, role: RoleName) -> Arguments:
        """Give somebody a role in a whole org. Who has no account gets an invited one."""
        return Arguments(path={"org": id_of(org)}, body=MembershipAdd(email=email, role=role))

    @call(operations.ADD_PROJECT_MEMBERSHIP, MembershipRead)
    def add_to_project(
        self, project: ProjectRead | str, *, email: str, role: RoleName
    ) -> Arguments:
        """Give somebody a role in a project. Who has no account gets an invited one."""
        return Arguments(
            path={"project": id_of(project)}, body=MembershipAdd(email=email, role=role)
        )

    @call(operations.GET_MEMBERSHIP, MembershipRead)
    def get(self, membership: MembershipRead | str) -> Arguments:
        """One membership."""
        return Arguments(path={"membership": id_of(membership)})

    @call(operations.UPDATE_MEMBERSHIP, MembershipRead)
    def update(
        self, membership: MembershipRead | str, *, role: RoleName, version: int | None = None
    ) -> Arguments:
        """Give somebody another role."""
        return Arguments(
            path={"membership": id_of(membership)},
            body=MembershipUpdate(role=role),
            version=version_of(membership, version),
        )

    @call(operations.REMOVE_MEMBERSHIP, None)
    def remove(self, membership: MembershipRead | str, *, version: int | None = None) -> Arguments:
        """Take somebody's role away."""
        return Arguments(
            path={"membership": id_of(membership)}, version=version_of(membership, version)
        )


class Roles(Group):
    """Roles: named sets of permission keys."""

    @listing(operations.LIST_ROLES, RoleRead)
    def list(self) -> Arguments:
        """The built-in roles and the permission keys that each holds."""
        return Arguments()
