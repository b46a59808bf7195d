"""GPUs are counted through the driver's library, and absent cleanly."""

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from moorage_agent import gpus
from moorage_agent.commands import ABSENT, Completed

LISTING = (
    "0, NVIDIA H200, GPU-0000, 143771, 570.86.15\n1, NVIDIA GB10, GPU-1111, [N/A], 570.86.15\n"
)


class Smi:
    """A host's `nvidia-smi`, or a host without one."""

    def __init__(self, listing: str | None = None) -> None:
        self.listing = listing
        self.calls = 0

    def __call__(
        self, argv: Sequence[str], *, stdin: bytes | None = None, timeout: float = 30
    ) -> Completed:
        self.calls += 1
        return Completed(ABSENT) if self.listing is None else Completed(0, self.listing)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler for the stand-in of the driver's library")
    place = tmp_path_factory.mktemp("nvml") / "libnvidia-ml.so.1"
    source = Path(__file__).with_name("fake_nvml.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", place, source], check=True)
    return str(place)


def test_the_library_names_every_gpu_and_is_closed_again(library: str) -> None:
    found = gpus.find(Smi(), libraries=(library,))

    assert found.source == "nvml"
    assert found.gpus[0] == {
        "index": 0,
        "vendor": "nvidia",
        "model": "NVIDIA H200",
        "uuid": "GPU-0000",
        "memory_bytes": 150754820096,
        "driver": "570.86.15",
    }
    assert [gpu["uuid"] for gpu in found.gpus] == ["GPU-0000", "GPU-1111"]
    assert ctypes.CDLL(library).fake_is_open() == 0


def test_a_gpu_that_was_lost_does_not_hide_the_others(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_NVML_LOST", "0")

    found = gpus.find(Smi(), libraries=(library,))

    assert [gpu["index"] for gpu in found.gpus] == [1]


def test_a_library_whose_driver_is_not_loaded_leaves_the_word_to_the_program(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_NVML_INIT", "9")

    found = gpus.find(Smi(LISTING), libraries=(library,))

    assert found.source == "nvidia-smi"
    assert [gpu["memory_bytes"] for gpu in found.gpus] == [143771 * 1024 * 1024, 0]


def test_a_driver_that_never_answers_is_not_asked_twice(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_NVML_HANG", "1")
    smi = Smi(LISTING)

    found = gpus.find(smi, libraries=(library,), wait=0.1)

    assert found == gpus.Found("none", [])
    assert smi.calls == 0


def test_a_host_without_gpus_has_none() -> None:
    found = gpus.find(Smi(), libraries=("libno-such-thing.so.1",))

    assert found == gpus.Found("none", [])


def test_what_the_program_says_instead_of_a_listing_is_no_gpu() -> None:
    assert gpus.parse_smi("No devices were found\n") == []
