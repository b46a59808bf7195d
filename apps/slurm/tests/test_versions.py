"""What becomes of jobs when a release is changed, and what the files of a cluster say meanwhile."""

from typing import Any

from moorage_slurm import render, versions
from moorage_slurm.onhost import versions as onhost


def cluster(**extra: str) -> render.Cluster:
    config: dict[str, Any] = {
        "partitions": [{"name": "main"}, {"name": "long"}],
        "scheduler_parameters": "",
        "auth": "munge",
        "max_nodes": 8,
        "extra": extra,
    }
    return render.Cluster("ins1", "h1", "198.18.0.2", config, "linuxproc")


def test_a_job_that_ended_since_the_copy_is_cancelled() -> None:
    found = onhost.sort_out([("3", "RUNNING"), ("4", "PENDING")], {"9"})

    assert found["cancelled"] == ["3", "4"]


def test_a_job_that_still_waits_is_held() -> None:
    found = onhost.sort_out([("4", "PENDING"), ("5_2", "PENDING")], {"4", "5_2"})

    assert found["held"] == ["4", "5_2"]


def test_a_job_that_ran_and_was_queued_again_since_waits_held() -> None:
    found = onhost.sort_out([("4", "RUNNING")], {"4"})

    assert (found["requeued"], found["cancelled"]) == (["4"], [])


def test_jobs_that_the_copy_does_not_know_are_lost_and_named_in_their_order() -> None:
    found = onhost.sort_out([("4", "PENDING")], {"4", "10", "9_1"})

    assert found["lost"] == ["9_1", "10"]


def test_where_nobody_knows_what_ended_everything_that_waits_is_held() -> None:
    found = onhost.sort_out([("3", "RUNNING"), ("4", "PENDING")], None)

    assert (found["cancelled"], found["held"], found["lost"]) == (["3"], ["4"], [])


def test_a_closed_cluster_neither_takes_nor_starts_jobs_in_any_partition() -> None:
    said = render.slurm_conf(versions.closed(cluster()))

    assert said.count("State=INACTIVE") == 2
    assert "State=UP" not in said


def test_workers_get_time_whatever_the_configuration_gives_them() -> None:
    said = render.slurm_conf(versions.patient(cluster(SlurmdTimeout="30")))

    assert said.count("SlurmdTimeout=") == 1
    assert f"SlurmdTimeout={versions.PATIENCE}\n" in said
