"""The health page: whether the platform was heard of lately, and how much is held."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

HEAD_SECONDS = 5.0
State = Callable[[], tuple[bool, dict[str, Any]]]


@asynccontextmanager
async def served(host: str, port: int, state: State) -> AsyncGenerator[int]:
    """Serve `GET /healthz`; the port that it listens on. 503 where something is wrong."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            writer.write(_page(head, state))
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, host, port)
    async with server:
        yield server.sockets[0].getsockname()[1]


def _page(head: bytes, state: State) -> bytes:
    if not head.startswith(b"GET /healthz "):
        return b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    well, said = state()
    body = json.dumps({"status": "ok" if well else "silent", **said}).encode()
    status = "200 OK" if well else "503 Service Unavailable"
    lines = [f"HTTP/1.1 {status}", "content-type: application/json", "connection: close"]
    return "\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode() + body
