"""Which nodes are chosen, and why not the others."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage_core.allocations import placement
from moorage_core.allocations.models import Candidate, Strategy
from moorage_core.allocations.placement import Wish

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
ORG, OTHER = "org_a", "org_b"


def node(name: str, **values: Any) -> Candidate:
    usual: dict[str, Any] = {
        "id": f"nod_{name}",
        "name": name,
        "status": "available",
        "cordoned": False,
        "reach": "agent",
        "reachable": True,
        "last_org_id": None,
        "status_since": LONG_AGO,
        "rack": "",
        "held_here": False,
    }
    return Candidate(**(usual | values))


def wish(count: int = 1, strategy: Strategy = "spread", *, can_reimage: bool = False) -> Wish:
    return Wish(ORG, count, strategy, can_reimage)


def names(choice: placement.Choice) -> list[str]:
    return [each.node.name for each in choice.chosen]


def test_spread_goes_over_racks_before_it_takes_two_of_one() -> None:
    nodes = [node("a1", rack="a"), node("a2", rack="a"), node("b1", rack="b"), node("c1", rack="c")]

    choice = placement.choose(nodes, wish(3))

    assert names(choice) == ["a1", "b1", "c1"]


def test_spread_begins_where_the_project_has_least() -> None:
    nodes = [
        node("a1", rack="a", status="allocated", held_here=True),
        node("a2", rack="a"),
        node("b1", rack="b", status="allocated"),
        node("b2", rack="b"),
    ]

    assert names(placement.choose(nodes, wish(1))) == ["b2"]


def test_spread_takes_what_has_rested_longest() -> None:
    nodes = [node("a", status_since=LONG_AGO + timedelta(days=1)), node("b")]

    assert names(placement.choose(nodes, wish())) == ["b"]


def test_pack_fills_the_fullest_rack() -> None:
    nodes = [
        node("a1", rack="a"),
        node("b1", rack="b", status="allocated"),
        node("b2", rack="b"),
        node("b3", rack="b"),
    ]

    assert names(placement.choose(nodes, wish(2, "pack"))) == ["b2", "b3"]


@pytest.mark.parametrize("strategy", ["spread", "pack"])
def test_a_node_that_must_be_imaged_anew_comes_last(strategy: Strategy) -> None:
    nodes = [node("a", last_org_id=OTHER), node("b", last_org_id=ORG), node("c")]

    choice = placement.choose(nodes, wish(3, strategy, can_reimage=True))

    assert names(choice) == ["b", "c", "a"]
    assert [each.reimage for each in choice.chosen] == [False, False, True]
    assert choice.chosen[2].why.startswith("imaged anew first")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"status": "allocated"}, "held"),
        ({"status": "cleaning"}, "held"),
        ({"status": "enrolling"}, "enrolling"),
        ({"status": "maintenance"}, "maintenance"),
        ({"status": "quarantined"}, "quarantined"),
        ({"cordoned": True}, "cordoned"),
        ({"reachable": False}, "unreachable"),
        ({"last_org_id": OTHER}, "needs_reimage"),
    ],
)
def test_what_is_not_free_is_counted_by_why(values: dict[str, Any], reason: str) -> None:
    choice = placement.choose([node("a"), node("b", **values)], wish(2))

    assert names(choice) == ["a"]
    assert choice.refused == {reason: ["b"]}


def test_a_host_without_agent_never_passes_to_another_org() -> None:
    nodes = [node("a", reach="ssh", last_org_id=OTHER)]

    choice = placement.choose(nodes, wish(can_reimage=True))

    assert choice.refused == {"needs_reimage": ["a"]}


def test_too_few_are_refused_with_numbers_for_tenants_and_names_for_operators() -> None:
    choice = placement.choose([node("a"), node("gpu-9", cordoned=True)], wish(2))

    with pytest.raises(placement.NoCapacity) as refused:
        placement.check_enough(choice, sku="h", region="eu", count=2, names=False)
    with pytest.raises(placement.NoCapacity) as told:
        placement.check_enough(choice, sku="h", region="eu", count=2, names=True)

    assert "1 of 2 free" in refused.value.detail
    assert "gpu-9" not in refused.value.detail
    assert [fault.message for fault in refused.value.errors] == ["1 node"]
    assert [fault.message for fault in told.value.errors] == ["gpu-9"]


nodes_drawn = st.lists(
    st.builds(
        node,
        name=st.text("abcdef", min_size=1, max_size=4),
        status=st.sampled_from(["available", "available", "allocated", "quarantined"]),
        cordoned=st.booleans(),
        rack=st.sampled_from(["", "r1", "r2"]),
        last_org_id=st.sampled_from([None, ORG, OTHER]),
        status_since=st.integers(0, 5).map(lambda days: LONG_AGO + timedelta(days=days)),
    ),
    max_size=12,
    unique_by=lambda each: each.name,
)


@given(
    nodes_drawn, st.integers(1, 6), st.sampled_from(["spread", "pack"]), st.booleans(), st.data()
)
def test_the_choice_hangs_on_nothing_but_the_nodes(
    nodes: list[Candidate], count: int, strategy: Strategy, can_reimage: bool, data: st.DataObject
) -> None:
    asked = wish(count, strategy, can_reimage=can_reimage)

    choice = placement.choose(nodes, asked)
    again = placement.choose(data.draw(st.permutations(nodes)), asked)

    assert names(choice) == names(again)
    assert len(set(names(choice))) == len(choice.chosen) == min(count, choice.free)
    for each in choice.chosen:
        assert placement.obstacle(each.node, org=ORG, can_reimage=can_reimage) is None
    assert choice.free + sum(map(len, choice.refused.values())) == choice.considered
