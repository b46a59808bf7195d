"""Controllers for tests: they claim, report and watch over HTTP, as anybody's would."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx2

from core.tests.callers import Bearer, Caller
from core.tests.factories import catalog
from core.tests.factories.instances import CLUSTER, Echo, make_echo
from core.tests.site import fresh
from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import ROLES, WATCH_PERMISSIONS, Role

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant

LIVELY = (
    CLUSTER.replace("[exec, put]", "[exec, put, probe]")
    + """
scopes: [principals.read, usage.report, instance.repair]
permissions:
  - {key: $app.key.use, description: May use keys., grants: [viewer, project_admin]}
actions:
  - {name: $app.flush, title: Flush, permission: $app.key.use}
views:
  - name: $app.keys
    title: Keys
    key: key
    permission: $app.key.use
    columns: [{name: key, title: Key}, {name: size, title: Size, type: integer}]
probes:
  - {name: $app.ping, component: replica, command: [/usr/bin/true], timeout: 5}
meters:
  - {name: $app.keys, unit: keys, description: Keys that were written.}
"""
)
"""A leader and replicas with everything that an app can have besides."""


@dataclass
class Replica:
    """One process of an app's controller."""

    echo: Echo
    account: Bearer
    name: str = field(default_factory=lambda: f"replica-{fresh()}")
    after: int = 0

    async def ask(self, **said: Any) -> httpx2.Response:
        body = {"app": self.echo.app["slug"], "replica": self.name, "after": self.after, "wait": 0}
        return await self.account.post("/v1/controller/claims", body | said)

    async def claim(self, *, heard: bool = True, **said: Any) -> dict[str, Any]:
        """What there is. An answer that was not `heard` got lost on its way."""
        answer = await self.ask(**said)
        assert answer.status_code == 200, answer.text
        if heard:
            self.after = answer.json()["next"]
        return answer.json()

    async def watch(self, instance: str) -> "Watcher":
        """Take the watch of an instance."""
        claimed = await self.claim(capacity=0, watch_capacity=100)
        (mine,) = [each for each in claimed["watches"] if each["instance_id"] == instance]
        return Watcher(self.echo, instance, mine["grant"], mine["fence"])

    async def leave(self, id: str) -> httpx2.Response:
        return await self.account.delete(f"/v1/controller/replicas/{id}")


@dataclass
class Watcher:
    """Whoever holds the watch of an instance."""

    echo: Echo
    instance: str
    grant: str
    fence: int

    @property
    def caller(self) -> Bearer:
        return Bearer(self.echo.tenant.site.client, self.grant)

    async def send(self, method: str, part: str, **said: Any) -> httpx2.Response:
        body = {"fence": self.fence} | said
        return await self.caller.call(method, f"/v1/instances/{self.instance}/{part}", json=body)

    async def observe(self, health: str = "healthy", **said: Any) -> httpx2.Response:
        return await self.send("PUT", "observed", health=health, **said)


async def make_replica(echo: Echo) -> Replica:
    """A process that proves itself as the operator of the app."""
    path = f"/v1/service-accounts/{echo.account}/keys"
    key = await catalog.made(echo.admin, path, {})
    proof = {"service_account": echo.account, "key": key["id"], "client_secret": key["secret"]}
    answer = await echo.tenant.site.client.post("/v1/auth/token", json=proof)
    assert answer.status_code == 200, answer.text
    return Replica(echo, Bearer(echo.tenant.site.client, answer.json()["access_token"]))


def another(replica: Replica) -> Replica:
    """One more process of the same controller."""
    return Replica(replica.echo, replica.account)


# For tests of every route

WATCH_KEYS = {str(key) for key in WATCH_PERMISSIONS} - {
    str(key) for key in ROLES[Role.TENANT_ADMIN].permissions
}
"""Keys that the tokens of controllers hold, and no person."""


async def lively(tenant: "Tenant") -> Replica:
    """An instance of its own for one test, with all that an app can have, and its controller."""
    echo = await make_echo(tenant, more=LIVELY)
    made = await echo.running(replicas=1)
    tenant.ids["instance"], tenant.ids["correlation"] = made["id"], made["correlation_id"]
    namespace = echo.app["slug"].replace("-", "_")
    tenant.ids["action"], tenant.ids["view"] = f"{namespace}.flush", f"{namespace}.keys"
    tenant.ids["probe"], tenant.ids["claimed_app"] = f"{namespace}.ping", echo.app["slug"]
    path = f"/v1/instances/{made['id']}/members?component=replica"
    tenant.ids["probed_member"] = (await tenant.admin.get(path)).json()["items"][0]["id"]
    return await make_replica(echo)


async def lively_instance(tenant: "Tenant") -> None:
    await lively(tenant)


async def right_caller(tenant: "Tenant", key: str) -> Caller | None:
    """Whoever may call a route of controllers; None for other routes. One for each tenant."""
    if key not in WATCH_KEYS | {Permission.APPS_OPERATION_CLAIM}:
        return None
    if "watch" not in tenant.secrets:
        replica = await lively(tenant)
        replica.name = "every-route"
        watcher = await replica.watch(tenant.ids["instance"])
        tenant.ids.update(watched=watcher.instance, fence=str(watcher.fence))
        tenant.secrets.update(watch=watcher.grant, account=replica.account.token)
    tenant.ids["instance"] = tenant.ids["watched"]
    account = Bearer(tenant.site.client, tenant.secrets["account"])
    # Its watch lives as long as its lease, which this renews.
    said = {"app": tenant.ids["claimed_app"], "replica": "every-route", "capacity": 0, "wait": 0}
    claimed = await account.post("/v1/controller/claims", said | {"after": 1000})
    tenant.ids["replica"] = claimed.json()["replica"]["id"]
    return Bearer(tenant.site.client, tenant.secrets["watch"]) if key in WATCH_KEYS else account


def _made(name: str) -> Any:
    async def make(tenant: "Tenant") -> str:
        if name not in tenant.ids:
            await lively(tenant)
        return tenant.ids[name]

    return make


async def make_replica_row(tenant: "Tenant") -> str:
    claimed = await (await lively(tenant)).claim(capacity=0)
    return claimed["replica"]["id"]


FACTORIES = {
    "replica": make_replica_row,
    "view": _made("view"),
    "action": _made("action"),
    "correlation": _made("correlation"),
}
STATES = {"run_action": lively_instance, "get_view": lively_instance, "get_triage": lively_instance}


def _fence(ids: Mapping[str, str]) -> int:
    return int(ids.get("fence", "1"))


BODIES: dict[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    "Claim": lambda ids: {
        "app": ids.get("claimed_app", "none"),
        "replica": "every-route",
        "capacity": 1,
        "wait": 0,
    },
    "Reports": lambda ids: {
        "reports": [
            {
                "operation": ids.get("operation", "opn_" + "7" * 26),
                "grant": "moor_ogr_none",
                "fence": 1,
                "sequence": 1,
                "state": "running",
            }
        ]
    },
    "Observed": lambda ids: {"fence": _fence(ids), "health": "healthy", "fresh_for": 60},
    "ProbesCreate": lambda ids: {
        "fence": _fence(ids),
        "probes": [
            {
                "name": ids.get("probe", "none"),
                "member": ids.get("probed_member", "mem_" + "7" * 26),
            }
        ],
    },
    "RepairRequest": lambda ids: {"fence": _fence(ids), "reason": "a replica lost its keys"},
    "UsageReport": lambda ids: {
        "fence": _fence(ids),
        "records": [
            {
                "meter": ids.get("view", "none"),
                "key": fresh(),
                "quantity": 1.5,
                "from_at": "2026-01-01T00:00:00Z",
                "until_at": "2026-01-02T00:00:00Z",
            }
        ],
    },
    "ViewPut": lambda ids: {
        "fence": _fence(ids),
        "generation": 1,
        "upserts": [{"key": "a", "size": 1}],
    },
    "ActionRun": lambda ids: {"reason": "to see what happens"},
    "TriageOpen": lambda ids: {"org": ids["org"], "reason": "their ticket asks for it"},
}
