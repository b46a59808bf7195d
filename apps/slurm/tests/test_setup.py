"""What is remembered of a host, and for how long."""

from pathlib import Path

import pytest

from moorage_slurm.onhost import leave, setup, traces


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    for name in ("BEFORE", "KEPT", "ROLES", "STAY"):
        now: Path = getattr(setup, name)
        monkeypatch.setattr(setup, name, place / now.relative_to(setup.HOME))
    monkeypatch.setattr(setup, "HOME", place)
    monkeypatch.setattr(traces, "of_anybody", list[str])
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
    monkeypatch.setitem(traces.PATHS, "controller", (str(theirs),))

    assert leave.clear({"role": "controller"}) == {"others": [], "theirs": []}
    assert theirs.exists()


def test_what_others_had_at_our_places_comes_back_as_it_was(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "munge"
    theirs.mkdir(mode=0o700)
    theirs.joinpath("key").write_text("of somebody else")
    monkeypatch.setattr(traces, "of_anybody", lambda: [str(theirs), "munge.service is active"])
    setup.begin({"role": "worker", "stay": "alc_1"})
    theirs.joinpath("key").unlink()
    theirs.rmdir()

    setup.put_back()

    assert theirs.joinpath("key").read_text() == "of somebody else"
    assert theirs.stat().st_mode & 0o777 == 0o700
