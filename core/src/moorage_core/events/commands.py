"""Publishing and reading events."""

from typing import Any

from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context, EventRecord, Trace
from moorage_core.errors import Forbidden
from moorage_core.events import movements, rules, store
from moorage_core.events.models import Event, Wanted
from moorage_core.events.registry import Data, EventType
from moorage_core.events.schemas import wire
from moorage_core.kit.db import Db
from moorage_core.platform import Platform


def publish(
    ctx: Context,
    event: EventType,
    data: Data,
    *,
    subject: str,
    version: int,
    org: str,
    project: str | None = None,
    app: str | None = None,
    instance: str | None = None,
    topics: tuple[str, ...] = (),
    trace: Trace | None = None,
) -> None:
    """Publish with the change.

    The caller's transaction holds the subject's row; `version` is the new one. `app` is a slug,
    `instance` the id of the app's instance that it is about. `trace` is that of an earlier request
    which this follows from, where it was not the present one.
    """
    record = EventRecord(
        type=event.type,
        subject=subject,
        version=version,
        org=org,
        project=project,
        app_slug=app,
        app_instance_id=instance,
        data=data.model_dump(mode="json"),
        trace=trace or ctx.trace,
        topics=topics,
    )
    rules.check(record)
    ctx.events.append(record)


def hint(ctx: Context, instance: str, what: movements.What, name: str | None = None) -> None:
    """Tell who watches an instance that something of it moved, be it worth an event or not."""
    ctx.topics.add(movements.topic(instance, what, name))


async def read(
    at: Platform, principal: Principal, wanted: Wanted, *, after: int | None
) -> tuple[list[Event], int]:
    """Events beyond a cursor that the caller may see, and where the caller stands then.

    Takes and gives back its transaction: callers that wait hold none in between.
    """
    key = Permission.EVENTS_EVENT_READ
    places = principal.places(key, org=wanted.org, project=wanted.project)
    if not places:
        raise Forbidden(
            f"This needs the permission {Permission.EVENTS_EVENT_READ}"
            " in at least one org or project."
        )
    async with at.database.transaction(principal.scope, read_only=True, patient=True) as db:
        stream = await store.get_stream(db, "events")
        if wanted.newest_first:
            start, end = rules.start_back(after, last=stream.last), stream.floor
            found = await store.list_between(db, wanted, scope=places, beyond=end, before=start)
        else:
            start = rules.start(after, last=stream.last, floor=stream.floor)
            end = max(start, stream.last)
            found = await store.list_between(db, wanted, scope=places, beyond=start, before=end + 1)
    full = len(found) == wanted.limit
    return found, found[-1].seq if full else end


async def find_wire(platform: Platform, db: Db, seq: int, *, org: str) -> dict[str, Any] | None:
    """One event as everybody outside sees it; None once retention took it."""
    event = await store.find_by_seq(db, seq, org=org)
    return None if event is None else wire(event, source=platform.settings.url)
