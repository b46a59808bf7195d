"""Asking for machines, driving what is on its way, and speaking for a node."""

import dataclasses
from typing import Any

from psycopg.types.json import Jsonb

from core.tests.callers import Caller
from core.tests.factories.tenants import Tenant
from core.tests.site import Site
from moorage_core.allocations.sweeps import DriveAllocations
from moorage_core.platform import Platform
from moorage_core.settings import MachineSettings

CLEAN: dict[str, Any] = {"residue": {"files": [], "users": []}, "inventory": {"gpus": []}}


async def ask(caller: Caller, project: str, region: str, sku: str, **more: Any) -> Any:
    body = {"region": region, "sku": sku, **more}
    return await caller.post(f"/v1/projects/{project}/allocations", body)


async def held(tenant: Tenant, region: str, sku: str, **more: Any) -> list[dict[str, Any]]:
    answer = await ask(tenant.admin, tenant.project.id, region, sku, **more)
    assert answer.status_code == 201, answer.text
    return answer.json()["allocations"]


async def drive(platform: Platform) -> None:
    """Run the sweep until nothing moves."""
    while (await DriveAllocations(platform).activate())["moved"]:
        pass


async def say(
    site: Site, allocation: str, key: str, result: Any = None, *, status: str = "succeeded"
) -> None:
    """End a task as its node would report it."""
    ended = await site.rows(
        "UPDATE tasks SET status = %s, result = %s, ended_at = now(), started_at = now()"
        " WHERE allocation_id = %s AND key = %s AND ended_at IS NULL RETURNING id",
        status,
        None if result is None else Jsonb(result),
        allocation,
        key,
    )
    assert len(ended) == 1, f"no open task {key}"


async def get(tenant: Tenant, allocation: str) -> dict[str, Any]:
    answer = await tenant.admin.get(f"/v1/allocations/{allocation}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def active(tenant: Tenant, region: str, sku: str, **more: Any) -> dict[str, Any]:
    """A machine that was made ready."""
    site = tenant.site
    (made,) = await held(tenant, region, sku, **more)
    await drive(site.platform)
    await say(site, made["id"], "setup/probe", CLEAN)
    await drive(site.platform)
    return await get(tenant, made["id"])


async def release(tenant: Tenant, allocation: str) -> Any:
    return await tenant.admin.post(f"/v1/allocations/{allocation}/release", {})


async def node_of(site: Site, allocation: str) -> dict[str, Any]:
    found = await site.rows(
        "SELECT n.id, n.status, n.status_reason, n.last_org_id FROM nodes n"
        " JOIN allocations a ON a.node_id = n.id WHERE a.id = %s",
        allocation,
    )
    return dict(zip(("id", "status", "reason", "last_org"), found[0], strict=True))


def with_machines(site: Site, **settings: Any) -> Platform:
    """The site's platform with other settings for machines, behind the same API."""
    machines = MachineSettings(**settings)
    changed = site.platform.settings.model_copy(update={"machines": machines})
    return dataclasses.replace(site.platform, settings=changed)
