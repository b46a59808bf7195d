"""kill -9 of the platform in the middle of a burst: the client's changes are there, each once."""

import asyncio
from collections import Counter

import moorage
from moorage import Client
from moorage.models import OrgRead, ProjectRead
from sdk.tests.running import Platform

BURST = 120


async def test_a_burst_outlives_a_crash_of_the_platform(
    platform: Platform, token: str, admin: Client, org: OrgRead
) -> None:
    answered: list[ProjectRead] = []
    some = asyncio.Event()

    async def create(client: Client, number: int) -> None:
        answered.append(await client.projects.create(org, slug=f"p-{number}", name="Burst"))
        if len(answered) == BURST // 4:
            some.set()

    async def crash() -> None:
        await some.wait()
        await asyncio.to_thread(platform.kill)
        await asyncio.to_thread(platform.start)

    auth = moorage.AccessToken(token)
    async with (
        Client(platform.url, auth=auth, patience=120) as client,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(crash())
        for number in range(BURST):
            group.create_task(create(client, number))

    found = Counter(project.slug for project in await admin.projects.list(org).all())
    assert found == Counter(f"p-{number}" for number in range(BURST))
    assert {project.id for project in answered} == {
        project.id for project in await admin.projects.list(org).all()
    }
