"""The second place: appended to, on disk, readable after every kind of crash."""

import fcntl
import stat
from pathlib import Path

import pytest

from core.tests.audit import sealing
from moorage_core.audit import seal_log, seals
from moorage_core.audit.models import Seal

KEYS = sealing.KEYS.public
SEALS = sealing.log().seals


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "seals.jsonl"


def append(path: Path, *new: Seal, after: Seal | None) -> None:
    seal_log.append(path, new, after=after, keys=KEYS)


def last(path: Path) -> Seal | None:
    return seal_log.find_last(path, keys=KEYS)


def read(path: Path) -> list[Seal | None]:
    with path.open("rb") as file:
        return [line.seal for line in seal_log.read(file, size=path.stat().st_size)]


def test_a_missing_file_holds_no_seal(path: Path) -> None:
    assert last(path) is None


def test_seals_are_appended_and_read_back_in_order(path: Path) -> None:
    append(path, SEALS[0], after=None)
    append(path, SEALS[1], SEALS[2], after=SEALS[0])

    assert read(path) == SEALS[:3]
    assert last(path) == SEALS[2]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("torn_at", [1, 100, -2, -1])
def test_a_crash_in_the_middle_of_a_line_leaves_the_file_usable(path: Path, torn_at: int) -> None:
    append(path, SEALS[0], after=None)
    line = seals.to_line(SEALS[1]) + "\n"
    with path.open("a") as file:
        file.write(line[:torn_at])
    known = last(path)

    append(path, *SEALS[2 if known == SEALS[1] else 1 : 3], after=known)

    assert [seal for seal in read(path) if seal] == SEALS[:3]


def test_a_line_whose_end_alone_is_missing_counts(path: Path) -> None:
    path.write_text(seals.to_line(SEALS[0]))

    assert last(path) == SEALS[0]


def test_noise_at_the_end_does_not_hide_the_last_seal(path: Path) -> None:
    append(path, SEALS[0], after=None)
    with path.open("ab") as file:
        file.write(b"\xff\x00 noise\n" * 50_000)

    assert last(path) == SEALS[0]


def test_a_line_that_nobody_signed_is_passed_over(path: Path) -> None:
    append(path, SEALS[0], after=None)
    forged = seals.to_line(sealing.new_keys().sign(SEALS[1]))
    with path.open("a") as file:
        file.write(forged + "\n")

    assert last(path) == SEALS[0]


def test_only_one_process_appends_at_a_time(path: Path) -> None:
    append(path, SEALS[0], after=None)
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)

        with pytest.raises(BlockingIOError):
            append(path, SEALS[1], after=SEALS[0])

    assert read(path) == SEALS[:1]


def test_whoever_comes_second_looks_again_instead_of_writing_twice(path: Path) -> None:
    append(path, SEALS[0], after=None)

    with pytest.raises(BlockingIOError):
        append(path, SEALS[0], after=None)

    assert read(path) == SEALS[:1]


def test_nothing_is_cut_off_the_file_not_even_a_torn_line(path: Path) -> None:
    append(path, SEALS[0], after=None)
    with path.open("a") as file:
        file.write(seals.to_line(SEALS[1])[:50])
    before = path.read_bytes()

    append(path, SEALS[1], after=SEALS[0])

    assert path.read_bytes() == before + b"\n" + seals.to_line(SEALS[1]).encode() + b"\n"


def test_reading_stops_where_it_is_told_to(path: Path) -> None:
    append(path, SEALS[0], after=None)
    size = path.stat().st_size
    append(path, SEALS[1], after=SEALS[0])

    with path.open("rb") as file:
        lines = [line.seal for line in seal_log.read(file, size=size)]

    assert lines == SEALS[:1]
