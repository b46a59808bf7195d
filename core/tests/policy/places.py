"""An app with signed artifacts, tenants that may use it, and layers above them."""

from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.callers import Caller
from core.tests.factories import artifacts, catalog, entitlements
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh

PLATFORM = "/v1/policy/global"


async def put(caller: Caller, path: str, document: Any, **query: str) -> Any:
    """Write a layer over what it says now."""
    tag = (await caller.get(path)).headers["etag"]
    body = {"document": document}
    return await caller.put(path, body, headers={"if-match": tag}, params=query)


async def written(caller: Caller, path: str, document: Any, **query: str) -> dict[str, Any]:
    answer = await put(caller, path, document, **query)
    assert answer.status_code == 200, answer.text
    return answer.json()


@dataclass(frozen=True)
class Publisher:
    """Somebody who publishes one app to all."""

    tenant: Tenant
    app: dict[str, Any]
    pair: Ed25519PrivateKey
    key: str

    async def publish(self, number: str, *, signed: bool = True, more: str = "") -> dict[str, Any]:
        """A version with one artifact `bundle`."""
        caller, project = self.tenant.admin, self.tenant.project.id
        made = await artifacts.upload(caller, project, fresh().encode())
        if signed:
            answer = await artifacts.sign(caller, made, self.key, self.pair)
            assert answer.is_success, answer.text
        named = [{**made, "name": "bundle"}]
        version = await catalog.publish(
            caller, self.app, version=number, artifacts=named, more=more
        )
        return {**version, "artifact": made["id"]}

    async def promote(self, version: dict[str, Any], channel: str) -> None:
        body = {"channel": channel, "version": version["id"]}
        await catalog.made(self.tenant.admin, f"/v1/apps/{self.app['id']}/promotions", body)


async def make_publisher(site: Site, *, visibility: str = "platform") -> Publisher:
    tenant = await make_tenant(site)
    pair = Ed25519PrivateKey.generate()
    key = await artifacts.register_key(tenant.admin, tenant.project.id, pair)
    body = catalog.new_app(visibility=visibility)
    app = await catalog.made(tenant.admin, f"/v1/projects/{tenant.project.id}/apps", body)
    return Publisher(tenant, app, pair, key["id"])


async def entitle(tenant: Tenant, publisher: Publisher, **wish: str) -> dict[str, Any]:
    return await entitlements.entitle(tenant.admin, tenant.project.id, publisher.app["id"], **wish)


async def explain(caller: Caller, tenant: Tenant, app: str, **asked: Any) -> dict[str, Any]:
    body = {"project": tenant.project.id, "app": app, "operation": "instance.deploy", **asked}
    answer = await caller.post("/v1/policy/explain", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusals(decision: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(v["layer"], v["dimension"]) for v in decision["verdicts"] if v["allowed"] is False]
