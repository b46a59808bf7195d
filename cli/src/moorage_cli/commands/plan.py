"""`moor plan`."""

from enum import StrEnum
from typing import Annotated

import typer

from moorage.resources.plans import Kind
from moorage_cli import intent, names, planning
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.intent import ConfigFile, ConfigValues
from moorage_cli.names import InstanceName
from moorage_cli.output import Done
from moorage_cli.verbs import verb

app = typer.Typer(add_completion=False)


class Change(StrEnum):
    CONFIGURE = "configure"
    UPGRADE = "upgrade"
    ROLLBACK = "rollback"
    STOP = "stop"
    START = "start"
    RESTART = "restart"
    DECOMMISSION = "decommission"


KINDS: dict[Change, Kind] = {
    Change.CONFIGURE: "instance.configure",
    Change.UPGRADE: "instance.upgrade",
    Change.ROLLBACK: "instance.rollback",
    Change.STOP: "instance.stop",
    Change.START: "instance.start",
    Change.RESTART: "instance.restart",
    Change.DECOMMISSION: "instance.decommission",
}


@verb(app, "plan")
async def plan_change(
    at: Session,
    instance: InstanceName,
    change: Annotated[Change, typer.Argument(help="Which change.")],
    config: ConfigValues = None,
    config_file: ConfigFile = None,
    to: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="With upgrade: the version.")
    ] = None,
    to_revision: Annotated[
        int | None, typer.Option(min=1, help="With rollback: which; else the one before.")
    ] = None,
    keep_allocations: Annotated[
        bool, typer.Option("--keep-allocations", help="With decommission: keep the machines.")
    ] = False,
) -> Done:
    """What a change of an instance would do. Nothing is done.

    `moor instances` with the same words and --plan applies exactly this plan, while it is good.
    For an app that is not deployed yet: `moor deploy --plan-only`.
    """
    found = await names.get_instance(at.client, instance)
    if (change is Change.UPGRADE) != (to is not None):
        raise Refused("An upgrade needs --to NUMBER, and nothing else takes it.")
    wanted = None
    if config_file is not None or config:
        base = found.config if config_file is None else intent.read(config_file)
        wanted = intent.overlaid(base, config or ())
    made = await at.client.plans.create(
        found,
        kind=KINDS[change],
        config=wanted,
        version=to,
        to_revision=to_revision,
        keep_allocations=keep_allocations,
    )
    return Done("\n".join(planning.lines(made)), made.model_dump(mode="json"))
