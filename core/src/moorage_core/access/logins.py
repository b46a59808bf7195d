"""Logins: under which name and number somebody is known on an org's machines. Given once, for good.

Commands of their own, by noun.
"""

from moorage_core.access import rules, store
from moorage_core.access.models import Login, Person
from moorage_core.access.schemas import UnixLoginCreate
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.controllers import watches
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import pagination
from moorage_core.kit.ids import LoginId
from moorage_core.kit.pagination import Page, PageRequest


async def create(ctx: Context, org: str, new: UnixLoginCreate) -> Login:
    """Give somebody a login before their first grant.

    One that is chosen holds in every project for good: that is for admins of the whole org.
    """
    _authorize(ctx, Permission.IAM_LOGIN_CREATE, org, chosen=new.login is not None)
    person = await store.find_person(ctx.db, new.user, org=org, project=None)
    if person is None:
        raise rules.NotInOrg(
            f"User {new.user} has no role in org {org} or one of its projects. Give them one first."
        )
    if new.login is not None:
        rules.check_login(new.login)
    await store.lock_logins(ctx.db, org=org)
    present = await store.find_login(ctx.db, person.id, org=org)
    if present is not None:
        raise rules.HasLogin(f"User {person.id} is {present.login} in this org, and stays so.")
    login = await _add(ctx, person, org=org, project=None, login=new.login)
    # The records belong to the whole org, which an admin of one of its projects does not see.
    # Comes last: from here on nothing but the records is written.
    await ctx.db.set_scope(ctx.principal.scope.with_org(org))
    audit.record(
        ctx,
        Permission.IAM_LOGIN_CREATE,
        login.id,
        org=org,
        details={"user": login.user_id, "login": login.login, "uid": login.uid},
    )
    return login


async def ensure(ctx: Context, person: Person, *, org: str, project: str) -> Login:
    """The person's login, made where there is none. The caller audits it with its own change.

    It is the org's, and the event is told in the project where it was first needed.
    """
    login = await store.find_login(ctx.db, person.id, org=org)
    if login is None:
        await store.lock_logins(ctx.db, org=org)
        login = await store.find_login(ctx.db, person.id, org=org)
    return login or await _add(ctx, person, org=org, project=project, login=None)


async def list_in_org(ctx: Context, org: str, page: PageRequest) -> Page[Login]:
    _authorize(ctx, Permission.IAM_LOGIN_READ, org)
    rows = await store.list_logins(ctx.db, page, org=org)
    return pagination.page(rows, page, key=lambda login: login.id)


async def _add(
    ctx: Context, person: Person, *, org: str, project: str | None, login: str | None
) -> Login:
    """The org's logins are locked."""
    if login is None:
        stem = rules.login_stem(person.email)
        # One that is cut for its number's sake begins like the stem too, but for its last letters.
        taken = await store.list_like(ctx.db, stem[: rules.LOGIN_LENGTH - 6], org=org)
        login = rules.login_for(person.email, taken)
    bounds = ctx.platform.settings.access
    highest = await store.find_highest_uid(ctx.db, org=org)
    added = await store.add_login(
        ctx.db,
        id=LoginId.new(),
        org=org,
        user=person.id,
        login=login,
        uid=rules.next_uid(highest, lowest=bounds.uid_min, last=bounds.uid_max),
        now=ctx.now,
    )
    if added is None:
        raise rules.LoginTaken(
            f"The login {login} belongs, or belonged, to somebody else in this org. Choose another."
        )
    await watches.hint_person(ctx, person.id)
    data = registry.Login(id=added.id, user_id=person.id, login=added.login, uid=added.uid)
    events.publish(
        ctx,
        registry.LOGIN_CREATED,
        data,
        subject=added.id,
        version=added.version,
        org=org,
        project=project,
    )
    return added


def _authorize(ctx: Context, key: str, org: str, *, chosen: bool = False) -> None:
    """An org's logins are known in all its projects: who is an admin in one may add to them."""
    authorize(ctx, key, Resource("org", org, org, by_any_project=not chosen))
