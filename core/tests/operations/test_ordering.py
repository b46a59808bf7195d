"""Order: nobody conflicts, nobody jumps the queue, nobody waits for ever."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moorage_core.operations import ordering
from moorage_core.operations.ordering import Entry, startable


def entry(id: str, place: int, **changes: Any) -> Entry:
    members = frozenset(changes.pop("members", ()))
    values: dict[str, Any] = {"root": id, "status": "pending", "lock": "shared"} | changes
    return Entry(id=id, place=place, members=members, **values)


def test_what_shares_the_instance_starts_together() -> None:
    entries = [entry("a", 1, members={"m1"}), entry("b", 2, members={"m2"})]

    assert startable(entries) == ["a", "b"]


def test_an_exclusive_one_starts_alone() -> None:
    entries = [entry("a", 1, lock="exclusive"), entry("b", 2), entry("c", 3, lock="exclusive")]

    assert startable(entries) == ["a"]


def test_a_pending_exclusive_one_is_a_barrier() -> None:
    entries = [
        entry("a", 1, status="running"),
        entry("b", 2, lock="exclusive"),
        entry("c", 3),
    ]

    assert startable(entries) == []


def test_what_waits_keeps_its_member_and_not_the_instance() -> None:
    entries = [
        entry("a", 1, status="waiting", members={"m1"}),
        entry("b", 2, lock="exclusive"),
        entry("c", 3, members={"m1"}),
    ]

    assert startable(entries) == ["b"]
    assert startable([entries[0], entries[2]]) == []


@pytest.mark.parametrize("status", ["waiting", "blocked", "pending"])
def test_an_exclusive_one_that_was_begun_keeps_the_instance_until_it_ends(status: str) -> None:
    begun = entry("configure", 2, lock="exclusive", status=status, begun=True)
    others = [entry("restart", 1, lock="exclusive"), entry("drain", 3, members={"m1"})]
    ask = entry("ask", 4, lock="none")

    assert startable([begun, *others]) == (["configure"] if status == "pending" else [])
    assert startable([begun, *others, ask])[-1] == "ask"


def test_what_comes_back_stands_before_what_came_later() -> None:
    entries = [
        entry("late", 2, lock="exclusive"),
        entry("back", 1, members={"m1"}, begun=True),
    ]

    assert startable(entries) == ["back"]


def test_nobody_takes_a_member_from_what_comes_back() -> None:
    entries = [
        entry("early", 1, members={"m1"}),
        entry("back", 2, members={"m1"}, begun=True),
    ]

    assert startable(entries) == ["back"]


def test_an_exclusive_parent_keeps_the_instance_while_its_children_work() -> None:
    entries = [
        entry("deploy", 1, lock="exclusive", status="waiting", parts=True),
        entry("child", 1, root="deploy", members={"m1"}),
        entry("other", 2, members={"m2"}),
    ]

    assert startable(entries) == ["child"]


def test_an_exclusive_parent_waits_for_the_members_that_its_children_need() -> None:
    entries = [
        entry("drain", 1, status="waiting", members={"m1"}),
        entry("decommission", 2, lock="exclusive"),
        entry("child", 2, root="decommission", members={"m1"}, held_back=True),
    ]

    assert startable(entries) == []
    assert startable(entries[1:]) == ["decommission"]


def test_a_child_stands_behind_nobody_for_what_its_parent_keeps() -> None:
    entries = [
        entry("configure", 1, lock="exclusive"),
        entry("deploy", 2, lock="exclusive", status="waiting", parts=True),
        entry("child", 2, root="deploy", members={"m1"}, begun=True),
    ]

    assert startable(entries) == ["child"]


def test_a_bulk_parent_keeps_nothing_while_its_children_work() -> None:
    entries = [
        entry("bulk", 1, status="waiting", parts=True),
        entry("child", 1, root="bulk", members={"m1"}, status="waiting"),
        entry("other", 2, lock="exclusive"),
    ]

    assert startable(entries) == ["other"]


def test_children_start_slot_by_slot_and_stand_in_line_meanwhile() -> None:
    entries = [
        entry("bulk", 1, status="waiting", parts=True),
        *(entry(f"child{n}", 1, root="bulk", members={f"m{n}"}) for n in range(4)),
        entry("other", 2, members={"m3"}),
        entry("free", 3, members={"m9"}),
    ]

    assert startable(entries, {"bulk": 2}) == ["child0", "child1", "free"]


def test_a_child_that_is_held_back_stands_in_line() -> None:
    entries = [
        entry("bulk", 1, status="running"),
        entry("child", 1, root="bulk", members={"m1"}, held_back=True),
        entry("other", 2, members={"m1"}),
    ]

    assert startable(entries) == []


def test_a_repair_yields_to_everybody() -> None:
    repair = entry("repair", 1, members={"m1"}, yields=True)

    assert startable([repair, entry("b", 2, members={"m2"})]) == ["b"]
    assert startable([repair, entry("b", 2, status="waiting", members={"m2"})]) == ["repair"]
    assert startable([repair]) == ["repair"]


@pytest.mark.rule("AC-5")
def test_what_asks_for_no_lock_starts_at_once() -> None:
    entries = [
        entry("stop", 1, lock="exclusive", status="running"),
        entry("ask", 2, lock="none", members={"m1"}),
    ]

    assert startable(entries) == ["ask"]


# Every world of up to ten operations

STATES = ("pending", "ready", "running", "undoing", "waiting", "blocked")


@st.composite
def worlds(draw: st.DrawFn) -> list[Entry]:
    """Operations as they are asked for: nothing has started."""
    made: list[Entry] = []
    for place in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["exclusive", "member", "repair", "bulk", "deploy", "none"]))
        members = st.frozensets(st.sampled_from(["m1", "m2", "m3"]), min_size=1, max_size=2)
        id = f"op{place}"
        if kind in ("bulk", "deploy"):
            lock = "shared" if kind == "bulk" else "exclusive"
            made.append(entry(id, place, lock=lock))
            for member in sorted(draw(members)):
                child = entry(f"{id}/{member}", place, root=id, members={member}, held_back=True)
                made.append(child)
        elif kind in ("exclusive", "none"):
            made.append(entry(id, place, lock=kind))
        else:
            made.append(entry(id, place, members=draw(members), yields=kind == "repair"))
    return made


def conflicts(one: Entry, other: Entry) -> bool:
    """The rule in its plainest form, to hold the quick one against."""
    if "none" in (one.lock, other.lock):
        return False
    locks = (
        one.root != other.root
        and one.keeps_instance
        and other.keeps_instance
        and "exclusive" in (one.lock, other.lock)
    )
    shared = one.keeps_members and other.keeps_members and bool(one.members & other.members)
    return locks or shared


def settle(entries: list[Entry]) -> list[Entry]:
    started = set(startable(entries))
    return [replace(e, status="ready") if e.id in started else e for e in entries]


def step(entries: list[Entry], id: str, status: str) -> list[Entry]:
    """What is at work ends, or waits; parents go through their phases."""
    after: list[Entry] = []
    for each in entries:
        if each.id != id:
            after.append(each)
            continue
        children = [e for e in entries if e.root == id and e.id != id]
        if status == "ended" and children and not each.parts:
            after.append(replace(each, status="waiting", parts=True, begun=True))
        elif status != "ended":
            after.append(replace(each, status=status, begun=True))
    opened = {e.id for e in after if e.parts}
    after = [replace(e, held_back=False) if e.root in opened else e for e in after]
    for each in list(after):
        if each.parts and all(e.root != each.id for e in after if e.id != each.id):
            after.remove(each)
    return after


@settings(max_examples=300)
@given(worlds(), st.data())
@pytest.mark.rule("OP-8")
def test_nothing_that_conflicts_is_ever_at_work_together(
    entries: list[Entry], data: st.DataObject
) -> None:
    for _ in range(12):
        entries = settle(entries)
        for one, other in combinations(entries, 2):
            assert not conflicts(one, other), (one, other)
        if not entries:
            break
        moved = data.draw(st.sampled_from([e.id for e in entries]))
        now = next(e for e in entries if e.id == moved)
        if now.status in ordering.KEEPS_INSTANCE:
            status = data.draw(st.sampled_from(["ended", "waiting", "blocked", "running"]))
            entries = step(entries, moved, status)
        elif now.status in ("waiting", "blocked") and not now.parts:
            entries = step(entries, moved, "pending")


@settings(max_examples=300)
@given(worlds(), st.data())
def test_everything_ends_when_all_that_is_at_work_ends(
    entries: list[Entry], data: st.DataObject
) -> None:
    for _ in range(60):
        entries = settle(entries)
        if not entries:
            return
        working = [e.id for e in entries if e.status in ordering.KEEPS_INSTANCE]
        waiting = [e.id for e in entries if e.status == "waiting" and not e.parts]
        assert working or waiting, f"nobody can start: {entries}"
        if working:
            status = data.draw(st.sampled_from(["ended", "ended", "waiting"]))
            entries = step(entries, data.draw(st.sampled_from(working)), status)
        else:
            entries = step(entries, data.draw(st.sampled_from(waiting)), "pending")
    for _ in range(60):
        entries = settle(entries)
        for each in [e for e in entries if e.status in ordering.KEEPS_INSTANCE]:
            entries = step(entries, each.id, "ended")
        for each in [e for e in entries if e.status == "waiting" and not e.parts]:
            entries = step(entries, each.id, "pending")
    assert entries == []
