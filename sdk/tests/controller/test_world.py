"""An app in a test's world: what it does, what it does after a crash, and what is impossible."""

import pytest

from moorage import testing
from moorage.testing import Host, ImpossibleWorld, Member, World
from sdk.tests.controller import worlds
from sdk.tests.controller.sample import app
from sdk.tests.controller.worlds import fresh, running


def test_a_deployment_prepares_brings_members_in_and_finishes() -> None:
    after = testing.run(app, fresh())

    kinds = [(o.kind, o.member, o.status) for o in after.operations]
    assert kinds == [
        ("instance.deploy", None, "succeeded"),
        ("member.add", "keeper-1", "succeeded"),
        ("member.add", "worker-1", "succeeded"),
        ("member.add", "worker-2", "succeeded"),
    ]
    assert after.status == "running"
    assert {member.status for member in after.members} == {"ready"}
    assert after.endpoints == {"hosts": ["keeper-1", "worker-1", "worker-2"]}
    assert after.topology_mode == "star"
    assert after.host("h1").files["/etc/word"].text == "moor"
    assert after.host("h1").files["/etc/key"].secret == "key"
    assert after.host("h1").running("word.service")
    assert after.operation("instance.deploy").message == "the key is made"
    assert after.member("worker-1").adapter_detail == {"word": "moor"}


def test_the_world_that_comes_in_stays_as_it_was() -> None:
    world = fresh()

    testing.run(app, world)

    assert world.status == "requested"
    assert world.host("h1").files == {}


def test_whenever_a_replica_dies_the_next_one_ends_with_the_same_world() -> None:
    whole = testing.run(app, fresh(workers=1))

    ways = [*testing.every_crash(app, fresh(workers=1))]

    assert len(ways) > 30
    for after in ways:
        assert after.members == whole.members
        assert after.status == "running"
        assert [host.files for host in after.hosts] == [host.files for host in whole.hosts]
        assert [host.services for host in after.hosts] == [host.services for host in whole.hosts]


def test_a_command_that_was_begun_is_not_begun_again_by_the_next_replica() -> None:
    world = running(testing.add("worker-2"))

    for after in testing.every_crash(app, world):
        assert after.operation("member.add").status == "succeeded"
        assert after.host("h0").ran == [("announce", "worker-2")]


def test_a_step_whose_end_nobody_heard_of_finds_its_tasks_again() -> None:
    world = running(testing.add("worker-2")).crash_after("announce")

    after = testing.run(app, world)

    parent = after.operations[0]
    assert (parent.fence, parent.status) == (3, "succeeded")
    assert after.host("h0").ran == [("announce", "worker-2")]


def test_a_request_for_many_is_told_how_its_members_went() -> None:
    after = testing.run(app, running(testing.add("worker-2")))

    assert after.operations[0].result == {"joined": 1, "failed": 0}


def test_whenever_a_join_is_cancelled_it_is_taken_back_or_done() -> None:
    world = running(testing.add("worker-2"))

    ways = [*testing.every_cancel(app, world)]

    ends = {after.member("worker-2").status for after in ways}
    assert ends == {"removed", "ready"}
    for after in ways:
        host = after.host("h2")
        if after.member("worker-2").status == "removed":
            assert (host.files, host.packages) == ({}, {})
            assert not host.running("word.service")


def test_a_request_that_is_cancelled_half_way_is_finished_for_those_that_came() -> None:
    world = running(testing.add("worker-2", "worker-3"))
    world.hosts.append(worlds.host("h3"))
    world.members.append(Member("worker-3", "worker", host="h3", status="requested"))

    ways = [*testing.every_cancel(app, world)]

    parents = [after.operations[0] for after in ways]
    half = [after for after in ways if after.operations[0].result == {"joined": 1, "failed": 0}]
    assert {parent.status for parent in parents} <= {"cancelled", "succeeded"}
    assert half
    for after in half:
        assert sorted(m.status for m in after.members[-2:]) == ["ready", "removed"]


def test_a_replacement_brings_the_new_one_in_before_the_old_one_goes() -> None:
    world = running(testing.replace("worker-1", by="worker-2"))

    after = testing.run(app, world)

    assert [(o.kind, o.status) for o in after.operations] == [
        ("member.replace", "succeeded"),
        ("member.add", "succeeded"),
        ("member.remove", "succeeded"),
    ]
    assert [m.status for m in after.members] == ["ready", "removed", "ready"]
    given = after.operations[0].input
    assert (given["old"], given["new"]) == ("mem_worker-1", "mem_worker-2")


def test_where_there_is_no_room_for_both_the_old_one_goes_first() -> None:
    world = running(testing.replace("keeper-1", by="keeper-2", old_first=True))
    world.members.append(Member("keeper-2", "keeper", host="h3", status="requested"))
    world.hosts.append(worlds.host("h3"))

    after = testing.run(app, world)

    assert after.member("keeper-1").status == "removed"
    assert after.member("keeper-2").status == "ready"
    assert after.operation("keeper-2").status == "succeeded"


def test_cancelling_takes_back_the_last_step_first() -> None:
    world = running(testing.add("worker-2")).cancel_in("start")

    after = testing.run(app, world)

    child = after.operation("worker-2")
    assert child.status == "cancelled"
    assert [(s.name, s.status) for s in child.steps] == [
        ("install", "undone"),
        ("write word", "undone"),
        ("start", "undone"),
    ]
    assert after.member("worker-2").status == "removed"


def test_there_is_no_way_back_after_a_step_of_no_return() -> None:
    world = running(testing.remove("worker-1")).cancel_in("erase word")

    after = testing.run(app, world)

    assert after.operation("worker-1").status == "succeeded"
    assert after.member("worker-1").status == "removed"


def test_what_cannot_be_taken_back_is_named() -> None:
    world = running(testing.add("worker-2")).cancel_in("start")
    world.host("h2").commands = lambda host, command: (
        testing.Output(exit_code=1, stderr="busy") if command.argv[0] == "rm" else None
    )

    after = testing.run(app, world)

    child = after.operation("worker-2")
    assert (child.status, child.error) == ("failed", "undo_incomplete")
    assert [(r.what, r.where) for r in child.residue] == [
        ("start", "worker-2"),
        ("write word", "worker-2"),
    ]


def test_drain_waits_for_running_jobs() -> None:
    world = running(testing.drain("worker-1"), jobs=1)

    after = testing.run(app, world)

    assert after.operation("worker-1").status == "waiting"
    assert after.operation("worker-1").message == "waiting for 1 jobs to finish"
    assert after.member("worker-1").status == "draining"


def test_a_step_that_waits_looks_again_with_a_new_task() -> None:
    waiting = testing.run(app, running(testing.drain("worker-1"), jobs=1))
    waiting.host("h1").state["jobs"] = 0

    after = testing.run(app, waiting, seconds=60)

    assert after.operation("worker-1").status == "succeeded"
    assert after.member("worker-1").status == "drained"
    assert after.host("h1").ran == [("jobs",), ("jobs",)]
    assert after.operation("worker-1").attempt == 1


def test_a_patient_drain_has_no_deadline_and_another_one_is_cancelled_by_it() -> None:
    patient = testing.run(app, running(testing.drain("worker-1"), jobs=1), seconds=700)
    hasty = testing.run(
        app, running(testing.drain("worker-1", policy="deadline"), jobs=1), seconds=700
    )

    assert patient.operation("worker-1").status == "waiting"
    assert hasty.operation("worker-1").status == "cancelled"
    assert hasty.member("worker-1").status == "ready"


def test_what_goes_wrong_on_a_host_is_tried_again_and_then_failed_with_its_last_words() -> None:
    world = running(testing.resume("worker-1"), exit_code=3)
    world.member("worker-1").status = "drained"

    after = testing.run(app, world, seconds=600)

    child = after.operation("worker-1")
    assert (child.status, child.error, child.attempt) == ("failed", "exit_nonzero", 6)
    assert child.error_log == ["it is broken"]
    assert child.step("resume").attempt == 6
    assert len(after.host("h1").ran) == 6


def test_a_failure_budget_keeps_the_rest_from_beginning() -> None:
    world = running(testing.resume("worker-1", "worker-2"), exit_code=9)
    world.operations[0].max_failures = 0
    for name in ("worker-1", "worker-2"):
        world.member(name).status = "drained"

    after = testing.run(app, world, seconds=600)

    assert after.operation("worker-1").status == "failed"
    assert after.operation("worker-2").status == "cancelled"
    assert (after.operations[0].status, after.operations[0].error) == ("failed", "children_failed")


def test_a_command_nobody_knows_the_end_of_is_left_to_a_person() -> None:
    world = running(testing.resume("worker-1"))
    world.member("worker-1").status = "drained"
    world.host("h1").forgets = 1

    blocked = testing.run(app, world)
    left = blocked.operation("worker-1")
    found = (left.status, left.error)
    after = testing.run(app, blocked.reopen("worker-1"))

    assert found == ("blocked", "outcome_unknown")
    assert after.operation("worker-1").status == "succeeded"


def test_what_is_safe_is_done_again_when_nobody_knows_its_end() -> None:
    world = running(testing.add("worker-2"))
    world.host("h2").forgets = 2

    after = testing.run(app, world)

    assert after.operation("worker-2").status == "succeeded"


def test_a_bug_is_shown_as_one_and_ends_with_a_person() -> None:
    after = testing.run(app, running(testing.act("sample.say", {"bug": "x"})), seconds=600)

    said = after.operation("sample.say")
    assert (said.status, said.error, said.attempt) == ("blocked", "bug", 5)
    assert said.error_message is not None
    assert "KeyError" in said.error_message
    assert "in say" in said.error_log[-1]


@pytest.mark.parametrize(
    ("recovery", "status"),
    [
        ("operator", "blocked"),
        ("terminal", "failed"),
        ("reconcilable", "failed"),
        ("repairable", "failed"),
        ("retryable", "waiting"),
    ],
)
def test_a_failure_says_who_can_help(recovery: str, status: str) -> None:
    after = testing.run(app, running(testing.act("sample.say", {"fail": recovery})))

    assert after.operation().status == status
    assert (after.operation().error, after.operation().recovery) == ("mute", recovery)


def test_an_action_answers_and_an_answer_that_does_not_fit_is_refused() -> None:
    good = testing.run(app, running(testing.act("sample.say", {"word": "ahoy"})))
    bad = testing.run(app, running(testing.act("sample.say", {})))

    assert good.operation().result == {"said": "ahoy"}
    assert (bad.operation().status, bad.operation().error) == ("waiting", "bug")
    assert "action_output_invalid" in (bad.operation().error_message or "")


def test_a_change_of_the_config_is_there_when_it_succeeded() -> None:
    after = testing.run(app, running(testing.configure({"word": "ahoy"})))

    assert after.config == {"word": "ahoy"}
    assert after.previous == ("2.0.0", {"word": "moor"})
    assert after.host("h1").files["/etc/word"].text == "ahoy"


def test_an_upgrade_can_be_rolled_back() -> None:
    world = running(testing.upgrade(), testing.rollback())
    world.version, world.previous = "1.0.0", ("0.9.0", {})

    after = testing.run(app, world)

    assert [operation.status for operation in after.operations] == ["succeeded", "succeeded"]
    assert after.version == "1.0.0"


def test_a_decommission_removes_the_members_and_finishes() -> None:
    after = testing.run(app, running(testing.decommission()))

    assert after.status == "deleted"
    assert after.operation("instance.decommission").result == {"members": 0}
    assert [o.member for o in after.operations[1:]] == ["worker-1", "worker-2", "keeper-1"]
    assert after.host("h1").files == {}


def test_a_look_sets_health_and_rows_and_asks_for_a_repair() -> None:
    deployed = testing.run(app, fresh(workers=1))
    deployed.host("h1").services["word.service"].active = False

    after = testing.look(app, deployed)

    assert after.observed is not None
    assert after.observed.health == "degraded"
    assert after.member("worker-1").health == "unhealthy"
    assert after.views["sample.words"] == {"worker-1": {"host": "worker-1", "word": "moor"}}
    assert after.repairs == ["a worker is not alive"]


def test_a_task_that_the_manifest_does_not_declare_is_refused() -> None:
    world = running(testing.add("worker-2"))
    whole = app.manifest
    app.manifest = whole.model_copy(update={"touches": {}})
    try:
        after = testing.run(app, world)
    finally:
        app.manifest = whole

    assert (after.operations[0].status, after.operations[0].error) == (
        "blocked",
        "allocation_foreign",
    )


@pytest.mark.parametrize(
    ("world", "why"),
    [
        (World(members=[Member("a", "worker")]), "stands on no host"),
        (World(members=[Member("a", "worker", host="h")]), "which is not there"),
        (World(members=[Member("a", "oven", host="h")], hosts=[Host("h")]), "manifest lacks"),
        (
            World(members=[Member("a", "worker", host="h")], hosts=[Host("h", foreign=True)]),
            "another instance's",
        ),
        (
            World(
                members=[Member("a", "worker", host="h"), Member("b", "worker", host="h")],
                hosts=[Host("h")],
            ),
            "share h, and may not",
        ),
        (
            World(
                members=[Member(f"a{n}", "worker", host=f"h{n}") for n in range(4)],
                hosts=[Host(f"h{n}") for n in range(4)],
            ),
            "of 3 at most",
        ),
        (
            World(
                members=[Member("a", "worker", status="removed")],
                operations=[testing.drain("a")],
            ),
            "was removed",
        ),
        (World(operations=[testing.drain("a")]), "which is not there"),
        (World(operations=[testing.rollback()]), "nothing to roll back to"),
        (World(operations=[testing.start()]), "cannot be started"),
        (World(operations=[testing.act("sample.shout")]), "no action"),
        (World(config={"volume": 3}), "not what the manifest takes"),
        (worlds.running(testing.drain("keeper-1")), "cannot be asked of a keeper"),
    ],
)
def test_a_world_that_the_platform_could_not_produce_is_refused(world: World, why: str) -> None:
    with pytest.raises(ImpossibleWorld, match=why):
        testing.run(app, world)
