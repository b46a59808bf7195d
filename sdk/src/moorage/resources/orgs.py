"""Orgs."""

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import AdminAppoint, MembershipRead, OrgCreate, OrgRead, OrgUpdate


class Orgs(Group):
    """Orgs: the tenants of the platform."""

    @listing(operations.LIST_ORGS, OrgRead)
    def list(self, *, page_size: int | None = None) -> Arguments:
        """The orgs you belong to; for platform admins, all orgs."""
        return Arguments(query={"limit": page_size})

    @call(operations.CREATE_ORG, OrgRead)
    def create(self, *, slug: str, name: str, admin_email: str) -> Arguments:
        """Create an org and name its first tenant admin."""
        return Arguments(body=OrgCreate(slug=slug, name=name, admin_email=admin_email))

    @call(operations.GET_ORG, OrgRead)
    def get(self, org: OrgRead | str) -> Arguments:
        """One org."""
        return Arguments(path={"org": id_of(org)})

    @call(operations.UPDATE_ORG, OrgRead)
    def update(self, org: OrgRead | str, *, name: str, version: int | None = None) -> Arguments:
        """Rename an org. Takes the org as read, or its id and the version to change."""
        return Arguments(
            path={"org": id_of(org)}, body=OrgUpdate(name=name), version=version_of(org, version)
        )

    @call(operations.DELETE_ORG, None)
    def delete(self, org: OrgRead | str, *, version: int | None = None) -> Arguments:
        """Delete an org that holds no project."""
        return Arguments(path={"org": id_of(org)}, version=version_of(org, version))

    @call(operations.APPOINT_ORG_ADMIN, MembershipRead)
    def appoint_admin(self, org: OrgRead | str, *, email: str, reason: str) -> Arguments:
        """Break-glass: appoint a tenant admin in an org that has lost its own. The org sees it."""
        return Arguments(path={"org": id_of(org)}, body=AdminAppoint(email=email, reason=reason))
