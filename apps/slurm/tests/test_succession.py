"""What is known of jobs after the host of a controller has died, and lines that workers share."""

import pytest

import moorage
from moorage_slurm import render, succession
from moorage_slurm.onhost import gres, state

QUEUE = {1: "RUNNING", 2: "RUNNING", 3: "PENDING", 4: "PENDING", 5: "COMPLETED"}


def test_what_ended_or_began_since_the_copy_does_not_run_again() -> None:
    found = state.sort_out(QUEUE, at_work=[1], begun=[1, 2, 3], complete=True)

    assert found == {"ended": [2], "held": [3], "lost": []}


def test_jobs_that_the_copy_does_not_know_as_running_are_lost() -> None:
    found = state.sort_out(QUEUE, at_work=[1, 2, 3, 9], begun=[1, 2, 3, 9], complete=True)

    assert found == {"ended": [], "held": [3], "lost": [3, 9]}


def test_where_a_worker_could_not_be_asked_everything_that_waits_is_held() -> None:
    found = state.sort_out(QUEUE, at_work=[1], begun=[1], complete=False)

    assert found == {"ended": [], "held": [3, 4], "lost": []}


def test_an_array_is_held_where_a_task_of_it_may_have_begun_since() -> None:
    assert state.begun_arrays([5, 20], unknown=[4, 9]) == [5]
    assert state.begun_arrays([5, 20], unknown=[]) == []


def test_a_workers_log_names_the_jobs_that_began_there() -> None:
    lines = [
        "[2026-11-16T09:43:41.005] Launching batch job 3 for UID 200000",
        "[2026-11-16T09:43:44.291] Caught SIGTERM. Shutting down.",
        "[2026-11-16T09:42:40.417] launch task StepId=1.0 request from UID:0 GID:0 HOST:h1 PORT:1",
        "[2026-11-16T09:44:01.048] [3.batch] done with step",
    ]

    assert state.begun(lines) == [1, 3]


def test_what_was_chosen_once_is_read_from_the_file_of_before() -> None:
    conf = "ClusterName=a\nFirstJobId=4711\nProctrackType=proctrack/cgroup\n"

    assert state.chosen(conf) == {"processes": "cgroup", "first_job": 4711}
    assert state.chosen("") == {"processes": "linuxproc", "first_job": 1}


@pytest.mark.parametrize(
    ("copy", "keeper", "old"),
    [({"at": 1}, None, False), ({"at": 1}, "worker-1", True), (None, None, True)],
)
def test_only_what_the_old_host_handed_over_itself_is_up_to_date(
    copy: dict[str, int] | None, keeper: str | None, old: bool
) -> None:
    assert succession.Legacy(copy, keeper, first_job=1).is_old is old


def test_state_on_an_export_is_newer_than_any_copy() -> None:
    kept = succession.Legacy({"at": 100}, "worker-1", first_job=1)
    shared = succession.Legacy(None, None, first_job=1, written=170)

    assert (kept.at, shared.at) == (100, 170)
    assert (kept.is_empty, shared.is_empty) == (False, False)
    assert succession.Legacy(None, None, first_job=1).is_empty


def test_homes_on_the_controllers_host_do_not_go_by_surprise() -> None:
    with pytest.raises(moorage.Fail) as refused:
        succession.promise({"mode": "controller"})

    assert refused.value.code == "homes_here"
    assert succession.HOMES in succession.promise({"mode": "local"})
    assert succession.promise({"mode": "mount"}) == succession.MOVING


def test_people_read_which_jobs_were_lost() -> None:
    said = succession.words({"lost": [9], "held": [], "ended": [2, 3]}, empty=False)

    assert said == [
        "Jobs that nobody knew any more were ended: 9.",
        "Jobs that ended unseen count as cancelled: 2, 3.",
    ]


COPY = {"at": 1_800_000_000, "highest": 57}


def foreseen(**more: object) -> dict[str, object]:
    return {"attempt": 1, "copy": COPY, "keeper": "worker-1", "begun": [], "late": [], **more}


def test_people_read_which_jobs_will_be_lost_before_they_agree() -> None:
    said = succession.losses(foreseen(begun=[58, 60]), now=1_800_000_042)

    assert "of 2027-01-15 08:00:00 UTC, 42 s ago" in said
    assert "jobs above 57" in said
    assert "Those that began since are ended: 58, 60." in said
    assert said.endswith(succession.ACCEPT)


def test_people_read_that_everything_will_be_lost_where_nobody_has_a_copy() -> None:
    said = succession.losses(foreseen(copy=None, keeper=None, late=["worker-2"]), now=0)

    assert "every job that waits is lost, every job that runs is ended" in said
    assert "worker-2 could not be asked." in said


def test_the_newest_copy_counts() -> None:
    assert succession.newest({"b": {"at": 2}, "a": {"at": 2}, "c": {"at": 1}}) == "a"
    assert succession.newest({}) is None


def test_lines_of_workers_are_merged_as_the_whole_file_would_be_written() -> None:
    gpus = (render.Gpus("h200", ("/dev/nvidia0", "/dev/nvidia1")),)
    names = ["worker-10", "worker-2", "worker-3"]
    workers = [render.Worker(name, "192.0.2.1", gpus) for name in names]
    text = render.gres_conf(workers[:2])

    after = gres.merged(text, {"worker-3": render.gres_lines("worker-3", gpus), "worker-10": []})

    assert after == render.gres_conf(workers[1:])
