"""What a lab claims is written whole, and read as it was written."""

from pathlib import Path

import pytest

from moorage_lab import layout
from moorage_lab import state as states
from moorage_lab.errors import BadRequest
from moorage_lab.layout import LabLayout, Places
from moorage_lab.state import State, Unreadable

STATE = State("lab", subnet=7, hosts=3, image="/images/one", disk=1024)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(run=tmp_path / "run", cache=tmp_path / "cache")


def test_a_saved_state_is_found_again(places: Places) -> None:
    states.save(places, STATE)

    assert states.find(places, "lab") == STATE
    assert states.names(places) == ["lab"]


def test_a_lab_that_was_never_made_has_no_state(places: Places) -> None:
    assert states.find(places, "lab") is None
    assert states.names(places) == []


@pytest.mark.parametrize("text", ["", "{", "{}", '{"version": 99}', '{"version": 1, "odd": 1}'])
def test_a_file_that_is_no_state_says_how_to_get_rid_of_it(places: Places, text: str) -> None:
    states.save(places, STATE)
    places.state("lab").write_text(text)

    with pytest.raises(Unreadable, match="moor lab down --name lab"):
        states.find(places, "lab")


def test_a_lab_grows_and_never_shrinks() -> None:
    assert STATE.grown_to(5).hosts == 5
    assert STATE.grown_to(1).hosts == 3


@pytest.mark.parametrize("name", ["", "Lab", "1lab", "-lab", "lab-", "a/b", "..", "a" * 21])
def test_a_name_that_could_lead_elsewhere_is_refused(places: Places, name: str) -> None:
    with pytest.raises(BadRequest, match="cannot name a lab"):
        places.folder(name)


def test_a_hosts_name_leads_to_its_lab() -> None:
    assert layout.lab_of("my-lab-12") == "my-lab"
    with pytest.raises(BadRequest, match="no host's name"):
        layout.lab_of("my-lab")


def test_two_labs_share_no_place(places: Places) -> None:
    one, two = (LabLayout(name, subnet, places) for name, subnet in (("a", 0), ("b", 1)))

    places_of = [
        {lab.bridge, str(lab.folder), host.name, host.bridge, host.port, host.tap, host.group}
        for lab in (one, two)
        for host in lab.hosts(1)
    ]

    assert places_of[0].isdisjoint(places_of[1])
