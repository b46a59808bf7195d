"""A project's machine without agent, through the API: credential, scan, confirmation, tasks."""

import asyncio
import base64
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2

from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, make_workplace
from moorage_core.credentials.sweeps import RunSshTasks

WITHIN = 30


async def make_place(site: Site, address: str, port: int) -> Workplace:
    return await make_workplace(site, reach="ssh", address=address, ssh_port=port)


async def create(place: Workplace, **given: Any) -> httpx2.Response:
    body = {"name": "the key", "username": "root"} | given
    path = f"/v1/projects/{place.tenant.project.id}/access-credentials"
    return await place.tenant.admin.post(path, body)


async def make_credential(place: Workplace, **given: Any) -> dict[str, Any]:
    answer = await create(place, **given)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def set_host(place: Workplace, credential: str, *, version: int = 0) -> httpx2.Response:
    return await place.tenant.admin.call(
        "PUT",
        f"/v1/allocations/{place.allocation}/ssh",
        json={"credential": credential},
        headers={"if-match": f'"{version}"'},
    )


async def scan(place: Workplace) -> httpx2.Response:
    return await place.tenant.admin.post(f"/v1/allocations/{place.allocation}/ssh/scan")


async def confirm(place: Workplace, fingerprint: str) -> httpx2.Response:
    body = {"fingerprint": fingerprint}
    return await place.tenant.admin.post(f"/v1/allocations/{place.allocation}/ssh/confirm", body)


async def get_host(place: Workplace) -> dict[str, Any]:
    answer = await place.tenant.admin.get(f"/v1/allocations/{place.allocation}/ssh")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def prepare(place: Workplace, credential: str) -> str:
    """Set, scan and confirm; the fingerprint that was confirmed."""
    chosen = await set_host(place, credential)
    assert chosen.status_code == 200, chosen.text
    scanned = await scan(place)
    assert scanned.status_code == 200, scanned.text
    fingerprint = scanned.json()["offered_fingerprint"]
    confirmed = await confirm(place, fingerprint)
    assert confirmed.status_code == 200, confirmed.text
    return fingerprint


async def rotate(place: Workplace, credential: dict[str, Any], hours: int) -> dict[str, Any]:
    path = f"/v1/access-credentials/{credential['id']}/rotate"
    answer = await place.tenant.admin.post(path, {"overlap_hours": hours})
    assert answer.status_code == 200, answer.text
    return answer.json()


def put_wish(path: Path, content: bytes = b"hello\n", **changes: Any) -> dict[str, Any]:
    given = {"path": str(path), "content": base64.b64encode(content).decode(), "mode": "0640"}
    return {"key": "step/put", "kind": "put", "input": given} | changes


async def until(place: Workplace, task: str, *statuses: str) -> str:
    """Wait for a task to come so far; its status then."""
    async with asyncio.timeout(WITHIN):
        with place.site.platform.hub.watch([f"task:{task}"]) as waiter:
            while (status := (await place.row(task))["status"]) not in statuses:
                await waiter.wait(1)
    return status


async def work(place: Workplace) -> dict[str, Any]:
    """Let a process do what is to be done, until nothing is."""
    return await RunSshTasks(place.site.platform, linger=timedelta()).activate()


async def output(place: Workplace, task: str, stream: str = "content") -> bytes:
    answer = await place.tenant.admin.get(f"/v1/tasks/{task}/output?stream={stream}")
    assert answer.status_code == 200, answer.text
    return answer.content
