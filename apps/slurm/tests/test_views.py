"""Tables that people read, from what a host says."""

from datetime import UTC, datetime
from typing import Any

import moorage
from moorage_slurm import views
from moorage_slurm.onhost import queue

JOB = {
    "job": 7,
    "array": "",
    "state": "RUNNING",
    "user": "ada",
    "account": "prj_1",
    "partition": "main",
    "cpus": 1,
    "submitted": None,
    "started": None,
    "nodes": "w",
    "reason": "",
    "name": "train",
    "tasks": 1,
}
NODE = {
    "node": "worker-1",
    "states": ["IDLE", "DRAIN", "DYNAMIC_NORM"],
    "reason": "disk",
    "cpus": 4,
    "cpus_used": 1,
    "memory_mb": 1000,
    "gres": "gpu:h200:2",
    "features": "moorage",
    "version": "24.11.5",
    "address": "10.0.0.2",
}
USERS = [["ada", "prj_1", 3, 120, 60], ["root", "root", 2, 0, 0]]
HOURS = [["2026-11-16T08", 100, 0], ["2026-11-16T09", 20, 60]]


def said(**values: Any) -> dict[str, Any]:
    return {
        "jobs": queue.pack([JOB]),
        "nodes": [NODE],
        "partitions": [{"partition": "main", "state": "up", "nodes": 1, "cpus": 4}],
        "counts": {"main": {"RUNNING": 2, "COMPLETING": 1, "PENDING": 5000}},
        "usage": {"users": USERS, "hours": HOURS},
    } | values


def instance() -> moorage.Instance:
    member = moorage.Member(id="mem_1", name="worker-1", component="worker", status="ready")
    return moorage.Instance(
        id="ins_1",
        name="one",
        org_id="org_1",
        project_id="PRJ_1",
        app_slug="slurm",
        app_version="1.0.0",
        members=[member],
    )


def test_a_job_of_the_project_is_a_row_for_everybody_there() -> None:
    assert views.queue(said(), instance()) == [JOB]


def test_a_job_of_another_account_is_for_admins_alone() -> None:
    other = JOB | {"account": "root"}

    assert views.queue(said(jobs=queue.pack([other])), instance()) == [other | {"$project": None}]


def test_a_node_names_its_member() -> None:
    (row,) = views.nodes(said(), instance())

    assert (row["member"], row["state"], row["gpus"]) == ("worker-1", "IDLE+DRAIN", "gpu:h200:2")


def test_a_node_that_somebody_else_brought_has_no_member() -> None:
    (row,) = views.nodes(said(nodes=[NODE | {"node": "mine"}]), instance())

    assert row["member"] == ""


def test_a_partition_says_how_many_jobs_run_and_wait() -> None:
    (row,) = views.partitions(said())

    assert (row["running"], row["pending"]) == (3, 5000)


def test_a_partition_without_jobs_has_none() -> None:
    (row,) = views.partitions(said(counts={}))

    assert (row["running"], row["pending"]) == (0, 0)


def test_usage_is_by_person_and_account() -> None:
    mine, own = views.usage(said(), instance())

    assert (mine["key"], mine["jobs"], mine["cpu_seconds"]) == ("ada", 3, 120)
    assert "$project" not in mine
    assert (own["key"], own["$project"]) == ("root/root", None)


def test_hours_that_are_over_are_metered_once_each() -> None:
    found = [(each.meter, each.key, each.quantity) for each in views.metered(said())]

    assert found == [
        ("slurm.cpu_seconds", "2026-11-16T08", 100),
        ("slurm.cpu_seconds", "2026-11-16T09", 20),
        ("slurm.gpu_seconds", "2026-11-16T09", 60),
    ]


def test_a_metered_hour_begins_and_ends_on_the_hour() -> None:
    first = next(views.metered(said()))

    assert first.from_at == datetime(2026, 11, 16, 8, tzinfo=UTC)
    assert first.until_at == datetime(2026, 11, 16, 9, tzinfo=UTC)
