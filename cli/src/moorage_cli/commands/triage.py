"""`moor triage`."""

from collections.abc import Iterator
from typing import Annotated

import typer

from moorage.models import CauseRead, MomentRead, TriageRead
from moorage_cli import names, output, sight
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.output import Done
from moorage_cli.verbs import verb

app = typer.Typer(add_completion=False)


@verb(app, "triage")
async def show_triage(
    at: Session,
    correlation: Annotated[
        str,
        typer.Argument(metavar="CORRELATION", help="The id: it stands in every error and answer."),
    ],
    org: Annotated[
        str | None, typer.Option(help="Break-glass: a tenant's request, by the org's slug or id.")
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option(help="With --org: why, in at least 8 characters. The tenant sees it."),
    ] = None,
) -> Done:
    """What came of one request: the cause of a failure and the next command, then the timeline."""
    if (org is None) != (reason is None):
        raise Refused("--org and --reason go together: the tenant is told who looked, and why.")
    if org is None or reason is None:
        found = await at.client.triage.get(correlation)
    else:
        where = await names.org_id(at.client, org)
        found = await at.client.triage.break_glass(correlation, org=where, reason=reason)
    return Done("\n".join(lines(found)), found.model_dump(mode="json"))


def lines(found: TriageRead) -> list[str]:
    """The story of a request. Whoever reads only the first screen knows what to do."""
    return [*_summary(found), *_policy(found), "", *map(_moment, found.timeline)]


def _summary(found: TriageRead) -> Iterator[str]:
    for operation in found.operations:
        if operation.parent_id is None:
            yield f"{sight.title(operation)} {sight.state(operation)}"
    if found.cause is not None:
        yield from _cause(found.cause)
    elif found.operations:
        yield "Nothing of it has failed."
    for each in found.next:
        yield f"Next: moor {sight.command(each.verb, each.operation_id)}    ({each.text})"


def _cause(cause: CauseRead) -> Iterator[str]:
    yield f"Cause: {cause.message} [{cause.code}]"
    at = [f"operation {cause.operation_id}"]
    at += [f"step {cause.step}"] if cause.step else []
    at += [f"task {cause.task_id}"] if cause.task_id else []
    at += [f"exit code {cause.exit_code}"] if cause.exit_code is not None else []
    yield f"  in {', '.join(at)}"
    yield from (f"  | {line}" for line in cause.log)


def _policy(found: TriageRead) -> Iterator[str]:
    refusing = [layer for layer in found.policy if layer.allowed is False]
    if found.policy and not refusing:
        yield "Policy: allowed"
    for layer in refusing:
        who = f" {layer.who_can_change} can change that." if layer.who_can_change else ""
        yield f"Policy: {layer.layer}: {layer.sentence}{who}"


def _moment(moment: MomentRead) -> str:
    status = f"  {moment.status}" if moment.status else ""
    return f"{output.cell(moment.at)}  {moment.kind:<9}  {moment.text}{status}"
