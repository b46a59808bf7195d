"""A real OCI registry on loopback, in a folder of the test's own: Debian's docker-registry."""

import asyncio
import json
import shutil
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from core.tests.sources.orders import digest_of

PROGRAM = shutil.which("docker-registry")
WHY_NOT = "docker-registry is not installed: tools/setup.sh does that, or apt-get as root"

USER = ("ada", "engine-room")
HTPASSWD = "ada:$2b$04$SpLbJaKhxcQAFTvLmNqyMuH2V05mb64zzq2paTO5IrveHlbG9CEIK\n"


@asynccontextmanager
async def running(place: Path, auth: Mapping[str, Any]) -> AsyncIterator[str]:
    """The registry's URL. `auth` is that part of its configuration."""
    assert PROGRAM is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    settings = {
        "version": 0.1,
        "log": {"level": "info"},
        "storage": {"filesystem": {"rootdirectory": str(place / "blobs")}},
        "http": {"addr": address},
        "auth": auth,
    }
    (place / "config.yml").write_text(json.dumps(settings))
    process = await asyncio.create_subprocess_exec(
        PROGRAM, "serve", str(place / "config.yml"), stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    said = b""
    try:
        async with asyncio.timeout(20):
            while b"listening on" not in said:
                said = await process.stderr.readline()
                assert said, "the registry ended before it listened"
        # Read on, or it stops when the pipe is full.
        reading = asyncio.create_task(process.stderr.read())
        yield f"http://{address}"
        reading.cancel()
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def push(url: str, repository: str, content: bytes, **headers: str) -> str:
    """Upload a blob as any client does; its digest."""
    digest = digest_of(content)
    async with httpx2.AsyncClient(headers=headers, timeout=60) as client:
        begun = await client.post(f"{url}/v2/{repository}/blobs/uploads/")
        assert begun.status_code == 202, begun.text
        done = await client.put(
            httpx2.URL(begun.headers["location"]).copy_merge_params({"digest": digest}),
            content=content,
            headers={"content-type": "application/octet-stream"},
        )
        assert done.status_code == 201, done.text
    return digest
