"""What is remembered of a host, and for how long."""

from pathlib import Path

import pytest

from moorage_slurm.onhost import leave, setup


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    for name in ("BEFORE", "ROLES", "STAY"):
        now: Path = getattr(setup, name)
        monkeypatch.setattr(setup, name, place / now.relative_to(setup.HOME))
    monkeypatch.setattr(setup, "HOME", place)
    monkeypatch.setattr(setup, "picture", lambda: {"packages": {}, "users": [], "groups": []})
    return place


def test_roles_of_one_stay_are_kept_together(home: Path) -> None:
    setup.begin({"role": "controller", "stay": "alc_1"})

    assert setup.begin({"role": "worker", "stay": "alc_1"}) == {"roles": ["controller", "worker"]}


def test_a_host_that_was_given_back_without_us_begins_anew(home: Path) -> None:
    setup.begin({"role": "controller", "stay": "alc_1"})
    home.joinpath("copies").mkdir()

    found = setup.begin({"role": "worker", "stay": "alc_2"})

    assert found == {"roles": ["worker"]}
    assert not home.joinpath("copies").exists()


def test_nothing_is_taken_off_a_host_where_nothing_was_begun(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "mysql"
    theirs.mkdir()
    monkeypatch.setitem(leave.PATHS, "controller", (str(theirs),))

    assert leave.clear({"role": "controller"}) == {"others": []}
    assert theirs.exists()
