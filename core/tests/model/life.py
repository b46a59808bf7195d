"""One instance on a real platform, driven by people and by controllers over the public API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx2

from core.tests.callers import Bearer, Caller
from core.tests.factories import catalog, machines
from core.tests.factories.instances import CLUSTER, Echo
from core.tests.site import TimedSite
from moorage_core.operations.sweeps import ExpireLeases, WakeDue

CLUSTER_THAT_ACTS = (
    CLUSTER
    + """
permissions:
  - {key: $app.key.use, description: May use keys., grants: [project_admin]}
actions:
  - {name: $app.look, title: Look, permission: $app.key.use}
  - {name: $app.poke, title: Poke, permission: $app.key.use, lock: member, component: replica}
  - {name: $app.freeze, title: Freeze, permission: $app.key.use, lock: instance}
"""
)
ACTIONS = {"look": "none", "poke": "shared", "freeze": "exclusive"}
"""What each keeps others from."""
REASON = {"reason": "the model wants it"}

Shown = dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """What the API shows of an instance."""

    instance: Shown
    operations: dict[str, Shown]
    members: dict[str, Shown]


@dataclass
class Brief:
    """What a replica was handed, and how far it has reported on it."""

    id: str
    grant: str
    fence: int
    phase: str | None
    sequence: int = 0
    last: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class Life:
    site: TimedSite
    echo: Echo
    root: Caller
    key: Mapping[str, str]
    """What proves the controller's account."""
    id: str = ""
    cursor: str = ""
    account: Bearer | None = None
    replicas: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    @property
    def admin(self) -> Caller:
        return self.echo.admin

    async def begin(self, replicas: int) -> None:
        """Deploy, and hear events from here on."""
        self.cursor = (await self.read("/v1/events", after="latest"))["next"]
        self.id = (await self.echo.deploy(replicas=replicas, version="1.0.0"))["id"]

    async def read(self, path: str, **query: Any) -> Shown:
        answer = await self.admin.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def look(self) -> Seen:
        operations: dict[str, Shown] = {}
        query: dict[str, Any] = {"instance": self.id, "limit": 100}
        while query:
            page = await self.read("/v1/operations", **query)
            operations |= {each["id"]: each for each in page["items"]}
            query = query | {"after": page["next"]} if page.get("next") else {}
        path = f"/v1/instances/{self.id}/members"
        members = await self.read(path, removed=True, limit=100)
        return Seen(
            await self.read(f"/v1/instances/{self.id}"),
            operations,
            {each["id"]: each for each in members["items"]},
        )

    # People

    async def ask(self, path: str, body: Any) -> str | None:
        """Ask for something; the code of the refusal, if it is refused."""
        return refusal(await self.admin.post(path, body))

    async def change(self, verb: str, **body: Any) -> str | None:
        return await self.ask(f"/v1/instances/{self.id}/{verb}", body)

    async def act(self, name: str, member: str | None) -> str | None:
        full = f"{self.echo.app['slug'].replace('-', '_')}.{name}"
        body = REASON | ({"member": member} if member else {})
        return await self.change(f"actions/{full}", **body)

    async def machines(self, number: int) -> list[str]:
        return [await machines.make_allocation_row(self.echo.tenant) for _ in range(number)]

    async def person(self, verb: str, operation: str) -> str | None:
        return await self.ask(f"/v1/operations/{operation}/{verb}", REASON)

    async def give_up(self) -> None:
        """Those who run the platform end it without its app."""
        path = f"/v1/platform/instances/{self.id}/abandon"
        answer = await self.root.post(path, REASON)
        assert answer.status_code == 200, answer.text

    # Controllers

    async def call(self, path: str, body: Any) -> Shown:
        """As the controller's account, whose tokens last for minutes."""
        if self.account is None:
            self.account = Bearer(self.site.client, await self.token())
        answer = await self.account.post(path, body)
        if answer.status_code == 401:
            self.account = Bearer(self.site.client, await self.token())
            answer = await self.account.post(path, body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def token(self) -> str:
        answer = await self.site.client.post("/v1/auth/token", json=dict(self.key))
        assert answer.status_code == 200, answer.text
        return answer.json()["access_token"]

    async def claim(self, replica: str, capacity: int) -> list[Brief]:
        known = self.replicas.setdefault(replica, {"after": 0})
        body = {"app": self.echo.app["slug"], "replica": replica, "wait": 0, "capacity": capacity}
        answer = await self.call("/v1/controller/claims", body | {"after": known["after"]})
        known |= {"after": answer["next"], "id": answer["replica"]["id"]}
        return [
            Brief(each["id"], each["grant"], each["fence"], each["phase"])
            for each in answer["operations"]
        ]

    async def say(self, brief: Brief, sequence: int, said: Mapping[str, Any]) -> str | None:
        """Report; the code of the refusal, if it is refused."""
        own = {"operation": brief.id, "grant": brief.grant, "fence": brief.fence}
        body = {"reports": [{**own, "sequence": sequence, **said}]}
        (answer,) = (await self.call("/v1/controller/reports", body))["reports"]
        return answer["problem"]["code"] if answer["problem"] else None

    async def leave(self, replica: str) -> None:
        await self.claim(replica, 0)
        assert self.account is not None, "it has just claimed"
        path = f"/v1/controller/replicas/{self.replicas.pop(replica)['id']}"
        answer = await self.account.delete(path)
        assert answer.status_code == 204, answer.text

    # Time

    async def pass_time(self, seconds: float) -> None:
        """Let time pass; the control plane is there all the while."""
        await ExpireLeases(self.site.platform).activate()
        self.site.clock.move(timedelta(seconds=seconds))
        async with self.site.platform.database.sweep() as db:
            await db.run("UPDATE pulse SET at = %s", (self.site.clock.now(),))
        for sweep in (ExpireLeases, WakeDue):
            await sweep(self.site.platform).activate()

    # Events

    async def events(self) -> dict[str, list[Shown]]:
        """What was told since the beginning, by subject."""
        await self.site.number()
        found: dict[str, list[Shown]] = {}
        while items := (page := await self.read("/v1/events", after=self.cursor, limit=1000))[
            "items"
        ]:
            self.cursor = page["next"]
            for each in items:
                found.setdefault(each["subject"], []).append(each)
        return found


def refusal(answer: httpx2.Response) -> str | None:
    if answer.status_code < 300:
        return None
    assert answer.status_code in (404, 409), answer.text
    return answer.json()["code"]


async def controller_key(echo: Echo) -> dict[str, str]:
    """A secret with which the operator's account proves itself."""
    key = await catalog.made(echo.admin, f"/v1/service-accounts/{echo.account}/keys", {})
    return {"service_account": echo.account, "key": key["id"], "client_secret": key["secret"]}


def new(known: Mapping[str, Any], seen: Mapping[str, Any]) -> Sequence[str]:
    """The ids that were not there before, in order."""
    return sorted(set(seen) - set(known))
