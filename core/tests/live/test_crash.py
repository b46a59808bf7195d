"""kill -9 in the middle of a burst: what was answered is there, once, with its evidence."""

import asyncio
import contextlib
import itertools
import os
import signal
from pathlib import Path

import httpx2
import psycopg
import pytest

from core.tests.live.conftest import make_tenant, super_url
from core.tests.operate import runs

BURST = 400


async def send(client: httpx2.AsyncClient, org: str, number: int) -> int:
    answer = await client.post(
        f"/v1/orgs/{org}/projects",
        json={"slug": f"burst-{number}", "name": "Burst"},
        headers={"idempotency-key": f"burst-{number}"},
    )
    return answer.status_code


def kill(run: runs.Run) -> None:
    """The supervisor and its workers, at once, with no chance to say goodbye."""
    for pid in (run.process.pid, *run.workers()):
        os.kill(pid, signal.SIGKILL)
    run.process.wait()


def client_for(port: int, token: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        base_url=f"http://127.0.0.1:{port}",
        headers={"authorization": f"Bearer {token}"},
        timeout=30,
        trust_env=False,
    )


@pytest.mark.slow
@pytest.mark.rule("EV-3")
async def test_after_a_kill_in_a_burst_every_answered_change_is_there_exactly_once(
    place: Path, port: int
) -> None:
    data = place / "data"
    answered: set[int] = set()
    with runs.started(data, port=port, server__workers="2") as run:
        await asyncio.to_thread(run.wait_for, "ready")
        org, admin = await make_tenant(data)
        numbers = itertools.count()
        async with client_for(port, admin.token) as client:

            async def work() -> None:
                with contextlib.suppress(httpx2.HTTPError):
                    while True:
                        number = next(numbers)
                        assert await send(client, org.id, number) == 201
                        answered.add(number)
                        if len(answered) == BURST:
                            kill(run)

            await asyncio.gather(*(work() for _ in range(8)))
    sent = range(next(numbers))

    with runs.started(data, port=port, server__workers="2") as run:
        await asyncio.to_thread(run.wait_for, "ready")
        before = await count(data)
        # Whoever got no answer asks again with the same key; for the others that changes nothing.
        async with client_for(port, admin.token) as client:
            statuses = [await send(client, org.id, number) for number in sent]
        after = await count(data)

    assert len(answered) >= BURST
    assert all(before[f"burst-{number}"] == (1, 1) for number in answered)
    assert statuses == [201] * len(sent)
    assert after == {f"burst-{number}": (1, 1) for number in sent}


async def count(data: Path) -> dict[str, tuple[int, int]]:
    """Per project: how many audit entries and how many events speak of it."""
    async with await psycopg.AsyncConnection.connect(super_url(data), autocommit=True) as sql:
        rows = await sql.execute(
            """
            SELECT slug, (SELECT count(*) FROM audit_entries WHERE target = p.id),
                (SELECT count(*) FROM events WHERE subject = p.id)
            FROM projects p
            """
        )
        return {slug: (entries, events) for slug, entries, events in await rows.fetchall()}
