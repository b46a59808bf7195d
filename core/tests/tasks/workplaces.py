"""A project with machines, a session on them, and the nodes behind."""

from dataclasses import dataclass
from typing import Any

from core.tests.factories import machines
from core.tests.factories.tenants import Bearer, Tenant, make_tenant
from core.tests.site import Site, fresh
from moorage_core.tasks import commands
from moorage_core.tasks.models import Answered, Handed, HandedTask, Hold, Report


@dataclass(frozen=True)
class Workplace:
    """One machine of a project, held open by a session."""

    tenant: Tenant
    node: str
    allocation: str
    operation: str
    token: str

    @property
    def site(self) -> Site:
        return self.tenant.site

    @property
    def holder(self) -> Bearer:
        """Whoever holds the session's token."""
        return Bearer(self.site.client, self.token)

    async def ask(self, *wishes: dict[str, Any]) -> list[dict[str, Any]]:
        """Ask for tasks on the machine."""
        answer = await self.holder.post(
            f"/v1/operations/{self.operation}/tasks",
            {"tasks": [{"allocation": self.allocation, **wish} for wish in wishes]},
        )
        assert answer.status_code == 200, answer.text
        return answer.json()["tasks"]

    async def queue(self, **values: Any) -> str:
        """A task, straight into the database."""
        return await machines.make_task_row(self.tenant, self.operation, self.allocation, **values)

    async def poll(self, *holds: tuple[str, str], fresh: bool = True) -> Handed:
        held = [Hold(task, state) for task, state in holds]
        return await commands.for_poll(self.site.platform, self.node, held, fresh=fresh)

    async def take(self) -> HandedTask:
        """The one task that the node is handed."""
        (task,) = (await self.poll()).tasks
        return task

    async def say(self, task: str, state: str, **said: Any) -> str:
        """Report as the node; the outcome."""
        report = Report(task, said.pop("fence", 1), state, **said)
        (answer,) = await self.report(report)
        return answer.outcome

    async def report(self, *reports: Report) -> list[Answered]:
        return await commands.report(self.site.platform, self.node, reports)

    async def row(self, task: str) -> dict[str, Any]:
        cursor = await self.site.sql.execute(
            "SELECT to_jsonb(t) FROM tasks t WHERE id = %s", (task,)
        )
        found = await cursor.fetchone()
        assert found is not None
        return found[0]


async def make_workplace(site: Site, tenant: Tenant | None = None, **node: Any) -> Workplace:
    tenant = tenant or await make_tenant(site)
    id = await machines.make_node_row(site, **node)
    allocation = await machines.make_allocation_row(tenant, id)
    operation = await machines.make_operation_row(tenant, allocation)
    token = await machines.give_grant(tenant, operation)
    return Workplace(tenant, id, allocation, operation, token)


def exec_wish(**changes: Any) -> dict[str, Any]:
    return {"key": f"step/{fresh()}", "kind": "exec", "input": {"argv": ["true"]}} | changes
