"""The queue as squeue writes it, and as it is handed on."""

import json

import pytest

from moorage_slurm import views
from moorage_slurm.onhost import commands, queue


def line(**values: str) -> str:
    """A line of squeue, in the form that we ask for."""
    usual = {
        "job": "7",
        "array": "7",
        "state": "RUNNING",
        "user": "ada",
        "account": "prj_1",
        "partition": "main",
        "cpus": "2",
        "submitted": "2026-11-16T09:45:21",
        "started": "2026-11-16T09:45:22",
        "nodes": "worker-1",
        "reason": "None",
        "name": "train",
    }
    return "|".join((usual | values)[name] for name in queue.NAMES)


def test_a_line_is_a_row() -> None:
    assert queue.row(line()) == {
        "job": 7,
        "array": "",
        "state": "RUNNING",
        "user": "ada",
        "account": "prj_1",
        "partition": "main",
        "cpus": 2,
        "submitted": "2026-11-16T09:45:21Z",
        "started": "2026-11-16T09:45:22Z",
        "nodes": "worker-1",
        "reason": "",
        "name": "train",
        "tasks": 1,
    }


def test_a_name_may_hold_what_separates_columns() -> None:
    assert queue.row(line(name="a|b|c"))["name"] == "a|b|c"


def test_a_job_that_waits_has_not_started_whatever_the_scheduler_expects() -> None:
    assert queue.row(line(state="PENDING"))["started"] is None


def test_a_time_that_nobody_knows_is_none() -> None:
    assert queue.row(line(submitted="N/A"))["submitted"] is None


@pytest.mark.parametrize(
    ("array", "count"),
    [
        ("7", 1),
        ("7_3", 1),
        ("7_[0-99]", 100),
        ("7_[0-99%10]", 100),
        ("7_[4]", 1),
        ("7_[0-4,8-20:4%2]", 9),
        ("7_[1,3,5]", 3),
    ],
)
def test_an_array_counts_the_tasks_that_it_still_has(array: str, count: int) -> None:
    assert queue.count_tasks(array) == count


def test_a_long_array_is_cut_where_it_is_shown() -> None:
    found = queue.row(line(array=f"7_[{','.join(str(each) for each in range(0, 200, 2))}]"))

    assert (found["tasks"], len(found["array"])) == (100, queue.SHOWN + 1)


def test_jobs_are_counted_for_each_partition_that_they_may_run_in() -> None:
    found = [
        queue.row(line(state="PENDING", partition="main,gpu", array="7_[0-9]")),
        queue.row(line()),
    ]

    assert queue.count(found) == {"main": {"PENDING": 10, "RUNNING": 1}, "gpu": {"PENDING": 10}}


def test_what_is_packed_on_the_host_is_unpacked_whole() -> None:
    rows = [queue.row(line(name=f"job {each}")) for each in range(3)]

    assert views.unpack(queue.pack(rows)) == rows


def test_an_empty_queue_is_packed_too() -> None:
    assert views.unpack(queue.pack([])) == []


def test_ten_thousand_jobs_fit_into_what_a_probe_may_say() -> None:
    rows = [
        queue.row(line(job=str(each), name=f"train-{each * 7919}", user=f"u{each % 300}"))
        for each in range(queue.MOST_ROWS)
    ]

    assert len(json.dumps(queue.pack(rows))) < 400_000


def test_only_what_was_asked_for_is_said_to_sbatch() -> None:
    wish = {"script": "hostname", "nodes": 2, "memory_mb": 512, "gpus": 1, "name": None}

    assert queue.options(wish) == ["--nodes=2", "--mem=512M", "--gres=gpu:1"]


def test_a_task_of_an_array_is_named_as_commands_take_it() -> None:
    assert [queue.name_of(each) for each in ({"job": 7}, {"job": 7, "task": 0})] == ["7", "7_0"]


def test_an_array_is_told_by_its_own_row_while_tasks_of_it_run() -> None:
    rows = [{"job": 8, "array": "7_0"}, {"job": 7, "array": "7_[1-9]"}]

    assert queue.itself(rows, 7)["array"] == "7_[1-9]"
    assert queue.itself(rows[:1], 7)["array"] == "7_0"


def test_a_job_of_the_past_is_told_in_the_words_of_the_queue() -> None:
    values = ("12_3", "ada", "200001", "prj_1", "main", "COMPLETED", "0:0", "2026-01-01T10:00:00")
    values += ("2026-01-01T10:00:05", "Unknown", "00:01:00", "2", "cpu=2", "worker-1", "", "train")
    names = [name.lower() for name in queue.BOOKED]

    found = queue.in_queue_words(dict(zip(names, values, strict=True)))

    assert (found["job"], found["array"], found["name"], found["cpus"]) == (12, "12_3", "train", 2)
    assert (found["submitted"], found["ended"]) == ("2026-01-01T10:00:00Z", None)
    assert {*queue.NAMES} - {*found} == {"reason"}


# The end of a cluster


class Scheduler:
    """What programs are asked while a cluster ends, and what a queue of jobs makes them answer."""

    def __init__(self, *states: str, says: str = "") -> None:
        self.states, self.says = list(states), says
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, *argv: str, **_: object) -> commands.Completed:
        if argv[0] == "squeue":
            mark = argv[argv.index("-o") + 1].partition("|")[0]
            rows = [f"{mark}|{line(state=state)}" for state in self.states]
            return commands.Completed(0, "\n".join(rows), "")
        self.asked.append(argv)
        if not self.says:
            pending = [state for state in self.states if state != "PENDING"]
            self.states = pending if "--state=PENDING" in argv else []
        return commands.Completed(1 if self.says else 0, "", self.says)


def end(monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler, policy: str) -> list[int]:
    monkeypatch.setattr(queue, "run", scheduler)
    return queue.end({"policy": policy})["jobs"]


def test_jobs_that_are_awaited_are_not_touched_and_those_that_wait_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scheduler = Scheduler("RUNNING", "PENDING")

    assert end(monkeypatch, scheduler, "wait") == [7]
    assert scheduler.asked == [("scancel", "--user=ada", "--state=PENDING")]


def test_all_jobs_are_cancelled_where_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler = Scheduler("RUNNING", "PENDING")

    assert end(monkeypatch, scheduler, "cancel") == []
    assert scheduler.asked == [("scancel", "--user=ada")]


@pytest.mark.parametrize(
    ("says", "code"),
    [
        ("scancel: error: Access/permission denied", "cancel_refused"),
        ("scancel: error: Unable to contact slurm controller", "scheduler_silent"),
    ],
)
def test_jobs_that_slurm_does_not_cancel_are_told(
    monkeypatch: pytest.MonkeyPatch, says: str, code: str
) -> None:
    with pytest.raises(commands.Refused) as refused:
        end(monkeypatch, Scheduler("PENDING", says=says), "wait")

    assert refused.value.code == code


def test_a_job_that_ended_before_it_could_be_cancelled_is_no_trouble(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Late(Scheduler):
        def __call__(self, *argv: str, **_: object) -> commands.Completed:
            said = super().__call__(*argv)
            self.states = self.states if argv[0] == "squeue" else []
            return said

    assert end(monkeypatch, Late("RUNNING", says="Job has already finished"), "cancel") == []
