"""The steps of the protocol that are more than one call: a poll, and who may make one."""

import asyncio
from typing import Any

from starlette.requests import Request

from moorage_core.agents import schemas
from moorage_core.agents.schemas import AgentPoll
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.errors import Forbidden
from moorage_core.http import waiting
from moorage_core.nodes import presence
from moorage_core.nodes.models import Facts
from moorage_core.platform import Platform
from moorage_core.tasks import commands as tasks
from moorage_core.tasks.models import Handed, Hold, Polling


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
        while not seen.urgent and seen.binding == first.binding:
            left = ends - _now()
            if left <= 0 or not await waiting.sleep(waiter, left, request) or _now() >= ends:
                break
            if not at.heartbeats.is_newest(node, number):
                # The agent calls again already: what this call would take, nobody would hear.
                break
            seen = await _look(at, node, said, token_hash=token_hash, fresh=False)
    return _answer(at, seen)


async def _first_look(at: Platform, node: str, said: AgentPoll, *, token_hash: bytes) -> Handed:
    """Looks, and writes down what the agent says of itself, where that is new."""
    seen = await _look(at, node, said, token_hash=token_hash, fresh=True)
    facts = Facts(said.run_id, said.boot_id, said.agent_version, said.trust)
    inventory = None if said.inventory is None else presence.Said(*schemas.kept(said.inventory))
    await presence.note(at, node, facts, known=_known(seen.node), said=inventory)
    return seen


def _known(node: Polling) -> Facts:
    return Facts(node.run_id or "", node.boot_id, node.agent_version or "", node.trust)


async def _look(
    at: Platform, node: str, said: AgentPoll, *, token_hash: bytes, fresh: bool
) -> Handed:
    holds = [Hold(hold.task, hold.state) for hold in said.holds]
    fresh = fresh and len(holds) < schemas.HOLDS
    return await tasks.for_poll(at, node, holds, fresh=fresh, token_hash=token_hash)


def _answer(at: Platform, handed: Handed) -> dict[str, Any]:
    return {
        "server_time": at.clock.now(),
        "binding": handed.binding,
        "tasks": handed.tasks,
        "cancel": handed.cancel,
        "forget": handed.forget,
        "trust": at.handout.trust,
        "want_inventory": handed.node.inventory_at is None,
    }


def _now() -> float:
    return asyncio.get_running_loop().time()
