"""The key of a cluster on a host: one after the other takes its place."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from moorage_slurm.onhost import config, keys
from moorage_slurm.onhost.commands import Completed, Refused

Give = Callable[[str], None]


@pytest.fixture
def give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Give:
    """A host without systemd; what it is given lies where the agent lays it."""
    monkeypatch.setattr(keys, "MUNGE", tmp_path / "munge.key")
    monkeypatch.setattr(keys, "NEXT", tmp_path / "munge.next")
    monkeypatch.setattr(keys, "SLURM", tmp_path / "slurm.jwks")
    monkeypatch.setattr(keys, "run", lambda *words, **more: Completed(0, "", ""))
    monkeypatch.setattr(keys, "must", lambda *words, **more: "")
    monkeypatch.setattr(keys.shutil, "chown", lambda *words: None)
    monkeypatch.setenv("MOORAGE_SECRETS", str(tmp_path))

    def lay_down(key: str) -> None:
        (tmp_path / keys.SECRET).write_text(key)

    return lay_down


def known() -> list[tuple[str, bool]]:
    """The keys of the set, and which is used."""
    entries = json.loads(keys.SLURM.read_text())["keys"]
    return [(keys.decoded(each["k"]), each.get("use") == "default") for each in entries]


def test_munge_goes_on_with_its_key_until_the_next_is_used(give: Give) -> None:
    give("one")
    keys.put({"auth": "munge"})
    give("two")

    keys.take({"auth": "munge"})
    ready = keys.MUNGE.read_text()
    keys.use({"auth": "munge"})

    assert (ready, keys.MUNGE.read_text()) == ("one", "two")
    assert not keys.NEXT.exists()


def test_both_keys_are_known_before_the_new_one_is_used(give: Give) -> None:
    give("one")
    keys.put({"auth": "slurm"})
    give("two")

    stages = []
    for stage in (keys.take, keys.use, keys.drop):
        stage({"auth": "slurm"})
        stages.append(known())

    assert stages == [
        [("one", True), ("two", False)],
        [("one", False), ("two", True)],
        [("two", True)],
    ]


@pytest.mark.parametrize("auth", ["munge", "slurm"])
def test_a_key_that_was_handed_out_for_nothing_is_taken_back(give: Give, auth: str) -> None:
    give("one")
    keys.put({"auth": auth})
    give("two")
    keys.take({"auth": auth})

    keys.discard({})

    assert keys.current() == "one"
    assert not keys.NEXT.exists()
    assert auth == "munge" or known() == [("one", True)]


def test_the_same_key_serves_the_other_way(give: Give) -> None:
    give("one")
    keys.put({"auth": "munge"})

    keys.switch({"auth": "slurm"})
    way = (keys.MUNGE.exists(), known())
    keys.switch({"auth": "munge"})

    assert way == (False, [("one", True)])
    assert (keys.SLURM.exists(), keys.MUNGE.read_text()) == (False, "one")


def test_a_key_is_its_owners_alone(give: Give) -> None:
    give("one")
    keys.put({"auth": "slurm"})

    assert os.stat(keys.SLURM).st_mode & 0o777 == 0o600


def test_a_host_without_a_key_says_so(give: Give) -> None:
    with pytest.raises(Refused, match="no key"):
        keys.switch({"auth": "slurm"})


def test_plugins_are_found_in_a_configuration() -> None:
    text = "# a/b\nPriorityType=priority/x\nTaskPlugin=task/a,task/b\nMailProg=/bin/true\n"
    text += "SwitchType=switch/none\nNodeSet=moorage Feature=a/b\n"

    assert [*config.plugins(text)] == ["priority/x", "task/a", "task/b"]
