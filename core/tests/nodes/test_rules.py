"""The table of states, and what a host must be made of."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.tests.factories.machines import INVENTORY
from moorage_core.fleet.models import Sku
from moorage_core.nodes import rules
from moorage_core.nodes.models import Node, Status

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MOMENTS = {"version": 1, "created_at": NOW, "updated_at": NOW}


def node(status: Status = Status.AVAILABLE, **fields: Any) -> Node:
    values: dict[str, Any] = dict.fromkeys(Node.__dataclass_fields__)
    values |= {"id": "nod_1", "name": "gpu-07", "reach": "agent", "enrolled_at": NOW}
    values |= {"status": status, **fields}
    return Node(**values)


def sku(**fields: Any) -> Sku:
    shape: dict[str, Any] = {"cpus": 4, "memory_bytes": 8 << 30, "gpus": 0, "gpu_model": None}
    named = {"id": "sku_1", "slug": "s", "name": "S", "price_micros": 1, "currency": "EUR"}
    values: dict[str, Any] = {**named, **shape, **fields, **MOMENTS, "retired_at": None}
    return Sku(**values)


@pytest.mark.parametrize("before", Status)
@pytest.mark.parametrize("after", Status)
def test_a_node_goes_where_the_table_lets_it(before: Status, after: Status) -> None:
    if before is after:
        assert rules.transition(node(before), after) is None
    elif after in rules.NEXT[before]:
        assert rules.transition(node(before), after) == rules.Transition(before, after)
    else:
        with pytest.raises(rules.StatusForbids, match=f"is {before} and cannot become {after}"):
            rules.transition(node(before), after)


def test_every_state_but_the_last_has_a_way_to_the_last() -> None:
    reached = {Status.RETIRED}
    while more := {s for s in Status if rules.NEXT[s] & reached} - reached:
        reached |= more

    assert reached == set(Status)
    assert rules.NEXT[Status.RETIRED] == frozenset()


@pytest.mark.parametrize(
    ("status", "holder", "enrolled", "imaging", "after"),
    [
        (Status.MAINTENANCE, None, NOW, False, Status.AVAILABLE),
        (Status.QUARANTINED, None, NOW, False, Status.AVAILABLE),
        (Status.QUARANTINED, "alc_1", NOW, False, Status.ALLOCATED),
        (Status.QUARANTINED, None, None, False, Status.ENROLLING),
        (Status.QUARANTINED, None, NOW, True, Status.ENROLLING),
    ],
)
def test_a_node_resumes_as_what_it_would_be(
    status: Status, holder: str | None, enrolled: datetime | None, imaging: bool, after: Status
) -> None:
    assert rules.resumed(node(status, enrolled_at=enrolled), holder, imaging=imaging) is after


@pytest.mark.parametrize("status", [Status.AVAILABLE, Status.ALLOCATED, Status.RETIRED])
def test_there_is_nothing_to_resume_where_nothing_is_held_against_it(status: Status) -> None:
    with pytest.raises(rules.StatusForbids):
        rules.resumed(node(status), None, imaging=False)


GPU = {"model": "NVIDIA H200 NVL", "index": 0}


@pytest.mark.parametrize(
    ("inventory", "wanted"),
    [
        ({}, {}),
        ({"memory_bytes": int((8 << 30) * 0.9) + 1}, {}),
        ({"gpus": [GPU, GPU]}, {"gpus": 2, "gpu_model": "h200"}),
    ],
)
def test_a_host_of_its_class_fits(inventory: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert rules.misfit(INVENTORY | inventory, sku(**wanted)) is None


@pytest.mark.parametrize(
    ("inventory", "wanted", "said"),
    [
        ({"cpu": {"threads": 3}}, {}, "3 CPU threads"),
        ({"cpu": None}, {}, "0 CPU threads"),
        ({"cpu": {"threads": True}}, {}, "0 CPU threads"),
        ({"memory_bytes": 7 << 30}, {}, "bytes of memory"),
        ({"memory_bytes": "lots"}, {}, "0 bytes of memory"),
        ({"gpus": [GPU]}, {}, "1 GPUs; SKU s has 0"),
        ({"gpus": [GPU]}, {"gpus": 2, "gpu_model": "H200"}, "1 GPUs; SKU s has 2"),
        ({"gpus": [{"model": "L4"}]}, {"gpus": 1, "gpu_model": "H200"}, "GPUs L4"),
        ({"gpus": ["odd"]}, {"gpus": 1, "gpu_model": "H200"}, "of no model"),
        ({"gpus": "none"}, {"gpus": 1, "gpu_model": "H200"}, "0 GPUs"),
    ],
)
def test_a_host_of_another_class_says_what_differs(
    inventory: dict[str, Any], wanted: dict[str, Any], said: str
) -> None:
    found = rules.misfit(INVENTORY | inventory, sku(**wanted))

    assert found is not None
    assert said in found


@pytest.mark.parametrize("status", [Status.ALLOCATED, Status.QUARANTINED, Status.MAINTENANCE])
def test_enrolling_again_clears_nothing_that_is_held_against_a_node(status: Status) -> None:
    after = rules.after_enrolment(node(status, status_reason="because"), sku(), INVENTORY)

    assert after == (status, "because")


@pytest.mark.parametrize(
    ("listening", "before"),
    [(0, None), (24, None), (25, NOW - timedelta(seconds=25)), (3600, NOW - timedelta(seconds=25))],
)
def test_nobody_is_silent_before_a_full_term_of_listening(
    listening: int, before: datetime | None
) -> None:
    found = rules.silent_before(
        now=NOW,
        silent_after=timedelta(seconds=25),
        listening_since=NOW - timedelta(seconds=listening),
    )

    assert found == before


def test_a_gap_in_looking_begins_the_term_anew() -> None:
    long_ago, just_now = NOW - timedelta(hours=1), NOW - timedelta(seconds=2)

    went_on = rules.listening_since(long_ago, last_look=just_now, now=NOW)
    after_gap = rules.listening_since(long_ago, last_look=NOW - timedelta(seconds=11), now=NOW)
    first = rules.listening_since(None, last_look=None, now=NOW)

    assert (went_on, after_gap, first) == (long_ago, NOW, NOW)
