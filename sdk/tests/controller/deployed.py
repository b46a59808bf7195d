"""A site for controllers: an app that is published and entitled, its operator, and machines."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import moorage
from moorage import Client, PrivateKey
from moorage.controller import settings
from moorage.controller.runner import Runner
from moorage.controller.settings import Settings
from moorage.models import (
    AppOperatorRead,
    AppRead,
    InstanceRead,
    PlacementWrite,
    ProjectRead,
)


@dataclass(frozen=True)
class Site:
    """An app whose controller can run."""

    admin: Client
    project: ProjectRead
    app: AppRead
    operator: AppOperatorRead
    account: str
    key: str
    private_key: PrivateKey = field(repr=False)

    def client(self, url: str) -> Client:
        auth = moorage.ServiceAccount(
            self.account, key=self.key, private_key=self.private_key, audience=self.admin.url
        )
        return Client(url, auth=auth)

    @asynccontextmanager
    async def controller(
        self, app: moorage.App, *, url: str | None = None, capacity: int = 8
    ) -> AsyncGenerator[Runner]:
        """A replica at work for as long as the block lasts."""
        url = url or self.admin.url
        named = Settings(
            url, self.account, self.key, replica=settings.own_name(), capacity=capacity
        )
        stopping = asyncio.Event()
        async with self.client(url) as operator, self.client(url) as machines:
            runner = Runner(app, operator, machines, named)
            work = asyncio.create_task(runner.run(stopping))
            try:
                yield runner
            finally:
                stopping.set()
                await work

    async def deploy(self, name: str, **components: list[str]) -> InstanceRead:
        placed = {key: PlacementWrite(allocations=ids) for key, ids in components.items()}
        return await self.admin.instances.deploy(
            self.project, name=name, app=self.app, operator=self.operator, components=placed
        )


async def build(admin: Client, project: ProjectRead, manifest: str) -> Site:
    """Publish, entitle, register: all in one project, by somebody who may."""
    slug = manifest.split("slug: ")[1].split("\n")[0]
    app = await admin.apps.create(project, slug=slug, name="Sample", summary="It works.")
    draft = await admin.apps.create_version(app, manifest=manifest)
    await admin.apps.publish_version(draft)
    offer = await admin.entitlements.offer(project, app)
    await admin.entitlements.create(project, app=app, consent=offer.consent)
    account = await admin.service_accounts.create(
        project, name="operator", permissions=["apps.operation.claim"]
    )
    private = PrivateKey.generate()
    key = await admin.service_accounts.create_key(account, public_key=private.public)
    operator = await admin.operators.register(
        project, app=app, service_account=account, name="operator"
    )
    return Site(admin, project, app, operator, account.id, key.id, private)
