"""Members and roles."""

from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import MemberAdd, MemberRead, MemberUpdate, OrgRead, ProjectRead, RoleRead

RoleName = Literal["platform_admin", "tenant_admin", "project_admin", "project_member", "viewer"]


class Members(Group):
    """Members: who holds which role in an org or a project."""

    @listing(operations.LIST_ORG_MEMBERS, MemberRead)
    def list_in_org(self, org: OrgRead | str, *, page_size: int | None = None) -> Arguments:
        """Who has a role in the whole org."""
        return Arguments(path={"org": id_of(org)}, query={"limit": page_size})

    @listing(operations.LIST_PROJECT_MEMBERS, MemberRead)
    def list_in_project(
        self, project: ProjectRead | str, *, page_size: int | None = None
    ) -> Arguments:
        """Who has a role in the project itself."""
        return Arguments(path={"project": id_of(project)}, query={"limit": page_size})

    @call(operations.ADD_ORG_MEMBER, MemberRead)
    def add_to_org(self, org: OrgRead | str, *, email: str, role: RoleName) -> Arguments:
        """Give somebody a role in a whole org. Who has no account gets an invited one."""
        return Arguments(path={"org": id_of(org)}, body=MemberAdd(email=email, role=role))

    @call(operations.ADD_PROJECT_MEMBER, MemberRead)
    def add_to_project(
        self, project: ProjectRead | str, *, email: str, role: RoleName
    ) -> Arguments:
        """Give somebody a role in a project. Who has no account gets an invited one."""
        return Arguments(path={"project": id_of(project)}, body=MemberAdd(email=email, role=role))

    @call(operations.GET_MEMBER, MemberRead)
    def get(self, member: MemberRead | str) -> Arguments:
        """One membership."""
        return Arguments(path={"member": id_of(member)})

    @call(operations.UPDATE_MEMBER, MemberRead)
    def update(
        self, member: MemberRead | str, *, role: RoleName, version: int | None = None
    ) -> Arguments:
        """Give a member another role."""
        return Arguments(
            path={"member": id_of(member)},
            body=MemberUpdate(role=role),
            version=version_of(member, version),
        )

    @call(operations.REMOVE_MEMBER, None)
    def remove(self, member: MemberRead | str, *, version: int | None = None) -> Arguments:
        """Take a member's role away."""
        return Arguments(path={"member": id_of(member)}, version=version_of(member, version))


class Roles(Group):
    """Roles: named sets of permission keys."""

    @listing(operations.LIST_ROLES, RoleRead)
    def list(self) -> Arguments:
        """The built-in roles and the permission keys that each holds."""
        return Arguments()
