"""What a request comes to: settled the same way for a plan and for its application."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.instances import commands, config, plan_store, rules, store
from moorage_core.instances.models import Asked, Instance, Proposal, Revision
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Decision, Wanted
from moorage_manifest import Manifest

LABEL = "list price of the machines that are held: an estimate, not a bill"


async def change(ctx: Context, row: Instance, asked: Asked, *, plan: bool = False) -> Proposal:
    """What a change of an instance comes to. The caller has locked it.

    For a plan, what policy refuses is shown; otherwise it raises.
    """
    kind = asked.kind
    ahead = await commands.open_kinds(ctx, row)
    rules.check_allowed(row, kind, ahead, preempt=asked.preempt)
    if kind in rules.REVISES:
        on_its_way = await store.find_on_its_way(ctx.db, row.id, org=row.org_id)
        rules.check_no_change_pending(on_its_way)
    present = await commands.manifest_of(ctx, row.version_id)
    found = {
        "instance.configure": _configure,
        "instance.upgrade": _upgrade,
        "instance.rollback": _rollback,
    }.get(kind, _stay)
    return await found(ctx, row, present, asked, plan=plan)


async def _configure(
    ctx: Context, row: Instance, present: Manifest, asked: Asked, *, plan: bool
) -> Proposal:
    decision = await _decide(ctx, row, asked, row.version_id, plan=plan)
    settled = config.settled(present, asked.config or {})
    rules.check_changes(row, row.version_id, settled)
    return await _proposal(ctx, row, asked, present, settled, decision=decision)


async def _upgrade(
    ctx: Context, row: Instance, present: Manifest, asked: Asked, *, plan: bool
) -> Proposal:
    decision = await _decide(ctx, row, asked, asked.version, plan=plan)
    version = decision and decision.version
    if decision is None or version is None:
        raise hidden("app version", str(asked.version))
    manifest = await commands.manifest_of(ctx, version.id)
    counts = Counter(
        each["component"] for each in await plan_store.list_members(ctx.db, row.id, org=row.org_id)
    )
    rules.check_upgrade(row, version.number, manifest, counts)
    settled = config.settled(manifest, row.config if asked.config is None else asked.config)
    rules.check_changes(row, version.id, settled)
    return await _proposal(
        ctx, row, asked, manifest, settled, decision=decision, version=(version.id, version.number)
    )


async def _rollback(
    ctx: Context, row: Instance, present: Manifest, asked: Asked, *, plan: bool
) -> Proposal:
    to = rules.check_revision(row, await _goal(ctx, row, asked.to_revision), asked.to_revision)
    lost = rules.loses(present, row, to)
    if not plan:
        rules.check_accepted(lost, accepted=asked.accept_losses)
    if asked.override is not None:
        key = Permission.POLICY_OVERRIDE
        authorize(ctx, key, Resource(commands.NOUN, row.id, row.org_id, row.project_id))
    decision = await _decide(ctx, row, asked, to.version_id, plan=plan)
    manifest = await commands.manifest_of(ctx, to.version_id)
    return await _proposal(
        ctx,
        row,
        asked,
        manifest,
        to.config,
        decision=decision,
        version=(to.version_id, to.app_version),
        loses=lost,
    )


async def _goal(ctx: Context, row: Instance, number: int | None) -> Revision | None:
    if number is None:
        return await store.find_before(ctx.db, row.id, row.revision, org=row.org_id)
    return await store.find_revision(ctx.db, row.id, number, org=row.org_id)


async def _stay(
    ctx: Context, row: Instance, present: Manifest, asked: Asked, *, plan: bool
) -> Proposal:
    """What changes neither version nor configuration."""
    decision = await _decide(ctx, row, asked, row.version_id, plan=plan)
    return await _proposal(ctx, row, asked, present, row.config, decision=decision)


async def _decide(
    ctx: Context, row: Instance, asked: Asked, version: str | None, *, plan: bool
) -> Decision | None:
    if asked.kind not in rules.GROWING and not plan:
        return None
    wanted = Wanted(row.project_id, row.app_id, asked.kind, version=version)
    if plan:
        return await policy.decide_of_project(ctx, wanted, org=row.org_id)
    distrust = asked.override is None
    return await policy.require_of_project(ctx, wanted, org=row.org_id, distrust=distrust)


async def _proposal(
    ctx: Context,
    row: Instance,
    asked: Asked,
    manifest: Manifest,
    settled: dict[str, Any],
    *,
    decision: Decision | None,
    version: tuple[str, str] | None = None,
    loses: tuple[str, ...] = (),
) -> Proposal:
    members = await plan_store.list_members(ctx.db, row.id, org=row.org_id)
    effects = config.effects(manifest, row.config, settled)
    prices = await plan_store.list_prices(ctx.db, row.id, org=row.org_id)
    kept = asked.kind != "instance.decommission" or asked.keep_allocations
    version_id, number = version or (row.version_id, row.app_version)
    return Proposal(
        kind=asked.kind,
        manifest=manifest,
        version_id=version_id,
        app_version=number,
        config=settled,
        given=asked.given,
        decision=decision,
        members=rules.touched(asked.kind, config.strongest(effects), members),
        effects=effects,
        loses=loses,
        cost=costs(prices, [each for each in prices if kept or not each["managed"]]),
        read={
            "instance": digest([row.revision, row.status, row.operator_id]),
            "members": digest([each["id"] for each in members]),
            "policy": verdicts_digest(asked.kind, decision, trust=asked.override is None),
            "version": version_id,
            "prices": digest(prices),
        },
    )


# What plans are made of


def costs(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """What machines come to in an hour, by currency, before and after."""
    totals: dict[str, list[int]] = {}
    for at, prices in enumerate((before, after)):
        for each in prices:
            total = totals.setdefault(each["currency"], [0, 0])
            total[at] += each["price_micros"] * each["machines"]
    return [
        {
            "label": LABEL,
            "currency": currency,
            "before_micros_per_hour": was,
            "after_micros_per_hour": then,
        }
        for currency, (was, then) in sorted(totals.items())
    ]


def verdicts_digest(kind: str, decision: Decision | None, *, trust: bool = True) -> str:
    """What policy said, as far as it is asked: shrinking it never refuses."""
    if decision is None or kind not in rules.GROWING:
        return ""
    said = [each for each in decision.verdicts if trust or each.layer != "trust"]
    return digest([[each.layer, each.allowed, each.sentence] for each in said])


def digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
