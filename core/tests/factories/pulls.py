"""A shop: a publisher with a signed artifact in a published version, and whoever is entitled."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.callers import Caller
from core.tests.factories import artifacts, catalog, entitlements

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant

NAME = "thing.tar"


@dataclass(frozen=True)
class Shop:
    """What is on offer, and who made it."""

    publisher: "Tenant"
    app: dict[str, Any]
    version: dict[str, Any]
    artifact: dict[str, Any]
    content: bytes
    key: str
    pair: Ed25519PrivateKey

    def wish(self, **changes: Any) -> dict[str, Any]:
        """What asks for a pull."""
        return {"app": self.app["id"], "artifact": NAME, **changes}

    async def revoke(self) -> httpx2.Response:
        body = {"reason": "It opens a back door."}
        return await self.publisher.admin.post(f"/v1/artifacts/{self.artifact['id']}/revoke", body)


async def open_shop(
    publisher: "Tenant", *, visibility: str = "platform", content: bytes | None = None
) -> Shop:
    admin, project = publisher.admin, publisher.project.id
    content = os.urandom(1000) if content is None else content
    pair = Ed25519PrivateKey.generate()
    key = (await artifacts.register_key(admin, project, pair))["id"]
    artifact = await artifacts.upload(admin, project, content, name=NAME)
    signed = await artifacts.sign(admin, artifact, key, pair)
    assert signed.status_code == 200, signed.text
    app = await entitlements.make_app(admin, project, visibility=visibility)
    version = await catalog.publish(admin, app, artifacts=[artifact])
    return Shop(publisher, app, version, artifact, content, key, pair)


async def issue(caller: Caller, project: str, wish: dict[str, Any]) -> dict[str, Any]:
    return await catalog.made(caller, f"/v1/projects/{project}/pulls", wish)


async def fetch(caller: Caller, pull: dict[str, Any], **headers: str) -> httpx2.Response:
    spelled = {name.replace("_", "-"): value for name, value in headers.items()}
    return await caller.get(
        f"/v1/pulls/{pull['id']}/content", headers={"moorage-pull": pull["secret"], **spelled}
    )


# For the tests that are made from the routes


async def await_pull(tenant: "Tenant") -> None:
    """An app of the tenant's own, that its project is entitled to."""
    shop = await open_shop(tenant, visibility="project")
    await entitlements.entitle(tenant.admin, tenant.project.id, shop.app["id"])
    tenant.ids["pulled_app"] = shop.app["id"]


async def make_pull(tenant: "Tenant") -> str:
    await await_pull(tenant)
    wish = {"app": tenant.ids["pulled_app"], "artifact": NAME}
    pull = await issue(tenant.admin, tenant.project.id, wish)
    tenant.ids["pull_secret"] = pull["secret"]
    return pull["id"]
