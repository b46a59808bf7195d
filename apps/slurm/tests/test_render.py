"""The files of a cluster, as people read them in a diff: `UPDATE_GOLDEN=1` writes them anew."""

import os
from pathlib import Path
from typing import Any

import pytest

from moorage_slurm import render
from moorage_slurm.app import app

GOLDEN = Path(__file__).with_name("golden")
GPUS = (render.Gpus("h200", ("/dev/nvidia0", "/dev/nvidia1")),)
WORKERS = (
    render.Worker("worker-2", "198.51.100.12", GPUS),
    render.Worker("worker-1", "198.51.100.11"),
)


def cluster(processes: render.Processes = "linuxproc", **config: Any) -> render.Cluster:
    """A cluster with what the manifest says where nothing is said."""
    assert app.manifest.config is not None
    fields = app.manifest.config.json_schema["properties"]
    defaults = {name: field["default"] for name, field in fields.items()}
    return render.Cluster(
        name="ins01abc",
        hostname="login",
        address="198.51.100.10",
        config=defaults | config,
        processes=processes,
    )


CONFIGS = {
    "plain": cluster(),
    "rich": cluster(
        "cgroup",
        auth="slurm",
        partitions=[
            {"name": "all"},
            {"name": "gpu", "features": ["gpu", "big"], "max_minutes": 90},
        ],
        scheduler_parameters="bf_window=2880,bf_continue",
        max_nodes=64,
        extra={"DefMemPerNode": "2000", "KillWait": "45", "PriorityType": "priority/multifactor"},
    ),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_files_are_those_that_were_read_last(name: str) -> None:
    files = render.config_files(CONFIGS[name], WORKERS)
    files["/etc/slurm/slurmdbd.conf"] = render.slurmdbd_conf(CONFIGS[name])
    text = "".join(f"==> {path}\n{files[path]}\n" for path in sorted(files))

    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_units_are_those_that_were_read_last() -> None:
    units = dict(render.controller_units())
    units["slurmd.service"] = render.unit_slurmd(WORKERS[0], controller="198.51.100.10")
    text = "".join(f"==> {name}\n{units[name]}\n" for name in sorted(units))

    golden = GOLDEN / "units.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_the_same_cluster_has_the_same_files() -> None:
    files = [render.config_files(cluster(), order) for order in (WORKERS, WORKERS[::-1])]

    assert files[0] == files[1]


def test_extra_lines_take_the_place_of_ours() -> None:
    lines = render.slurm_conf(cluster(extra={"DefMemPerCPU": "7"})).splitlines()

    assert [line for line in lines if line.startswith("DefMemPer")] == ["DefMemPerCPU=7"]


def test_a_closed_cluster_differs_in_its_partitions_alone() -> None:
    open_, closed = cluster(), render.Cluster(**{**vars(cluster()), "closed": True})

    both = (render.slurm_conf(each).splitlines() for each in (open_, closed))
    changed = [pair for pair in zip(*both, strict=True) if pair[0] != pair[1]]
    assert [pair[0].split()[0] for pair in changed] == ["PartitionName=main"]


@pytest.mark.parametrize(
    ("model", "kind"),
    [("NVIDIA H200 141GB HBM3e", "h200"), ("Tesla T4", "t4"), ("AMD Instinct MI300X", "mi300x")],
)
def test_gpus_are_called_after_their_model(model: str, kind: str) -> None:
    found = render.gpus_of({"gpus": [{"model": model, "index": 0}]}, {})

    assert found == (render.Gpus(kind, ("/dev/nvidia0",)),)


def test_a_model_may_have_another_name() -> None:
    found = render.gpus_of({"gpus": [{"model": "Tesla T4", "index": 0}]}, {"Tesla T4": "small"})

    assert found[0].kind == "small"
