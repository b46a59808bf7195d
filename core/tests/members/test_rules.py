"""What may happen to members, without a server."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from typing import Any, get_args

import pytest

from moorage_core.allocations.models import Allocation
from moorage_core.members import rules
from moorage_core.members.models import Member, Placement, Status
from moorage_core.operations import rules as operations
from moorage_manifest import Manifest

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STATUSES: tuple[Status, ...] = get_args(Status)
KINDS = ("member.add", "member.drain", "member.resume", "member.remove")
VERBS: tuple[rules.Verb, ...] = get_args(rules.Verb)


def member(status: Status = "ready", **fields: Any) -> Member:
    settled: Status = status if status in rules.SETTLED else "ready"
    made = Member(
        id="mem_1",
        org_id="org_a",
        project_id="prj_a",
        instance_id="ins_a",
        component="worker",
        name="worker-1",
        status=status,
        settled=settled,
        status_reason=None,
        health="unknown",
        health_reasons=[],
        allocation_id="alc_1",
        node_name="host",
        host_address=None,
        source_project_id="prj_a",
        managed=False,
        keep_allocation=False,
        version_id="ver_1",
        app_version="1.0.0",
        runtime_version=None,
        config_hash=None,
        adapter_detail={},
        drain_owner=None,
        drain_reason=None,
        replaces_id=None,
        last_operation_id=None,
        correlation_id="c",
        version=1,
        created_at=NOW,
        updated_at=NOW,
        removed_at=NOW if status == "removed" else None,
        app_id="app_echo",
        app_slug="echo",
    )
    return replace(made, **fields)


def manifest(**components: dict[str, Any]) -> Manifest:
    return Manifest.model_validate(
        {
            "contract": 1,
            "slug": "echo",
            "version": "1.0.0",
            "name": "Echo",
            "summary": "Says it again.",
            "modes": [{"operating_mode": "standard", "scope": "project"}],
            "components": components,
            "timeouts": {"member.drain": 120},
        }
    )


def machine(**fields: Any) -> Allocation:
    made = Allocation(
        id="alc_1",
        org_id="org_a",
        project_id="prj_a",
        name="machine",
        node_id="nod_1",
        node_name="host",
        region="north",
        sku="small",
        gpus=0,
        price_micros=0,
        currency="EUR",
        status="active",
        message=None,
        dirty=[],
        placement={},
        scheduler_type=None,
        metadata={},
        requested_by="usr_a",
        setup_operation_id=None,
        release_operation_id=None,
        reimage=False,
        reimage_from=None,
        proof={},
        held_from=NOW,
        held_until=None,
        attempt=1,
        due_at=None,
        correlation_id="c",
        version=1,
        created_at=NOW,
        updated_at=NOW,
        instance_id=None,
    )
    return replace(made, **fields)


# States


def test_every_state_is_in_the_table() -> None:
    assert set(rules.NEXT) == set(STATUSES)


def test_a_member_can_be_gone_from_every_state() -> None:
    assert all("removed" in after for status, after in rules.NEXT.items() if status != "removed")


def test_nothing_follows_on_a_tombstone() -> None:
    assert rules.NEXT["removed"] == frozenset()


def test_a_move_that_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(rules.InvalidTransition, match="worker-1"):
        rules.check_transition(member("joining"), "draining")


@pytest.mark.parametrize(
    ("kind", "during", "done"),
    [
        ("member.add", "joining", "ready"),
        ("member.drain", "draining", "drained"),
        ("member.remove", "removing", "removed"),
    ],
)
@pytest.mark.rule("MB-1")
def test_a_member_is_what_its_operation_makes_of_it(
    kind: str, during: Status, done: Status
) -> None:
    begun = rules.follow(member(), kind=kind, status="running", why=None)
    ended = rules.follow(member(), kind=kind, status="succeeded", why=None)

    assert begun == rules.Following(during, "ready")
    assert ended == rules.Following(done, done)


def test_a_resumed_member_stays_drained_until_it_works() -> None:
    drained = member("drained")

    during = rules.follow(drained, kind="member.resume", status="running", why=None)
    after = rules.follow(drained, kind="member.resume", status="succeeded", why=None)

    assert during == rules.Following("drained", "drained")
    assert after == rules.Following("ready", "ready")


@pytest.mark.parametrize("status", ["pending", "ready", "waiting", "blocked", "undoing"])
@pytest.mark.parametrize("kind", KINDS)
def test_standing_in_line_changes_no_member(kind: str, status: str) -> None:
    assert rules.follow(member(), kind=kind, status=status, why=None) is None


def test_a_cancelled_removal_leaves_the_member_as_it_was() -> None:
    removing = member("removing", settled="drained")

    after = rules.follow(removing, kind="member.remove", status="cancelled", why=None, again=True)

    assert after == rules.Following("drained", "drained")


@pytest.mark.parametrize("end", ["failed", "cancelled", "abandoned"])
@pytest.mark.parametrize("kind", ["member.drain", "member.resume", "member.remove"])
def test_what_never_was_at_work_on_a_member_leaves_it_to_whoever_is(kind: str, end: str) -> None:
    after = rules.follow(member("draining", settled="ready"), kind=kind, status=end, why=None)

    gone = rules.Following("removed", "removed", rules.ABANDONED, unknown=True)
    assert after == (gone if (kind, end) == ("member.remove", "abandoned") else None)


def test_taking_a_failed_drain_back_leaves_the_member_as_the_drain_found_it() -> None:
    """It is at work twice; what it found the second time was its own failure."""
    now = member("ready")

    for state, again in [("running", False), ("failed", True), ("running", True)]:
        after = rules.follow(now, kind="member.drain", status=state, why=None, again=again)
        assert after is not None
        now = replace(now, status=after.status, settled=after.settled)
    after = rules.follow(now, kind="member.drain", status="cancelled", why=None, again=True)

    assert after == rules.Following("ready", "ready")


def test_a_cancelled_join_leaves_a_tombstone() -> None:
    after = rules.follow(member("joining"), kind="member.add", status="cancelled", why="no")

    assert after == rules.Following("removed", "removed", "no")


def test_a_member_that_could_not_join_stays_with_its_own_machine() -> None:
    after = rules.follow(member("joining"), kind="member.add", status="failed", why="no disk")

    assert after == rules.Following("failed", "failed", "no disk")


def test_a_member_that_could_not_join_goes_with_the_machine_that_was_got_for_it() -> None:
    joining = member("joining", managed=True)

    after = rules.follow(joining, kind="member.add", status="failed", why="no disk")

    assert after == rules.Following("removed", "removed", "no disk")


@pytest.mark.parametrize(
    ("kept", "keep"), [({"keep_allocation": True}, False), ({}, True)], ids=["asked", "deployment"]
)
def test_a_machine_that_is_to_be_kept_keeps_its_member(kept: dict[str, Any], keep: bool) -> None:
    joining = member("joining", managed=True, **kept)

    after = rules.follow(joining, kind="member.add", status="failed", why="no", keep=keep)

    assert after is not None
    assert after.status == "failed"


def test_abandoning_leaves_what_nobody_knows() -> None:
    removed = rules.follow(member("removing"), kind="member.remove", status="abandoned", why=None)
    drained = rules.follow(
        member("draining"), kind="member.drain", status="abandoned", why=None, again=True
    )

    assert removed is not None
    assert drained is not None
    assert (removed.status, removed.unknown) == ("removed", True)
    assert (drained.status, drained.unknown) == ("failed", True)


BEGUN: list[tuple[Status, Status, str]] = [
    *(
        (status, status if status in rules.SETTLED else "ready", kind)
        for status in ("ready", "drained", "failed", "replacing")
        for kind in KINDS[1:]
    ),
    ("requested", "requested", "member.add"),
    ("failed", "failed", "member.add"),
    ("replacing", "failed", "member.add"),
]
"""Members as their operations find them. One that joins or is drained is kept by another."""


@pytest.mark.parametrize(("status", "settled", "kind"), BEGUN)
@pytest.mark.parametrize(
    "moves",
    [
        ["running", "succeeded"],
        ["running", "failed", "running", "succeeded"],
        *(["running", end] for end in ("failed", "cancelled", "abandoned")),
        *([end] for end in ("failed", "cancelled", "abandoned")),
    ],
    ids="-".join,
)
def test_whatever_becomes_of_an_operation_its_member_can_follow(
    status: Status, settled: Status, kind: str, moves: list[str]
) -> None:
    now = member(status, settled=settled)

    for at, state in enumerate(moves):
        after = rules.follow(now, kind=kind, status=state, why=None, again=at > 0)
        if after is not None:
            rules.check_transition(now, after.status)
            now = replace(now, status=after.status, settled=after.settled)

    # One that never began leaves the member to whoever replaces it.
    assert now.status in rules.SETTLED or (moves[0] != "running" and now.status == status)


@pytest.mark.parametrize("managed", [False, True])
def test_no_life_leads_a_member_where_it_cannot_go(managed: bool) -> None:
    """Every life of a member: one operation after the other, each by every move there is."""
    ahead = [(member("requested", managed=managed), "member.add", "ready")]
    seen = set[tuple[Any, ...]]()
    while ahead:
        now, kind, status = ahead.pop()
        key = (now.status, now.settled, now.last_operation_id == kind, kind, status)
        if key in seen or not now.is_live:
            continue
        seen.add(key)
        for state in sorted(operations.NEXT[status]):
            if state == "succeeded" and status != "running":
                continue
            after = _followed(now, kind, state)
            ahead.append((after, kind, state))
            if state in operations.ENDED:
                verbs = [verb for verb in VERBS[1:4] if after.status in rules.STATES[verb]]
                new = replace(after, last_operation_id=None)
                ahead += [(new, f"member.{verb}", "ready") for verb in verbs]

    assert {status for status, *_ in seen} == set(STATUSES) - {"replacing", "removed"}


def _followed(now: Member, kind: str, state: str) -> Member:
    again = now.last_operation_id == kind
    after = rules.follow(now, kind=kind, status=state, why=None, again=again)
    if after is None:
        return now
    rules.check_transition(now, after.status)
    return replace(now, status=after.status, settled=after.settled, last_operation_id=kind)


def test_every_end_of_an_operation_is_followed() -> None:
    for kind, status in product(KINDS, sorted(operations.ENDED)):
        after = rules.follow(member("removing"), kind=kind, status=status, why=None, again=True)
        assert after is not None


# Asking


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("status", ["requested", "deploying", "deleting", "delete_failed"])
def test_nothing_is_asked_of_members_while_their_instance_comes_or_goes(
    verb: rules.Verb, status: str
) -> None:
    with pytest.raises(rules.InvalidTransition, match=status):
        rules.check_instance("ins_a", status, [], verb)


def test_members_of_a_stopped_instance_can_be_removed_and_nothing_else() -> None:
    rules.check_instance("ins_a", "stopped", [], "remove")

    with pytest.raises(rules.InvalidTransition, match="stopped"):
        rules.check_instance("ins_a", "stopped", [], "drain")


def test_what_comes_first_counts() -> None:
    rules.check_instance("ins_a", "stopped", ["instance.start"], "add")

    with pytest.raises(rules.InvalidTransition, match="deleting"):
        rules.check_instance("ins_a", "running", ["instance.decommission"], "remove")


def test_only_what_the_component_offers_can_be_asked_for() -> None:
    with pytest.raises(rules.VerbNotOffered, match="it offers drain"):
        rules.check_verb(manifest(worker={"verbs": ["drain"]}), "worker", "remove")


def test_a_component_that_the_app_has_not_is_named() -> None:
    with pytest.raises(rules.UnknownComponent, match="it has: worker"):
        rules.check_verb(manifest(worker={}), "head", "add")


def test_a_refusal_names_every_member_that_stands_in_the_way() -> None:
    two = [member("drained", id="mem_1"), member("drained", id="mem_2", name="worker-2")]

    with pytest.raises(rules.InvalidTransition, match=r"worker-1 is drained.*1 more") as refused:
        rules.check_members(two, "drain", frozenset())

    assert [fault.location for fault in refused.value.errors] == [
        "body.members.mem_1",
        "body.members.mem_2",
    ]


def test_nothing_comes_after_a_removal() -> None:
    with pytest.raises(rules.MemberLeaving, match="is being removed"):
        rules.check_members([member()], "drain", frozenset({"mem_1"}))


@pytest.mark.parametrize("owner", ["platform", "app"])
@pytest.mark.rule("MB-2")
def test_only_the_side_that_drained_a_member_clears_it(owner: str) -> None:
    drained = member("drained", drain_owner=owner, drain_reason="a fan is broken")

    with pytest.raises(rules.DrainedByOthers, match="a fan is broken"):
        rules.check_may_resume([drained], "user")


def test_a_drain_has_an_owner_and_a_reason_until_the_member_works() -> None:
    given = {"owner": "user", "reason": "new disks"}

    draining = rules.drained_by(member(), "member.drain", given, "draining")
    held = member("drained", drain_owner="user", drain_reason="new disks")

    assert draining == ("user", "new disks")
    assert rules.drained_by(held, "member.remove", {}, "removing") == ("user", "new disks")
    assert rules.drained_by(held, "member.resume", {}, "ready") == (None, None)


@pytest.mark.rule("MB-6")
def test_a_component_has_at_most_its_maximum_of_members() -> None:
    app = manifest(worker={"max": 3})

    rules.check_room(app, {"worker": 2}, {"worker": 1})

    with pytest.raises(rules.TooManyMembers, match="3 members of worker: there are 2, and 2 more"):
        rules.check_room(app, {"worker": 2}, {"worker": 2})


@pytest.mark.rule("MB-6")
def test_a_component_keeps_its_minimum_of_members() -> None:
    app = manifest(worker={"min": 1})

    rules.check_enough_left(app, {"worker": 1})

    with pytest.raises(rules.TooFewMembers, match="1 member of worker, and 0 would be left"):
        rules.check_enough_left(app, {"worker": 0})


def test_the_new_member_comes_first_where_there_is_room_for_both() -> None:
    app = manifest(head={"max": 1}, worker={})

    assert rules.adds_first(app, "worker", 100)
    assert not rules.adds_first(app, "head", 1)


# Machines


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"status": "releasing"}, "is releasing"),
        ({"dirty": ["abandoned"]}, "can only be released"),
        ({"instance_id": "ins_other"}, "carries members of instance ins_other"),
        ({"scheduler_type": "other"}, "is noted for other"),
    ],
)
def test_a_machine_must_be_fit(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(rules.MachineUnfit, match=why):
        rules.check_machine(machine(**fields), instance="ins_a", runtime_backend="echo")


def test_a_machine_of_the_same_instance_is_fit() -> None:
    row = machine(instance_id="ins_a", scheduler_type="echo")

    rules.check_machine(row, instance="ins_a", runtime_backend="echo")

    assert row.instance_id == "ins_a"


@pytest.mark.rule("MB-7")
def test_two_members_share_a_host_where_one_of_them_says_so() -> None:
    app = manifest(head={}, worker={"may_share_host_with": ["head"]}, lone={})
    here = Placement(("alc_1",))

    rules.check_sharing(app, {"head": here, "worker": here}, {})

    with pytest.raises(rules.MachineUnfit, match="lone and head together"):
        rules.check_sharing(app, {"lone": here}, {"alc_1": ["head"]})


def test_two_members_of_one_component_share_no_host_by_themselves() -> None:
    with pytest.raises(rules.MachineUnfit, match="worker and worker together"):
        rules.check_sharing(manifest(worker={}), {"worker": Placement(("alc_1", "alc_1"))}, {})


# What operations are told


def test_components_join_one_after_the_other_unless_they_wait_by_themselves() -> None:
    app = manifest(head={}, worker={"waits_for_others": False}, login={}, edge={})
    first = manifest(head={"waits_for_others": False}, worker={})

    assert rules.waves(app) == {"head": 0, "worker": 0, "login": 1, "edge": 2}
    assert rules.waves(first) == {"head": 0, "worker": 1}


def test_an_operation_takes_as_long_as_the_manifest_says() -> None:
    app = manifest(worker={})

    assert rules.timeout(app, "member.drain") == 120
    assert rules.timeout(app, "member.add") == rules.TIMEOUT


def test_what_runs_has_its_own_time_before_the_drain_has() -> None:
    assert rules.child_timeout(120, "deadline", 60) == 180
    assert rules.child_timeout(120, "wait", None) == 120
    assert rules.drain_input("wait", 60, owner="user", reason="r")["deadline_seconds"] is None


@pytest.mark.parametrize(
    ("said", "new"),
    [
        ({"health": "unknown"}, False),
        ({"health": None}, False),
        ({}, False),
        ({"health": "healthy"}, True),
        ({"reasons": ["slow"]}, True),
        ({"adapter_detail": {}}, False),
        ({"adapter_detail": {"state": "idle"}}, True),
    ],
)
def test_what_is_as_it_was_is_not_written(said: dict[str, Any], new: bool) -> None:
    assert rules.says_new(member(), said) is new
