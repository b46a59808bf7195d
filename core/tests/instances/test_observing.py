"""What a controller sees of an instance: health and conditions, never a state."""

from datetime import timedelta
from typing import Any

import pytest

from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site, TimedSite
from moorage_core import unit
from moorage_core.instances import commands
from moorage_core.instances.sweeps import ForgetStale


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


async def observe(echo: Echo, instance: str, **said: Any) -> None:
    org = echo.tenant.org.id
    async with unit.work(echo.tenant.site.platform, org) as ctx:
        await commands.report_observed(ctx, instance, org=org, said=said)


async def test_health_conditions_and_components_are_shown(echo: Echo) -> None:
    made = await echo.running(replicas=1)

    await observe(
        echo,
        made["id"],
        health="degraded",
        reasons=["One replica lags."],
        conditions=[{"type": "lagging", "status": True, "reason": "The network is slow."}],
        components={"replica": {"health": "degraded", "summary": "1 of 1, lagging"}},
    )

    after = await echo.get(made["id"])
    assert (after["health"], after["health_reasons"]) == ("degraded", ["One replica lags."])
    assert [each["type"] for each in after["conditions"]] == ["controller_absent", "lagging"]
    replica = after["components"][1]
    assert (replica["health"], replica["summary"]) == ("degraded", "1 of 1, lagging")
    assert after["status"] == "running"


async def test_only_a_change_of_health_is_an_event(site: Site, echo: Echo) -> None:
    made = await echo.running()

    for health in ("healthy", "healthy", "degraded"):
        await observe(echo, made["id"], health=health)

    rows = await site.rows(
        "SELECT data ->> 'health' FROM events WHERE subject = %s AND type LIKE %s"
        " ORDER BY subject_version",
        made["id"],
        "%health_changed",
    )
    assert [row[0] for row in rows] == ["healthy", "degraded"]


async def test_what_is_not_said_stays(echo: Echo) -> None:
    made = await echo.running()
    await observe(echo, made["id"], health="healthy", endpoints={"host": "a", "port": 1})

    await observe(echo, made["id"], health="healthy")

    assert (await echo.get(made["id"]))["endpoints"] == {"host": "a", "port": 1}


async def test_of_a_deleted_instance_nothing_is_said(echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "decommission")
    await echo.work()

    await observe(echo, made["id"], health="healthy")

    assert (await echo.get(made["id"]))["health"] == "unknown"


async def test_health_is_unknown_once_nothing_was_heard_for_too_long(timed: TimedSite) -> None:
    echo = await make_echo(await make_tenant(timed))
    made = await echo.running()
    await observe(echo, made["id"], health="healthy", fresh_for=30)

    timed.clock.move(timedelta(seconds=31))
    read = await echo.get(made["id"])
    done = await ForgetStale(timed.platform).activate()
    swept = await echo.get(made["id"])

    assert (read["health"], swept["health"]) == ("unknown", "unknown")
    assert swept["health_reasons"] == ["Nothing was heard of it for too long."]
    assert done["forgotten"] == 1
    assert (await ForgetStale(timed.platform).activate())["forgotten"] == 0
