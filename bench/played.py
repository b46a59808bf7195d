"""An app without machines' work, for measures of the platform alone.

Its controller claims and reports through the routes of controllers, over one connection for each
call that is under way. Of each operation it says once that it is done, with one step, and gives
agents nothing to do.
"""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import machines, processes
from moorage_lab.simulated import Crowd
from moorage_lab.simulated.http1 import Line, Server
from tests.e2e import shop, world
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Tenant

COMPONENT, ACTION, VIEW = "worker", "bench.ping", "bench.jobs"
MANIFEST = """
contract: 1
slug: bench
version: "0.1.0"
name: Bench
summary: Is measured.
modes:
  - {operating_mode: dedicated, scope: project}
components:
  worker: {min: 0, max: 10000, verbs: [add, drain, resume, remove, replace]}
config:
  schema:
    type: object
    properties:
      note: {type: string, title: Note, default: ""}
    additionalProperties: false
  effects: {note: reconfigure}
permissions:
  - {key: bench.use, description: May use it., grants: [project_admin]}
actions:
  - {name: bench.ping, title: Ping, permission: bench.use, lock: none}
  - name: bench.end
    title: End it
    permission: bench.use
    lock: none
    input: {type: object, properties: {job: {type: integer, title: Job}}, required: [job]}
views:
  - name: bench.jobs
    title: Jobs
    columns:
      - {name: job, title: Job, type: integer}
      - {name: name, title: Name}
      - {name: state, title: State}
      - {name: cpus, title: CPUs, type: integer}
      - {name: begun, title: Begun, type: time}
      - {name: member, title: Member}
    key: job
    permission: bench.use
"""
AT_ONCE, REPORTS = 100, 200
HANDS = 4
"""Reports under way at the same time."""
WITHIN = 900

Brief = dict[str, Any]
Said = Mapping[str, Any]


def done(brief: Brief) -> Said:
    """It is done, in one step."""
    step = {"number": 1, "name": "say so", "status": "succeeded"}
    said: dict[str, Any] = {
        "state": "succeeded",
        "steps": [step | {"phase": brief["phase"] or "run"}],
    }
    return said | ({"member": {"health": "healthy"}} if brief["member"] else {})


@dataclass
class Controller:
    """One replica of the app's controller."""

    line: Line
    token: str
    says: Callable[[Brief], Said] = done
    name: str = field(default_factory=lambda: f"bench-{uuid.uuid4().hex}")
    after: int = 0
    busy: int = 0
    """Reports that had to be sent again."""

    async def claim(self, *, wait: int = 20, **more: Any) -> dict[str, Any]:
        said = {"app": "bench", "replica": self.name, "after": self.after, "wait": wait}
        wish = {"capacity": AT_ONCE} | said | more
        answer = await self.line.call(
            "POST", "/v1/controller/claims", wish, token=self.token, seconds=wait + 60
        )
        self.after = answer["next"]
        return answer

    async def report(self, briefs: Sequence[Brief]) -> None:
        reports = [
            {name: brief[name] for name in ("grant", "fence")}
            | {"operation": brief["id"], "sequence": brief["sequence"] + 1, **self.says(brief)}
            for brief in briefs
        ]
        for begun in range(0, len(reports), REPORTS):
            left = reports[begun : begun + REPORTS]
            while left:
                left = await self._busy(left)

    async def _busy(self, reports: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Send reports; those that the platform was too busy for, to be sent again."""
        answer = await self.line.call(
            "POST", "/v1/controller/reports", {"reports": reports}, token=self.token, seconds=60
        )
        taken = {each["operation"]: each["problem"] for each in answer["reports"]}
        refused = [problem for problem in taken.values() if problem and problem["code"] != "busy"]
        assert not refused, refused
        left = [each for each in reports if taken[each["operation"]]]
        self.busy += len(left)
        return left

    @contextlib.asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Do whatever there is to do. What goes wrong with it, goes wrong here."""
        async with asyncio.TaskGroup() as group:
            loop = group.create_task(self._work(group))
            yield
            loop.cancel()

    async def _work(self, group: asyncio.TaskGroup) -> None:
        """Claim as much as there is room for, as every controller does."""
        busy = asyncio.Semaphore(HANDS)

        async def finish(found: list[Brief]) -> None:
            try:
                await self.report(found)
            finally:
                busy.release()

        while True:
            await busy.acquire()
            if found := (await self.claim())["operations"]:
                group.create_task(finish(found))
            else:
                busy.release()


@dataclass(frozen=True)
class Estate:
    """A platform with one tenant, who has machines and uses the app."""

    site: Site
    tenant: Tenant
    app: Shop
    line: Line
    machines: list[str]

    def controller(self, says: Callable[[Brief], Said] = done) -> Controller:
        proof = {
            "service_account": self.app.account,
            "key": self.app.key,
            "client_secret": self.app.secret_file.read_text(),
        }
        token = self.site.anybody().post("/v1/auth/token", proof)["access_token"]
        return Controller(self.line, token, says)

    async def ask(self, path: str, body: Said, **headers: str) -> dict[str, Any]:
        """What the project's admin asks for."""
        return await self.line.call(
            "POST",
            path,
            body,
            token=self.tenant.admin.token,
            headers={"idempotency-key": uuid.uuid4().hex} | headers,
            seconds=120,
        )

    async def read(self, path: str, *, seconds: float = 90) -> dict[str, Any]:
        return await self.line.call("GET", path, token=self.tenant.admin.token, seconds=seconds)

    async def ended(self, operation: Mapping[str, Any]) -> dict[str, Any]:
        """The operation at its end, which is a good one."""
        async with asyncio.timeout(WITHIN):
            while True:
                found = await self.read(f"/v1/operations/{operation['id']}?wait=30")
                if found["ended_at"]:
                    break
        assert found["status"] == "succeeded", found
        return found

    async def deploy(self, name: str, held: Sequence[str] = ()) -> str:
        """An instance that runs, with a member on each machine."""
        parts = {COMPONENT: {"allocations": list(held)}} if held else {}
        wish = {"name": name, "app": self.app.app, "operator": self.app.operator}
        path = f"/v1/projects/{self.tenant.project}/instances"
        made = await self.ask(path, wish | {"components": parts})
        await self.ended(made["last_operation"])
        return made["id"]

    async def add(self, instance: str, held: Sequence[str]) -> dict[str, Any]:
        wish = {"component": COMPONENT, "allocations": list(held)}
        return await self.ask(f"/v1/instances/{instance}/members", wish)

    async def members(self, instance: str) -> list[str]:
        found = await self.read(f"/v1/instances/{instance}/members?limit=200")
        return [member["id"] for member in found["items"]]

    async def ping(self, instance: str, *, wait: int = 0) -> dict[str, Any]:
        path = f"/v1/instances/{instance}/actions/{ACTION}"
        return await self.ask(path, {"input": {}}, **({"prefer": f"wait={wait}"} if wait else {}))


@contextlib.asynccontextmanager
async def estate(data: Path, *, nodes: int) -> AsyncIterator[Estate]:
    """A platform of its own with so many simulated agents, whose machines the tenant holds."""
    data.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    with processes.running(data, "127.0.0.1") as site:
        admin = site.admin()
        world.make_fleet(admin)
        tenant = world.make_tenant(site, admin, "bench")
        app = await shop.open_shop(site, tenant, _cut, ["0.1.0"], place=data.parent)
        shop.entitle(tenant, app)
        line = Line(Server(site.url))
        tokens = machines.enrolments(admin, nodes) if nodes else []
        async with Crowd(Server(site.url), tokens) as crowd:
            await crowd.until_working(seconds=600)
            held = await asyncio.to_thread(machines.allocate, tenant, nodes)
            await asyncio.to_thread(machines.until_all_active, tenant)
            yield Estate(site, tenant, app, line, held)
        line.close()


def _cut(_: str, place: Path) -> Path:
    place.mkdir()
    (place / "manifest.yaml").write_text(MANIFEST)
    return place
