"""What somebody changed on a host, as the platform shows it."""

import hashlib
from pathlib import Path

import pytest

from moorage_slurm import drift
from moorage_slurm.onhost import drift as onhost

CONF = "/etc/slurm/slurm.conf"


def test_files_that_are_as_they_should_be_are_not_named() -> None:
    assert drift.differences({CONF: "a\nb\n"}, {CONF: "a\nb\n"}) == {}


def test_a_change_is_shown_as_a_unified_diff() -> None:
    found = drift.differences({CONF: "a\nb\nc\n"}, {CONF: "a\nB\nc\n"})

    lines = found[CONF].splitlines()
    assert lines[:2] == [f"--- {CONF}", f"+++ {CONF} (on the host)"]
    assert lines[3:] == [" a", "-b", "+B", " c"]


def test_a_file_that_is_gone_and_one_too_many_are_named() -> None:
    found = drift.differences({CONF: "a\n"}, {"/own.conf": "x\n"})

    assert [*found] == [CONF, "/own.conf"]


def test_a_long_file_is_compared_by_its_digest() -> None:
    digest = f"sha256:{hashlib.sha256(b'long').hexdigest()}"

    assert drift.differences({CONF: "long"}, {CONF: digest}) == {}
    assert "too long" in drift.differences({CONF: "other"}, {CONF: digest})[CONF]


def test_a_long_change_is_cut() -> None:
    found = drift.differences({CONF: ""}, {CONF: "line\n" * 5000})

    assert found[CONF].endswith("\n(and more)")
    assert len(found[CONF]) < 2 * drift.LONGEST


def test_rows_name_the_member_and_the_file() -> None:
    rows = drift.rows({"worker-1": {CONF: "+x"}})

    assert rows == [
        {"place": f"worker-1:{CONF}", "member": "worker-1", "file": CONF, "change": "+x"}
    ]


@pytest.mark.parametrize(
    "line", ["StoragePass=hunter2", "Environment=DB_PASSWORD=hunter2", "jwt_token = hunter2"]
)
def test_what_could_be_a_secret_is_not_shown(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onhost, "CONFIG", tmp_path)
    monkeypatch.setattr(onhost, "UNITS", tmp_path)
    (tmp_path / "slurm.conf").write_text(f"KillWait=45\n{line}\n")

    said = onhost.files("controller")[str(tmp_path / "slurm.conf")]

    assert "KillWait=45" in said
    assert "hunter2" not in said
