"""Watches, for whoever makes and changes instances, and for whoever is to be known by one.

Here and not among the commands: instances use this, and the commands use instances.
"""

from collections.abc import Iterable

from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import WATCH_PERMISSIONS
from moorage_core.context import Context
from moorage_core.controllers import store
from moorage_core.kit import tokens
from moorage_core.platform import Platform

MEMBERS, CONFIG, PRINCIPALS, STATUS = "members", "config", "principals", "status"
"""What a hint can name."""


def topic(operator: str) -> str:
    """Moves when there is something for a controller to claim, to watch or to hear."""
    return f"opr:{operator}"


async def find_principal(platform: Platform, token: str) -> Principal | None:
    """Whoever holds the token of a live watch. Asked anew for each request, never remembered.

    The principal is the instance's watch; its credential is the replica that holds it.
    """
    async with platform.database.alone() as db:
        found = await store.find_principal(
            db, token_hash=tokens.digest(token), now=platform.clock.now()
        )
    if found is None:
        return None
    keys = frozenset(map(str, WATCH_PERMISSIONS))
    return Principal(
        Kind.WATCH,
        found["instance_id"],
        found["instance_id"],
        grants=(Grant(found["org_id"], found["project_id"], keys),),
        credential=found["replica_id"],
        instance=found["instance_id"],
        operation=found["operation_id"],
        fence=found["fence"],
    )


async def open_watch(ctx: Context, instance: str, *, org: str, project: str, operator: str) -> None:
    """From now on somebody of the operator should look after the instance."""
    await store.add_watch(ctx.db, instance=instance, org=org, project=project, operator=operator)
    ctx.topics.add(topic(operator))


async def end_watch(ctx: Context, instance: str, *, org: str) -> None:
    """The instance is gone: what is still said of it is refused."""
    operator = await store.end_watch(ctx.db, instance, org=org, now=ctx.now)
    if operator is not None:
        ctx.topics.add(topic(operator))


async def hint(ctx: Context, instances: Iterable[str], moved: Iterable[str], *, org: str) -> None:
    """Tell whoever watches these what moved. A hint is no message: several become one."""
    found = await store.add_hints(ctx.db, sorted(set(instances)), sorted(set(moved)), org=org)
    ctx.topics |= {topic(operator) for operator in found}


async def hint_place(ctx: Context, moved: Iterable[str], *, org: str, project: str | None) -> None:
    """The same for every instance of a project, or of a whole org."""
    found = await store.add_hints_in(ctx.db, sorted(set(moved)), org=org, project=project)
    ctx.topics |= {topic(operator) for operator in found}


async def hint_people(ctx: Context, people: Iterable[str]) -> None:
    """Who may be on clusters has changed, wherever one of these people has a role."""
    found = await store.hint_people(ctx.db, sorted(set(people)), [PRINCIPALS])
    ctx.topics |= {topic(operator) for operator in found}


async def hint_nodes(ctx: Context, nodes: Iterable[str]) -> None:
    """Members on these nodes can be reached no more, or again."""
    found = await store.hint_nodes(ctx.db, sorted(set(nodes)), [MEMBERS])
    ctx.topics |= {topic(operator) for operator in found}
