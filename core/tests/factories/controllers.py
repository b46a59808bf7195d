"""Controllers for tests: they claim, report and watch over HTTP, as anybody's would."""

from dataclasses import dataclass, field
from typing import Any

import httpx2

from core.tests.factories import catalog
from core.tests.factories.instances import Echo
from core.tests.factories.tenants import Bearer
from core.tests.site import fresh


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
        (mine,) = [each for each in claimed["watches"] if each["instance"]["id"] == instance]
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
