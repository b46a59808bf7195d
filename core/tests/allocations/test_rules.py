"""What happens next to an allocation, from what is seen."""

from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest

from moorage_core.allocations import rules
from moorage_core.allocations.models import Status, TaskSeen
from moorage_core.allocations.rules import Seen

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
CLEAN: dict[str, Any] = {"residue": {"files": [], "users": []}, "inventory": {"gpus": []}}
LEFT: dict[str, Any] = {"residue": {"files": ["/tmp/x"]}}


def seen(status: Status, *tasks: TaskSeen, **values: Any) -> Seen:
    usual: dict[str, Any] = {
        "id": "alc_1",
        "status": status,
        "reimage": False,
        "reimage_from": None,
        "gpus": 0,
        "node_status": "allocated" if status != "releasing" else "cleaning",
        "generation": 1,
        "image_awaited": False,
        "unreachable_since": None,
        "overdue": False,
        "tasks": {task.key: task for task in tasks},
    }
    return Seen(**(usual | values))


def task(key: str, status: str = "succeeded", result: Any = None, **values: Any) -> TaskSeen:
    over = None if status in ("queued", "sent", "running") else NOW
    usual: dict[str, Any] = {"error_code": None, "error_message": None, "ended_at": over}
    return TaskSeen(id="tsk_1", key=key, status=status, result=result, **(usual | values))


PROBED = task(rules.SETUP, result=CLEAN)
WIPED = task(rules.WIPE, result=CLEAN)
VERIFIED = task(rules.VERIFY, result=CLEAN)


@pytest.mark.parametrize(
    ("what", "act"),
    [
        (seen("requested"), "probe"),
        (seen("requested", reimage=True), "reimage"),
        (seen("requested", reimage=True, reimage_from=1), "wait"),
        (seen("requested", reimage=True, reimage_from=1, generation=2), "probe"),
        (seen("requested", reimage=True, reimage_from=1, overdue=True), "fail"),
        (
            seen("requested", reimage=True, reimage_from=1, overdue=True, image_awaited=True),
            "hold_on",
        ),
        (seen("requested", node_status="quarantined"), "fail"),
        (seen("provisioning", task(rules.SETUP, "running")), "wait"),
        (seen("provisioning", task(rules.SETUP, "queued"), overdue=True), "fail"),
        (seen("provisioning", PROBED), "activate"),
        (seen("provisioning", PROBED, node_status="quarantined"), "fail"),
        (seen("provisioning", task(rules.SETUP, result=LEFT)), "fail"),
        (seen("provisioning", task(rules.SETUP, result=None)), "fail"),
        (seen("provisioning", PROBED, gpus=8), "fail"),
        (seen("provisioning", task(rules.SETUP, "failed")), "fail"),
        (seen("releasing"), "wipe"),
        (seen("releasing", unreachable_since=NOW), "give_up"),
        (seen("releasing", node_status="quarantined"), "give_up"),
        (seen("releasing", task(rules.WIPE, "running")), "wait"),
        (seen("releasing", task(rules.WIPE, "sent"), unreachable_since=NOW), "wait"),
        (seen("releasing", task(rules.WIPE, "queued"), overdue=True), "give_up"),
        (seen("releasing", task(rules.WIPE, "unknown")), "give_up"),
        (seen("releasing", task(rules.WIPE, result=LEFT)), "give_up"),
        (seen("releasing", WIPED), "verify"),
        (seen("releasing", WIPED, task(rules.VERIFY, "running")), "wait"),
        (seen("releasing", WIPED, task(rules.VERIFY, "running"), overdue=True), "give_up"),
        (seen("releasing", WIPED, task(rules.VERIFY, "failed")), "give_up"),
        (seen("releasing", WIPED, task(rules.VERIFY, result=LEFT)), "give_up"),
        (seen("releasing", WIPED, task(rules.VERIFY, result={})), "give_up"),
        (seen("releasing", WIPED, VERIFIED), "release"),
        (seen("active"), "wait"),
        (seen("release_failed"), "wait"),
        (seen("released"), "wait"),
    ],
)
def test_what_comes_next_follows_from_what_is_seen(what: Seen, act: str) -> None:
    step = rules.next_step(what)

    assert step.act == act
    assert (step.message is not None) == (act in ("fail", "give_up"))


@pytest.mark.parametrize(
    ("what", "quarantined"),
    [
        (seen("provisioning", task(rules.SETUP, "queued"), overdue=True), False),
        (seen("provisioning", task(rules.SETUP, "unknown")), False),
        (seen("provisioning", task(rules.SETUP, "failed")), True),
        (seen("provisioning", task(rules.SETUP, result=LEFT)), True),
        (seen("requested", reimage=True, reimage_from=1, overdue=True), True),
    ],
)
def test_a_node_that_was_merely_silent_goes_back_and_a_bad_one_does_not(
    what: Seen, quarantined: bool
) -> None:
    step = rules.next_step(what)

    assert (step.act, step.quarantine) == ("fail", quarantined)


def test_what_is_left_is_named() -> None:
    step = rules.next_step(seen("releasing", WIPED, task(rules.VERIFY, result=LEFT)))

    assert step.message == "The node still has files /tmp/x."


@pytest.mark.parametrize("said", [{"residue": 7}, {"residue": ["x"]}, {"residue": None}, {}, None])
def test_a_node_that_says_nothing_sensible_is_not_clean(said: Any) -> None:
    step = rules.next_step(seen("releasing", WIPED, task(rules.VERIFY, result=said)))

    assert step.act == "give_up"


@pytest.mark.parametrize("status", get_args(Status))
def test_from_every_state_that_holds_a_node_released_can_be_reached(status: Status) -> None:
    reached: set[Status] = {status}
    todo: list[Status] = [status]
    while todo:
        for after in rules.NEXT[todo.pop()] - reached:
            reached.add(after)
            todo.append(after)

    assert ("released" in reached) == (status in rules.LIVE or status == "released")


@pytest.mark.parametrize("status", ["released", "failed"])
def test_a_state_that_is_over_is_left_by_nothing(status: Status) -> None:
    with pytest.raises(rules.InvalidTransition):
        rules.check_transition("alc_1", status, "releasing")


@pytest.mark.parametrize(
    ("seconds", "until", "amount"),
    [
        (None, None, 0),
        (3600, None, 2_500_000),
        (1, None, 695),
        (7200, 1800, 1_250_000),
        (-5, None, 0),
    ],
)
def test_the_estimate_is_held_time_at_the_list_price(
    seconds: int | None, until: int | None, amount: int
) -> None:
    start = None if seconds is None else NOW - timedelta(seconds=seconds)
    over = None if until is None or start is None else start + timedelta(seconds=until)

    cost = rules.cost(start, over, price_micros=2_500_000, currency="EUR", now=NOW)

    assert cost.amount_micros == amount


def test_a_long_word_of_a_node_is_not_kept_whole() -> None:
    huge = {"residue": {"files": ["x" * 200_000]}}

    kept = rules.proof(task(rules.WIPE, result=huge))

    assert kept["result"] == {"cut_bytes": len('{"residue": {"files": ["') + 200_000 + len('"]}}')}
