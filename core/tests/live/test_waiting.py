"""Five thousand requests asleep on one server, and one change that wakes them all."""

import asyncio
import json
import re
import resource
from pathlib import Path

import httpx2
import psycopg
import pytest

from core.tests.factories.tenancy import give_role
from core.tests.live.conftest import make_tenant, super_url
from core.tests.live.test_crash import client_for, send
from core.tests.operate import runs
from moorage_core.kit.ids import PLATFORM_ORG

SLEEPERS = 5000
PATIENCE = 240
"""Seconds, for a machine that has other things to do."""
GENEROUS = ("requests_per_second", "burst", "waiting_per_principal")


async def sleep_on(port: int, token: str) -> dict[str, object]:
    """One long poll over a raw socket: five thousand client objects would outweigh the server."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    request = (
        "GET /v1/events?after=latest&wait=60&limit=1 HTTP/1.1\r\nhost: test\r\n"
        f"authorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    )
    writer.write(request.encode())
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert head.startswith(b"HTTP/1.1 200"), head + body
    return json.loads(body)


async def asleep(client: httpx2.AsyncClient) -> int:
    metrics = (await client.get("/metrics")).text
    return sum(
        int(float(n)) for n in re.findall(r"^moorage_waiting_requests\S* (\S+)$", metrics, re.M)
    )


@pytest.mark.slow
async def test_five_thousand_requests_wait_without_connections_and_all_are_answered(
    place: Path, port: int
) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, SLEEPERS * 2), hard))
    limits = {f"limits__{name}": "100000" for name in GENEROUS}
    with runs.started(place / "data", port=port, **limits) as run:
        await asyncio.to_thread(run.wait_for, "ready")
        org, admin = await make_tenant(place / "data")
        async with await psycopg.AsyncConnection.connect(
            super_url(place / "data"), autocommit=True
        ) as sql:
            await give_role(sql, admin, role="platform_admin", org=PLATFORM_ORG)
            async with client_for(port, admin.token) as client:
                polls = [asyncio.create_task(sleep_on(port, admin.token)) for _ in range(SLEEPERS)]
                async with asyncio.timeout(PATIENCE):
                    while await asleep(client) < SLEEPERS:
                        await asyncio.sleep(0.1)
                connections = await (
                    await sql.execute(
                        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'moorage_app'"
                    )
                ).fetchone()

                made = await send(client, org.id, 1)
                async with asyncio.timeout(PATIENCE):
                    answers = await asyncio.gather(*polls)

    assert made == 201
    assert connections is not None
    assert connections[0] <= 10
    assert all(answer["items"] for answer in answers)
