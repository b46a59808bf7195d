"""Plans as people read them, and their agreement to one.

What is applied is the plan that was shown: if anything it was made from has moved, it is refused.
"""

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from moorage.models import PlanCostRead, PlanRead
from moorage.resources.plans import Kind
from moorage_cli import consent, output, terminal
from moorage_cli.choices import Format
from moorage_cli.connection import Session
from moorage_cli.failures import NotAllowed

SHOWN_MEMBERS = 20
MICROS = 1_000_000

OfPlan = Annotated[
    str | None,
    typer.Option("--plan", metavar="PLAN", help="Apply this plan, which you have seen: its id."),
]


async def agree(
    at: Session, instance: str, kind: Kind, *, plan: str | None, yes: bool, **wanted: Any
) -> str:
    """The id of a plan for this change that somebody has said yes to."""
    if plan is not None:
        return plan
    made = await at.client.plans.create(instance, kind=kind, **wanted)
    confirm(at, made, yes=yes)
    return made.id


def confirm(at: Session, plan: PlanRead, *, yes: bool) -> None:
    """Show a plan and ask. Programs that said yes beforehand are shown nothing."""
    if at.chosen.format is Format.TABLE:
        output.write("\n".join(lines(plan)))
    elif not yes:
        for line in lines(plan):
            print(terminal.plain(line), file=sys.stderr)
    if not plan.policy.allowed:
        raise NotAllowed("Policy does not allow this. The plan says which layer, and who can help.")
    consent.ask("Do this?", yes=yes)


def lines(plan: PlanRead) -> list[str]:
    """A plan in words: what, where, what follows, who agrees, what it costs, what is lost."""
    until = output.cell(plan.expires_at)
    return [
        f"Plan {plan.id}: {plan.kind} at version {plan.app_version}, good until {until}",
        *_members(plan),
        *_configuration(plan),
        *_policy(plan),
        *(f"Cost: {_cost(cost)}" for cost in plan.cost),
        *(["It loses, for good:", *(f"  {lost}" for lost in plan.loses)] if plan.loses else ()),
    ]


def _members(plan: PlanRead) -> Iterator[str]:
    if not plan.members_total:
        yield "Members: none is touched"
        return
    yield f"Members: {plan.members_total}"
    for member in plan.members[:SHOWN_MEMBERS]:
        yield f"  {member.name} ({member.component}): {member.does}"
    if (hidden := plan.members_total - SHOWN_MEMBERS) > 0:
        yield f"  and {hidden} more"


def _configuration(plan: PlanRead) -> Iterator[str]:
    if plan.changes:
        yield f"Configuration: {plan.effect}"
    for change in plan.changes:
        yield f"  {change.field}: {change.effect}"


def _policy(plan: PlanRead) -> Iterator[str]:
    yield f"Policy: {'allowed' if plan.policy.allowed else 'refused'}"
    for verdict in plan.policy.verdicts:
        if verdict.allowed is False:
            yield f"  {verdict.layer}: {verdict.sentence}"
            if verdict.who_can_change:
                yield f"    {verdict.who_can_change} can change that."


def _cost(cost: PlanCostRead) -> str:
    before, after = (
        f"{micros / MICROS:.2f}"
        for micros in (cost.before_micros_per_hour, cost.after_micros_per_hour)
    )
    same = f"{after} {cost.currency} an hour"
    moved = same if before == after else f"{before} → {same}"
    return f"{moved} ({cost.label})"
