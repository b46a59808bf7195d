"""Use cases of memberships: who has which role where. A second file of commands, by noun."""

from moorage_core.access import residents
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import (
    Resource,
    authorize,
    authorize_self,
    hidden,
    missing,
    platform,
)
from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import ROLES, Role, RoleDefinition
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.http.principal_cache import topic
from moorage_core.kit import pagination
from moorage_core.kit.ids import PLATFORM_ORG, MembershipId, UserId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.tenancy import commands, rules, store
from moorage_core.tenancy.models import Membership
from moorage_core.tenancy.schemas import AdminAppoint, MembershipAdd, MembershipUpdate

LastAdmin = rules.LastAdmin
"""Named here for routes of other slices that can raise it."""


async def add_org_membership(ctx: Context, org: str, new: MembershipAdd) -> Membership:
    authorize(ctx, Permission.IAM_MEMBER_ADD, Resource("org", org, org))
    return await _add(ctx, org, None, new)


async def add_project_membership(ctx: Context, project: str, new: MembershipAdd) -> Membership:
    where = await commands.get_project(ctx, project, key=Permission.IAM_MEMBER_ADD)
    return await _add(ctx, where.org_id, project, new)


async def list_org_memberships(ctx: Context, org: str, page: PageRequest) -> Page[Membership]:
    authorize(ctx, Permission.IAM_MEMBER_READ, Resource("org", org, org))
    rows = await store.list_memberships(ctx.db, page, org=org, project=None)
    return pagination.page(rows, page, key=lambda membership: membership.id)


async def list_project_memberships(
    ctx: Context, project: str, page: PageRequest
) -> Page[Membership]:
    where = await commands.get_project(ctx, project, key=Permission.IAM_MEMBER_READ)
    rows = await store.list_memberships(ctx.db, page, org=where.org_id, project=project)
    return pagination.page(rows, page, key=lambda membership: membership.id)


async def get_membership(
    ctx: Context, id: str, *, key: str = Permission.IAM_MEMBER_READ, lock: bool = False
) -> Membership:
    orgs = sorted(ctx.principal.scope.orgs)
    membership = await store.find_membership(ctx.db, id, orgs=orgs, lock=lock)
    if membership is None:
        raise hidden("membership", id)
    authorize(ctx, key, Resource("membership", id, membership.org_id, membership.project_id))
    return membership


async def update_membership(
    ctx: Context, id: str, change: MembershipUpdate, *, expected: int
) -> Membership:
    """Give somebody another role. The caller must hold all of the old role and all of the new."""
    membership = await get_membership(ctx, id, key=Permission.IAM_MEMBER_UPDATE, lock=True)
    etag.check("membership", id, have=membership.version, expected=expected)
    _check_grantable(ctx, Role(change.role), membership.org_id, membership.project_id)
    _check_grantable(ctx, Role(membership.role), membership.org_id, membership.project_id)
    if change.role != membership.role:
        await _check_not_last_admin(ctx, membership)
    await store.change_role(ctx.db, org=membership.org_id, id=id, role=change.role, now=ctx.now)
    membership = await get_membership(ctx, id)
    await residents.changed(ctx, org=membership.org_id, project=membership.project_id)
    _record(ctx, Permission.IAM_MEMBER_UPDATE, registry.MEMBERSHIP_UPDATED, membership)
    return membership


async def remove_membership(ctx: Context, id: str, *, expected: int | None) -> None:
    """Take somebody's role away. Takes effect on their next request."""
    membership = await get_membership(ctx, id, key=Permission.IAM_MEMBER_REMOVE, lock=True)
    etag.check("membership", id, have=membership.version, expected=expected)
    _check_grantable(ctx, Role(membership.role), membership.org_id, membership.project_id)
    await _check_not_last_admin(ctx, membership)
    await store.remove_membership(ctx.db, org=membership.org_id, id=id)
    await residents.changed(ctx, org=membership.org_id, project=membership.project_id)
    _record(ctx, Permission.IAM_MEMBER_REMOVE, registry.MEMBERSHIP_REMOVED, membership, step=1)


async def appoint_admin(ctx: Context, org: str, new: AdminAppoint) -> Membership:
    """Break-glass: give an org that lost its admins a new one. The org sees who did it and why."""
    authorize(ctx, Permission.IAM_ORG_APPOINT_ADMIN, platform())
    await ctx.db.set_scope(ctx.principal.scope.with_org(org))
    if await store.find_org(ctx.db, org) is None:
        raise hidden("org", org)
    membership = await _insert(ctx, org, None, email=new.email, role=Role.TENANT_ADMIN)
    action = Permission.IAM_ORG_APPOINT_ADMIN
    audit.record_break_glass(ctx, action, membership.id, org=org, reason=new.reason)
    _publish(ctx, registry.MEMBERSHIP_ADDED, membership)
    data = registry.BreakGlass(action=action, target=membership.id, reason=new.reason)
    events.publish(
        ctx,
        registry.BREAK_GLASS_USED,
        data,
        subject=membership.id,
        version=membership.version,
        org=org,
    )
    return membership


async def appoint_first(ctx: Context, *, email: str, role: Role) -> Membership | None:
    """The first admin of a new platform; None where it has had one already."""
    if await store.has_memberships(ctx.db, org=PLATFORM_ORG):
        return None
    membership = await _insert(ctx, PLATFORM_ORG, None, email=email, role=role)
    _record(ctx, Permission.IAM_MEMBER_ADD, registry.MEMBERSHIP_ADDED, membership)
    return membership


async def appoint_again(ctx: Context, user: str) -> None:
    """Give the platform an admin where none is left who could."""
    admins = await store.list_admins(ctx.db, org=PLATFORM_ORG, role=Role.PLATFORM_ADMIN)
    if user in admins:
        return
    if admins:
        raise rules.AdminLeft(
            f"The platform has {len(admins)} admins whose accounts are enabled. One of them can "
            "give the role; recover their account if they cannot sign in."
        )
    id = await store.put_admin(
        ctx.db,
        id=MembershipId.new(),
        org=PLATFORM_ORG,
        user=user,
        role=Role.PLATFORM_ADMIN,
        now=ctx.now,
    )
    membership = await store.find_membership(ctx.db, id, orgs=[PLATFORM_ORG])
    assert membership is not None, "the row was just written in this transaction"
    _record(ctx, Permission.IAM_MEMBER_ADD, registry.MEMBERSHIP_ADDED, membership)


async def check_platform_keeps_admin(ctx: Context, without: str) -> None:
    """Refuse to disable the account of the last person who can run the platform.

    The last admin of a tenant may be disabled: a person who must be locked out is, and the platform
    appoints another by break-glass.
    """
    admins = await store.list_admins(ctx.db, org=PLATFORM_ORG, role=Role.PLATFORM_ADMIN)
    if without in admins:
        rules.check_not_last_admin(admins - {without})


def list_roles(ctx: Context) -> list[RoleDefinition]:
    authorize_self(ctx, Permission.IAM_ROLE_READ)
    return list(ROLES.values())


async def _add(ctx: Context, org: str, project: str | None, new: MembershipAdd) -> Membership:
    role = Role(new.role)
    rules.check_role_fits(role, rules.level(org, project))
    _check_grantable(ctx, role, org, project)
    membership = await _insert(ctx, org, project, email=new.email, role=role)
    _record(ctx, Permission.IAM_MEMBER_ADD, registry.MEMBERSHIP_ADDED, membership)
    return membership


async def _insert(
    ctx: Context, org: str, project: str | None, *, email: str, role: Role
) -> Membership:
    user = await store.ensure_user(ctx.db, new_id=UserId.new(), email=email, now=ctx.now)
    id = MembershipId.new()
    added = await store.add_membership(
        ctx.db, id=id, org=org, project=project, user=user, role=role, now=ctx.now
    )
    if not added:
        raise rules.MembershipExists(
            f"{email} already has a role here. Change that role, or remove it first."
        )
    membership = await store.find_membership(ctx.db, id, orgs=[org])
    assert membership is not None, "the row was just written in this transaction"
    await residents.changed(ctx, org=org, project=project)
    return membership


def _check_grantable(ctx: Context, role: Role, org: str, project: str | None) -> None:
    rules.check_role_fits(role, rules.level(org, project))
    keys = frozenset(str(key) for key in ROLES[role].permissions)
    lacking = missing(ctx.principal, keys, org=org, project=project)
    rules.check_ceiling(role, lacking, org=org, project=project)


async def _check_not_last_admin(ctx: Context, membership: Membership) -> None:
    if rules.runs_org(membership.role, org=membership.org_id, project=membership.project_id):
        admins = await store.list_admins(ctx.db, org=membership.org_id, role=membership.role)
        rules.check_not_last_admin(admins - {membership.user_id})


def _record(
    ctx: Context, action: str, event: registry.EventType, membership: Membership, *, step: int = 0
) -> None:
    details = {"user": membership.user_id, "role": membership.role}
    audit.record(
        ctx,
        action,
        membership.id,
        org=membership.org_id,
        project=membership.project_id,
        details=details,
    )
    _publish(ctx, event, membership, step=step)


def _publish(
    ctx: Context, event: registry.EventType, membership: Membership, *, step: int = 0
) -> None:
    ctx.topics |= {topic(membership.user_id), "memberships"}
    events.publish(
        ctx,
        event,
        registry.Membership(id=membership.id, user_id=membership.user_id, role=membership.role),
        subject=membership.id,
        version=membership.version + step,
        org=membership.org_id,
        project=membership.project_id,
    )
