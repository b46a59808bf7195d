"""What is taken off a host, and what is not ours to take."""

from pathlib import Path

import pytest

from moorage_slurm.onhost import leave, setup, traces


def test_the_databases_of_a_host_that_had_a_server_before_stay() -> None:
    gone = leave.ours(traces.PATHS["controller"], ["/etc/munge", *traces.DATABASE])

    assert traces.DATABASE.isdisjoint(gone)
    assert "/var/lib/slurm/slurmctld" in gone


def test_only_data_of_another_make_us_a_guest_in_their_server() -> None:
    assert leave.is_guest([*traces.DATABASE, "/etc/munge"])
    assert not leave.is_guest(["/run/mysqld", "/etc/mysql", "mariadb.socket is failed"])


def test_our_own_databases_go() -> None:
    paths = traces.PATHS["controller"]

    assert leave.ours(paths, ["/etc/munge"]) == [*paths]


def test_packages_are_told_by_name_whatever_machines_they_are_for() -> None:
    packages = {"munge:amd64": "0.5", "mariadb-server:all": "11", "vim:amd64": "9"}
    picture = {"packages": packages, "users": ["root", "munge"]}

    assert traces.of_packages(picture) == [
        "package mariadb-server 11",
        "package munge 0.5",
        "user munge",
    ]


def test_a_host_where_nothing_was_begun_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "HOME", tmp_path / "never")
    monkeypatch.setattr(leave, "FOLDER", tmp_path)

    leave.retire({})
    told = leave.clear({"role": "worker"})

    assert told == {"others": [], "theirs": []}
    assert [*tmp_path.iterdir()] == []
