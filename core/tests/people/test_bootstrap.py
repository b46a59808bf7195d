"""The first start makes one admin, whose password is told once."""

import asyncio

from core.tests.people.signing_in import log_in
from core.tests.site import Site
from moorage_core import bootstrap
from moorage_core.main import open_platform


async def test_the_first_admin_is_made_once_whoever_starts_first(site: Site) -> None:
    settings = site.platform.settings
    async with (
        open_platform(settings, background=False) as one,
        open_platform(settings, background=False) as two,
    ):
        made = await asyncio.gather(*(bootstrap.first_start(each) for each in (one, two, one, two)))

    told = [admin for admin in made if admin is not None]
    assert len(told) == 1
    answer = await log_in(site, told[0].email, told[0].password)
    assert answer.status_code == 200, answer.text
    assert len(told[0].password) >= 20
    assert await bootstrap.first_start(site.platform) is None


async def test_the_first_admin_can_make_orgs_and_was_made_by_the_system(site: Site) -> None:
    rows = await site.rows(
        """
        SELECT a.actor_kind, a.action FROM audit_entries a JOIN memberships m ON m.id = a.target
        WHERE m.role = 'platform_admin'
        """
    )

    assert rows == [("system", "iam.member.add")]


async def test_starting_together_makes_one_signing_key(site: Site) -> None:
    rows = await site.rows("SELECT count(*) FROM signing_keys")

    assert rows == [(1,)]
