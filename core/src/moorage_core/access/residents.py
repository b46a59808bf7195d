"""Residents: the people of a project, who have accounts on the machines of its apps.

Of those apps that asked to know who may be on their clusters. An account and a home let nobody in:
that takes a grant. Every change only says that another list of people is wanted; the hosts get it
as they get the others.

Here and not among the commands: whoever changes people, or where members stand, uses this. They
take what they hold in one order, so that none waits for another in a ring: residents, logins,
watches, lists.
"""

from collections.abc import Sequence

from moorage_core.access import logins, node_store
from moorage_core.access.authorities import TOPIC
from moorage_core.context import Context
from moorage_core.controllers import watches


async def settle(ctx: Context, allocations: Sequence[str], *, org: str, project: str) -> None:
    """An app that knows the people stands on these from now on. They have logins when it begins."""
    if not allocations:
        return
    await node_store.hold_settling(ctx.db, org=org)
    await logins.ensure_people(ctx, org=org, project=project)
    _tell(ctx, await node_store.settle(ctx.db, sorted(allocations), org=org))


async def leave(ctx: Context, allocations: Sequence[str], *, org: str) -> None:
    """No app that knows the people stands on these any more."""
    if allocations:
        _tell(ctx, await node_store.unsettle(ctx.db, sorted(allocations), org=org))


async def changed(ctx: Context, *, org: str, project: str | None) -> None:
    """Somebody came, went, or has another role in a project, or in a whole org.

    Whoever watches instances there hears of it. A newcomer has a login when they look: that does
    not wait for any host.
    """
    living = await node_store.hold_residents(ctx.db, org=org, project=project)
    if living is not None:
        await logins.ensure_people(ctx, org=org, project=living)
    await watches.hint_place(ctx, [watches.PRINCIPALS], org=org, project=project)
    if living is not None:
        _tell(ctx, await node_store.count_up_residents(ctx.db, org=org, project=project))


async def person_changed(ctx: Context, person: str) -> None:
    """The platform disabled or enabled somebody's account."""
    await node_store.hold_person(ctx.db, person)
    await watches.hint_people(ctx, [person])
    _tell(ctx, await node_store.count_up_person(ctx.db, person))


def _tell(ctx: Context, machines: int) -> None:
    if machines:
        ctx.topics.add(TOPIC)
