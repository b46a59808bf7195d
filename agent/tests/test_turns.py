"""Which tasks run beside each other."""

from moorage_agent import turns


def test_no_more_than_32_run_at_once() -> None:
    waiting = [(f"t{number}", "exec") for number in range(40)]

    assert len(turns.next_up(waiting, [])) == 32
    assert len(turns.next_up(waiting, ["exec"] * 30)) == 2


def test_people_are_taken_away_also_when_every_place_is_taken() -> None:
    assert turns.next_up([("t1", "exec"), ("t2", "access-sync")], ["exec"] * 32) == ["t2"]


def test_two_of_a_kind_that_works_on_one_thing_wait_for_each_other() -> None:
    waiting = [("t1", "packages"), ("t2", "packages"), ("t3", "exec")]

    assert turns.next_up(waiting, []) == ["t1", "t3"]


def test_a_wipe_waits_for_what_runs_and_holds_back_what_came_after() -> None:
    waiting = [("t1", "wipe"), ("t2", "exec")]

    assert turns.next_up(waiting, ["exec"]) == []
    assert turns.next_up(waiting, []) == ["t1"]
    assert turns.next_up([("t2", "exec")], ["wipe"]) == []


def test_what_came_before_a_wipe_goes_first() -> None:
    assert turns.next_up([("t1", "exec"), ("t2", "wipe")], []) == ["t1"]
