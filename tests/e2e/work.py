"""Allocations and sessions, as tests use them."""

import base64
import itertools
from dataclasses import dataclass
from typing import Any

from tests.e2e.callers import WITHIN, Caller
from tests.e2e.site import Site
from tests.e2e.world import REGION, SKU, Member, Tenant

_numbers = itertools.count(1)


def allocate(admin: Caller, tenant: Tenant, member: Member, *, seconds: float = WITHIN) -> str:
    """Let a tenant's project have this very node; the allocation, once it is active."""
    wish = {"project": tenant.project, "reason": "An end-to-end test needs this one."}
    made = admin.post(f"/v1/nodes/{member.node}/allocations", wish)
    return until_active(tenant, made["allocations"][0]["id"], seconds=seconds)


def allocate_any(tenant: Tenant, count: int = 1) -> list[str]:
    """Let the platform choose."""
    wish = {"sku": SKU, "region": REGION, "count": count}
    made = tenant.admin.post(f"/v1/projects/{tenant.project}/allocations", wish)
    return [until_active(tenant, allocation["id"]) for allocation in made["allocations"]]


def until_active(tenant: Tenant, allocation: str, *, seconds: float = WITHIN) -> str:
    path = f"/v1/allocations/{allocation}"
    found = tenant.admin.until(path, lambda a: a["status"] in ("active", "failed"), seconds=seconds)
    assert found["status"] == "active", found
    return allocation


def release(tenant: Tenant, allocation: str, *, seconds: float = WITHIN) -> dict[str, Any]:
    """Give a machine back and wait for how that ended."""
    (found,) = release_all(tenant, [allocation], seconds=seconds)
    return found


def release_all(
    tenant: Tenant, allocations: list[str], *, seconds: float = WITHIN
) -> list[dict[str, Any]]:
    """Give machines back, all at once, and wait for how that ended."""
    paths = [f"/v1/allocations/{allocation}" for allocation in allocations]
    for path in paths:
        tenant.admin.post(f"{path}/release", {"reason": "The test is over."})
    ends = ("released", "release_failed")
    return [
        tenant.admin.until(path, lambda a: a["status"] in ends, seconds=seconds) for path in paths
    ]


@dataclass(frozen=True)
class Session:
    """An admin's work on machines, with the token that opens them."""

    id: str
    holder: Caller
    tenant: Tenant
    allocation: str

    @property
    def path(self) -> str:
        return f"/v1/operations/{self.id}"

    def ask(self, kind: str, given: dict[str, Any], **more: Any) -> str:
        """Ask for a task; its id."""
        key = f"{kind}/{next(_numbers)}"
        wish = {"key": key, "kind": kind, "allocation": self.allocation, "input": given}
        asked = self.holder.post(f"{self.path}/tasks", {"tasks": [wish | more]})
        return asked["tasks"][0]["id"]

    def shell(self, line: str, **more: Any) -> str:
        return self.ask("exec", {"argv": ["/bin/sh", "-c", line]}, **more)

    def put(self, path: str, content: bytes, **more: Any) -> str:
        given = {"path": path, "content": base64.b64encode(content).decode()}
        return self.ask("put", given | more)

    def get(self, task: str) -> dict[str, Any]:
        return self.holder.get(f"/v1/tasks/{task}")

    def until(self, task: str, *states: str, seconds: float = WITHIN) -> dict[str, Any]:
        """The task, once it is in one of these states."""
        return self.holder.until(
            f"/v1/tasks/{task}", lambda t: t["status"] in states, seconds=seconds
        )

    def ended(self, task: str, *, seconds: float = WITHIN) -> dict[str, Any]:
        """The task, once it has ended."""
        return self.holder.until(f"/v1/tasks/{task}", lambda t: t["ended_at"], seconds=seconds)

    def done(self, task: str, *, seconds: float = WITHIN) -> dict[str, Any]:
        """The task, which has to have succeeded."""
        found = self.ended(task, seconds=seconds)
        assert found["status"] == "succeeded", found
        return found

    def output(self, task: str, stream: str = "stdout") -> bytes:
        """What it wrote, as far as it was kept."""
        whole = b""
        while piece := self.holder.answer(
            "GET", f"/v1/tasks/{task}/output?stream={stream}&offset={len(whole)}"
        ).content:
            whole += piece
        return whole

    def end(self) -> None:
        self.tenant.admin.post(f"{self.path}/end", {"outcome": "succeeded"})


def open_session(site: Site, tenant: Tenant, allocation: str) -> Session:
    wish = {"allocations": [allocation], "reason": "An end-to-end test works on it."}
    opened = tenant.admin.post(f"/v1/projects/{tenant.project}/node-sessions", wish)
    tenant.admin.said.pop()  # the token is shown once
    holder = site.anybody()
    holder.token = opened["token"]
    return Session(opened["id"], holder, tenant, allocation)
