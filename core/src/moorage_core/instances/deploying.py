"""Use cases from the first day of an instance to its last: deploying, and taking it down."""

from collections.abc import Mapping
from typing import Any

import psycopg

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden, platform
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.controllers import watches
from moorage_core.entitlements import commands as entitlements
from moorage_core.errors import Fault
from moorage_core.instances import (
    changing,
    commands,
    config,
    plan_store,
    plans,
    proposing,
    reading,
    rules,
    store,
    target,
)
from moorage_core.instances.models import Asked, Instance, Proposal
from moorage_core.instances.schemas import Deployment, InstanceCreate
from moorage_core.kit.ids import InstanceId
from moorage_core.members import commands as members
from moorage_core.members.models import Placement, Survey
from moorage_core.operations import commands as operations
from moorage_core.operations.models import NewOperation, Operation
from moorage_core.operators import commands as operators
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Decision, Wanted
from moorage_core.tenancy import commands as tenancy

KIND = "instance.deploy"
CREATE, DELETE = commands.CREATE, commands.DELETE
DECOMMISSION_AT_ONCE = 10
"""Members that a decommission removes at a time."""


# Deploying


async def deploy(ctx: Context, project: str, new: InstanceCreate) -> dict[str, Any]:
    """Record the wish for an instance and its members. The app's controller does the rest."""
    org = await _enter(ctx, project, new)
    proposal, found = await _propose(ctx, org, project, new)
    if new.plan is not None:
        await plans.check(ctx, new.plan, proposal, org=org)
    row = await _add(ctx, org, project, new, proposal)
    children = await members.add_rows(
        ctx, commands.ref(row), _placements(new), manifest=proposal.manifest, in_waves=True
    )
    operation = await commands.request(
        ctx,
        row,
        NewOperation(
            KIND,
            commands.ref(row),
            lock="exclusive",
            timeout=rules.timeout(proposal.manifest, KIND),
            input={"placement": _placed(found)},
            parent=True,
            max_parallel=new.max_parallel,
            failure_budget=0,
            children=tuple(children),
        ),
    )
    await changing.add_revision(ctx, row, proposal, operation)
    await watches.open_watch(ctx, row.id, org=org, project=project, operator=row.operator_id)
    if new.plan is not None:
        await plans.note_applied(ctx, new.plan, operation.id, org=org)
    changing.record(ctx, CREATE, row, operation, app=row.app_slug, version=row.app_version)
    (shown,) = await reading.shown(ctx, [await _again(ctx, row)])
    return shown


async def plan_deployment(ctx: Context, project: str, new: Deployment) -> dict[str, Any]:
    """What a deployment would do. Nothing is changed."""
    org = await _enter(ctx, project, new)
    proposal, _ = await _propose(ctx, org, project, new, plan=True)
    return await plans.keep(ctx, proposal, key=CREATE, org=org, project=project, app_id=new.app)


async def _enter(ctx: Context, project: str, new: Deployment) -> str:
    """The org of a project in which the caller may deploy this app."""
    found = await tenancy.find_project(ctx, project)
    if found is None:
        raise hidden("project", project)
    where = Resource("project", project, found.org_id, project)
    await entitlements.authorize_on_app(ctx, CREATE, where, app=new.app)
    return found.org_id


async def _propose(
    ctx: Context, org: str, project: str, new: Deployment, *, plan: bool = False
) -> tuple[Proposal, Survey]:
    decision, found = await _decide(ctx, org, project, new, plan=plan)
    version = decision.version
    if version is None:
        raise policy.PolicyRefused(decision, org=org, project=project)
    manifest = await commands.manifest_of(ctx, version.id)
    rules.check_mode(manifest, new.operating_mode, new.control_plane_scope)
    placements = _placements(new)
    rules.check_counts(manifest, {key: each.size for key, each in placements.items()})
    surveyed = await members.survey(ctx, placements, manifest=manifest, org=org, project=project)
    await _check_operator(ctx, new, project)
    prices = await _prices(ctx, placements, surveyed)
    proposal = Proposal(
        kind=KIND,
        manifest=manifest,
        version_id=version.id,
        app_version=version.number,
        config=config.settled(manifest, new.config),
        given=new.model_dump(mode="json", exclude={"plan", "kind"}),
        decision=decision,
        members=[
            {"id": None, "name": f"{key}-{number}", "component": key, "does": "join"}
            for key, each in placements.items()
            for number in range(1, each.size + 1)
        ],
        cost=proposing.costs([each for each in prices if each["held"]], prices),
        read={
            "version": version.id,
            "policy": proposing.verdicts_digest(KIND, decision),
            "allocations": proposing.digest(sorted(surveyed.named)),
            "prices": proposing.digest(prices),
        },
    )
    return proposal, found


async def _decide(
    ctx: Context, org: str, project: str, new: Deployment, *, plan: bool
) -> tuple[Decision, Survey]:
    """What policy says, of the machines too: which kinds of them are meant is looked at first."""
    kinds = await _machines(ctx, new, project)
    wanted = Wanted(
        project,
        new.app,
        KIND,
        version=new.version,
        channel=new.channel,
        regions=kinds.regions,
        skus=kinds.skus,
        members=kinds.size,
    )
    if plan:
        return await policy.decide_of_project(ctx, wanted, org=org), kinds
    return await policy.require_of_project(ctx, wanted, org=org), kinds


async def _machines(ctx: Context, new: Deployment, project: str) -> Survey:
    """Regions and SKUs that a deployment names, by itself or through allocations."""
    named = [id for each in new.components.values() for id in each.allocations]
    found = await plan_store.list_kinds(ctx.db, named, project=project)
    wished = [each for each in new.components.values() if each.count]
    regions = {row["region"] for row in found} | {str(each.region) for each in wished}
    skus = {row["sku"] for row in found} | {str(each.sku) for each in wished}
    size = sum(each.size for each in _placements(new).values())
    return Survey(tuple(sorted(regions)), tuple(sorted(skus)), size)


async def _check_operator(ctx: Context, new: Deployment, project: str) -> None:
    found = await operators.find_serving(ctx, new.operator, app=new.app, project=project)
    if found is None:
        raise rules.OperatorUnfit(
            f"App operator {new.operator} does not serve this app in this project. Choose one of "
            "the app's publisher, or one that the project registered for it.",
            errors=[Fault("body.operator", "does not serve this app in this project")],
        )


async def _prices(
    ctx: Context, placements: Mapping[str, Placement], found: Survey
) -> list[dict[str, Any]]:
    """What the machines cost in an hour: those that are held already, and those to come."""
    prices = [
        {
            "currency": row.currency,
            "price_micros": row.price_micros,
            "machines": 1,
            "held": True,
        }
        for _, row in sorted(found.named.items())
    ]
    skus = {each.sku for each in placements.values() if each.sku is not None}
    listed = {row["slug"]: row for row in await plan_store.list_skus(ctx.db, sorted(skus))}
    for each in placements.values():
        if each.sku is not None and each.sku in listed:
            sku = listed[each.sku]
            price = {name: sku[name] for name in ("currency", "price_micros")}
            prices.append({**price, "machines": each.count, "held": False})
    return prices


async def _add(
    ctx: Context, org: str, project: str, new: InstanceCreate, proposal: Proposal
) -> Instance:
    manifest = proposal.manifest
    id = InstanceId.new()
    row = {
        "id": id,
        "app_id": new.app,
        "app_slug": manifest.slug,
        "name": new.name,
        "operator_id": new.operator,
        "operating_mode": rules.check_mode(manifest, new.operating_mode, new.control_plane_scope),
        "runtime_backend": manifest.runtime_backend,
        "version_id": proposal.version_id,
        "app_version": proposal.app_version,
        "config": proposal.config,
        "requested_by": ctx.principal.id,
        "correlation_id": ctx.trace.correlation_id,
    }
    try:
        await store.add(ctx.db, row, org=org, project=project, now=ctx.now)
    except psycopg.errors.UniqueViolation as err:
        if err.diag.constraint_name != "instances_name":
            raise
        raise rules.NameTaken(
            f"The project has an instance named {new.name} already. Choose another name."
        ) from err
    await store.add_components(ctx.db, id, list(manifest.components), org=org, project=project)
    added = await commands.find(ctx, id, org=org, lock=True)
    if added is None:
        raise hidden("project", project)
    commands.publish(ctx, added)
    return added


async def _again(ctx: Context, row: Instance) -> Instance:
    found = await commands.find(ctx, row.id, org=row.org_id)
    assert found is not None, "its row is locked"
    return found


def _placements(new: Deployment) -> dict[str, Placement]:
    return {
        key: Placement(
            tuple(each.allocations), each.count or 0, each.sku, each.region, each.keep_allocations
        )
        for key, each in new.components.items()
    }


def _placed(found: Survey) -> dict[str, Any]:
    """What policy is asked again before the first claim."""
    return {"regions": list(found.regions), "skus": list(found.skus), "members": found.size}


# Taking down


async def decommission(ctx: Context, id: str, asked: Asked) -> Operation:
    """Let the app remove every member, and then itself. The operation's residue says what stays."""
    row = await commands.get(ctx, id, key=DELETE, lock=True)
    operation = await _take_down(ctx, row, asked)
    changing.record(ctx, DELETE, row, operation)
    return operation


async def force_decommission(ctx: Context, id: str, *, reason: str) -> Operation:
    """The same, by those who run the platform, whatever is under way. The tenant sees it."""
    key = Permission.PLATFORM_INSTANCE_DECOMMISSION
    row = await _lock_of_tenant(ctx, id, key=key)
    asked = Asked("instance.decommission", preempt=True, reason=reason)
    operation = await _take_down(ctx, row, asked)
    _record_break_glass(ctx, key, row, reason=reason)
    return operation


async def abandon(ctx: Context, id: str, *, reason: str) -> dict[str, Any]:
    """Give an instance up without its app, at once. What is left on its machines is not known."""
    key = Permission.PLATFORM_INSTANCE_ABANDON
    row = await _lock_of_tenant(ctx, id, key=key)
    if row.status == "deleted":
        raise rules.InvalidTransition(f"Instance {row.name} is deleted.")
    await operations.abandon_open(ctx, row.id, org=row.org_id, reason=reason)
    row = await _again(ctx, row)
    if row.status != "deleted":
        said = f"Given up by those who run the platform: {reason}"
        await members.bury(ctx, row.id, org=row.org_id, reason=said)
        await target.become(ctx, row, "deleted", operation=None, reason=said)
    _record_break_glass(ctx, key, row, reason=reason)
    (shown,) = await reading.shown(ctx, [await _again(ctx, row)])
    return shown


async def _take_down(ctx: Context, row: Instance, asked: Asked) -> Operation:
    proposal = await proposing.change(ctx, row, asked)
    if asked.plan is not None:
        await plans.check(ctx, asked.plan, proposal, org=row.org_id)
    children = await members.remove_children(
        ctx,
        commands.ref(row),
        manifest=proposal.manifest,
        keep_allocations=asked.keep_allocations,
        reason=asked.reason,
    )
    operation = await commands.request(
        ctx,
        row,
        NewOperation(
            asked.kind,
            commands.ref(row),
            lock="exclusive",
            timeout=rules.timeout(proposal.manifest, asked.kind),
            input={"keep_allocations": asked.keep_allocations},
            preempts=asked.preempt,
            parent=True,
            max_parallel=DECOMMISSION_AT_ONCE,
            children=tuple(children),
            reason=asked.reason,
        ),
    )
    if asked.plan is not None:
        await plans.note_applied(ctx, asked.plan, operation.id, org=row.org_id)
    return operation


async def _lock_of_tenant(ctx: Context, id: str, *, key: str) -> Instance:
    """An instance of whichever tenant, for those who run the platform."""
    authorize(ctx, key, platform())
    owner = await store.find_owner(ctx.db, id)
    if owner is None:
        raise hidden(commands.NOUN, id)
    org = str(owner["org_id"])
    scope = ctx.principal.scope.with_org(org)
    await ctx.db.set_scope(scope)
    row = await commands.find(ctx, id, org=org, lock=True)
    assert row is not None, "its owner was found a moment ago"
    return row


def _record_break_glass(ctx: Context, key: str, row: Instance, *, reason: str) -> None:
    audit.record_break_glass(
        ctx,
        key,
        row.id,
        org=row.org_id,
        project=row.project_id,
        reason=reason,
        app=row.app_slug,
        instance=row.id,
    )
