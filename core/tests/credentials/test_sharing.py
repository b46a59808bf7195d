"""Many hosts without agent and few hands: whose turn it is."""

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from core.tests.credentials import daemon, places
from core.tests.credentials.daemon import Daemon
from core.tests.credentials.places import put_wish
from core.tests.embedded.places import open_place
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, make_workplace
from moorage_core.credentials import rules, store
from moorage_core.credentials.models import OpenWork
from moorage_core.credentials.sweeps import RunSshTasks


def waiting(*orgs: str) -> list[OpenWork]:
    return [OpenWork(f"nod_{n}", f"alc_{n}", org, f"prj_{org}") for n, org in enumerate(orgs)]


def chosen(work: list[OpenWork], busy: dict[str, int], *, hands: int) -> str:
    return "".join(each.org_id for each in rules.choose(work, Counter(busy), hands=hands))


@pytest.mark.parametrize(
    ("orgs", "busy", "hands", "expected"),
    [
        ("a", {}, 1, "a"),
        ("aaaa", {}, 4, "aa"),
        ("abab", {}, 4, "aba"),
        ("aab", {}, 4, "aab"),
        ("aaaaaaaaaaaaaaaa", {}, 16, "aaaaaaaa"),
        ("bbbbbbbb", {"a": 8}, 16, "bbbb"),
        ("abcd", {"a": 8, "b": 4, "c": 2}, 16, "d"),
        ("abcde", {"a": 8, "b": 4, "c": 2, "d": 1}, 16, "e"),
        ("abc", {"a": 2, "b": 1}, 4, "c"),
        ("abc", {"a": 2, "b": 2}, 4, ""),
    ],
)
def test_nobody_takes_the_hands_that_others_need(
    orgs: str, busy: dict[str, int], hands: int, expected: str
) -> None:
    assert chosen(waiting(*orgs), busy, hands=hands) == expected


@pytest.fixture
def silent() -> Iterator[Daemon]:
    """Another host, that will say nothing."""
    with open_place() as folder, daemon.running(folder) as running:
        yield running


async def make_ready(site: Site, tenant: Tenant, host: Daemon) -> Workplace:
    place = await make_workplace(site, tenant, reach="ssh", address="127.0.0.1", ssh_port=host.port)
    made = await places.make_credential(place, name=f"key of {place.allocation}")
    host.admit(made["public_key"])
    await places.prepare(place, made["id"])
    return place


async def test_one_org_with_slow_hosts_does_not_keep_the_others_out(
    site: Site, host: Daemon, silent: Daemon, tmp_path: Path
) -> None:
    slow, quick = await make_tenant(site), await make_tenant(site)
    held_up = [await make_ready(site, slow, silent) for _ in range(3)]
    place = await make_ready(site, quick, host)
    silent.freeze()
    stuck = [(await each.ask(put_wish(tmp_path / "never")))[0]["id"] for each in held_up]
    (task,) = await place.ask(put_wish(tmp_path / "file"))
    machines = site.platform.settings.machines.model_copy(update={"ssh_hands": 3})
    settings = site.platform.settings.model_copy(update={"machines": machines})
    platform = dataclasses.replace(site.platform, settings=settings)

    working = asyncio.create_task(RunSshTasks(platform, linger=timedelta()).activate())
    try:
        status = await places.until(place, task["id"], "succeeded", "failed")
        others = [(await place.row(id))["status"] for id in stuck]
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    assert status == "succeeded"
    assert others == ["queued"] * 3, "they did not have to end first"


async def test_orgs_take_turns_in_what_is_looked_at(site: Site) -> None:
    many, few = await make_tenant(site), await make_tenant(site)
    for tenant in (many, many, many, few):
        place = await make_workplace(site, tenant, reach="ssh", address="10.0.0.9")
        await place.queue(reach="ssh", kind="put", key="step/put", input={})

    async with site.platform.database.sweep() as db:
        found = await store.list_open_work(db, limit=1000)

    ours = [work.org_id for work in found if work.org_id in (many.org.id, few.org.id)]
    assert ours == [many.org.id, few.org.id, many.org.id, many.org.id]
