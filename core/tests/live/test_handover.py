"""The process that numbers events is killed: another takes over, and nothing is lost."""

import asyncio
import os
import signal
from pathlib import Path

import httpx2
import pytest

from core.tests.live.conftest import make_tenant
from core.tests.live.test_crash import client_for, send
from core.tests.operate import runs


async def read_until(client: httpx2.AsyncClient, count: int) -> list[str]:
    """Follow the cursor until so many projects have been announced."""
    seen: list[str] = []
    cursor = "0"
    async with asyncio.timeout(30):
        while len(seen) < count:
            answer = await client.get(f"/v1/events?after={cursor}&type=iam.project.created&wait=5")
            seen += [event["id"] for event in answer.json()["items"]]
            cursor = answer.json()["next"]
    return seen


@pytest.mark.slow
async def test_killing_each_worker_in_turn_hands_the_sequencer_over(place: Path, port: int) -> None:
    with runs.started(place / "data", port=port, server__workers="2") as run:
        await asyncio.to_thread(run.wait_for, "ready")
        org, admin = await make_tenant(place / "data")
        made = 0
        # One of the two leads; after both have been killed once, the leader has been.
        for victim in run.workers():
            async with client_for(port, admin.token) as client:
                assert await send(client, org.id, made) == 201
                made += 1
                assert len(await read_until(client, made)) == made
            os.kill(victim, signal.SIGKILL)
            await asyncio.to_thread(runs.wait_until, lambda: runs.answers(run))

        async with client_for(port, admin.token) as client:
            assert await send(client, org.id, made) == 201
            seen = await read_until(client, made + 1)

    assert len(seen) == len(set(seen)) == made + 1
