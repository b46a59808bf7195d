"""Use cases of orgs and projects."""

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden, platform
from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import Role
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.http.principal_cache import topic
from moorage_core.kit import pagination
from moorage_core.kit.ids import PLATFORM_ORG, MembershipId, OrgId, ProjectId, UserId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.tenancy import rules, store
from moorage_core.tenancy.models import Org, Project
from moorage_core.tenancy.schemas import OrgCreate, OrgUpdate, ProjectCreate, ProjectUpdate


async def create_org(ctx: Context, new: OrgCreate) -> Org:
    """Make an org and its first tenant admin."""
    authorize(ctx, Permission.IAM_ORG_CREATE, platform())
    id = OrgId.new()
    await ctx.db.set_scope(ctx.principal.scope.with_org(id))
    org = await store.add_org(ctx.db, org=id, slug=new.slug, name=new.name, now=ctx.now)
    if org is None:
        raise rules.SlugTaken(f"There is an org with the slug {new.slug} already.")
    user = await store.ensure_user(ctx.db, new_id=UserId.new(), email=new.admin_email, now=ctx.now)
    await store.add_membership(
        ctx.db,
        id=MembershipId.new(),
        org=id,
        project=None,
        user=user,
        role=Role.TENANT_ADMIN,
        now=ctx.now,
    )
    ctx.topics.add(topic(user))
    _record_org(ctx, Permission.IAM_ORG_CREATE, registry.ORG_CREATED, org)
    return org


async def list_orgs(ctx: Context, page: PageRequest) -> Page[Org]:
    """The orgs that the caller belongs to; all of them for those who run the platform."""
    ctx.checked.add(Permission.IAM_ORG_READ)
    runs_platform = Permission.PLATFORM_ORG_LIST in _keys_on_platform(ctx)
    held = {g.org for g in ctx.principal.grants if Permission.IAM_ORG_READ in g.permissions}
    orgs = None if runs_platform else sorted(held)
    rows = await store.list_orgs(ctx.db, page, orgs=orgs)
    return pagination.page(rows, page, key=lambda org: org.id)


async def get_org(ctx: Context, id: str) -> Org:
    org = await store.find_org(ctx.db, id)
    if org is None:
        raise hidden("org", id)
    if Permission.PLATFORM_ORG_LIST not in _keys_on_platform(ctx):
        authorize(ctx, Permission.IAM_ORG_READ, Resource("org", id, org.id, by_any_project=True))
    ctx.checked.add(Permission.IAM_ORG_READ)
    return org


async def update_org(ctx: Context, id: str, change: OrgUpdate, *, expected: int) -> Org:
    org = await _lock_org(ctx, id, Permission.IAM_ORG_UPDATE)
    etag.check("org", id, have=org.version, expected=expected)
    org = await store.rename_org(ctx.db, org=id, name=change.name, now=ctx.now)
    _record_org(ctx, Permission.IAM_ORG_UPDATE, registry.ORG_UPDATED, org)
    return org


async def delete_org(ctx: Context, id: str, *, expected: int | None) -> None:
    """Close an empty org. Its rows stay; its people lose their roles in it at once."""
    authorize(ctx, Permission.IAM_ORG_DELETE, platform())
    if id == PLATFORM_ORG:
        raise rules.NotEmpty("The platform's own org cannot be deleted.")
    await ctx.db.set_scope(ctx.principal.scope.with_org(id))
    org = await store.find_org(ctx.db, id, lock=True)
    if org is None:
        raise hidden("org", id)
    etag.check("org", id, have=org.version, expected=expected)
    rules.check_empty("org", id, await store.list_project_slugs(ctx.db, org=id))
    ctx.topics |= {topic(who) for who in await store.list_principals(ctx.db, org=id, project=None)}
    org = await store.delete_org(ctx.db, org=id, now=ctx.now)
    _record_org(ctx, Permission.IAM_ORG_DELETE, registry.ORG_DELETED, org)


async def create_project(ctx: Context, org: str, new: ProjectCreate) -> Project:
    authorize(ctx, Permission.IAM_PROJECT_CREATE, Resource("org", org, org))
    id = ProjectId.new()
    project = await store.add_project(
        ctx.db, org=org, project=id, slug=new.slug, name=new.name, now=ctx.now
    )
    if project is None:
        raise rules.SlugTaken(f"The org has a project with the slug {new.slug} already.")
    _record_project(ctx, Permission.IAM_PROJECT_CREATE, registry.PROJECT_CREATED, project)
    return project


async def list_projects(ctx: Context, org: str, page: PageRequest) -> Page[Project]:
    """The org's projects that the caller may read."""
    authorize(ctx, Permission.IAM_PROJECT_READ, Resource("org", org, org, by_any_project=True))
    whole = org in ctx.principal.orgs_with(Permission.IAM_PROJECT_READ)
    projects = None if whole else ctx.principal.projects_with(Permission.IAM_PROJECT_READ)
    rows = await store.list_projects(ctx.db, page, org=org, projects=projects)
    return pagination.page(rows, page, key=lambda project: project.id)


async def get_project(
    ctx: Context, id: str, *, key: str = Permission.IAM_PROJECT_READ, lock: bool = False
) -> Project:
    """A project that the caller holds `key` on. Other slices come in through here."""
    project = await store.find_project(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs), lock=lock)
    if project is None:
        raise hidden("project", id)
    authorize(ctx, key, Resource("project", id, project.org_id, project.id))
    return project


async def find_project(ctx: Context, id: str) -> Project | None:
    """A project in the caller's orgs. The caller asks for its own key there."""
    return await store.find_project(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs))


async def update_project(ctx: Context, id: str, change: ProjectUpdate, *, expected: int) -> Project:
    project = await get_project(ctx, id, key=Permission.IAM_PROJECT_UPDATE, lock=True)
    etag.check("project", id, have=project.version, expected=expected)
    project = await store.rename_project(
        ctx.db, org=project.org_id, project=id, name=change.name, now=ctx.now
    )
    _record_project(ctx, Permission.IAM_PROJECT_UPDATE, registry.PROJECT_UPDATED, project)
    return project


async def delete_project(ctx: Context, id: str, *, expected: int | None) -> None:
    """Close a project that runs nothing and holds no machine.

    Its service accounts stop working and its people lose their roles, at once. Its apps are closed
    by the database.
    """
    project = await get_project(ctx, id, key=Permission.IAM_PROJECT_DELETE, lock=True)
    etag.check("project", id, have=project.version, expected=expected)
    org = project.org_id
    rules.check_no_instances(id, await store.list_instances(ctx.db, org=org, project=id))
    rules.check_no_machines(id, await store.list_machines(ctx.db, org=org, project=id))
    principals = await store.list_principals(ctx.db, org=project.org_id, project=id)
    ctx.topics |= {topic(who) for who in principals}
    project = await store.delete_project(ctx.db, org=project.org_id, project=id, now=ctx.now)
    _record_project(ctx, Permission.IAM_PROJECT_DELETE, registry.PROJECT_DELETED, project)


async def _lock_org(ctx: Context, id: str, key: str) -> Org:
    org = await store.find_org(ctx.db, id, lock=True)
    if org is None:
        raise hidden("org", id)
    authorize(ctx, key, Resource("org", id, org.id))
    return org


def _keys_on_platform(ctx: Context) -> frozenset[str]:
    held = [g.permissions for g in ctx.principal.grants if g.org == PLATFORM_ORG and not g.project]
    return frozenset[str]().union(*held)


def _record_org(ctx: Context, action: str, event: registry.EventType, org: Org) -> None:
    audit.record(ctx, action, org.id, org=org.id, details={"slug": org.slug, "name": org.name})
    data = registry.Named(id=org.id, slug=org.slug, name=org.name)
    events.publish(ctx, event, data, subject=org.id, version=org.version, org=org.id)


def _record_project(ctx: Context, action: str, event: registry.EventType, project: Project) -> None:
    org, id = project.org_id, project.id
    details = {"slug": project.slug, "name": project.name}
    audit.record(ctx, action, id, org=org, project=id, details=details)
    data = registry.Named(id=id, slug=project.slug, name=project.name)
    events.publish(ctx, event, data, subject=id, version=project.version, org=org, project=id)
