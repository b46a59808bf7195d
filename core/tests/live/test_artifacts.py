"""A large artifact through real server processes, and callers who do not read: what it costs."""

import asyncio
import hashlib
import socket
import sys
from pathlib import Path

import pytest

import moorage
from core.tests.live.conftest import make_tenant
from core.tests.operate import runs
from moorage import Client
from moorage.models import PullIssued
from sdk.tests import shops

GIB, MIB = 1 << 30, 1 << 20
LIMIT = 300 * MIB
SLOW_READERS = 8
PER_READER = 4 * MIB
"""What one caller who does not read may cost: a piece of ours, and what the server has queued."""


def memory(pid: int, field: str) -> int:
    """A figure of /proc/PID/status, in bytes. VmHWM is the most that was ever resident."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"process {pid} has no {field}")


def private(pid: int) -> int:
    """What a process has for itself, in bytes: what it shares with its workers is counted there."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def make_file(place: Path) -> Path:
    """1 GiB that takes no room on the disk, but for its ends."""
    file = place / "large.img"
    with file.open("wb") as made:
        made.write(b"the beginning")
        made.seek(GIB - 7)
        made.write(b"the end")
    return file


def open_slowly(port: int, token: str, pull: PullIssued) -> socket.socket:
    """Ask for the bytes, read the beginning of the answer, and then nothing."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    request = (
        f"GET /v1/pulls/{pull.id}/content HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {token}\r\nMoorage-Pull: {pull.secret}\r\n\r\n"
    )
    connection.sendall(request.encode())
    assert connection.recv(64).startswith(b"HTTP/1.1 200")
    return connection


@pytest.mark.slow
async def test_a_gibibyte_there_and_back_keeps_the_server_small(place: Path, port: int) -> None:
    data = place / "data"
    file = await asyncio.to_thread(make_file, place)
    to = place / "back.img"
    with runs.started(data, port=port, server__workers="1") as run:
        await asyncio.to_thread(run.wait_for, "ready")
        org, admin = await make_tenant(data)
        auth = moorage.AccessToken(admin.token)
        async with Client(f"http://127.0.0.1:{port}", auth=auth) as client:
            project = await client.projects.create(org.id, slug="alpha", name="Alpha")
            shop = await shops.open_shop(client, project, file)
            pull = await client.pulls.fetch(
                project, app=shop.app, artifact=shop.artifact.name, to=to
            )
            (worker,) = run.workers()
            before = memory(worker, "VmRSS")
            pulls = [
                await client.pulls.create(project, app=shop.app, artifact=shop.artifact.name)
                for _ in range(SLOW_READERS)
            ]
            readers = [open_slowly(port, admin.token, each) for each in pulls]
            # Whoever waits for the slow ones waits for nothing: others are served meanwhile.
            for _ in range(20):
                await client.artifacts.get(shop.artifact)
            held = memory(worker, "VmRSS") - before
            peaks = [private(run.process.pid), memory(worker, "VmHWM")]
            for reader in readers:
                reader.close()
    arrived = await asyncio.to_thread(digest_of, to)

    figures = ", ".join(f"{peak / MIB:.0f} MiB" for peak in peaks)
    sys.stdout.write(
        f"\nthe supervisor's own memory, and the most that its worker had: {figures}\n"
        f"held for {SLOW_READERS} callers who do not read: {held / MIB:.0f} MiB\n"
    )
    assert arrived == shop.artifact.digest == pull.digest
    assert (to.stat().st_size, shop.artifact.size) == (GIB, GIB)
    assert sum(peaks) < LIMIT
    assert held < SLOW_READERS * PER_READER


def digest_of(file: Path) -> str:
    with file.open("rb") as read:
        return f"sha256:{hashlib.file_digest(read, 'sha256').hexdigest()}"
