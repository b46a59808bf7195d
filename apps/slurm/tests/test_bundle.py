"""Bundles: what is asked of apt, how its answers are read, and that a tar is always the same."""

import os
import tarfile
from pathlib import Path

import pytest

from moorage_slurm import bundle
from moorage_slurm.bundle import RELEASES, Archive, NotBuilt, Package, Release

STABLE, LATER = RELEASES["24.11"], RELEASES["26.05"]
PLAN = """\
Inst libc6 [2.41-12] (2.42-1 Debian:unstable [amd64]) []
Inst slurmd (24.11.5-4+deb13u1 Debian-Security:13/stable-security [amd64])
Inst libmariadb3 (1:11.8.6-0+deb13u1 Debian:13.4/stable [amd64])
Conf slurmd (24.11.5-4+deb13u1 Debian-Security:13/stable-security [amd64])
"""


def test_the_mirror_is_the_one_that_this_machine_uses() -> None:
    listing = (
        "Other|tools|https://example.org/apt/\n"
        "Debian|Debian|http://mirror.example/debian/\n"
        "Debian|Debian-Security|http://mirror.example/debian-security/\n"
    )

    found = bundle.parse_archive(listing)

    expected = Archive("http://mirror.example/debian/", "http://mirror.example/debian-security/")
    assert found == expected


def test_before_the_first_update_the_address_says_what_the_mirror_is() -> None:
    listing = "||http://mirror.example/debian/\n||http://mirror.example/debian-security/\n"

    found = bundle.parse_archive(listing)

    assert found.main == "http://mirror.example/debian/"
    assert found.security == "http://mirror.example/debian-security/"


def test_a_machine_without_a_debian_archive_is_told_what_it_lacks() -> None:
    with pytest.raises(NotBuilt, match="knows no Debian archive"):
        bundle.parse_archive("Other|tools|https://example.org/apt/\n")


def test_stable_slurm_comes_from_stable_alone() -> None:
    sources = bundle.render_sources(Archive("http://m/debian", "http://m/s"), STABLE, keys=None)

    assert sources == (
        "deb http://m/debian trixie main\n"
        "deb http://m/debian trixie-updates main\n"
        "deb http://m/s trixie-security main\n"
    )
    assert bundle.render_preferences(STABLE) == ""
    assert STABLE.wanted["worker"] == ("slurmd", "slurm-client", "munge")


def test_of_a_later_suite_apt_takes_only_what_is_asked_for() -> None:
    keys = Path("/keys.gpg")

    sources = bundle.render_sources(Archive("http://m/debian"), LATER, keys=keys)

    assert sources.splitlines()[-1] == "deb [signed-by=/keys.gpg] http://m/debian unstable main"
    assert "Pin: release a=unstable\nPin-Priority: 100\n" in bundle.render_preferences(LATER)
    assert "slurmdbd/unstable" in LATER.wanted["controller"]
    assert "mariadb-server" in LATER.wanted["controller"]


def test_mariadbs_library_stays_with_its_server() -> None:
    assert "libmariadb3/trixie" in LATER.wanted["controller"]


def test_a_plan_names_every_package_with_its_version() -> None:
    assert bundle.parse_plan(PLAN) == [
        Package("libc6", "2.42-1"),
        Package("libmariadb3", "1:11.8.6-0+deb13u1"),
        Package("slurmd", "24.11.5-4+deb13u1"),
    ]


def test_a_plan_that_takes_something_away_is_refused() -> None:
    with pytest.raises(NotBuilt, match="would remove systemd-sysv"):
        bundle.parse_plan("Remv systemd-sysv [257-1]\nInst slurmd (24.11.5 Debian [amd64])\n")


def test_what_comes_upon_a_bundle_is_what_that_lacks() -> None:
    base = [Package("munge", "0.5"), Package("slurmd", "24.11.5")]
    whole = [*base, Package("rpcbind", "1.2"), Package("nfs-common", "2.8")]

    assert bundle.beyond(base, whole) == [Package("nfs-common", "2.8"), Package("rpcbind", "1.2")]


def test_what_comes_upon_a_bundle_changes_nothing_of_it() -> None:
    with pytest.raises(NotBuilt, match="would change munge"):
        bundle.beyond([Package("munge", "0.5")], [Package("munge", "0.6")])


def test_a_bare_host_has_the_base_installed() -> None:
    records = "Package: apt\nVersion: 3.0\n\nPackage: dpkg\nVersion: 1.22\n"

    status = bundle.render_installed(records)

    assert status == (
        "Package: apt\nStatus: install ok installed\nVersion: 3.0\n\n"
        "Package: dpkg\nStatus: install ok installed\nVersion: 1.22\n"
    )


def test_a_suite_that_moved_on_is_no_source_of_the_release() -> None:
    with pytest.raises(NotBuilt, match=r"unstable now offers Slurm 26\.11\.1-1"):
        bundle.check_version(LATER, [Package("slurmd", "26.11.1-1")])


def test_the_same_packages_make_the_same_tar(tmp_path: Path) -> None:
    files: list[Path] = []
    for name in ("b.deb", "a.deb"):
        file = tmp_path / name
        file.write_text(f"content of {name}")
        files.append(file)
    bundle.pack(files, tmp_path / "one.tar")
    os.utime(files[0], (1, 1))
    files[1].chmod(0o600)

    bundle.pack([files[1], files[0]], tmp_path / "two.tar")

    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    with tarfile.open(tmp_path / "two.tar") as tar:
        assert tar.getnames() == ["a.deb", "b.deb"]


def test_another_recipe_is_another_build() -> None:
    digests = {release.digest for release in (STABLE, LATER, Release("24.11", "unstable"))}

    assert len(digests) == 3


def test_a_build_that_is_kept_needs_no_archive(tmp_path: Path) -> None:
    kept = tmp_path / "cache" / f"{STABLE.name}-{STABLE.digest}"
    kept.mkdir(parents=True)
    (kept / bundle.LISTING).write_text("{}")
    words = ["build", "24.11", "--to", str(tmp_path / "to"), "--cache", str(tmp_path / "cache")]

    code = bundle.main(words)

    assert code == 0
    assert (tmp_path / "to" / bundle.LISTING).read_text() == "{}"
