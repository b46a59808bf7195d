"""What the lab reads about its machine, and what it says when something is missing."""

import os
from pathlib import Path

import pytest

from moorage_lab import archive, mounts, needs
from moorage_lab.archive import Archive
from moorage_lab.errors import MachineLacks, NotRoot

LISTED = """\
Debian|Debian|http://mirror.example/debian/
Debian|Debian-Security|http://mirror.example/debian-security/
Somebody|Their packages|http://other.example/debian/
"""
NEVER_UPDATED = """\
||http://other.example/tools/
||http://mirror.example/debian
||http://mirror.example/debian-security
"""


@pytest.mark.parametrize("listed", [LISTED, NEVER_UPDATED])
def test_packages_come_from_the_machines_own_mirror(listed: str) -> None:
    found = archive.parse(listed)

    assert found.main.rstrip("/") == "http://mirror.example/debian"
    assert (found.security or "").rstrip("/") == "http://mirror.example/debian-security"


def test_a_machine_that_knows_no_debian_archive_says_what_to_add() -> None:
    with pytest.raises(MachineLacks, match=r"sources\.list\.d"):
        archive.parse("Ubuntu|Ubuntu|http://mirror.example/ubuntu/\n")


def test_sources_name_the_suite_with_its_updates_and_security_fixes() -> None:
    lines = Archive("http://m/debian/", "http://m/debian-security/").sources("trixie").split("\n")

    assert lines == [
        "deb http://m/debian/ trixie main",
        "deb http://m/debian/ trixie-updates main",
        "deb http://m/debian-security/ trixie-security main",
        "",
    ]


def test_without_programs_the_sentence_names_them_and_their_packages() -> None:
    lacking = needs.missing(needs.TO_RUN, has=lambda program: program in {"mount", "ssh-keygen"})

    said = needs.sentence(lacking, needs.TO_RUN)

    assert "lacks systemd-nspawn and ip and bridge and ssh." in said
    assert "apt-get install systemd-container iproute2 openssh-client." in said


def test_without_root_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    with pytest.raises(NotRoot, match="only root") as refused:
        needs.check(build=False)

    assert refused.value.exit_code == 3


def test_mount_points_are_read_with_their_blanks() -> None:
    info = "40 1 0:1 / /a\\040b/root rw - tmpfs x rw\n41 1 0:2 / /c rw shared:1 - proc proc rw\n"

    assert mounts.parse(info) == [Path("/a b/root"), Path("/c")]


def test_a_lab_raises_a_limit_that_its_hosts_would_meet_and_lowers_none(tmp_path: Path) -> None:
    low, high = tmp_path / "low", tmp_path / "high"
    low.write_text("128\n")
    high.write_text("8192\n")

    needs.make_room(low)
    needs.make_room(high)

    assert (low.read_text(), high.read_text()) == (f"{needs.ENOUGH_WATCHES}\n", "8192\n")
