"""Logins: under which name and number somebody is known on an org's machines. Given once, for good.

Commands of their own, by noun.
"""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from moorage_core.access import rules, store
from moorage_core.access.models import Login, NewLogin, Person
from moorage_core.access.schemas import UnixLoginCreate
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.controllers import watches
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import pagination
from moorage_core.kit.pagination import Page, PageRequest

log = structlog.get_logger()


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
    (allotted,) = await _allot(ctx, [person], org=org)
    wanted = replace(allotted, login=new.login or allotted.login)
    added = await _add(ctx, [wanted], org=org, project=None)
    if not added:
        raise rules.LoginTaken(
            f"The login {wanted.login} belongs, or belonged, to somebody else in this org. "
            "Choose another."
        )
    (login,) = added
    # The records belong to the whole org, which an admin of one of its projects does not see.
    # Comes last: from here on nothing but the records is written.
    await ctx.db.set_scope(ctx.principal.scope.with_org(org))
    record(ctx, login, project=None)
    return login


async def ensure(ctx: Context, person: Person, *, org: str, project: str) -> Login:
    """The person's login, made where there is none. The caller audits it with its own change.

    It is the org's, and the event is told in the project where it was first needed.
    """
    login = await store.find_login(ctx.db, person.id, org=org)
    if login is None:
        await store.lock_logins(ctx.db, org=org)
        login = await store.find_login(ctx.db, person.id, org=org)
    if login is None:
        allotted = await _allot(ctx, [person], org=org)
        (login,) = await _add(ctx, allotted, org=org, project=project)
    return login


async def ensure_people(ctx: Context, *, org: str, project: str) -> list[Login]:
    """Logins for all who may be on the project's machines and had none: those that are new.

    As with one, the caller audits them; whoever has no change of its own calls `record` for each.
    Where the org has too few uids left, those who came last do without: that somebody cannot be on
    a machine must not keep others off it, or on it.
    """
    roles = sorted(rules.USING_ROLES)
    if not await store.list_without_login(ctx.db, org=org, project=project, roles=roles):
        return []
    await store.lock_logins(ctx.db, org=org)
    people = await store.list_without_login(ctx.db, org=org, project=project, roles=roles)
    try:
        allotted = await _allot(ctx, people, org=org)
    except rules.UidsExhausted:
        allotted = []
    if len(allotted) < len(people):
        log.warning("access.uids_exhausted", org=org, lacking=len(people) - len(allotted))
    return await _add(ctx, allotted, org=org, project=project)


def record(ctx: Context, login: Login, *, project: str | None) -> None:
    """Audit that a login was given."""
    audit.record(
        ctx,
        Permission.IAM_LOGIN_CREATE,
        login.id,
        org=login.org_id,
        project=project,
        details={"user": login.user_id, "login": login.login, "uid": login.uid},
    )


async def list_in_org(ctx: Context, org: str, page: PageRequest) -> Page[Login]:
    _authorize(ctx, Permission.IAM_LOGIN_READ, org)
    rows = await store.list_logins(ctx.db, page, org=org)
    return pagination.page(rows, page, key=lambda login: login.id)


async def _allot(ctx: Context, people: Sequence[Person], *, org: str) -> list[NewLogin]:
    """The org's logins are locked."""
    # One that is cut for its number's sake begins like the stem too, but for its last letters.
    stems = {rules.login_stem(person.email)[: rules.LOGIN_LENGTH - 6] for person in people}
    bounds = ctx.platform.settings.access
    return rules.allot(
        people,
        await store.list_like(ctx.db, sorted(stems), org=org),
        highest=await store.find_highest_uid(ctx.db, org=org),
        lowest=bounds.uid_min,
        last=bounds.uid_max,
    )


async def _add(
    ctx: Context, new: Sequence[NewLogin], *, org: str, project: str | None
) -> list[Login]:
    """The org's logins are locked. What was taken is left out."""
    added = await store.add_logins(ctx.db, new, org=org, now=ctx.now) if new else []
    if added:
        await watches.hint_people(ctx, [login.user_id for login in added])
    for login in added:
        events.publish(
            ctx,
            registry.LOGIN_CREATED,
            registry.Login(id=login.id, user_id=login.user_id, login=login.login, uid=login.uid),
            subject=login.id,
            version=login.version,
            org=org,
            project=project,
        )
    return added


def _authorize(ctx: Context, key: str, org: str, *, chosen: bool = False) -> None:
    """An org's logins are known in all its projects: who is an admin in one may add to them."""
    authorize(ctx, key, Resource("org", org, org, by_any_project=not chosen))
