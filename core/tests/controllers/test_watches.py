"""Watches: who looks after an instance, and what they may say and ask."""

from datetime import timedelta
from typing import Any

import pytest

from core.tests.factories import machines
from core.tests.factories.controllers import Replica, Watcher, another, make_replica
from core.tests.factories.instances import CLUSTER, Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import TimedSite
from moorage_core.controllers.sweeps import FreeWatches

WATCHED = (
    CLUSTER.replace("[exec, put]", "[exec, put, probe]")
    + """
scopes: [principals.read, usage.report, instance.repair]
probes:
  - {name: $app.ping, component: replica, command: [/usr/bin/true], timeout: 5}
meters:
  - {name: $app.keys, unit: keys, description: Keys that were written.}
"""
)
LATE = timedelta(seconds=31)


@pytest.fixture
async def echo(timed: TimedSite) -> Echo:
    return await make_echo(await make_tenant(timed), more=WATCHED)


@pytest.fixture
async def replica(echo: Echo) -> Replica:
    return await make_replica(echo)


@pytest.fixture
async def instance(echo: Echo) -> dict[str, Any]:
    return await echo.running(replicas=1)


@pytest.fixture
async def watcher(replica: Replica, instance: dict[str, Any]) -> Watcher:
    return await replica.watch(instance["id"])


def name(echo: Echo, word: str) -> str:
    return f"{echo.app['slug'].replace('-', '_')}.{word}"


async def member(echo: Echo, instance: dict[str, Any], component: str) -> dict[str, Any]:
    path = f"/v1/instances/{instance['id']}/members?component={component}"
    return (await echo.admin.get(path)).json()["items"][0]


# Who watches


@pytest.mark.rule("WV-1")
async def test_an_instance_is_watched_by_one_replica(
    replica: Replica, instance: dict[str, Any]
) -> None:
    mine = await replica.claim(capacity=0, watch_capacity=10)
    others = await another(replica).claim(capacity=0, watch_capacity=10)

    assert [each["instance_id"] for each in mine["watches"]] == [instance["id"]]
    assert mine["watches"][0]["grant"].startswith("moor_wgr_")
    assert others["watches"] == []


async def test_a_watch_whose_answer_was_lost_is_told_again(
    replica: Replica, instance: dict[str, Any]
) -> None:
    lost = await replica.claim(heard=False, capacity=0, watch_capacity=10)

    told = await replica.claim(capacity=0, watch_capacity=10)
    after = await replica.claim(capacity=0, watch_capacity=10)

    assert told["watches"] == lost["watches"] != []
    assert after["watches"] == []


@pytest.mark.rule("WV-1")
async def test_the_watch_of_a_silent_replica_goes_to_another(
    timed: TimedSite, replica: Replica, watcher: Watcher
) -> None:
    timed.clock.move(LATE)
    await FreeWatches(timed.platform).activate()
    next_one = await make_replica(replica.echo)

    taken = await next_one.watch(watcher.instance)
    stale = await watcher.observe()
    fresh = await taken.observe()

    assert taken.fence == watcher.fence + 1
    assert stale.status_code == 401
    assert fresh.status_code == 200, fresh.text


async def test_a_replica_that_leaves_frees_its_watches_at_once(
    replica: Replica, watcher: Watcher
) -> None:
    claimed = await replica.claim(capacity=0)
    await replica.leave(claimed["replica"]["id"])

    taken = await another(replica).watch(watcher.instance)
    lost = await replica.claim(capacity=0, watching=[watcher.instance])

    assert taken.fence == watcher.fence + 1
    assert lost["lost_watches"] == [watcher.instance]


@pytest.mark.rule("WV-6")
async def test_whoever_watches_is_told_what_moved(
    echo: Echo, replica: Replica, watcher: Watcher
) -> None:
    await echo.ask(watcher.instance, "configure", {"config": {"greeting": "moin"}})
    await echo.work()

    told = await replica.claim(capacity=0)
    after = await replica.claim(capacity=0)

    (hint,) = told["hints"]
    assert hint["instance_id"] == watcher.instance
    assert "config" in hint["moved"]
    assert [each["config"]["greeting"] for each in told["instances"]] == ["moin"]
    assert after["hints"] == []


@pytest.mark.rule("WV-6")
async def test_a_hint_that_was_lost_comes_as_the_whole_watch(
    echo: Echo, replica: Replica, watcher: Watcher
) -> None:
    await echo.ask(watcher.instance, "configure", {"config": {"greeting": "moin"}})
    await echo.work()
    await replica.claim(heard=False, capacity=0)

    told = await replica.claim(capacity=0)

    (watch,) = told["watches"]
    assert watch["grant"] == watcher.grant
    assert [each["config"]["greeting"] for each in told["instances"]] == ["moin"]


async def test_of_an_instance_that_is_gone_nothing_more_is_said(
    echo: Echo, watcher: Watcher
) -> None:
    await echo.ask(watcher.instance, "decommission")
    await echo.work()

    answer = await watcher.observe()

    assert (await echo.get(watcher.instance))["status"] == "deleted"
    assert answer.status_code == 401


# What is seen


@pytest.mark.rule("WV-2")
async def test_what_is_observed_sets_health_and_never_a_state(
    echo: Echo, watcher: Watcher, instance: dict[str, Any]
) -> None:
    one = await member(echo, instance, "replica")

    answer = await watcher.observe(
        "degraded",
        reasons=["one replica lags"],
        endpoints={"host": "198.18.0.9", "port": 80},
        members={one["id"]: {"health": "unhealthy", "reasons": ["lags"]}},
        fresh_for=60,
    )

    assert answer.status_code == 200, answer.text
    seen = await echo.get(watcher.instance)
    assert (seen["health"], seen["health_reasons"]) == ("degraded", ["one replica lags"])
    assert seen["endpoints"] == {"host": "198.18.0.9", "port": 80}
    assert seen["status"] == "running"
    assert (await member(echo, instance, "replica"))["health"] == "unhealthy"


async def test_to_observe_many_members_costs_no_more_statements_than_to_observe_one(
    echo: Echo, replica: Replica
) -> None:
    database, costs = echo.tenant.site.platform.database, list[int]()
    for replicas in (1, 5):
        made = await echo.running(replicas=replicas)
        watcher = await replica.watch(made["id"])
        listed = await echo.admin.get(f"/v1/instances/{made['id']}/members?component=replica")
        ids = [each["id"] for each in listed.json()["items"]]
        assert len(ids) == replicas
        before = database.statements
        answer = await watcher.observe(
            "degraded", members={id: {"health": "unhealthy"} for id in ids}
        )
        costs.append(database.statements - before)
        assert answer.status_code == 200, answer.text

    assert costs[0] == costs[1]


@pytest.mark.rule("WV-3")
async def test_a_fence_that_is_not_the_watchs_is_refused(watcher: Watcher) -> None:
    watcher.fence += 1

    answer = await watcher.observe()

    assert (answer.status_code, answer.json()["code"]) == (409, "watch_ended")


@pytest.mark.rule("WV-4")
async def test_a_watch_opens_its_own_instance_and_no_other(echo: Echo, watcher: Watcher) -> None:
    other = await echo.running()
    watcher.instance = other["id"]

    answer = await watcher.observe()

    assert answer.status_code == 404


async def test_people_do_not_observe(echo: Echo, instance: dict[str, Any]) -> None:
    body = {"fence": 1, "health": "healthy"}

    answer = await echo.admin.put(f"/v1/instances/{instance['id']}/observed", body)

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.rule("WV-5")
async def test_a_watch_changes_nothing_on_a_machine(
    echo: Echo, watcher: Watcher, instance: dict[str, Any]
) -> None:
    await echo.ask(watcher.instance, "restart")
    (brief,) = await echo.claim()
    one = await member(echo, instance, "replica")
    wish = {"key": "a/b", "kind": "exec", "allocation": one["allocation_id"]}

    answer = await watcher.caller.post(
        f"/v1/operations/{brief['id']}/tasks", {"tasks": [wish | {"input": {"argv": ["true"]}}]}
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "watch_changes_nothing")


# What is asked for


async def test_a_probe_is_a_task_that_its_watcher_can_follow(
    echo: Echo, watcher: Watcher, instance: dict[str, Any]
) -> None:
    one = await member(echo, instance, "replica")
    wish = {"name": name(echo, "ping"), "member": one["id"]}

    answer = await watcher.send("POST", "probes", probes=[wish])
    again = await watcher.send("POST", "probes", probes=[wish])

    assert answer.status_code == 200, answer.text
    (task,) = answer.json()["tasks"]
    assert again.json()["tasks"] == [task]
    followed = await watcher.caller.get(f"/v1/tasks/{task['id']}")
    assert (followed.status_code, followed.json()["kind"]) == (200, "probe")


async def test_a_watcher_sees_no_task_but_its_probes(echo: Echo, watcher: Watcher) -> None:
    other = await machines.make_task(echo.tenant)

    answer = await watcher.caller.get(f"/v1/tasks/{other}")

    assert answer.status_code == 404


@pytest.mark.rule("WV-5")
async def test_only_declared_probes_run_and_only_where_declared(
    echo: Echo, watcher: Watcher, instance: dict[str, Any]
) -> None:
    leader = await member(echo, instance, "leader")
    ping = name(echo, "ping")

    misplaced = await watcher.send(
        "POST", "probes", probes=[{"name": ping, "member": leader["id"]}]
    )
    unknown = await watcher.send(
        "POST", "probes", probes=[{"name": name(echo, "rm"), "member": leader["id"]}]
    )

    assert (misplaced.status_code, misplaced.json()["code"]) == (409, "probe_misplaced")
    assert (unknown.status_code, unknown.json()["code"]) == (422, "probe_unknown")


async def test_who_may_be_on_the_cluster_is_told_by_login(
    timed: TimedSite, echo: Echo, watcher: Watcher
) -> None:
    person = await timed.actor("project_member", project=echo.tenant.project)
    viewer = await timed.actor("viewer", project=echo.tenant.project)
    await machines.make_login_row(echo.tenant, person.id)
    await machines.make_login_row(echo.tenant, viewer.id)

    answer = await watcher.caller.get(f"/v1/instances/{watcher.instance}/principals")

    assert answer.status_code == 200, answer.text
    there = {each["user_id"]: each for each in answer.json()["items"]}
    assert there.keys() == {echo.admin.id, person.id}, "those with a role, and no viewer"
    found = there[person.id]
    assert found["uid"] >= 200_000
    assert (found["roles"], found["projects"]) == (["project_member"], [echo.project])


@pytest.mark.rule("WV-9")
async def test_usage_counts_once(echo: Echo, watcher: Watcher) -> None:
    record = {
        "meter": name(echo, "keys"),
        "key": "2026-01-01",
        "quantity": 2.5,
        "from_at": "2026-01-01T00:00:00Z",
        "until_at": "2026-01-02T00:00:00Z",
    }
    body = {"fence": watcher.fence, "records": [record]}

    first = await watcher.caller.post("/v1/usage", body)
    again = await watcher.caller.post("/v1/usage", body)
    other = {**body, "records": [record | {"meter": name(echo, "rows")}]}
    unknown = await watcher.caller.post("/v1/usage", other)

    assert first.json() == {"recorded": 1, "repeated": 0}
    assert again.json() == {"recorded": 0, "repeated": 1}
    assert (unknown.status_code, unknown.json()["code"]) == (422, "meter_unknown")


async def test_whoever_watches_asks_for_a_repair_and_gets_it_to_do(
    echo: Echo, replica: Replica, watcher: Watcher
) -> None:
    answer = await watcher.send("POST", "repair-requests", reason="a replica lost its keys")

    assert answer.status_code == 202, answer.text
    (brief,) = (await replica.claim())["operations"]
    assert (brief["id"], brief["kind"]) == (answer.json()["id"], "instance.repair")
    assert brief["requested_by"]["kind"] == "watch"


async def test_a_repair_keeps_to_the_members_that_its_watch_names(
    echo: Echo, instance: dict[str, Any], replica: Replica, watcher: Watcher
) -> None:
    ill = (await member(echo, instance, "replica"))["id"]

    await watcher.send("POST", "repair-requests", reason="a replica lost its keys", members=[ill])

    (brief,) = (await replica.claim())["operations"]
    assert brief["member_ids"] == [ill]


async def test_a_repair_that_has_not_ended_is_the_one_that_is_asked_for_again(
    watcher: Watcher,
) -> None:
    reasons = ("a replica lost its keys", "a replica lost its keys", "a replica is gone")
    asked = [await watcher.send("POST", "repair-requests", reason=each) for each in reasons]

    first, again, other = (answer.json()["id"] for answer in asked)
    assert first == again
    assert other != first


@pytest.mark.rule("SO-4")
async def test_a_version_that_did_not_ask_for_a_scope_has_it_not(timed: TimedSite) -> None:
    plain = await make_echo(await make_tenant(timed))
    instance = await plain.running()
    watcher = await (await make_replica(plain)).watch(instance["id"])

    answer = await watcher.caller.get(f"/v1/instances/{instance['id']}/principals")

    assert (answer.status_code, answer.json()["code"]) == (403, "scope_not_asked")
