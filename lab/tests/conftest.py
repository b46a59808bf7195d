"""Labs for tests. A lab is made once for the tests that leave its hosts as they found them."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest

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


@pytest.fixture
def new_name(request: pytest.FixtureRequest) -> Iterator[Callable[[], str]]:
    """Names for labs of a test's own, which are gone after it."""
    given: list[str] = []

    def name() -> str:
        given.append(f"t{os.getpid()}-{abs(hash(request.node.nodeid)) % 10**6}{len(given)}"[:20])
        return given[-1]

    yield name
    for used in given:
        labs.down(used)


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """Two hosts, for tests that put right what they break."""
    name = f"t{os.getpid()}"
    try:
        yield Lab.up(name, hosts=2)
    finally:
        labs.down(name)


@pytest.fixture
def peer(lab: Lab) -> Host:
    """A host that nothing happens to."""
    return lab.hosts[0]


@pytest.fixture
def host(lab: Lab) -> Iterator[Host]:
    """A host to do things to."""
    host = lab.hosts[1]
    host.power_on()
    yield host
    host.mend_network()
    host.mend_disk()
    host.power_on()
    host.mend()
