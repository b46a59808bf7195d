"""Lists are read to their end, page by page."""

import pytest

from moorage import Client
from moorage.models import OrgRead
from sdk.tests.wire import LoseAnswer, Wire


async def make_projects(admin: Client, org: OrgRead, count: int) -> list[str]:
    created = [
        await admin.projects.create(org, slug=f"p-{number}", name=f"Project {number}")
        for number in range(count)
    ]
    return [project.id for project in created]


@pytest.mark.rule("PG-1")
async def test_a_list_goes_on_over_its_pages(admin: Client, org: OrgRead) -> None:
    made = await make_projects(admin, org, 5)

    found = [project.id async for project in admin.projects.list(org, page_size=2)]

    assert found == made


async def test_a_list_can_be_had_page_by_page(admin: Client, org: OrgRead) -> None:
    made = await make_projects(admin, org, 5)

    pages = [page async for page in admin.projects.list(org, page_size=2).pages()]

    assert [len(page.items) for page in pages] == [2, 2, 1]
    assert [item.id for page in pages for item in page.items] == made


async def test_a_list_can_be_gone_through_twice(admin: Client, org: OrgRead) -> None:
    made = await make_projects(admin, org, 3)
    projects = admin.projects.list(org, page_size=2)

    first, second = await projects.all(), await projects.all()

    assert [p.id for p in first] == [p.id for p in second] == made


async def test_a_lost_page_is_fetched_again(
    over_bad: Client, bad: Wire, admin: Client, org: OrgRead
) -> None:
    made = await make_projects(admin, org, 4)
    bad.faults = [LoseAnswer(), LoseAnswer()]

    found = [project.id async for project in over_bad.projects.list(org, page_size=2)]

    assert found == made


async def test_a_page_that_nobody_looks_at_is_not_fetched(
    over_bad: Client, bad: Wire, admin: Client, org: OrgRead
) -> None:
    await make_projects(admin, org, 4)

    async for _ in over_bad.projects.list(org, page_size=2):
        break

    assert len(bad.seen) == 1


async def test_lists_without_pages_are_lists_too(admin: Client) -> None:
    assert "viewer" in [role.role async for role in admin.roles.list()]
