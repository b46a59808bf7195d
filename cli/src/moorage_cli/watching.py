"""Following an operation to its end: a live picture on a terminal, lines elsewhere, one document
for programs.

Ctrl-C stops the showing and not the work, and says how to look again.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console, RenderableType
from rich.live import Live

import moorage
from moorage import Client
from moorage.models import InstanceRead, OperationRead
from moorage.resources.operations import Status
from moorage_cli import output, sight, terminal
from moorage_cli.choices import Format
from moorage_cli.connection import Session
from moorage_cli.failures import CONFLICT
from moorage_cli.output import Done
from moorage_cli.sight import Sight

LOOK = 20.0
"""Seconds that a question for news may take."""
LOOK_AT_CHILDREN = 2.0
"""The same while children work: what moves in them does not move their parent."""
PAUSE = 2.0
"""Seconds between questions that nobody answers, each of which is repeated for a while."""
AWAY = "The platform does not answer. The work goes on; it is asked again and again."
BACK = "The platform answers again."
FRAMES_PER_SECOND = 4
WORTH_A_LINE: tuple[Status, ...] = ("blocked", "failed", "running", "undoing", "waiting")

Detach = Annotated[
    bool, typer.Option("--detach", "-d", help="Do not wait: say only which operation it is.")
]


async def finish(at: Session, operation: OperationRead, *, detach: bool) -> Done | None:
    """What a command that asked for an operation ends with: the operation's end, or its id."""
    if detach:
        said = f"{sight.title(operation)} is {operation.status}.\n{_again(operation.id)}"
        return Done(said, operation.model_dump(mode="json"))
    return await follow(at, operation.id)


async def finish_last(at: Session, instance: InstanceRead, *, detach: bool) -> Done | None:
    """The same for a command that was answered with the instance."""
    assert instance.last_operation is not None, "whatever was asked for is an operation"
    asked = await at.client.operations.get(instance.last_operation.id)
    return await finish(at, asked, detach=detach)


async def follow(at: Session, operation: str) -> Done | None:
    """Show an operation until it has ended or needs a person. Only success is exit code 0."""
    try:
        last = await _shown(at, operation)
    except asyncio.CancelledError:
        print(f"\nIt goes on. {_again(operation)}", file=sys.stderr)
        raise
    document = last.operation.model_dump(mode="json")
    done = Done("\n".join(sight.ending(last)), document)
    if last.operation.status == "succeeded":
        return done
    await output.show(done, at.chosen.format)
    raise typer.Exit(CONFLICT)


def _again(operation: str) -> str:
    return f"Look at it with: moor operations watch {operation}"


async def _shown(at: Session, operation: str) -> Sight:
    quiet = at.chosen.format is Format.JSON
    seen = looks(
        lambda after: look(at.client, operation, after=after), say=_nothing if quiet else _say
    )
    if quiet:
        return [each async for each in seen][-1]
    if sys.stdout.isatty():
        return await _draw(seen)
    return await _log(seen)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _nothing(text: str) -> None:
    """Programs read one document, and no words beside it."""


async def _draw(looks: AsyncIterator[Sight]) -> Sight:
    last = await anext(looks)

    def frame() -> RenderableType:
        return sight.frame(last, now=datetime.now(UTC))

    console = Console(highlight=False)
    with Live(console=console, get_renderable=frame, refresh_per_second=FRAMES_PER_SECOND):
        async for seen in looks:
            last = seen
    return last


async def _log(looks: AsyncIterator[Sight]) -> Sight:
    last: Sight | None = None
    async for seen in looks:
        for line in sight.changes(last, seen):
            print(terminal.plain(f"{datetime.now(UTC):%H:%M:%SZ} {line}"), flush=True)
        last = seen
    assert last is not None, "there is always a first look"
    return last


async def looks(
    look: Callable[[Sight | None], Awaitable[Sight]],
    *,
    say: Callable[[str], None],
    pause: float = PAUSE,
) -> AsyncIterator[Sight]:
    """One look after the other, each when something has moved, until nothing will by itself.

    The first must succeed. After that the work goes on, whether or not the platform answers: it is
    asked until it does.
    """
    seen = await look(None)
    yield seen
    away = False
    while seen.operation.status not in sight.SETTLED:
        try:
            seen = await look(seen)
        except (moorage.Unreachable, moorage.ServerFault) as err:
            if isinstance(err, moorage.CertificateRefused):
                raise
            if not away:
                say(AWAY)
            away = True
            await asyncio.sleep(pause)
            continue
        if away:
            say(BACK)
        away = False
        yield seen


async def look(client: Client, operation: str, *, after: Sight | None = None) -> Sight:
    """An operation as it is now; with `after`, once it is no longer what it was then."""
    if after is None:
        found = await client.operations.get(operation)
    else:
        wait = LOOK_AT_CHILDREN if after.operation.phase == "children" else LOOK
        since = after.operation.version
        found = await client.operations.get(operation, since_version=since, wait=wait)
    steps = await client.operations.steps(found).all()
    if not found.children:
        return Sight(found, steps)
    children = await _children(client, found)
    names = await _names(client, children, after.names if after else {})
    return Sight(found, steps, children, names)


async def _children(client: Client, parent: OperationRead) -> list[OperationRead]:
    """Those that are worth a line: in need of somebody, or at work."""
    found: list[OperationRead] = []
    for status in WORTH_A_LINE:
        async for child in client.operations.children(parent, status=status):
            found.append(child)
            if len(found) > sight.SHOWN_CHILDREN:
                return found
    return found


async def _names(
    client: Client, children: Sequence[OperationRead], known: Mapping[str, str]
) -> dict[str, str]:
    """What the members of the children are called; each is asked for once."""
    names = dict(known)
    for child in children[: sight.SHOWN_CHILDREN]:
        if child.member_id and child.member_id not in names:
            names[child.member_id] = (await client.members.get(child.member_id)).name
    return names
