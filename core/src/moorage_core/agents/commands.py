"""The steps of the protocol that are more than one call: a poll, and who may make one."""

import asyncio
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from moorage_core.agents import schemas
from moorage_core.agents.schemas import AgentPoll
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.errors import Forbidden
from moorage_core.http import waiting
from moorage_core.nodes import presence
from moorage_core.nodes.models import Facts, Node, Status
from moorage_core.platform import Platform
from moorage_core.tasks import commands as tasks
from moorage_core.tasks.models import Handed, Hold


@dataclass(frozen=True)
class Seen:
    """What one look of a poll found."""

    node: Node
    handed: Handed


def node_of(principal: Principal) -> str:
    """The node that calls. Nobody else holds the key."""
    key = Permission.INFRA_AGENT_REPORT
    if not any(key in grant.permissions for grant in principal.grants):
        raise Forbidden(f"This needs the permission {key}, which agents alone have.")
    return principal.id


async def poll(
    at: Platform, principal: Principal, said: AgentPoll, *, token_hash: bytes, request: Request
) -> dict[str, Any]:
    """Answer as soon as there is something to say, or when the time is up."""
    node = node_of(principal)
    number = at.heartbeats.mark(node, at.clock.now())
    with at.waiting.seat(node), at.hub.watch([f"node:{node}"]) as waiter:
        seen = first = await _first_look(at, node, said, token_hash=token_hash)
        ends = _now() + said.wait
        while not seen.handed.urgent and seen.handed.binding == first.handed.binding:
            left = ends - _now()
            if left <= 0 or not await waiting.sleep(waiter, left, request) or _now() >= ends:
                break
            if not at.heartbeats.is_newest(node, number):
                # The agent calls again already: what this call would take, nobody would hear.
                break
            seen = await _look(at, node, said, token_hash=token_hash, fresh=False)
    return _answer(at, seen)


async def _first_look(at: Platform, node: str, said: AgentPoll, *, token_hash: bytes) -> Seen:
    """Looks, and writes down what the agent says of itself, where that is new."""
    seen = await _look(at, node, said, token_hash=token_hash, fresh=True)
    facts = Facts(said.run_id, said.boot_id, said.agent_version, said.trust)
    inventory = None if said.inventory is None else presence.Said(*schemas.kept(said.inventory))
    await presence.note(at, seen.node, facts, said=inventory)
    return seen


async def _look(
    at: Platform, node: str, said: AgentPoll, *, token_hash: bytes, fresh: bool
) -> Seen:
    found = await presence.look(at, node, token_hash=token_hash)
    holds = [Hold(hold.task, hold.state) for hold in said.holds]
    fresh = fresh and len(holds) < schemas.HOLDS
    # Work waits until somebody has looked at a node that was taken out; what is to stop does not.
    out = found.status == Status.QUARANTINED
    return Seen(found, await tasks.for_poll(at, node, holds, fresh=fresh, quarantined=out))


def _answer(at: Platform, seen: Seen) -> dict[str, Any]:
    handed = seen.handed
    return {
        "server_time": at.clock.now(),
        "binding": handed.binding,
        "tasks": handed.tasks,
        "cancel": handed.cancel,
        "forget": handed.forget,
        "trust": at.handout.trust,
        "want_inventory": seen.node.inventory_at is None,
    }


def _now() -> float:
    return asyncio.get_running_loop().time()
