"""Claims: what a controller is handed, once, again, and not at all."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import ANY

import pytest

from core.tests.factories.controllers import Replica, another, make_replica
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


@pytest.fixture
async def replica(echo: Echo) -> Replica:
    return await make_replica(echo)


def said(brief: dict[str, Any], state: str, **more: Any) -> dict[str, Any]:
    """One report of several."""
    own = {"operation": brief["id"], "grant": brief["grant"], "fence": brief["fence"]}
    return {**own, "sequence": brief["sequence"] + 1, "state": state, **more}


async def test_a_claim_hands_over_everything_that_the_work_needs(
    echo: Echo, replica: Replica
) -> None:
    made = await echo.deploy(replicas=1, config={"greeting": "moin"})

    claimed = await replica.claim()

    (brief,) = claimed["operations"]
    assert (brief["kind"], brief["phase"], brief["direction"]) == (
        "instance.deploy",
        "prepare",
        "forward",
    )
    (instance,) = claimed["instances"]
    assert instance["id"] == brief["instance_id"] == made["id"]
    assert instance["config"]["greeting"] == "moin"
    assert [m["component"] for m in instance["members"]] == ["leader", "replica"]
    assert len(brief["batch"]) == 2
    assert brief["grant"].startswith("moor_ogr_")
    asked_by = brief["requested_by"]
    assert (asked_by["kind"], asked_by["id"]) == ("user", made["requested_by"])
    assert claimed["next"] == brief["handout"] == 1


async def test_a_claim_of_many_children_tells_their_instance_once(
    echo: Echo, replica: Replica
) -> None:
    made = await echo.deploy(replicas=5)
    for _ in ("prepare", "the leader"):
        briefs = (await replica.claim())["operations"]
        body = {"reports": [said(brief, "succeeded") for brief in briefs]}
        await replica.account.post("/v1/controller/reports", body)

    claimed = await replica.claim(capacity=100, watch_capacity=100)

    (instance,) = claimed["instances"]
    children, (watch,) = claimed["operations"], claimed["watches"]
    assert [each["kind"] for each in children] == ["member.add"] * 5
    assert {each["instance_id"] for each in (*children, watch)} == {instance["id"]} == {made["id"]}
    assert {each["member"]["id"] for each in children} <= {m["id"] for m in instance["members"]}
    assert [each["members"] for each in children] == [[] for _ in children]


async def test_whoever_watches_is_told_the_present_and_whoever_changes_it_the_change(
    echo: Echo, replica: Replica
) -> None:
    made = await echo.running(config={"greeting": "hello"})
    await echo.ask(made["id"], "configure", {"config": {"greeting": "moin"}})

    claimed = await replica.claim(watch_capacity=1)

    (instance,), (brief,) = claimed["instances"], claimed["operations"]
    assert instance["config"]["greeting"] == "hello"
    assert brief["change"]["config"]["greeting"] == "moin"
    assert brief["change"]["previous"]["config"]["greeting"] == "hello"
    assert brief["change"]["revision"] == instance["revision"] + 1
    assert [each["instance_id"] for each in claimed["watches"]] == [made["id"]]


async def test_the_end_of_a_removal_tells_in_full_only_who_is_gone(
    echo: Echo, replica: Replica
) -> None:
    made = await echo.running(replicas=2)
    found = await echo.admin.get(f"/v1/instances/{made['id']}/members?component=replica")
    member = found.json()["items"][0]["id"]
    removal = {"members": [member], "policy": "force", "reason": "no longer needed"}
    await echo.ask(made["id"], "members/remove", removal)

    told: dict[str | None, Any] = {}
    while briefs := (claimed := await replica.claim())["operations"]:
        told |= {brief["phase"]: (brief, claimed["instances"]) for brief in briefs}
        body = {"reports": [said(brief, "succeeded") for brief in briefs]}
        await replica.account.post("/v1/controller/reports", body)

    finish, (instance,) = told["finish"]
    assert finish["member_ids"] == finish["batch"] == [member]
    assert [each["id"] for each in finish["members"]] == [member]
    assert member not in {each["id"] for each in instance["members"]}
    assert told["prepare"][0]["members"] == []


async def test_a_deployment_comes_to_run_by_claims_and_reports_alone(
    echo: Echo, replica: Replica
) -> None:
    made = await echo.deploy(replicas=2)
    kinds: list[str] = []

    while briefs := (await replica.claim())["operations"]:
        body = {"reports": [said(brief, "succeeded") for brief in briefs]}
        answer = await replica.account.post("/v1/controller/reports", body)
        assert [each["status"] for each in answer.json()["reports"]] != [], answer.text
        kinds += [brief["kind"] for brief in briefs]

    assert kinds == ["instance.deploy", *["member.add"] * 3, "instance.deploy"]
    assert (await echo.get(made["id"]))["status"] == "running"


async def test_an_answer_that_was_lost_is_told_again_with_the_same_grant(
    echo: Echo, replica: Replica
) -> None:
    await echo.deploy()
    lost = await replica.claim(heard=False)

    told = await replica.claim()
    after = await replica.claim()

    assert [b["grant"] for b in told["operations"]] == [b["grant"] for b in lost["operations"]]
    assert told["operations"][0]["fence"] == lost["operations"][0]["fence"]
    assert after["operations"] == []


async def test_no_operation_is_handed_to_two(echo: Echo, replica: Replica) -> None:
    made = [await echo.deploy() for _ in range(4)]
    others = [replica, another(replica), another(replica)]

    claimed = await asyncio.gather(*(each.claim(capacity=2) for each in others))

    held = [b["instance_id"] for c in claimed for b in c["operations"]]
    assert sorted(held) == sorted(each["id"] for each in made)


async def test_capacity_is_not_exceeded(echo: Echo, replica: Replica) -> None:
    for _ in range(3):
        await echo.deploy()

    first = await replica.claim(capacity=2)
    nothing = await replica.claim(capacity=0)

    assert len(first["operations"]) == 2
    assert nothing["operations"] == []


async def test_reports_are_answered_one_by_one(echo: Echo, replica: Replica) -> None:
    await echo.deploy()
    (brief,) = (await replica.claim())["operations"]
    foreign = said(brief, "running") | {"grant": "moor_ogr_" + "x" * 55}

    answer = await replica.account.post(
        "/v1/controller/reports", {"reports": [foreign, said(brief, "running")]}
    )

    refused, taken = answer.json()["reports"]
    assert refused["problem"]["code"] == "grant_ended"
    assert (taken["problem"], taken["status"], taken["sequence"]) == (None, "running", 1)


async def test_a_wish_to_stop_is_told_once(echo: Echo, replica: Replica) -> None:
    await echo.deploy()
    (brief,) = (await replica.claim())["operations"]
    path = f"/v1/operations/{brief['id']}/cancel"
    answer = await echo.admin.post(path, {"reason": "changed my mind"})
    assert answer.status_code in (200, 202), answer.text

    told = await replica.claim()
    after = await replica.claim()

    assert told["cancels"] == [{"operation": brief["id"], "reason": "changed my mind"}]
    assert told["operations"] == []
    assert after["cancels"] == []


async def test_what_a_replica_no_longer_holds_it_is_told(echo: Echo, replica: Replica) -> None:
    await echo.deploy()
    claimed = await replica.claim()
    (brief,) = claimed["operations"]
    await replica.leave(claimed["replica"]["id"])

    told = await another(replica).claim()
    lost = await replica.claim(holds=[brief["id"]], capacity=0)

    assert [each["id"] for each in told["operations"]] == [brief["id"]]
    assert told["operations"][0]["fence"] == brief["fence"] + 1
    assert lost["lost"] == [brief["id"]]


@pytest.mark.rule("SO-1", "ON-2")
async def test_nobody_but_an_operator_of_the_app_claims(echo: Echo, replica: Replica) -> None:
    body = {"app": echo.app["slug"], "replica": "x", "wait": 0}

    person = await echo.admin.post("/v1/controller/claims", body)
    other = await replica.ask(app="another-app")

    assert (person.status_code, person.json()["code"]) == (403, "not_an_operator")
    assert (other.status_code, other.json()["code"]) == (403, "not_an_operator")


@pytest.mark.rule("SO-2")
async def test_an_operator_that_was_removed_claims_nothing(echo: Echo, replica: Replica) -> None:
    answer = await echo.admin.delete(f"/v1/app-operators/{echo.operator}")
    assert answer.status_code == 204, answer.text

    refused = await replica.ask()

    assert (refused.status_code, refused.json()["code"]) == (403, "not_an_operator")


async def test_a_waiting_claim_is_answered_when_something_becomes_ready(
    echo: Echo, replica: Replica
) -> None:
    waiting = asyncio.create_task(replica.claim(wait=20))
    while not echo.tenant.site.platform.hub.waiting:
        await asyncio.sleep(0)

    made = await echo.deploy()
    claimed = await asyncio.wait_for(waiting, 15)

    assert [b["instance_id"] for b in claimed["operations"]] == [made["id"]]


async def test_a_claim_that_still_waits_gets_nothing_for_a_replica_that_has_left(
    echo: Echo, replica: Replica
) -> None:
    await echo.deploy()
    claimed = await replica.claim()
    (brief,) = claimed["operations"]
    looked = "SELECT id, lease_expires_at FROM controller_replicas ORDER BY id"
    before = await echo.tenant.site.rows(looked)
    waiting = asyncio.create_task(replica.claim(wait=20))
    while await echo.tenant.site.rows(looked) == before:  # one that leaves before that comes back
        await asyncio.sleep(0)

    await replica.leave(claimed["replica"]["id"])

    assert (await asyncio.wait_for(waiting, 15))["operations"] == []
    (told,) = (await another(replica).claim())["operations"]
    assert told["id"] == brief["id"]


async def test_a_replica_that_has_left_can_come_back(echo: Echo, replica: Replica) -> None:
    claimed = await replica.claim()
    await replica.leave(claimed["replica"]["id"])

    made = await echo.deploy()
    back = await replica.claim()

    assert [each["instance_id"] for each in back["operations"]] == [made["id"]]


async def test_a_replica_of_somebody_else_cannot_be_sent_away(
    site: Site, echo: Echo, replica: Replica
) -> None:
    claimed = await replica.claim()
    stranger = await make_replica(await make_echo(await make_tenant(site)))

    answer = await stranger.leave(claimed["replica"]["id"])

    assert answer.status_code == 404


async def test_an_org_in_which_something_is_wrong_keeps_no_other_waiting(
    site: Site, echo: Echo, replica: Replica
) -> None:
    other = await make_echo(await make_tenant(site))
    mine, theirs = await echo.deploy(), await other.deploy()
    await _hand_to(echo, theirs["id"])

    async with _poisoned(site, echo.tenant.org.id):
        first = await replica.claim()
        second = await replica.claim(wait=1)
    third = await replica.claim()

    assert [each["instance_id"] for each in first["operations"]] == [theirs["id"]]
    assert (second["operations"], second["next"] >= first["next"]) == ([], True)
    assert [each["instance_id"] for each in third["operations"]] == [mine["id"]]
    assert await replica.claim() == third | {
        "replica": ANY,
        "instances": [],
        "operations": [],
    }


async def _hand_to(echo: Echo, instance: str) -> None:
    """Let the operator of one org serve an instance of another, as a publisher's does."""
    await echo.tenant.site.sql.execute(
        "UPDATE operations SET operator_id = %s WHERE app_instance_id = %s",
        (echo.operator, instance),
    )


@asynccontextmanager
async def _poisoned(site: Site, org: str) -> AsyncGenerator[None]:
    """A database in which nothing of one org can be handed over."""
    table = "ALTER TABLE operation_grants"
    check = f"{table} ADD CONSTRAINT poison CHECK (org_id <> '{org}') NOT VALID"
    await site.sql.execute(check.encode())
    try:
        yield
    finally:
        await site.sql.execute(f"{table} DROP CONSTRAINT poison".encode())
