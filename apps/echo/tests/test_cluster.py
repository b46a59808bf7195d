"""What servers should be, and what their answers mean."""

from datetime import UTC, datetime
from typing import Any

import pytest

from moorage_echo import cluster, echod
from moorage_echo.cluster import Finding, Place

LEADER = Place("leader-1", "leader", "10.0.0.1")
FIRST = Place("replica-1", "replica", "10.0.0.2")
SECOND = Place("replica-2", "replica", "10.0.0.3")
CONFIG = {"port": 7411, "max_keys": 5, "note": ""}


def server(place: Place, **more: Any) -> dict[str, Any]:
    said = {
        "name": place.name,
        "role": place.role,
        "version": "0.1.0",
        "revision": 3,
        "keys": 2,
        "digest": "same",
        "drained": False,
        "replicas": {},
        "minutes": {},
    }
    return said | more


def whole(**replicas: dict[str, Any]) -> dict[str, Any]:
    """What the leader says, with what each replica said to it."""
    known = {"replica-1": {"status": server(FIRST)}, "replica-2": {"status": server(SECOND)}}
    named = {name.replace("_", "-"): each for name, each in replicas.items()}
    both = {name: {"drained": False} | each for name, each in (known | named).items()}
    return server(LEADER, replicas=both)


def judge(status: dict[str, Any] | None) -> Finding:
    places = [LEADER, FIRST, SECOND]
    return cluster.overall(cluster.judge(status, places), places)


def test_the_note_reaches_no_server() -> None:
    settings = cluster.settings(FIRST, leader=LEADER, config=CONFIG)

    assert "note" not in settings
    assert (settings["leader"], settings["address"]) == ("10.0.0.1", "10.0.0.2")


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ({}, "nothing"),
        ({"settings": "others"}, "reload"),
        ({"version": "0.0.9"}, "restart"),
        (None, "restart"),
    ],
)
def test_a_server_is_restarted_only_where_nothing_less_helps(
    said: dict[str, Any] | None, wanted: str
) -> None:
    want = cluster.wanted(FIRST, leader=LEADER, version="0.1.0", config=CONFIG)
    right = server(FIRST, settings=echod.digest(want["settings"]))

    assert cluster.mending(said if said is None else right | said, wanted=want) == wanted


def test_the_leader_is_the_last_to_restart() -> None:
    assert cluster.restart_order([LEADER, SECOND, FIRST]) == [FIRST, SECOND, LEADER]


def test_a_whole_cluster_is_healthy() -> None:
    assert judge(whole()) == Finding("healthy", version="0.1.0")


def test_without_its_leader_a_cluster_is_unhealthy() -> None:
    found = judge(None)

    assert found.health == "unhealthy"
    assert found.reasons[0] == "leader-1: The leader does not answer."


@pytest.mark.parametrize(
    ("replica", "why"),
    [
        ({"error": "refused"}, "does not answer the leader: refused"),
        ({"status": server(FIRST, digest="other")}, "not all keys"),
    ],
)
def test_with_an_ill_replica_a_cluster_is_degraded(replica: dict[str, Any], why: str) -> None:
    found = judge(whole(replica_1=replica))

    assert found.health == "degraded"
    assert why in found.reasons[0]


def test_a_replica_that_the_leader_does_not_know_is_unhealthy() -> None:
    status = whole()
    del status["replicas"]["replica-2"]

    findings = cluster.judge(status, [LEADER, FIRST, SECOND])

    assert findings["replica-2"].health == "unhealthy"


def test_a_drained_replica_may_be_behind() -> None:
    drained = {"drained": True, "status": server(FIRST, digest="older", drained=True)}

    assert judge(whole(replica_1=drained)).health == "healthy"


def test_while_versions_differ_the_cluster_has_none() -> None:
    assert judge(whole(replica_1={"status": server(FIRST, version="0.2.0")})).version is None


def test_the_view_has_a_row_for_each_server_that_answers() -> None:
    rows = cluster.rows(whole(replica_2={"error": "refused"}))

    assert [row["member"] for row in rows] == ["leader-1", "replica-1"]
    assert rows[0] == {
        "member": "leader-1",
        "role": "leader",
        "keys": 2,
        "revision": 3,
        "writable": True,
    }


def test_only_minutes_that_are_over_are_used() -> None:
    status = server(LEADER, minutes={"2030-01-01T12:00Z": 3, "2030-01-01T12:01Z": 1})

    records = cluster.usage(status, now=datetime(2030, 1, 1, 12, 1, 30, tzinfo=UTC))

    assert [(each["key"], each["quantity"]) for each in records] == [("2030-01-01T12:00Z", 3)]


@pytest.mark.parametrize(
    ("policy", "overdue", "gone"),
    [
        ("wait", True, False),
        ("deadline", False, False),
        ("deadline", True, True),
        ("force", False, True),
    ],
)
def test_a_replica_with_readers_goes_as_the_policy_says(
    policy: str, overdue: bool, gone: bool
) -> None:
    assert cluster.is_drained(["report"], policy=policy, overdue=overdue) is gone
    assert cluster.is_drained([], policy=policy, overdue=overdue)
