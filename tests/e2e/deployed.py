"""Instances, as their project's admin uses them."""

from typing import Any

from tests.e2e import shop
from tests.e2e.callers import WITHIN
from tests.e2e.shop import Shop
from tests.e2e.world import Tenant


class Deployed:
    """One instance, as its project's admin sees it."""

    def __init__(self, tenant: Tenant, id: str) -> None:
        self.id, self.admin = id, tenant.admin

    @property
    def path(self) -> str:
        return f"/v1/instances/{self.id}"

    def read(self) -> dict[str, Any]:
        return self.admin.get(self.path)

    def members(self, **query: Any) -> dict[str, dict[str, Any]]:
        words = "&".join(f"{name}={value}" for name, value in query.items())
        found = self.admin.get(f"{self.path}/members?limit=200&{words}")["items"]
        return {member["name"]: member for member in found}

    def ask(self, verb: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask for something, and wait for how it ended."""
        return self.done(self.admin.post(f"{self.path}/{verb}", body or {}))

    def done(self, operation: dict[str, Any], *, seconds: float = WITHIN) -> dict[str, Any]:
        found: dict[str, Any] = shop.ended(self.admin, operation["id"], seconds=seconds)
        assert found["status"] == "succeeded", found
        return found

    def steps(self, kind: str) -> list[dict[str, Any]]:
        """The steps of every operation of a kind, so far."""
        found = self.admin.get(f"/v1/operations?instance={self.id}&kind={kind}&limit=200")["items"]
        paths = [f"/v1/operations/{operation['id']}/steps" for operation in found]
        return [step for path in paths for step in self.admin.get(path)["items"]]

    def put(self, key: str, value: str = "1") -> dict[str, Any]:
        given = {"input": {"key": key, "value": value}}
        headers = {"prefer": "wait=10"}
        asked = self.admin.post(f"{self.path}/actions/echo.put", given, headers=headers)
        return self.done(asked)["result"]


def request(
    tenant: Tenant, app: Shop, name: str, **machines: list[str]
) -> tuple[Deployed, dict[str, Any]]:
    """Ask for an instance; it, and the operation that brings it up."""
    wish = {
        "name": name,
        "app": app.app,
        "version": "0.1.0",
        "operator": app.operator,
        "components": {key: {"allocations": held} for key, held in machines.items()},
    }
    made = tenant.admin.post(f"/v1/projects/{tenant.project}/instances", wish)
    return Deployed(tenant, made["id"]), made["last_operation"]


def deploy(tenant: Tenant, app: Shop, name: str, **machines: list[str]) -> Deployed:
    """An instance that runs."""
    found, operation = request(tenant, app, name, **machines)
    found.done(operation)
    return found
