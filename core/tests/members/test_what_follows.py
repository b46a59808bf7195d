"""What else ends, and what is refused: docs/explanation/what-follows.md, the rows of instances."""

from datetime import timedelta
from typing import Any

import pytest

from core.tests.allocations import holding
from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.tenants import make_tenant
from core.tests.members.clusters import Cluster, make_cluster
from core.tests.site import Site, TimedSite
from moorage_core.nodes.sweeps import FindSilentNodes, FlushHeartbeats

REASON = {"reason": "nobody answers there"}


@pytest.fixture
async def cluster(site: Site) -> Cluster:
    return await make_cluster(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


async def named(cluster: Cluster) -> str:
    return (await cluster.app.echo.get(cluster.app.id))["name"]


async def machine_of(cluster: Cluster, member: str = "replica-1") -> str:
    return (await cluster.app.member(member))["allocation_id"]


def refusal(answer: Any, code: str) -> str:
    assert (answer.status_code, answer.json()["code"]) == (409, code), answer.text
    return answer.json()["detail"]


# Machines


async def test_release_an_allocation_refused_while_members_stand_on_it(cluster: Cluster) -> None:
    answer = await holding.release(cluster.tenant, await machine_of(cluster))

    detail = refusal(answer, "allocation_occupied")
    assert f"replica-1 of instance {await named(cluster)} ({cluster.app.id})" in detail


async def test_release_an_allocation_goes_on_once_its_members_are_gone(cluster: Cluster) -> None:
    machine = await machine_of(cluster)
    await cluster.app.of("remove", "replica-1", policy="force")
    await cluster.app.controller.run()

    answer = await holding.release(cluster.tenant, machine)

    assert answer.status_code == 200, answer.text


async def test_take_a_machine_back_fails_the_members_on_it(cluster: Cluster, root: Caller) -> None:
    machine = await machine_of(cluster)

    answer = await root.post(f"/v1/platform/allocations/{machine}/release", REASON)

    member = await cluster.app.member("replica-1")
    assert answer.status_code == 200, answer.text
    assert answer.json()["dirty"] == ["force_released"]
    assert (member["status"], REASON["reason"] in member["status_reason"]) == ("failed", True)


async def test_take_a_machine_back_ends_what_is_at_work_for_its_members(
    cluster: Cluster, root: Caller
) -> None:
    asked = await cluster.app.of("drain", "replica-1")
    machine = await machine_of(cluster)

    await root.post(f"/v1/platform/allocations/{machine}/release", REASON)
    await cluster.app.controller.run()

    path = f"/v1/operations/{asked['id']}/children"
    (child,) = (await cluster.tenant.admin.get(path)).json()["items"]
    assert (child["status"], child["error"]["code"]) == ("failed", "machine_lost")


async def test_a_member_whose_machine_was_taken_back_can_be_replaced(
    cluster: Cluster, root: Caller
) -> None:
    machine, id = await machine_of(cluster), (await cluster.app.member("replica-1"))["id"]
    await root.post(f"/v1/platform/allocations/{machine}/release", REASON)
    given = {"allocation": await machines.make_allocation_row(cluster.tenant), "lost": True}

    answer = await cluster.tenant.admin.post(f"/v1/members/{id}/replace", given | REASON)
    await cluster.app.controller.run()

    assert answer.status_code == 202, answer.text
    assert (await cluster.app.member("replica-1"))["status"] == "removed"
    assert (await cluster.app.member("replica-2"))["status"] == "ready"


@pytest.mark.parametrize("verb", ["maintenance", "retire"])
async def test_take_a_node_out_refused_while_members_stand_on_it(
    site: Site, cluster: Cluster, root: Caller, verb: str
) -> None:
    node = (await holding.node_of(site, await machine_of(cluster)))["id"]

    answer = await root.post(f"/v1/nodes/{node}/{verb}", REASON)

    assert cluster.app.id in refusal(answer, "node_held")


async def test_quarantine_a_node_leaves_its_members(
    site: Site, cluster: Cluster, root: Caller
) -> None:
    machine = await machine_of(cluster)
    node = (await holding.node_of(site, machine))["id"]

    answer = await root.post(f"/v1/nodes/{node}/quarantine", REASON)

    assert answer.status_code == 200, answer.text
    assert (await cluster.app.member("replica-1"))["status"] == "ready"
    assert (await holding.get(cluster.tenant, machine))["node"]["quarantined"] is True


async def test_a_node_that_falls_silent_is_told_to_the_controller(
    site: Site, cluster: Cluster
) -> None:
    node = (await holding.node_of(site, await machine_of(cluster)))["id"]
    await site.rows("UPDATE nodes SET unreachable_since = now() WHERE id = %s", node)

    await cluster.app.of("drain", "replica-1")
    await cluster.app.controller.run()

    (told,) = [each["member"] for each in cluster.app.controller.seen if each["member"]]
    assert (told["name"], told["reachable"]) == ("replica-1", False)
    assert (await cluster.app.member("replica-1"))["status"] == "drained"


# Places


async def test_delete_a_project_refused_while_instances_run_there(cluster: Cluster) -> None:
    answer = await cluster.tenant.admin.delete(f"/v1/projects/{cluster.tenant.project.id}")

    assert f"{await named(cluster)} ({cluster.app.id})" in refusal(answer, "not_empty")


async def test_delete_an_org_refused_while_instances_run_there(
    cluster: Cluster, root: Caller
) -> None:
    answer = await root.delete(f"/v1/orgs/{cluster.tenant.org.id}")

    assert cluster.tenant.project.slug in refusal(answer, "not_empty")


async def test_delete_a_publishers_project_leaves_what_others_run(cluster: Cluster) -> None:
    owner = cluster.publisher.tenant

    answer = await owner.admin.delete(f"/v1/projects/{owner.project.id}")

    assert answer.status_code == 204, answer.text
    found = await cluster.app.echo.get(cluster.app.id)
    assert found["status"] == "running"
    assert "controller_absent" in {each["type"] for each in found["conditions"]}


# Whoever acts for instances


async def test_remove_an_operator_refused_while_it_serves_instances(cluster: Cluster) -> None:
    operator = cluster.app.controller.operator

    answer = await cluster.publisher.tenant.admin.delete(f"/v1/app-operators/{operator}")

    detail = refusal(answer, "operator_serves_instances")
    assert "serves 1 instance: 1 more, or of others" in detail
    assert cluster.app.id not in detail


async def test_remove_an_operator_goes_on_once_it_serves_nobody(cluster: Cluster) -> None:
    await cluster.app.echo.ask(cluster.app.id, "decommission")
    await cluster.app.controller.run()
    operator = cluster.app.controller.operator

    answer = await cluster.publisher.tenant.admin.delete(f"/v1/app-operators/{operator}")

    assert answer.status_code == 204, answer.text


async def test_disable_an_operators_account_is_seen_on_its_instances(cluster: Cluster) -> None:
    admin, account = cluster.publisher.tenant.admin, cluster.app.echo.account
    path = f"/v1/service-accounts/{account}"
    version = (await admin.get(path)).json()["version"]

    answer = await admin.patch(path, {"disabled": True}, version=version)

    assert answer.status_code == 200, answer.text
    found = await cluster.app.echo.get(cluster.app.id)
    assert found["status"] == "running"
    assert "controller_absent" in {each["type"] for each in found["conditions"]}


# What may be used


async def disable(cluster: Cluster) -> None:
    path = f"/v1/entitlements/{cluster.entitlement['id']}"
    version = (await cluster.tenant.admin.get(path)).json()["version"]
    answer = await cluster.tenant.admin.patch(path, {"enabled": False}, version=version)
    assert answer.status_code == 200, answer.text


async def test_disable_an_entitlement_refuses_what_grows(cluster: Cluster) -> None:
    await disable(cluster)
    machine = await machines.make_allocation_row(cluster.tenant)

    refused = await cluster.app.ask(
        "add", {"component": "replica", "allocations": [machine]}, status=403
    )

    assert refused["code"] == "policy_refused"
    assert "is disabled" in refused["detail"]
    assert (await cluster.app.echo.get(cluster.app.id))["status"] == "running"


async def test_disable_an_entitlement_never_refuses_what_shrinks(cluster: Cluster) -> None:
    await disable(cluster)

    await cluster.app.of("drain", "replica-1")
    await cluster.app.controller.run()
    await cluster.app.of("remove", "replica-1")
    await cluster.app.controller.run()

    assert (await cluster.app.member("replica-1"))["status"] == "removed"


async def revoke(cluster: Cluster) -> None:
    path = f"/v1/artifacts/{cluster.version['artifact']}/revoke"
    body = {"reason": "It opens a back door."}
    answer = await cluster.publisher.tenant.admin.post(path, body)
    assert answer.status_code == 200, answer.text


async def test_revoke_an_artifact_lists_the_instances_that_use_it(cluster: Cluster) -> None:
    await revoke(cluster)

    path = f"/v1/artifacts/{cluster.version['artifact']}/instances"
    answer = await cluster.tenant.admin.get(path)

    assert answer.status_code == 200, answer.text
    assert [each["id"] for each in answer.json()["items"]] == [cluster.app.id]


async def test_revoke_an_artifact_refuses_new_use_and_leaves_what_runs(cluster: Cluster) -> None:
    await revoke(cluster)
    machine = await machines.make_allocation_row(cluster.tenant)

    refused = await cluster.app.ask(
        "add", {"component": "replica", "allocations": [machine]}, status=403
    )

    assert "is revoked" in refused["detail"]
    assert (await cluster.app.echo.get(cluster.app.id))["status"] == "running"


async def test_a_member_is_replaced_on_a_revoked_artifact_by_whoever_may_override(
    site: Site, cluster: Cluster
) -> None:
    await revoke(cluster)
    id = (await cluster.app.member("replica-1"))["id"]
    given = {"allocation": await machines.make_allocation_row(cluster.tenant), "reason": "test"}
    override = {"override": {"reason": "the host is dying"}}
    lesser = await site.actor("project_admin", project=cluster.tenant.project)

    refused = await cluster.tenant.admin.post(f"/v1/members/{id}/replace", given)
    denied = await lesser.post(f"/v1/members/{id}/replace", given | override)
    answer = await cluster.tenant.admin.post(f"/v1/members/{id}/replace", given | override)
    await cluster.app.controller.run()

    assert (refused.status_code, refused.json()["code"]) == (403, "policy_refused")
    assert (denied.status_code, denied.json()["code"]) == (403, "forbidden")
    assert answer.status_code == 202, answer.text
    assert (await cluster.app.member("replica-2"))["status"] == "ready"


# People


async def watch(cluster: Cluster) -> None:
    """Somebody watches the instance, and has heard all there was."""
    await cluster.tenant.site.sql.execute(
        "UPDATE watches SET holder = 'rep_x', hints = '{}' WHERE instance_id = %s",
        (cluster.app.id,),
    )


async def hinted(cluster: Cluster) -> list[str]:
    ((hints,),) = await cluster.tenant.site.rows(
        "SELECT hints FROM watches WHERE instance_id = %s", cluster.app.id
    )
    return hints


async def test_whoever_watches_is_told_that_a_person_was_disabled_or_enabled(
    site: Site, cluster: Cluster, root: Caller
) -> None:
    person = await site.actor("viewer", project=cluster.tenant.project)
    stranger = await site.actor("viewer", project=(await make_tenant(site)).project)
    told: list[list[str]] = []

    for who, disabled in ((stranger, True), (person, True), (person, False)):
        await watch(cluster)
        path = f"/v1/users/{who.id}"
        etag = (await root.get(path)).headers["etag"]
        changed = await root.call(
            "PATCH", path, json={"disabled": disabled}, headers={"if-match": etag}
        )
        assert changed.status_code == 200, changed.text
        told.append(await hinted(cluster))

    assert told == [[], ["principals"], ["principals"]]


async def test_whoever_watches_is_told_of_a_new_login(site: Site, cluster: Cluster) -> None:
    person = await site.actor("viewer", project=cluster.tenant.project)
    await watch(cluster)

    made = await cluster.tenant.admin.post(
        f"/v1/orgs/{cluster.tenant.org.id}/logins", {"user": person.id}
    )

    assert made.status_code == 201, made.text
    assert await hinted(cluster) == ["principals"]


async def test_whoever_watches_is_told_that_a_host_is_silent_and_that_it_is_back(
    timed: TimedSite,
) -> None:
    cluster = await make_cluster(timed)
    node = (await holding.node_of(timed, await machine_of(cluster)))["id"]
    find, flush = FindSilentNodes(timed.platform), FlushHeartbeats(timed.platform)
    await watch(cluster)

    for _ in range(40):
        await find.activate()
        timed.clock.move(timedelta(seconds=2))
    silent = await hinted(cluster)
    await watch(cluster)
    timed.platform.heartbeats.mark(node, timed.clock.now())
    await flush.activate()

    assert (silent, await hinted(cluster)) == (["members"], ["members"])


async def test_a_change_of_roles_is_told_to_whoever_watches(site: Site, cluster: Cluster) -> None:
    await watch(cluster)
    path = f"/v1/projects/{cluster.tenant.project.id}/memberships"
    body = {"email": "somebody@example.org", "role": "viewer"}

    added = await cluster.tenant.admin.post(path, body)

    assert added.status_code == 201, added.text
    assert await hinted(cluster) == ["principals"]
