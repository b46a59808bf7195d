"""Server-sent events from a real server: live, replayed, ended with the right to see them."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import psycopg
import pytest

from core.tests.live.conftest import make_tenant, super_url
from core.tests.live.test_crash import client_for, send
from core.tests.operate import runs


async def messages(lines: AsyncIterator[str]) -> AsyncIterator[dict[str, str]]:
    message: dict[str, str] = {}
    async for line in lines:
        if not line and message:
            yield message
            message = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            message[name] = value


async def read(client: httpx2.AsyncClient, count: int, **headers: str) -> list[dict[str, str]]:
    """The first `count` messages of a stream."""
    found: list[dict[str, str]] = []
    async with client.stream("GET", "/v1/events/stream?after=0", headers=headers) as answer:
        async for message in messages(answer.aiter_lines()):
            found.append(message)
            if len(found) == count:
                break
    return found


@pytest.mark.slow
async def test_a_stream_is_live_replays_after_a_reconnect_and_ends_with_the_account(
    place: Path, port: int
) -> None:
    with runs.started(place / "data", port=port) as run:
        await asyncio.to_thread(run.wait_for, "ready")
        org, admin = await make_tenant(place / "data")
        async with client_for(port, admin.token) as client, asyncio.timeout(60):
            listening = asyncio.create_task(read(client, 2))
            for number in range(2):
                await send(client, org.id, number)
            live = await listening

            for number in range(2, 4):
                await send(client, org.id, number)
            replayed = await read(client, 3, **{"last-event-id": live[0]["id"]})

            ending = asyncio.create_task(read(client, 5))
            async with await psycopg.AsyncConnection.connect(
                super_url(place / "data"), autocommit=True
            ) as sql:
                await sql.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (admin.id,))
            # Behind the platform's back: the stream looks again when a keep-alive is due.
            last = (await ending)[-1]

    assert [message["event"] for message in live] == ["iam.project.created"] * 2
    assert [json.loads(message["data"])["sequence"] for message in live] == [m["id"] for m in live]
    assert replayed[0]["id"] == live[1]["id"]
    assert len({message["id"] for message in live + replayed}) == 4
    assert last["event"] == "end"
