"""Enrolment keeps its key until the platform has said yes, or no for good."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.tests import certificates, standin
from moorage_agent import durable, identity, install
from moorage_agent.install import Line, NotInstalled
from moorage_agent.places import Places


class Overloaded(standin.Platform):
    """A platform that cannot enrol anybody at times."""

    busy = 0

    def enrol(self, body: dict[str, Any]) -> tuple[int, Any]:
        if self.busy:
            self.busy -= 1
            raise standin.Problem(503, "unavailable")
        return super().enrol(body)


@pytest.fixture
def overloaded(authority: certificates.Authority) -> Iterator[Overloaded]:
    platform = Overloaded(authority)
    platform.start()
    yield platform
    platform.stop()


@pytest.fixture
def places(tmp_path: Path) -> Places:
    places = Places(tmp_path)
    durable.private_folder(places.state)
    return places


def line_of(platform: standin.Platform, token: str = "") -> Line:
    return Line(platform.url, platform.authority.digest, token or platform.new_token())


def test_a_busy_platform_does_not_cost_the_host_its_token(
    overloaded: Overloaded, places: Places
) -> None:
    line = line_of(overloaded)
    overloaded.lost_answers = ["/v1/agent/enrol"]
    with pytest.raises(NotInstalled):
        install.enrol(line, places)
    overloaded.busy = 1
    with pytest.raises(NotInstalled):
        install.enrol(line, places)

    enrolled = install.enrol(line, places)

    assert list(overloaded.nodes) == [enrolled.node_id]


def test_a_refusal_for_good_leaves_no_key(overloaded: Overloaded, places: Places) -> None:
    with pytest.raises(NotInstalled, match="refuses"):
        install.enrol(line_of(overloaded, "mne_forged"), places)

    assert list(places.state.iterdir()) == []


def test_an_enrolment_that_was_cut_off_before_its_last_step_is_done_again(
    overloaded: Overloaded, places: Places
) -> None:
    line = line_of(overloaded)
    places.identity.mkdir()  # the identity cannot be written
    with pytest.raises(OSError, match="identity"):
        install.enrol(line, places)
    places.identity.rmdir()

    enrolled = install.enrol(line, places)

    (node,) = overloaded.nodes.values()
    assert enrolled.node_id == node.id
    assert identity.public_jwk(places.key) == node.key
    assert list(places.state.glob("key.*.pem")) == []
