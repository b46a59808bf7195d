"""A platform to speak to, and hosts to work on."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.tests import certificates, running, standin
from moorage_agent import archive
from moorage_lab import Host, Lab, needs
from moorage_lab import lab as labs

REASON = "needs root, systemd-container and mmdebstrap: `make setup` as root installs them"


def can_run_a_lab() -> bool:
    programs = [*needs.TO_RUN, *needs.TO_BUILD]
    return os.geteuid() == 0 and all(shutil.which(program) for program in programs)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not can_run_a_lab():
        for item in items:
            if item.get_closest_marker("lab"):
                item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> certificates.Authority:
    return certificates.Authority.make(tmp_path_factory.mktemp("authority") / "ca")


@pytest.fixture
def platform(authority: certificates.Authority) -> Iterator[standin.Platform]:
    """A platform on this machine. A test that made the agent break the protocol fails."""
    platform = standin.Platform(authority)
    platform.start()
    yield platform
    platform.stop()
    assert platform.complaints == []


@pytest.fixture
def agent(platform: standin.Platform, tmp_path: Path) -> Iterator[running.Local]:
    """An agent that is enrolled with the platform, and not started yet."""
    agent = running.Local(tmp_path, platform)
    yield agent
    agent.kill()


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """One host for all tests, which put right what they break."""
    name = f"agent{os.getpid()}"
    try:
        yield Lab.up(name, hosts=1)
    finally:
        labs.down(name)


@pytest.fixture
def host(lab: Lab) -> Iterator[Host]:
    """A host to do things to."""
    host = lab.hosts[0]
    host.power_on()
    yield host
    host.mend_network()
    host.mend_disk()
    host.power_on()
    host.mend()


@pytest.fixture
def archive_file(tmp_path: Path) -> Path:
    """agent.pyz of these sources."""
    path = tmp_path / "agent.pyz"
    path.write_bytes(archive.build())
    return path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder with a disk of its own, of one MiB."""
    if os.geteuid() != 0:
        pytest.skip("a small disk of its own needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    subprocess.run(["mount", *options], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
