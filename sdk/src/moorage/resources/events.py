"""Events: read by cursor, listened to, or followed for as long as you like."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import httpx2

from moorage import _operations as operations
from moorage import _retry
from moorage._calls import Group, call, read
from moorage._model import Model
from moorage._operation import Arguments
from moorage._problem import ApiError, Unreachable
from moorage._refusal import ended
from moorage.models import CloudEvent, EventsRead

LATEST = "latest"
WAIT_SECONDS = 30.0


class Moved(Model):
    """A hint: this part of an instance is worth another look."""

    instance: str
    what: str
    """`instance`, `operations` or `views`."""
    name: str | None = None
    """Of a view; None where it may be any."""


class Events(Group):
    """Events: what happened, in order."""

    @call(operations.LIST_EVENTS, EventsRead)
    def list(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        wait: float = 0,
        org: str | None = None,
        project: str | None = None,
        types: Sequence[str] = (),
        instance: str | None = None,
        newest_first: bool = False,
    ) -> Arguments:
        """Events after a cursor: the `next` of the answer before, a `sequence`, or `latest`.

        Without `after`: from the oldest event kept. With `wait`, answers as soon as there is one,
        after so many seconds at the latest. With `newest_first`: back in time, from the newest or
        from a cursor, until an answer holds nothing.
        """
        query = {"after": after, "limit": limit, "wait": wait or None, "type": [*types]}
        within = {"org": org, "project": project, "instance": instance}
        back = {"newest_first": "true" if newest_first else None}
        return Arguments(query=query | within | back, wait=wait)

    async def stream(
        self,
        *,
        after: str | None = None,
        org: str | None = None,
        project: str | None = None,
        types: Sequence[str] = (),
        watch: Sequence[str] = (),
        hinted: Callable[[Moved], None] | None = None,
    ) -> AsyncIterator[CloudEvent]:
        """Events as they happen, over one connection; ends when it does. See `follow` for more.

        `hinted` is called where something of the instances in `watch` is worth another look.

        Raises:
            Unreachable: The connection broke. Go on with the last event's `sequence` as `after`.
            ApiError: You may not listen any more, for example because a token has expired.
        """
        query = {"after": after, "org": org, "project": project, "type": [*types]}
        query["watch"] = [*watch]
        async with self._transport.stream(
            operations.STREAM_EVENTS, Arguments(query=query), self._options
        ) as response:
            async for message in httpx2.EventSource(response):
                if message.event == "end":
                    raise ended(message.data, response)
                if message.event == "moved":
                    if hinted is not None:
                        hinted(Moved.model_validate_json(message.data))
                    continue
                yield CloudEvent.model_validate_json(message.data)

    stream.__dict__["operation"] = operations.STREAM_EVENTS

    async def follow(
        self,
        *,
        after: str | None = LATEST,
        org: str | None = None,
        project: str | None = None,
        types: Sequence[str] = (),
    ) -> AsyncIterator[CloudEvent]:
        """Events from here on, for ever: each once, in order, over restarts and lost connections.

        To go on later where you stopped, keep the last event's `sequence` and give it as `after`.

        Raises:
            CursorExpired: Events after the cursor are kept no longer, so some were missed.
        """
        chosen = Arguments(query={"org": org, "project": project, "type": [*types]})
        cursor, wait, failures = after, 0.0, 0
        while True:
            try:
                found = await self._next(chosen, after=cursor, wait=wait)
            except (ApiError, Unreachable) as err:
                if not _retry.may_repeat(err, kind="read"):
                    raise
                # The call has been patient already; whoever follows has all the time there is.
                failures += 1
                await asyncio.sleep(_retry.scattered(failures, err))
                continue
            failures = 0
            for event in found.items:
                yield event
            # The first answer turned `latest` into a number: from now on nothing can be missed.
            cursor, wait = found.next, WAIT_SECONDS

    async def _next(self, chosen: Arguments, *, after: str | None, wait: float) -> EventsRead:
        query = {**chosen.query, "after": after, "wait": wait or None}
        answer = await self._send(operations.LIST_EVENTS, Arguments(query=query, wait=wait))
        return read(EventsRead, answer)
