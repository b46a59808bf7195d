"""What the agent remembers across its own death."""

import shutil
from pathlib import Path

import pytest

from moorage_agent.journal import GROWTH, REMEMBERED, Journal
from moorage_agent.tasks import Task


def task(number: int = 1, *, operation: str = "opn_1", fence: int = 1) -> Task:
    given = {"argv": ["true"], "env": {"NAME": "planted"}}
    return Task(f"tsk_{number}", "exec", "k", operation, fence, None, "c", "root", 60, 100, given)


def test_a_task_that_was_started_is_known_to_the_next_run(tmp_path: Path) -> None:
    Journal(tmp_path / "journal").start([task()], 1.0)

    after = Journal(tmp_path / "journal")

    assert after.kept.entries["tsk_1"].end is None
    assert after.kept.entries["tsk_1"].started_at == 1.0


def test_an_end_and_its_answer_are_known_until_they_are_forgotten(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.start([task(1), task(2)], 1.0)
    journal.end("tsk_1", {"state": "succeeded"})
    journal.answer("tsk_1")

    after = Journal(tmp_path / "journal")
    assert after.kept.entries["tsk_1"].end == {"state": "succeeded"}
    assert after.kept.entries["tsk_1"].answered
    after.forget(["tsk_1"])

    assert list(Journal(tmp_path / "journal").kept.entries) == ["tsk_2"]


def test_a_lower_fence_is_stale_for_ever_and_the_same_one_is_not(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.start([task(1, fence=3)], 1.0)
    journal.forget(["tsk_1"])

    Journal(tmp_path / "journal")  # each run writes it anew

    after = Journal(tmp_path / "journal")

    assert after.is_stale(task(2, fence=2))
    assert not after.is_stale(task(2, fence=3))
    assert not after.is_stale(task(2, operation="opn_2", fence=1))


def test_a_line_that_was_cut_off_is_as_if_it_had_not_been_begun(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    Journal(path).start([task(1)], 1.0)
    with path.open("ab") as file:
        file.write(b'{"started": {"id": "tsk_2", "ki')

    after = Journal(path)
    after.start([task(3)], 2.0)

    assert list(Journal(path).kept.entries) == ["tsk_1", "tsk_3"]


def test_what_a_task_was_given_is_not_written_down(tmp_path: Path) -> None:
    Journal(tmp_path / "journal").start([task()], 1.0)

    assert b"planted" not in (tmp_path / "journal").read_bytes()
    assert (tmp_path / "journal").stat().st_mode & 0o777 == 0o600


def test_fences_of_operations_long_over_are_let_go(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.start([task(n, operation=f"opn_{n}") for n in range(REMEMBERED + 5)], 1.0)

    assert len(journal.kept.fences) == REMEMBERED
    assert "opn_0" not in journal.kept.fences


def test_the_journal_of_a_busy_host_stays_small(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    journal.start([task(0, fence=5)], 1.0)

    for number in range(1, 40):
        journal.start([task(n, fence=1) for n in range(100 * number, 100 * (number + 1))], 1.0)
        journal.forget([f"tsk_{n}" for n in range(100 * number, 100 * (number + 1))])
        assert path.stat().st_size < 2 * GROWTH

    after = Journal(path)
    assert list(after.kept.entries) == ["tsk_0"]
    assert after.is_stale(task(1, fence=4))


def test_a_full_disk_is_an_error_and_leaves_no_half_line(small_disk: Path) -> None:
    journal = Journal(small_disk / "journal")
    journal.start([task(1)], 1.0)
    (small_disk / "ballast").write_bytes(b"x" * shutil.disk_usage(small_disk).free)

    with pytest.raises(OSError, match=r"space|part"):
        journal.start([task(n) for n in range(2, 200)], 1.0)
    (small_disk / "ballast").unlink()
    journal.start([task(300)], 1.0)

    assert list(Journal(small_disk / "journal").kept.entries) == ["tsk_1", "tsk_300"]


def test_on_a_full_disk_a_start_goes_on_with_the_journal_less_a_line_cut_off(
    small_disk: Path,
) -> None:
    place = small_disk / "journal"
    Journal(place).start([task(1)], 1.0)
    with place.open("ab") as file:
        file.write(b'{"started": {"id"')
    (small_disk / "fill").write_bytes(b"x" * (small_disk_free(small_disk)))

    journal = Journal(place)
    (small_disk / "fill").unlink()
    journal.start([task(2)], 2.0)

    assert sorted(Journal(place).kept.entries) == ["tsk_1", "tsk_2"]


def small_disk_free(folder: Path) -> int:
    return shutil.disk_usage(folder).free
