"""`moor conformance …`: proving an app from the command line.

The only module that knows the command line: who calls, and how to show things.
"""

import asyncio
import sys
import time
from collections.abc import Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from moorage import MoorageError
from moorage_cli import connection, failures, names, terminal
from moorage_cli import output as output_of
from moorage_cli.choices import Format, Globals, Output, ProfileName
from moorage_cli.connection import Chosen
from moorage_cli.failures import Refused
from moorage_cli.output import Table
from moorage_conformance import building, report, wording
from moorage_conformance import run as runs
from moorage_conformance.checks import passes
from moorage_conformance.findings import About, CannotRun, Finding, is_kept
from moorage_conformance.run import Wish

BROKEN, CANNOT_RUN = 1, 2
MARKS = {"kept": "kept  ", "broken": "BROKEN", "not_applicable": "  -   "}


def run(
    ctx: typer.Context,
    *,
    app: Annotated[
        Path,
        typer.Option(
            "--app",
            help="The app's folder: conformance.yaml, and manifest.yaml or what builds it.",
        ),
    ],
    project: Annotated[
        str | None,
        typer.Option(help="The project to work in. Left out: the kit makes one of its own."),
    ] = None,
    allocations: Annotated[
        str | None, typer.Option(help="Machines of the project, by id, with commas between.")
    ] = None,
    region: Annotated[
        str | None, typer.Option(help="Where to ask for machines. Left out: the only one there is.")
    ] = None,
    sku: Annotated[
        str | None,
        typer.Option(help="Which machines to ask for. Left out: the only ones there are."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="A rule to judge; several times for several.")
    ] = None,
    crashes: Annotated[
        int | None,
        typer.Option(min=1, help="Kill the controller so often in one operation at most."),
    ] = None,
    cancels: Annotated[
        int | None,
        typer.Option(min=1, help="Cancel one operation so often at most."),
    ] = None,
    report_folder: Annotated[
        Path | None,
        typer.Option("--report", help="Write the report there, and what the controller wrote."),
    ] = None,
    output: Output = None,
    profile: ProfileName = None,
) -> None:
    """Judge an app by the rules of the contract, on a running platform.

    Ends with 0 where every rule is kept, 1 where one is broken, and 2 where it cannot be run.
    """
    chosen = _chosen(ctx, output, profile)
    wanted = frozenset(rule.upper() for rule in only or ())
    machines = [each.strip() for each in (allocations or "").split(",") if each.strip()]

    async def judge() -> bool:
        _check_rules(wanted)
        async with connection.connect(chosen) as client, building.opened(app, _tell) as found:
            where = None if project is None else await names.project_id(client, project)
            wish = Wish(
                plan=found,
                client=client,
                ca=connection.authority(chosen),
                project=where,
                allocations=machines,
                region=region,
                sku=sku,
                only=wanted,
                crashes=crashes,
                cancels=cancels,
                log=_log(report_folder),
            )
            return await _judge(wish, chosen.format, report_folder)

    raise typer.Exit(0 if _ended(judge(), chosen.format) else BROKEN)


def rules(ctx: typer.Context, output: Output = None, profile: ProfileName = None) -> None:
    """List what the kit looks at, by rule."""
    chosen = _chosen(ctx, output, profile)
    rows = [
        {"rule": check.rule, "pass": each.name, "check": check.sentence}
        for each in passes.EVERY
        for check in each.checks
    ]
    rows.sort(key=lambda row: wording.place(row["rule"]))
    note = f"{len({row['rule'] for row in rows})} rules. What each says stands in contract/rules."
    table = Table(rows, ("rule", "pass", "check"), {"items": rows}, note)
    asyncio.run(output_of.show(table, chosen.format))


async def _judge(wish: Wish, format: Format, folder: Path | None) -> bool:
    began, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")

    findings = await runs.run(wish, lambda finding: _tell(_line(finding)))
    manifest = wish.plan.manifest
    about = About(
        manifest.slug, manifest.version, wish.client.url, started, time.monotonic() - began
    )
    if folder is not None:
        report.write(findings, about, folder)
    if format is Format.JSON:
        output_of.write_json(report.document(findings, about))
    else:
        output_of.write(report.text(findings, about))
    return is_kept(findings)


def _tell(line: str) -> None:
    print(terminal.plain(line), file=sys.stderr, flush=True)


def _log(folder: Path | None) -> Path | None:
    """With a report, what the controllers wrote is kept beside it."""
    if folder is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve() / "controller.log"


def _line(finding: Finding) -> str:
    said = f"{MARKS[finding.outcome]}  {finding.rule:6} {finding.check}"
    if finding.outcome != "broken":
        return said
    return "\n".join([said, *(f"        {line}" for line in finding.detail.splitlines())])


def _ended(work: Coroutine[Any, Any, bool], format: Format) -> bool:
    """What the work came to; where it cannot be done, why not, and the exit code for that."""
    try:
        return asyncio.run(work)
    except CannotRun as err:
        problem = {"code": "cannot_run", "detail": str(err), "exit_code": CANNOT_RUN}
        lines = [str(err)]
    except (MoorageError, Refused) as err:
        problem, lines = failures.problem(err), failures.lines(err)
    except KeyboardInterrupt:
        problem, lines = {"code": "stopped"}, ["Stopped, and everything was taken away again."]
    if format is Format.JSON:
        print(output_of.as_json(problem), file=sys.stderr)
    else:
        for line in lines:
            print(terminal.plain(f"moor: {line}"), file=sys.stderr)
    raise typer.Exit(CANNOT_RUN)


def _check_rules(wanted: frozenset[str]) -> None:
    known = {check.rule for each in passes.EVERY for check in each.checks}
    if strange := sorted(wanted - known):
        raise CannotRun(
            f"The kit does not judge {', '.join(strange)}. `moor conformance rules` lists what it "
            "judges."
        )


def _chosen(ctx: typer.Context, format: Format | None, profile: str | None) -> Chosen:
    root = ctx.find_root().obj
    given = root if isinstance(root, Globals) else Globals()
    return connection.choose(format or given.output, profile or given.profile)
