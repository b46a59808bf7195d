"""`moor deploy`."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from moorage import Client
from moorage.models import AppRead, PlacementWrite
from moorage_cli import intent, names, planning, watching
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.intent import ConfigFile, ConfigValues, Placements
from moorage_cli.names import AppName, ProjectName
from moorage_cli.output import Done
from moorage_cli.planning import OfPlan
from moorage_cli.verbs import Yes, verb
from moorage_cli.watching import Detach

app = typer.Typer(add_completion=False)


@verb(app, "deploy")
async def deploy(
    at: Session,
    project: ProjectName,
    of: AppName,
    name: Annotated[str, typer.Option(help="What the instance is called in the project.")],
    component: Placements = None,
    config: ConfigValues = None,
    config_file: ConfigFile = None,
    version: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Which; else as the entitlement says.")
    ] = None,
    channel: Annotated[
        Literal["dev", "staging", "prod"] | None,
        typer.Option(help="The version that is promoted there."),
    ] = None,
    operator: Annotated[
        str | None,
        typer.Option(help="Who acts for it, by name or id. Left out where there is only one."),
    ] = None,
    operating_mode: Annotated[
        str | None, typer.Option(help="One that the app supports; else its first.")
    ] = None,
    max_parallel: Annotated[
        int, typer.Option("--max-parallel", min=1, help="Work on so many members at a time.")
    ] = 10,
    keep_allocations: Annotated[
        bool,
        typer.Option("--keep-allocations", help="Machines allocated for it stay the project's."),
    ] = False,
    plan: OfPlan = None,
    plan_only: Annotated[
        bool, typer.Option("--plan-only", help="Show the plan and do nothing.")
    ] = False,
    yes: Yes = False,
    detach: Detach = False,
) -> Done | None:
    """Deploy an app: show the plan, ask, apply exactly that plan, and show the steps."""
    where = await names.project_id(at.client, project)
    found = await names.get_app(at.client, of)
    wanted: dict[str, Any] = {
        "name": name,
        "app": found,
        "operator": await _operator(at.client, found, operator),
        "components": await _components(at.client, component or (), where, keep=keep_allocations),
        "version": version,
        "channel": channel,
        "config": intent.configuration(config_file, config or ()),
        "operating_mode": operating_mode,
        "max_parallel": max_parallel,
    }
    if plan is None:
        made = await at.client.plans.create_deployment(where, **wanted)
        if plan_only:
            return Done("\n".join(planning.lines(made)), made.model_dump(mode="json"))
        planning.confirm(at, made, yes=yes)
        plan = made.id
    instance = await at.client.instances.deploy(where, **wanted, plan=plan)
    return await watching.finish_last(at, instance, detach=detach)


async def _components(
    client: Client, words: Sequence[str], project: str, *, keep: bool
) -> dict[str, PlacementWrite]:
    found: dict[str, PlacementWrite] = {}
    for key, wished in intent.placements(words).items():
        where = await names.placed(client, wished, project=project)
        found[key] = PlacementWrite(
            allocations=[*where.allocations],
            count=where.count,
            sku=where.sku,
            region=where.region,
            keep_allocations=keep,
        )
    return found


async def _operator(client: Client, app: AppRead, name: str | None) -> str:
    """Who acts: the one that is named, or the only one that there is."""
    if name is not None and names.is_id(name):
        return name
    known = await client.operators.list_of_app(app).all()
    found = [each for each in known if name is None or each.name.casefold() == name.casefold()]
    if len(found) == 1:
        return found[0].id
    if not known:
        raise Refused(f"Nobody acts for {app.slug}. `moor operators register` names somebody.")
    there = ", ".join(f"{each.name} ({each.id})" for each in known)
    raise Refused(f"Say with --operator who acts for it: {there}.")
