"""A project's machine without agent, through the API: credential, scan, confirmation, tasks."""

from datetime import timedelta
from typing import Any

import httpx2

from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, make_workplace
from moorage_core.credentials.sweeps import RunSshTasks


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


async def work(place: Workplace) -> dict[str, Any]:
    """Let a process do what is to be done, until nothing is."""
    return await RunSshTasks(place.site.platform, linger=timedelta()).activate()


async def output(place: Workplace, task: str, stream: str = "content") -> bytes:
    answer = await place.tenant.admin.get(f"/v1/tasks/{task}/output?stream={stream}")
    assert answer.status_code == 200, answer.text
    return answer.content
