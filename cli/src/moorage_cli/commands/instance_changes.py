"""`moor instances configure`, `upgrade` and the rest of the verbs that change one.

Each shows its plan, asks, applies exactly that plan, and shows the steps.
"""

from typing import Annotated

import typer

from moorage_cli import consent, intent, names, patience, planning, watching
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.intent import ConfigFile, ConfigValues
from moorage_cli.names import InstanceName
from moorage_cli.output import Done, Record
from moorage_cli.patience import HowLong, Policy, Until
from moorage_cli.planning import OfPlan
from moorage_cli.verbs import Yes, verb
from moorage_cli.watching import Detach

verbs = typer.Typer()

Why = Annotated[
    str, typer.Option("--reason", help="Why, in at least 8 characters: it stands in the audit log.")
]
TenantSees = Annotated[
    str, typer.Option("--reason", help="Why, in at least 8 characters. The tenant sees it.")
]
Note = Annotated[str | None, typer.Option("--reason", help="For the record.")]
ToVersion = Annotated[str, typer.Option("--to", metavar="NUMBER", help="The version.")]
ToRevision = Annotated[
    int | None, typer.Option("--to-revision", min=1, help="Which; else the one that ran before.")
]
Preempt = Annotated[bool, typer.Option("--preempt", help="Ask what is under way to stop first.")]
Keep = Annotated[
    bool, typer.Option("--keep-allocations", help="Keep machines that were allocated for it.")
]
Instance = Annotated[str, typer.Argument(metavar="INSTANCE", help="The instance's id.")]


@verb(verbs, "configure")
async def configure_instance(
    at: Session,
    instance: InstanceName,
    config: ConfigValues = None,
    config_file: ConfigFile = None,
    plan: OfPlan = None,
    yes: Yes = False,
    detach: Detach = False,
) -> Done | None:
    """Change the configuration. Without a file, what you do not name stays as it is."""
    if not config and config_file is None:
        raise Refused("Say what should change: --config KEY=VALUE or --config-file FILE.")
    found = await names.get_instance(at.client, instance)
    base = found.config if config_file is None else intent.read(config_file)
    wanted = intent.overlaid(base, config or ())
    agreed = await planning.agree(
        at, found.id, "instance.configure", plan=plan, yes=yes, config=wanted
    )
    asked = await at.client.instances.configure(found, config=wanted, plan=agreed)
    return await watching.finish(at, asked, detach=detach)


@verb(verbs, "upgrade")
async def upgrade_instance(
    at: Session,
    instance: InstanceName,
    to: ToVersion,
    config_file: ConfigFile = None,
    plan: OfPlan = None,
    yes: Yes = False,
    detach: Detach = False,
) -> Done | None:
    """Bring an instance to another version. A file gives the configuration that fits it."""
    found = await names.get_instance(at.client, instance)
    config = None if config_file is None else intent.read(config_file)
    agreed = await planning.agree(
        at, found.id, "instance.upgrade", plan=plan, yes=yes, version=to, config=config
    )
    asked = await at.client.instances.upgrade(found, version=to, config=config, plan=agreed)
    return await watching.finish(at, asked, detach=detach)


@verb(verbs, "rollback")
async def roll_back_instance(
    at: Session,
    instance: InstanceName,
    to_revision: ToRevision = None,
    accept_losses: Annotated[
        bool, typer.Option("--accept-losses", help="Accept what the plan says will be lost.")
    ] = False,
    override: Annotated[
        str | None,
        typer.Option(
            metavar="REASON", help="Go on where an artifact was revoked; needs policy.override."
        ),
    ] = None,
    policy: HowLong = Policy.WAIT,
    deadline: Until = None,
    plan: OfPlan = None,
    yes: Yes = False,
    detach: Detach = False,
) -> Done | None:
    """Bring an instance back to an earlier revision of version and configuration."""
    found = await names.get_instance(at.client, instance)
    seconds = patience.seconds(policy, deadline)
    agreed = await planning.agree(
        at,
        found.id,
        "instance.rollback",
        plan=plan,
        yes=yes,
        to_revision=to_revision,
        override=override,
    )
    asked = await at.client.instances.rollback(
        found,
        to_revision=to_revision,
        accept_losses=accept_losses,
        override=override,
        policy=policy.value,
        deadline=seconds,
        plan=agreed,
    )
    return await watching.finish(at, asked, detach=detach)


@verb(verbs, "stop")
async def stop_instance(
    at: Session,
    instance: InstanceName,
    reason: Note = None,
    preempt: Preempt = False,
    plan: OfPlan = None,
    yes: Yes = False,
    detach: Detach = False,
) -> Done | None:
    """Stop an instance. It keeps its machines and its data."""
    where = await names.instance_id(at.client, instance)
    agreed = await planning.agree(at, where, "instance.stop", plan=plan, yes=yes, preempt=preempt)
    asked = await at.client.instances.stop(where, reason=reason, preempt=preempt, plan=agreed)
    return await watching.finish(at, asked, detach=detach)


@verb(verbs, "start")
async def start_instance(
    at: Session,
    instance: InstanceName,
    reason: Note = None,
    plan: OfPlan = None,
    yes: Yes = False,
    detach: Detach = False,
) -> Done | None:
    """Start an instance that was stopped."""
    where = await names.instance_id(at.client, instance)
    agreed = await planning.agree(at, where, "instance.start", plan=plan, yes=yes)
    asked = await at.client.instances.start(where, reason=reason, plan=agreed)
    return await watching.finish(at, asked, detach=detach)


@verb(verbs, "restart")
async def restart_instance(
    at: Session,
    instance: InstanceName,
    reason: Note = None,
    plan: OfPlan = None,
    yes: Yes = False,
    detach: Detach = False,
) -> Done | None:
    """Restart what an instance runs, as its app does that."""
    where = await names.instance_id(at.client, instance)
    agreed = await planning.agree(at, where, "instance.restart", plan=plan, yes=yes)
    asked = await at.client.instances.restart(where, reason=reason, plan=agreed)
    return await watching.finish(at, asked, detach=detach)


@verb(verbs, "repair")
async def repair_instance(
    at: Session,
    instance: InstanceName,
    reason: Why,
    members: Annotated[
        list[str] | None,
        typer.Option("--member", metavar="MEMBER", help="Only this one, by name or id."),
    ] = None,
    detach: Detach = False,
) -> Done | None:
    """Make an instance what it should be. It yields to whatever else is asked for."""
    where = await names.instance_id(at.client, instance)
    ids = await names.member_ids(at.client, where, members or ())
    asked = await at.client.instances.repair(where, reason=reason, members=ids)
    return await watching.finish(at, asked, detach=detach)


@verb(verbs, "rotate")
async def rotate_credentials(
    at: Session, instance: InstanceName, reason: Why, detach: Detach = False
) -> Done | None:
    """Give an instance new secrets of its own."""
    where = await names.instance_id(at.client, instance)
    asked = await at.client.instances.rotate(where, reason=reason)
    return await watching.finish(at, asked, detach=detach)


@verb(verbs, "decommission")
async def decommission_instance(
    at: Session,
    instance: InstanceName,
    reason: Note = None,
    preempt: Preempt = False,
    keep_allocations: Keep = False,
    plan: OfPlan = None,
    yes: Yes = False,
    detach: Detach = False,
) -> Done | None:
    """Take an instance off its machines, search them, and say what is left."""
    where = await names.instance_id(at.client, instance)
    agreed = await planning.agree(
        at,
        where,
        "instance.decommission",
        plan=plan,
        yes=yes,
        preempt=preempt,
        keep_allocations=keep_allocations,
    )
    asked = await at.client.instances.decommission(
        where, reason=reason, preempt=preempt, keep_allocations=keep_allocations, plan=agreed
    )
    return await watching.finish(at, asked, detach=detach)


@verb(verbs, "force-decommission")
async def force_decommission(
    at: Session, instance: Instance, reason: TenantSees, yes: Yes = False
) -> Record:
    """Break-glass: have a tenant's instance taken down by its app."""
    consent.ask(f"Decommission {instance}, which is a tenant's?", yes=yes)
    return Record(await at.client.instances.force_decommission(instance, reason=reason))


@verb(verbs, "force-abandon")
async def force_abandon(
    at: Session, instance: Instance, reason: TenantSees, yes: Yes = False
) -> Record:
    """Break-glass: end a tenant's instance without its app. Its machines are left dirty."""
    consent.ask(f"End {instance} without its app? Its machines can only be released.", yes=yes)
    return Record(await at.client.instances.force_abandon(instance, reason=reason))
