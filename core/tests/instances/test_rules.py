"""The rules of instances, without a server."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage_core.instances import rules, telling
from moorage_core.instances.models import Instance, OperatorSeen, Plan, Revision, Status
from moorage_manifest import Manifest

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def instance(status: Status = "running", **fields: Any) -> Instance:
    made = Instance(
        id="ins_1",
        org_id="org_1",
        project_id="prj_1",
        app_id="app_1",
        app_slug="echo",
        name="one",
        status=status,
        settled=status,
        status_reason=None,
        operator_id="opr_1",
        operating_mode="standard",
        control_plane_scope="project",
        runtime_backend="echo",
        topology_mode=None,
        version_id="ver_1",
        app_version="1.2.0",
        config={"greeting": "hello"},
        revision=2,
        runtime_version=None,
        endpoints={},
        health="unknown",
        health_reasons=[],
        conditions=[],
        observed_at=None,
        observed_until=None,
        last_operation_id=None,
        requested_by="usr_1",
        correlation_id="c",
        version=1,
        created_at=NOW,
        updated_at=NOW,
        deleted_at=None,
        deployed=True,
    )
    return replace(made, **fields)


def revision(number: int = 1, **fields: Any) -> Revision:
    made = Revision(
        "ins_1", number, "ver_0", "1.1.0", {}, "instance.deploy", "opn_1", "applied", "usr_1", NOW
    )
    return replace(made, **fields)


def manifest(**fields: Any) -> Manifest:
    given: dict[str, Any] = {
        "contract": 1,
        "slug": "echo",
        "version": "1.2.0",
        "name": "Echo",
        "summary": "An app.",
        "modes": [{"operating_mode": "standard", "scope": "project"}],
        "components": {"leader": {"min": 1, "max": 1}, "replica": {"max": 3}},
    }
    return Manifest.model_validate(given | fields)


# States


def test_every_state_has_its_ways_out() -> None:
    assert set(rules.NEXT) == set(get_args(Status))


def test_only_a_deleted_instance_stays_as_it_is() -> None:
    assert [status for status, after in rules.NEXT.items() if not after] == ["deleted"]


def test_every_state_can_be_given_up() -> None:
    assert all("deleted" in after for status, after in rules.NEXT.items() if status != "deleted")


@pytest.mark.parametrize("kind", rules.WORK)
@pytest.mark.parametrize("end", ["succeeded", "failed", "cancelled", "abandoned"])
def test_an_operation_leads_only_to_states_that_may_follow(kind: str, end: str) -> None:
    work = rules.WORK[kind]
    for settled in ("requested", "running", "stopped", "failed"):
        if work.during not in rules.NEXT[settled]:
            continue
        at_work = instance(work.during, settled=settled)

        after = rules.after(at_work, kind, end, "running")

        assert after is not None
        if after == "requested":
            continue
        assert after in rules.NEXT[work.during] | {work.during}, (kind, end, settled)


def test_a_cancelled_change_leaves_what_was_before() -> None:
    stopped = instance("starting", settled="stopped")

    assert rules.after(stopped, "instance.start", "cancelled", "undoing") == "stopped"


def test_a_failed_change_that_is_taken_back_leaves_what_was_before() -> None:
    configuring = instance("configuring", settled="running")
    failed = instance("failed", settled=rules.settled(configuring, "failed", anew=False))

    undoing = rules.settled(failed, "configuring", anew=False)

    assert undoing == "running"


def test_a_change_that_begins_on_a_failed_instance_and_is_cancelled_leaves_it_failed() -> None:
    failed = instance("failed", settled="running")

    assert rules.settled(failed, "restarting", anew=True) == "failed"


@pytest.mark.parametrize("status", ["deleting", "delete_failed", "deleted"])
def test_nothing_is_tried_again_on_an_instance_that_goes(status: Status) -> None:
    with pytest.raises(rules.InvalidTransition):
        rules.check_there("web", status, "instance.configure", [])
    rules.check_there("web", status, "instance.decommission", [])


def test_one_that_never_began_changes_nothing() -> None:
    assert rules.after(instance(), "instance.stop", "cancelled", "pending") is None


def test_a_deployment_that_never_began_leaves_a_failed_instance() -> None:
    asked = instance("requested", deployed=False)

    assert rules.after(asked, "instance.deploy", "cancelled", "ready") == "failed"


def test_a_decommission_that_is_given_up_ends_the_instance() -> None:
    assert rules.after(instance(), "instance.decommission", "abandoned", "ready") == "deleted"


def test_a_decommission_that_waited_behind_others_is_given_up_without_harm() -> None:
    assert rules.after(instance(), "instance.decommission", "abandoned", "pending") is None


def test_a_repair_changes_no_state() -> None:
    assert rules.after(instance(), "instance.repair", "failed", "running") is None


# What may be asked for


@pytest.mark.parametrize(
    ("status", "kind", "allowed"),
    [
        ("running", "instance.stop", True),
        ("running", "instance.start", False),
        ("stopped", "instance.start", True),
        ("stopped", "instance.configure", False),
        ("stopped", "instance.decommission", True),
        ("failed", "instance.configure", True),
        ("failed", "instance.start", True),
        ("delete_failed", "instance.decommission", True),
        ("delete_failed", "instance.start", False),
        ("deleted", "instance.decommission", False),
    ],
)
def test_states_allow(status: Status, kind: str, allowed: bool) -> None:
    if allowed:
        rules.check_allowed(instance(status), kind, [])
    else:
        with pytest.raises(rules.InvalidTransition):
            rules.check_allowed(instance(status), kind, [])


def test_what_was_asked_for_before_is_taken_as_done() -> None:
    rules.check_allowed(instance(), "instance.start", ["instance.stop"])

    with pytest.raises(rules.InvalidTransition, match="stopped once"):
        rules.check_allowed(instance(), "instance.restart", ["instance.stop"])


def test_nothing_follows_a_decommission() -> None:
    with pytest.raises(rules.InvalidTransition, match="is being decommissioned"):
        rules.check_allowed(instance("deleting"), "instance.stop", ["instance.decommission"])


def test_one_that_never_ran_can_only_go() -> None:
    failed = instance("failed", deployed=False)

    rules.check_allowed(failed, "instance.decommission", [])
    with pytest.raises(rules.InvalidTransition, match="never ran"):
        rules.check_allowed(failed, "instance.configure", [])


@given(st.sampled_from(get_args(Status)), st.lists(st.sampled_from(sorted(rules.WORK)), max_size=4))
def test_whatever_is_open_an_instance_that_is_there_can_be_decommissioned_or_will_be(
    status: Status, ahead: list[str]
) -> None:
    will_be = rules.expected(status, ahead)
    if will_be == "deleted" or will_be in rules.DURING | {"requested"}:
        return

    rules.check_allowed(instance(status), "instance.decommission", ahead)


# Deploying


def test_the_first_mode_is_taken_where_none_is_named() -> None:
    assert rules.check_mode(manifest(), None, "project") == "standard"


@pytest.mark.parametrize("scope", ["tenant", "platform"])
def test_only_projects_can_have_instances(scope: str) -> None:
    with pytest.raises(rules.ScopeNotAvailable):
        rules.check_mode(manifest(), None, scope)


def test_a_mode_that_the_app_lacks_is_named() -> None:
    with pytest.raises(rules.ModeNotSupported, match="It has: standard"):
        rules.check_mode(manifest(), "huge", "project")


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({}, "leader needs at least 1"),
        ({"leader": 2}, "leader can have at most 1"),
        ({"leader": 1, "replica": 4}, "replica can have at most 3"),
        ({"leader": 1, "sidecar": 1}, "sidecar is no component"),
    ],
)
def test_components_have_as_many_members_as_the_app_can_have(
    counts: dict[str, int], words: str
) -> None:
    with pytest.raises(rules.InvalidPlacement, match=words):
        rules.check_counts(manifest(), counts)


# Changing


def test_going_back_within_one_version_loses_nothing() -> None:
    assert rules.loses(manifest(), instance(), revision(version_id="ver_1")) == ()


def test_going_back_to_another_version_must_be_supported() -> None:
    with pytest.raises(rules.RollbackUnsupported, match="does not support"):
        rules.loses(manifest(), instance(), revision())


def test_what_is_lost_has_to_be_accepted() -> None:
    lost = rules.loses(
        manifest(rollback={"supported": True, "loses": ["Keys are gone."]}), instance(), revision()
    )

    with pytest.raises(rules.LossesNotAccepted, match="Keys are gone"):
        rules.check_accepted(lost, accepted=False)
    rules.check_accepted(lost, accepted=True)


@pytest.mark.parametrize(
    "to", [None, revision(2), revision(1, outcome="discarded"), revision(3, outcome="pending")]
)
def test_only_what_ran_and_runs_no_more_can_be_gone_back_to(to: Revision | None) -> None:
    with pytest.raises(rules.RollbackUnsupported):
        rules.check_revision(instance(), to, 1)


def test_an_older_version_is_no_upgrade() -> None:
    with pytest.raises(rules.NotAnUpgrade, match="Going back is a rollback"):
        rules.check_upgrade(instance(), "1.1.9", manifest(), {})


def test_a_version_without_a_component_that_is_used_is_no_upgrade() -> None:
    with pytest.raises(rules.NotAnUpgrade, match="no component sidecar"):
        rules.check_upgrade(instance(), "1.3.0", manifest(), {"sidecar": 1})


def test_a_configuration_that_changes_nothing_is_refused() -> None:
    with pytest.raises(rules.NothingChanges):
        rules.check_changes(instance(), "ver_1", {"greeting": "hello"})


def test_a_change_whose_place_was_taken_is_not_tried_again() -> None:
    with pytest.raises(rules.ChangeSuperseded):
        rules.check_retried("instance.configure", revision(outcome="discarded"))


# Plans


def plan(**fields: Any) -> Plan:
    made = Plan(
        id="pln_1",
        org_id="org_1",
        project_id="prj_1",
        instance_id="ins_1",
        kind="instance.stop",
        input={"preempt": False},
        content={},
        read={"instance": "a", "members": "b"},
        created_by="usr_1",
        expires_at=NOW + timedelta(hours=1),
        applied_operation_id=None,
        correlation_id="c",
        version=1,
        created_at=NOW,
    )
    return replace(made, **fields)


def check(made: Plan, *, read: dict[str, str] | None = None, preempt: bool = False) -> None:
    rules.check_plan(
        made,
        kind="instance.stop",
        given={"preempt": preempt},
        read=made.read if read is None else read,
        now=NOW,
    )


def test_a_plan_of_what_is_still_so_can_be_applied() -> None:
    check(plan())


def test_a_stale_plan_says_what_moved() -> None:
    with pytest.raises(rules.PlanStale, match="these have moved: members") as caught:
        check(plan(), read={"instance": "a", "members": "c"})

    assert [fault.location for fault in caught.value.errors] == ["members"]


@pytest.mark.parametrize(
    "made", [plan(applied_operation_id="opn_1"), plan(expires_at=NOW), plan(kind="instance.start")]
)
def test_a_plan_is_applied_once_in_time_and_for_what_it_was_made(made: Plan) -> None:
    with pytest.raises(rules.PlanStale):
        check(made)


def test_a_plan_of_another_request_is_not_applied() -> None:
    with pytest.raises(rules.PlanStale, match="another request"):
        check(plan(), preempt=True)


# What readers are told


def seen(*, listening: bool = False, serves: str = "publisher") -> OperatorSeen:
    return OperatorSeen("opr_1", "main", serves, listening, NOW)


def test_nobody_is_absent_while_a_controller_listens() -> None:
    assert telling.absence(seen(listening=True)) is None


def test_absence_names_who_acts() -> None:
    found = telling.absence(seen(serves="project"))

    assert found is not None
    assert found["type"] == "controller_absent"
    assert found["who_acts"] == "the project itself, who runs app operator main"


@pytest.mark.parametrize(
    ("template", "endpoints", "text"),
    [
        ("ssh {host}", {"host": "a"}, "ssh a"),
        ("ssh {host}", {}, None),
        ("{{host}} {host}", {"host": "a"}, "{host} a"),
        (None, {}, None),
        ("{host.__class__}", {"host": "a"}, None),
    ],
)
def test_access_is_filled_from_endpoints(
    template: str | None, endpoints: dict[str, Any], text: str | None
) -> None:
    assert telling.access(template, endpoints) == text
