"""Deployed apps for tests, made through the API, and somebody who plays their controller."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.tests.callers import Caller
from core.tests.factories import catalog, entitlements, machines
from core.tests.factories.played import SUCCEEDS, Brief, Controller, Said
from core.tests.site import fresh
from moorage_core.kit.ids import ReplicaId, UsageRecordId

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant

CLUSTER = """
components:
  leader:
    min: 1
    max: 1
    verbs: [replace]
    may_share_host_with: [replica]
  replica:
    max: 5
    verbs: [add, drain, resume, remove, replace]
    may_share_host_with: [leader]
touches:
  member.add: [leader]
  member.remove: [leader]
  instance.configure: [leader, replica]
tasks:
  kinds: [exec, put]
  run_as: [root]
config:
  schema:
    type: object
    additionalProperties: false
    properties:
      greeting: {type: string, default: hello}
      limits:
        type: object
        default: {}
        additionalProperties: false
        properties:
          keys: {type: integer, minimum: 1, default: 100}
      note: {type: string}
  effects:
    greeting: reconfigure
    note: none
access:
  template: 'curl http://{host}:{port}/ with {{braces}}'
rollback:
  supported: true
  loses: [Keys that were written since are gone.]
"""
"""A leader and replicas, as a manifest says it."""


@dataclass
class Echo:
    """A published app that a tenant's project is entitled to, with an operator to serve it."""

    tenant: "Tenant"
    app: dict[str, Any]
    version: dict[str, Any]
    operator: str
    account: str = ""

    @property
    def admin(self) -> Caller:
        return self.tenant.admin

    @property
    def project(self) -> str:
        return self.tenant.project.id

    async def body(self, *, replicas: int = 0, **fields: Any) -> dict[str, Any]:
        """What deploys it, on machines that were made for it."""
        components = {"leader": {"allocations": [await machines.make_allocation_row(self.tenant)]}}
        if replicas:
            held = [await machines.make_allocation_row(self.tenant) for _ in range(replicas)]
            components["replica"] = {"allocations": held}
        return {
            "name": f"e-{fresh()}",
            "app": self.app["id"],
            "operator": self.operator,
            "components": components,
            **fields,
        }

    async def deploy(self, **fields: Any) -> dict[str, Any]:
        path = f"/v1/projects/{self.project}/instances"
        body = await self.body(**fields)
        return await catalog.made(self.admin, path, body, status=202)

    async def publish(self, version: str, *, more: str = CLUSTER) -> dict[str, Any]:
        """One more version, accepted by the entitlement."""
        return await catalog.publish(self.admin, self.app, version=version, more=more)

    async def ask(self, instance: str, verb: str, body: Any = None, *, status: int = 202) -> Any:
        answer = await self.admin.post(f"/v1/instances/{instance}/{verb}", body or {})
        assert answer.status_code == status, answer.text
        return answer.json()

    async def get(self, instance: str) -> dict[str, Any]:
        answer = await self.admin.get(f"/v1/instances/{instance}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def running(self, **fields: Any) -> dict[str, Any]:
        """An instance that came to run."""
        made = await self.deploy(**fields)
        await self.work()
        return await self.get(made["id"])

    # Its controller

    @cached_property
    def controller(self) -> Controller:
        return Controller(self.tenant.site, self.operator)

    async def claim(self) -> list[Brief]:
        """What its controller gets now."""
        return await self.controller.claim()

    async def say(self, brief: Brief, state: str, **more: Any) -> None:
        """Report on an operation, as whoever holds it."""
        await self.controller.report(brief, state=state, **more)

    async def work(self, says: Callable[[Brief], Said] = lambda _: SUCCEEDS) -> list[Brief]:
        """Do all that there is to do, as `says` has it; what that was."""
        before = len(self.controller.seen)
        await self.controller.run(says)
        return self.controller.seen[before:]


async def make_echo(
    tenant: "Tenant",
    *,
    more: str = CLUSTER,
    admit: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
) -> Echo:
    """`$app` in `more` is the app's own namespace; `admit` lets the app into a family first."""
    app = await entitlements.make_app(tenant.admin, tenant.project.id)
    if admit is not None:
        await admit(app)
    more = more.replace("$app", app["slug"].replace("-", "_"))
    version = await catalog.publish(tenant.admin, app, more=more)
    await entitlements.entitle(tenant.admin, tenant.project.id, app["id"])
    account = await catalog.make_operator_account(tenant)
    body = {"app": app["id"], "service_account": account, "name": f"operator {fresh()}"}
    path = f"/v1/projects/{tenant.project.id}/app-operators"
    operator = await catalog.made(tenant.admin, path, body)
    return Echo(tenant, app, version, operator["id"], account)


# For tests of every route


async def _new(tenant: "Tenant") -> Echo:
    """An instance of its own for one test, in place of the tenant's."""
    echo = await make_echo(tenant)
    tenant.ids["instance"] = (await echo.running())["id"]
    return echo


async def running(tenant: "Tenant") -> None:
    await _new(tenant)


async def stopped(tenant: "Tenant") -> None:
    echo = await _new(tenant)
    await echo.ask(tenant.ids["instance"], "stop")
    await echo.work()


async def outdated(tenant: "Tenant") -> None:
    """There is a newer version than the one that runs."""
    await (await _new(tenant)).publish("1.1.0")


async def changed(tenant: "Tenant") -> None:
    """There is something to go back to."""
    echo = await _new(tenant)
    await echo.ask(tenant.ids["instance"], "configure", {"config": {"note": "first"}})
    await echo.work()


async def await_deployment(tenant: "Tenant") -> None:
    """An app, an operator and a machine, of which an instance can be made."""
    echo = await make_echo(tenant)
    tenant.ids["deployed_app"], tenant.ids["deployed_operator"] = echo.app["id"], echo.operator
    tenant.ids["free_allocation"] = await machines.make_allocation_row(tenant)


async def make_plan(tenant: "Tenant") -> str:
    echo = await make_echo(tenant)
    made = await echo.running()
    body = {"kind": "instance.restart"}
    return (await catalog.made(tenant.admin, f"/v1/instances/{made['id']}/plans", body))["id"]


async def leave_traces(tenant: "Tenant") -> None:
    """A row of everything that controllers leave behind, of the tenant's instance."""
    site, instance = tenant.site, await tenant.id("instance")
    place = {"org_id": tenant.org.id, "project_id": tenant.project.id}
    at = await machines.now(site)
    ((operation, operator),) = await site.rows(
        "SELECT last_operation_id, operator_id FROM instances WHERE id = %s", instance
    )
    rows: dict[str, dict[str, Any]] = {
        "operation_steps": {
            "operation_id": operation,
            "number": 99,
            "name": "look",
            "status": "succeeded",
            "started_at": at,
        },
        "controller_replicas": {
            "id": ReplicaId.new(),
            "operator_id": operator,
            "name": fresh(),
            "lease_expires_at": at,
            "last_seen_at": at,
            "created_at": at,
        },
        "views": {"instance_id": instance, "name": "traces", "observed_at": at},
        "view_rows": {
            "instance_id": instance,
            "name": "traces",
            "key": "one",
            "data": {},
            "generation": 1,
        },
        "usage_records": {
            "id": UsageRecordId.new(),
            "instance_id": instance,
            "meter": "traces",
            "key": "one",
            "quantity": 1,
            "from_at": at,
            "until_at": at,
            "created_at": at,
        },
    }
    for table, values in rows.items():
        await machines.insert(site, table, **place, **values)


FACTORIES = {"plan": make_plan}
STATES = {
    "create_instance": await_deployment,
    "plan_instance": await_deployment,
    "start_instance": stopped,
    "upgrade_instance": outdated,
    "rollback_instance": changed,
    **dict.fromkeys(
        [
            "configure_instance",
            "stop_instance",
            "restart_instance",
            "repair_instance",
            "rotate_credentials",
            "decommission_instance",
            "plan_change",
            "force_decommission_instance",
            "abandon_instance",
        ],
        running,
    ),
}


def _deployment(ids: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": f"e-{fresh()}",
        "app": ids.get("deployed_app", "app_" + "7" * 26),
        "operator": ids.get("deployed_operator", "opr_" + "7" * 26),
        "components": {"leader": {"allocations": [ids.get("free_allocation", "alc_" + "7" * 26)]}},
    }


BODIES: dict[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    "InstanceCreate": _deployment,
    "DeployPlanWrite": _deployment,
    "ConfigureWrite": lambda ids: {"config": {"note": fresh()}},
    "UpgradeWrite": lambda ids: {"version": "1.1.0"},
    "RollbackWrite": lambda ids: {},
    "StopWrite": lambda ids: {"reason": "for the night"},
    "StartWrite": lambda ids: {},
    "RestartWrite": lambda ids: {},
    "RepairWrite": lambda ids: {"reason": "a replica is lost"},
    "RotateWrite": lambda ids: {"reason": "somebody has left"},
    "DecommissionWrite": lambda ids: {"reason": "nobody needs it"},
    "ChangePlanWrite": lambda ids: {"kind": "instance.restart"},
    "BreakGlass": lambda ids: {"reason": "its tenant does not answer"},
}
