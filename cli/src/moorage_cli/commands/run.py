"""`moor run`."""

import asyncio
import contextlib
import sys
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

import moorage
from moorage import Client
from moorage.errors import OperationEnded
from moorage.models import SessionIssued, TaskCreate, TaskRead
from moorage_cli import connection, durations, names, terminal
from moorage_cli.choices import Format
from moorage_cli.connection import Session
from moorage_cli.durations import Duration
from moorage_cli.failures import Refused
from moorage_cli.machine_output import Writer
from moorage_cli.names import InProject
from moorage_cli.output import Done, write_json
from moorage_cli.verbs import verb

app = typer.Typer(add_completion=False)

KEY = "run/command"
LONGER = 900
"""Seconds that the session lives beyond the command's own time: machines may be slow to take it."""
LONGEST_SESSION = 8 * 3600
SHOWN_AT_ONCE = 16
"""Machines whose output is followed at a time; the command runs on all of them meanwhile."""
FAILED = 1
TEN_MINUTES = "10m"


@dataclass(frozen=True)
class Machine:
    """A machine to run on, and what its lines are labelled with."""

    id: str
    name: str


@verb(app, "run", words_last=True)
async def run(
    at: Session,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="ALLOCATION... -- COMMAND...",
            help="The machines by id (with --project, by name), two dashes, and the command.",
        ),
    ],
    project: InProject = None,
    reason: Annotated[
        str | None,
        typer.Option(
            help="Why, in at least 8 characters: it stands in the audit log. Left out: the program."
        ),
    ] = None,
    run_as: Annotated[str, typer.Option("--as", metavar="USER", help="The account.")] = "root",
    timeout: Duration = TEN_MINUTES,  # noqa: ASYNC109 - the command's, not this function's
    cwd: Annotated[str | None, typer.Option(metavar="PATH", help="Where to run it.")] = None,
) -> Done:
    """Run a command on machines and show what it prints, as it prints it.

    Opens a session, runs the command on all of the machines at once, and ends the session: if you
    stop `moor`, the command stops too. No shell is involved. With one machine, the exit code is the
    command's own; with several, lines are labelled and the code is 1 where any failed.
    """
    wanted, command = _split(words)
    limit = durations.seconds(timeout)
    machines, where = await _machines(at.client, wanted, project)
    session = await at.client.node_sessions.create(
        where,
        allocations=[machine.id for machine in machines],
        reason=reason or f"moor run {command[0]}"[:500],
        lease=min(limit + LONGER, LONGEST_SESSION),
    )
    outcome: Literal["succeeded", "failed"] = "failed"
    try:
        given: dict[str, Any] = {"argv": command} | ({"cwd": cwd} if cwd else {})
        tasks = await _run(at, session, machines, given, run_as=run_as, limit=limit)
        outcome = "succeeded" if all(task.status == "succeeded" for task in tasks) else "failed"
    except moorage.Unauthenticated as err:
        raise Refused("The session was ended before the command was done.") from err
    finally:
        with contextlib.suppress(OperationEnded):
            await at.client.operations.end(session.id, outcome=outcome)
    raise typer.Exit(_exit_code(tasks))


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    at = words.index("--") if "--" in words else 0
    where, command = words[:at], words[at + 1 :]
    if not where or not command:
        raise Refused("Say where and what: moor run ALLOCATION... -- COMMAND...")
    return where, command


async def _machines(
    client: Client, wanted: list[str], project: str | None
) -> tuple[list[Machine], str]:
    """The machines, each once, and the one project that they are of."""
    ids = [await names.allocation_id(client, name, project=project) for name in wanted]
    held = [await client.allocations.get(id) for id in dict.fromkeys(ids)]
    projects = {allocation.project_id for allocation in held}
    if len(projects) != 1:
        raise Refused("These machines are of several projects. Run once for each.")
    return [Machine(allocation.id, allocation.name) for allocation in held], projects.pop()


async def _run(
    at: Session,
    session: SessionIssued,
    machines: list[Machine],
    given: dict[str, Any],
    *,
    run_as: str,
    limit: int,
) -> list[TaskRead]:
    """The tasks, once all have ended."""
    holder = connection.connect(at.chosen, auth=moorage.AccessToken(session.token))
    async with holder as client:
        wishes = [
            TaskCreate(
                key=KEY, kind="exec", allocation=each.id, input=given, run_as=run_as, timeout=limit
            )
            for each in machines
        ]
        made = await client.tasks.create(session.id, wishes)
        if at.chosen.format is Format.JSON:
            return await _document(client, made)
        labels = [""] if len(machines) == 1 else [machine.name for machine in machines]
        turns = asyncio.Semaphore(SHOWN_AT_ONCE)
        pairs = zip(made, labels, strict=True)
        shown = (_show(client, task, label, turns) for task, label in pairs)
        return [*await asyncio.gather(*shown)]


async def _show(client: Client, task: TaskRead, label: str, turns: asyncio.Semaphore) -> TaskRead:
    async with turns:
        await _copy(client, task, label)
    ended = await client.tasks.wait(task)
    if ended.status != "succeeded" and ended.error_code != "exit_nonzero":
        said = ended.error_message or ended.status
        _complain(f"{label or ended.allocation_id}: {ended.status}: {said}")
    return ended


async def _copy(client: Client, task: TaskRead, label: str) -> None:
    out = Writer(sys.stdout.buffer, plain=sys.stdout.isatty(), label=label)
    err = Writer(sys.stderr.buffer, plain=sys.stderr.isatty(), label=label)
    await asyncio.gather(_follow(client, task, "stdout", out), _follow(client, task, "stderr", err))


async def _follow(
    client: Client, task: TaskRead, stream: Literal["stdout", "stderr"], writer: Writer
) -> None:
    async for content in client.tasks.follow(task, stream=stream):
        writer.write(content)
    writer.close()


async def _document(client: Client, made: list[TaskRead]) -> list[TaskRead]:
    """All of it as one document, once all have ended."""
    ended = [await client.tasks.wait(task) for task in made]
    items: list[dict[str, Any]] = []
    for task in ended:
        said = {
            stream: b"".join(
                [piece async for piece in client.tasks.follow(task, stream=stream)]
            ).decode("utf-8", "replace")
            for stream in ("stdout", "stderr")
        }
        items.append(task.model_dump(mode="json") | said)
    write_json({"items": items})
    return ended


def _complain(text: str) -> None:
    sys.stdout.flush()
    print(terminal.plain(text), file=sys.stderr)


def _exit_code(tasks: list[TaskRead]) -> int:
    if all(task.status == "succeeded" for task in tasks):
        return 0
    if len(tasks) > 1 or tasks[0].error_code != "exit_nonzero":
        return FAILED
    code = (tasks[0].result or {}).get("exit_code")
    return code if isinstance(code, int) and 0 < code < 256 else FAILED
