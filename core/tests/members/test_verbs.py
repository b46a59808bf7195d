"""What people ask of members, and what comes of it."""

import pytest

from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.members import Running, failing, running
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


@pytest.fixture
async def app(echo: Echo) -> Running:
    return await running(echo)


async def statuses(app: Running) -> dict[str, str]:
    return {each["name"]: each["status"] for each in await app.members(removed=True)}


async def test_members_of_a_deployment_join_and_work(app: Running) -> None:
    assert await statuses(app) == {"leader-1": "ready", "replica-1": "ready", "replica-2": "ready"}
    assert (await app.echo.get(app.id))["status"] == "running"


async def test_members_are_added_on_machines_that_are_named(app: Running) -> None:
    machine = await machines.make_allocation_row(app.echo.tenant)

    asked = await app.ask("add", {"component": "replica", "allocations": [machine]})
    await app.controller.run()

    added = await app.member("replica-3")
    assert (asked["kind"], asked["children"]["total"]) == ("member.add", 1)
    assert (await app.operation(asked["id"]))["status"] == "succeeded"
    assert (added["status"], added["allocation_id"], added["managed"]) == ("ready", machine, False)
    assert (await app.component("replica"))["desired"] == 3


async def test_a_member_that_cannot_join_stays_as_failed(app: Running) -> None:
    machine = await machines.make_allocation_row(app.echo.tenant)

    await app.ask("add", {"component": "replica", "allocations": [machine]})
    await app.controller.run(failing("member.add"))

    added = await app.member("replica-3")
    assert (added["status"], added["status_reason"]) == ("failed", "It does not work.")


async def test_members_are_drained_and_resumed(app: Running) -> None:
    await app.of("drain", "replica-1", policy="wait")
    await app.controller.run()
    drained = await app.member("replica-1")

    await app.of("resume", "replica-1")
    await app.controller.run()
    resumed = await app.member("replica-1")

    assert (drained["status"], drained["drain"]) == ("drained", {"owner": "user", "reason": "test"})
    assert (resumed["status"], resumed["drain"]) == ("ready", None)


@pytest.mark.rule("MB-5")
async def test_a_removed_member_leaves_a_tombstone_and_its_machine(app: Running) -> None:
    machine = (await app.member("replica-1"))["allocation_id"]

    await app.of("remove", "replica-1", policy="force")
    await app.controller.run()

    gone = await app.member("replica-1")
    held = (await app.admin.get(f"/v1/allocations/{machine}")).json()
    assert (gone["status"], gone["removed_at"] is not None) == ("removed", True)
    assert "replica-1" not in {each["name"] for each in await app.members()}
    assert (held["status"], held["instance_id"]) == ("active", None)
    assert (await app.component("replica"))["desired"] == 1


async def test_the_end_of_a_removal_is_told_who_went(app: Running) -> None:
    before = len(app.controller.seen)

    await app.of("remove", "replica-1", policy="force")
    await app.controller.run()

    told = {
        brief["phase"]: [member["name"] for member in brief["members"]]
        for brief in app.controller.seen[before:]
    }
    assert told == {"prepare": [], None: [], "finish": ["replica-1"]}


async def test_what_failed_before_a_member_went_is_not_tried_again(app: Running) -> None:
    asked = await app.of("drain", "replica-1")
    await app.controller.run(failing("member.drain", recovery="repairable"))
    await app.of("remove", "replica-1", policy="force")
    await app.controller.run()

    path = f"/v1/operations/{asked['id']}/children"
    (child,) = (await app.admin.get(path)).json()["items"]

    assert (child["status"], child["recovery"]) == ("failed", "terminal")
    assert "retry" not in child["verbs"]


async def test_what_is_wanted_is_as_before_when_a_removal_is_cancelled(app: Running) -> None:
    asked = await app.of("remove", "replica-1")
    meanwhile = (await app.component("replica"))["desired"]

    path = f"/v1/operations/{asked['id']}/cancel"
    answer = await app.admin.post(path, {"reason": "not needed"})

    assert answer.status_code == 200, answer.text
    assert (meanwhile, (await app.component("replica"))["desired"]) == (1, 2)
    assert (await app.member("replica-1"))["status"] == "ready"


@pytest.mark.rule("MB-5")
async def test_a_drained_member_is_drained_again_when_its_failed_removal_is_taken_back(
    app: Running,
) -> None:
    await app.of("drain", "replica-1")
    await app.controller.run()
    await app.of("remove", "replica-1", "replica-2")
    (prepare,) = await app.controller.claim()
    await app.controller.report(prepare, state="succeeded")
    removals = {each["member"]["name"]: each for each in await app.controller.claim()}
    error = {"code": "broken", "message": "It does not go."}
    removal = removals["replica-1"]
    await app.controller.report(removal, state="failed", recovery="repairable", error=error)

    path = f"/v1/operations/{removal['id']}/cancel"
    answer = await app.admin.post(path, {"reason": "not needed"})
    assert answer.status_code == 200, answer.text
    (back,) = await app.controller.claim()
    await app.controller.report(back, state="cancelled")

    assert (await app.operation(removal["id"]))["status"] == "cancelled"
    assert (await app.member("replica-1"))["status"] == "drained"


@pytest.mark.parametrize("verb", ["stop", "decommission"])
async def test_what_failed_is_not_tried_again_where_nobody_could_ask_for_it(
    app: Running, verb: str
) -> None:
    await app.of("drain", "replica-1")
    await app.controller.run()
    asked = await app.of("resume", "replica-1")
    (prepare,) = await app.controller.claim()
    error = {"code": "broken", "message": "It does not work."}
    await app.controller.report(prepare, state="failed", recovery="repairable", error=error)
    await app.echo.ask(app.id, verb)

    path = f"/v1/operations/{asked['id']}/retry"
    ahead = await app.admin.post(path, {"reason": "once more"})
    await app.controller.run()
    after = await app.admin.post(path, {"reason": "once more"})

    for answer in (ahead, after):
        assert (answer.status_code, answer.json()["code"]) == (409, "invalid_transition")
    assert await app.controller.claim() == []


async def test_a_number_is_not_given_twice(app: Running) -> None:
    machine = (await app.member("replica-2"))["allocation_id"]
    await app.of("remove", "replica-2", policy="force")
    await app.controller.run()

    await app.ask("add", {"component": "replica", "allocations": [machine]})
    await app.controller.run()

    assert (await app.member("replica-3"))["allocation_id"] == machine


# What is refused


async def refused(app: Running, verb: str, *names: str, code: str, **more: object) -> str:
    answer = await app.of(verb, *names, status=409, **more)
    assert answer["code"] == code, answer
    return answer["detail"]


async def test_a_component_that_is_full_takes_no_more(app: Running) -> None:
    held = [await machines.make_allocation_row(app.echo.tenant) for _ in range(4)]

    answer = await app.ask("add", {"component": "replica", "allocations": held}, status=409)

    assert answer["code"] == "too_many_members"
    assert "there are 2, and 4 more" in answer["detail"]


async def test_members_on_their_way_are_counted(app: Running) -> None:
    first = [await machines.make_allocation_row(app.echo.tenant) for _ in range(3)]
    one_more = await machines.make_allocation_row(app.echo.tenant)
    await app.ask("add", {"component": "replica", "allocations": first})

    answer = await app.ask("add", {"component": "replica", "allocations": [one_more]}, status=409)

    assert answer["code"] == "too_many_members"


async def test_what_a_component_does_not_offer_is_refused(app: Running) -> None:
    detail = await refused(app, "remove", "leader-1", code="verb_not_offered")

    assert "offers replace" in detail


@pytest.mark.rule("MB-7")
async def test_a_machine_of_another_instance_is_refused(app: Running) -> None:
    other = await app.echo.deploy(replicas=0)
    await app.controller.run()
    taken = (await app.admin.get(f"/v1/instances/{other['id']}/members")).json()["items"][0]

    given = {"component": "replica", "allocations": [taken["allocation_id"]]}
    answer = await app.ask("add", given, status=409)

    assert answer["code"] == "machine_unfit"
    assert other["id"] in answer["detail"]


@pytest.mark.rule("ON-3")
async def test_a_machine_of_another_project_is_as_absent(app: Running, site: Site) -> None:
    other = await machines.make_allocation_row(await make_tenant(site))

    given = {"component": "replica", "allocations": [other]}
    answer = await app.ask("add", given, status=404)

    assert answer["detail"] == f"There is no allocation {other} that you can see."


@pytest.mark.rule("ON-3")
async def test_a_member_of_another_instance_is_as_absent(app: Running) -> None:
    other = await app.echo.deploy(replicas=0)
    theirs = (await app.admin.get(f"/v1/instances/{other['id']}/members")).json()["items"][0]

    answer = await app.ask("drain", {"members": [theirs["id"]], "reason": "test"}, status=404)

    assert answer["code"] == "not_found"


async def test_a_removed_member_is_asked_for_nothing(app: Running) -> None:
    await app.of("remove", "replica-1", policy="force")
    await app.controller.run()

    await app.of("drain", "replica-1", status=404)

    assert (await app.member("replica-1"))["status"] == "removed"


async def test_nothing_is_asked_twice_of_a_member_that_goes(app: Running) -> None:
    await app.of("remove", "replica-1", policy="force")

    detail = await refused(app, "remove", "replica-1", code="member_leaving")

    assert "replica-1 is being removed" in detail


async def test_a_drained_member_is_not_drained_again(app: Running) -> None:
    await app.of("drain", "replica-1")
    await app.controller.run()

    detail = await refused(app, "drain", "replica-1", code="invalid_transition")

    assert "replica-1 is drained" in detail


async def test_a_member_that_the_platform_drained_is_not_resumed_by_users(app: Running) -> None:
    await app.of("drain", "replica-1")
    await app.controller.run()
    await app.echo.tenant.site.rows(
        "UPDATE members SET drain_owner = 'platform', drain_reason = 'a fan' WHERE id = %s",
        (await app.member("replica-1"))["id"],
    )

    detail = await refused(app, "resume", "replica-1", code="drained_by_others")

    assert "a fan" in detail


async def test_a_deadline_goes_with_its_policy(app: Running) -> None:
    answer = await app.of("drain", "replica-1", status=422, policy="deadline")

    assert answer["code"] == "malformed"


@pytest.mark.rule("MB-9")
async def test_one_request_asks_for_many_and_makes_one_parent(app: Running) -> None:
    asked = await app.of("drain", "replica-1", "replica-2", policy="deadline", deadline=60)
    await app.controller.run()

    children = [each for each in app.controller.seen if each["parent_id"] == asked["id"]]
    assert [each["input"]["deadline_seconds"] for each in children] == [60, 60]
    assert {each["member"]["name"] for each in children} == {"replica-1", "replica-2"}
    parents = [each for each in app.controller.seen if each["id"] == asked["id"]]
    assert [each["phase"] for each in parents] == ["prepare", "finish"]
    assert len(parents[0]["batch"]) == 2


@pytest.mark.rule("MB-1", "BQ-4")
async def test_what_a_controller_says_of_a_member_is_shown(app: Running) -> None:
    await app.of("drain", "replica-1")
    await app.controller.run(
        lambda brief: {
            "state": "succeeded",
            **(
                {"member": {"health": "healthy", "runtime_version": "9.1"}}
                if brief["member"]
                else {}
            ),
        }
    )

    member = await app.member("replica-1")

    assert (member["health"], member["runtime_version"]) == ("healthy", "9.1")


async def test_each_state_of_a_member_has_its_event(app: Running) -> None:
    id = (await app.member("replica-1"))["id"]
    await app.of("drain", "replica-1")
    await app.controller.run()
    await app.of("remove", "replica-1")
    await app.controller.run()

    said = await app.echo.tenant.site.rows(
        "SELECT type, app_instance_id FROM events WHERE subject = %s ORDER BY subject_version", id
    )

    states = ["requested", "joining", "ready", "draining", "drained", "removing", "removed"]
    assert [type for type, _ in said] == [f"apps.member.{state}" for state in states]
    assert {instance for _, instance in said} == {app.id}
