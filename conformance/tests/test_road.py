"""The road: what a controller asks for arrives, is remembered, and can be bent."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from moorage_conformance import namespace, road
from moorage_conformance.checks import unreliable
from moorage_conformance.road import Answer, Exchange, Forward

ASK = """
import json, sys, urllib.request
with urllib.request.urlopen(sys.argv[1] + "/v1/status", timeout=20) as answer:
    print(answer.read().decode())
"""
REACH = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as err:
    print(type(err).__name__)
"""


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A platform that says the same to everything."""
    while (await reader.readuntil(b"\r\n\r\n")) != b"":
        body = json.dumps({"status": "ok", "parts": [{"name": "database"}]}).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()


@pytest_asyncio.fixture(loop_scope="session")
async def platform() -> AsyncIterator[str]:
    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


async def inside(space: namespace.Namespace, code: str, *words: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *space.enter([sys.executable, "-c", code, *words]),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"]},
    )
    said, _ = await process.communicate()
    return said.decode().strip()


async def test_a_controller_reaches_the_platform_and_nothing_else(
    platform: str, tmp_path: Path
) -> None:
    doors = [tmp_path / "door"]
    async with road.opened(platform, ca=None, doors=doors) as passed, namespace.opened(doors) as it:
        answered = await inside(it, ASK, it.url(0))
        outside = await inside(it, REACH)

    assert json.loads(answered)["status"] == "ok"
    assert outside == "OSError"
    assert [exchange.words() for exchange in passed.exchanges] == ["GET /v1/status -> 200"]


async def test_what_is_passed_on_and_not_answered_is_lost_for_the_controller_alone(
    platform: str, tmp_path: Path
) -> None:
    async def lose(exchange: Exchange, forward: Forward) -> Answer | None:
        await forward()
        return None

    doors = [tmp_path / "door"]
    async with road.opened(platform, ca=None, doors=doors) as passed, namespace.opened(doors) as it:
        with passed.bent(lose):
            answered = await inside(it, ASK, it.url(0))

    assert answered == ""
    assert [(each.answer is not None, each.given) for each in passed.exchanges] == [(True, False)]


def test_fields_are_added_everywhere_but_in_what_belongs_to_the_app() -> None:
    told = {"operations": [{"id": "1", "input": {"lost": True}}], "next": 3}

    grown = unreliable.with_unknown(told)

    assert grown["operations"][0].keys() == {"id", "input", unreliable.UNKNOWN}
    assert grown["operations"][0]["input"] == {"lost": True}
    assert grown.keys() == {"operations", "next", unreliable.UNKNOWN}


def test_a_batch_of_reports_is_seen_report_by_report() -> None:
    entries = [
        {"operation": "opn_1", "grant": "a", "fence": 1, "sequence": 1, "state": "running"},
        {"operation": "opn_2", "grant": "b", "fence": 1, "sequence": 4, "state": "failed"},
    ]
    taken = [
        {"operation": "opn_1", "problem": None},
        {"operation": "opn_2", "problem": {"status": 409, "code": "grant_ended"}},
    ]
    sent = json.dumps({"reports": entries}).encode()
    exchange = Exchange(0, "POST", "/v1/controller/reports", (), sent)
    exchange.answer = Answer(200, (), json.dumps({"reports": taken}).encode())

    said = [(each.operation, each.status, each.code) for each in exchange.reports()]

    assert said == [("opn_1", 200, None), ("opn_2", 409, "grant_ended")]
    assert exchange.operations == {"opn_1", "opn_2"}


async def test_what_a_task_wrote_is_no_document_of_the_platform() -> None:
    wrote = Answer(200, (("content-type", "application/octet-stream"),), b'{"missing": []}')

    async def forward() -> Answer:
        return wrote

    exchange = Exchange(0, "GET", "/v1/tasks/tsk_1/output", (), b"")
    assert await unreliable.add_fields(exchange, forward) is wrote
