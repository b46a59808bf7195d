"""Plans: what a change would do, kept so that exactly that can be done."""

from datetime import timedelta
from typing import Any

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, hidden
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.instances import commands, config, plan_store, proposing, rules
from moorage_core.instances.models import Asked, Instance, Plan, Proposal
from moorage_core.kit.ids import PlanId

KEPT = timedelta(hours=1)
"""How long a plan can be applied."""
SHOWN = 1000
"""Members that a plan names."""


async def plan_change(ctx: Context, id: str, asked: Asked) -> dict[str, Any]:
    """What a change of an instance would do. Nothing is changed."""
    key = commands.UPDATE
    row = await commands.get(ctx, id, key=key, lock=True)
    proposal = await proposing.change(ctx, row, asked, plan=True)
    return await keep(ctx, proposal, key=key, org=row.org_id, project=row.project_id, instance=row)


async def read(ctx: Context, id: str) -> dict[str, Any]:
    plan = await plan_store.find_plan(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs))
    if plan is None:
        raise hidden("plan", id)
    where = Resource("plan", id, plan.org_id, plan.project_id)
    await entitlements.authorize_on_app(ctx, commands.READ, where, app=plan.content["app_id"])
    return shown(plan)


async def keep(
    ctx: Context,
    proposal: Proposal,
    *,
    key: str,
    org: str,
    project: str,
    instance: Instance | None = None,
    app_id: str | None = None,
) -> dict[str, Any]:
    """Write a plan down, for whoever looks at it and for whoever applies it."""
    new = {
        "id": PlanId.new(),
        "instance_id": instance and instance.id,
        "kind": proposal.kind,
        "input": proposal.given,
        "content": _content(proposal) | {"app_id": instance.app_id if instance else app_id},
        "read": proposal.read,
        "created_by": ctx.principal.id,
        "expires_at": ctx.now + KEPT,
        "correlation_id": ctx.trace.correlation_id,
    }
    plan = await plan_store.add_plan(ctx.db, new, org=org, project=project, now=ctx.now)
    data = registry.Plan(id=plan.id, kind=plan.kind, instance_id=plan.instance_id)
    app = proposal.manifest.slug
    audit.record(
        ctx,
        key,
        plan.id,
        org=org,
        project=project,
        app=app,
        instance=plan.instance_id,
        details=data.model_dump(),
    )
    events.publish(
        ctx,
        registry.PLAN_MADE,
        data,
        subject=plan.id,
        version=plan.version,
        org=org,
        project=project,
        app=app,
        instance=plan.instance_id,
    )
    return shown(plan)


async def check(ctx: Context, id: str, proposal: Proposal, *, org: str) -> None:
    """Refuse to apply a plan that says something else than what would be done now."""
    plan = await plan_store.find_plan(ctx.db, id, orgs=[org], lock=True)
    if plan is None:
        raise hidden("plan", id)
    rules.check_plan(
        plan, kind=proposal.kind, given=proposal.given, read=proposal.read, now=ctx.now
    )


async def note_applied(ctx: Context, id: str, operation: str, *, org: str) -> None:
    await plan_store.apply_plan(ctx.db, id, org=org, operation=operation)


def shown(plan: Plan) -> dict[str, Any]:
    return {**plan.content, **vars(plan)}


def _content(proposal: Proposal) -> dict[str, Any]:
    decision = proposal.decision
    assert decision is not None, "a plan asks policy whatever it is for"
    verdicts = [
        {
            "layer": each.layer,
            "allowed": each.allowed,
            "sentence": each.sentence,
            "who_can_change": each.who_can_change,
        }
        for each in decision.verdicts
    ]
    return {
        "app_version": proposal.app_version,
        "config": proposal.config,
        "changes": [
            {"field": field, "effect": effect} for field, effect in proposal.effects.items()
        ],
        "effect": config.strongest(proposal.effects),
        "members": proposal.members[:SHOWN],
        "members_total": len(proposal.members),
        "policy": {"allowed": decision.allowed, "verdicts": verdicts},
        "cost": proposal.cost,
        "loses": list(proposal.loses),
    }
