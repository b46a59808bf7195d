"""What a task says is bounded on disk and in memory."""

from pathlib import Path

from moorage_agent.outputs import PIECE, Outputs


def test_bytes_beyond_the_limit_are_counted_and_dropped(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path, 10)

    for _ in range(3):
        outputs.write("stdout", b"123456")
    outputs.write("stderr", b"ok")

    assert outputs.read("stdout", 0) == b"1234561234"
    assert outputs.dropped() == {"stdout": 8}
    assert (tmp_path / "stdout").stat().st_size == 10


def test_sizes_and_counts_survive_the_agent(tmp_path: Path) -> None:
    Outputs(tmp_path, 10).write("stdout", b"x" * 25)

    after = Outputs(tmp_path, 10)
    after.write("stdout", b"y" * 5)

    assert after.size("stdout") == 10
    assert after.dropped() == {"stdout": 20}


def test_a_stream_is_read_in_pieces(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path, 3 * PIECE)
    outputs.write("stdout", b"a" * PIECE + b"b" * 5)

    assert outputs.read("stdout", 0) == b"a" * PIECE
    assert outputs.read("stdout", PIECE) == b"bbbbb"
    assert outputs.read("stdout", PIECE + 5) == b""


def test_a_full_disk_drops_bytes_and_says_so(small_disk: Path) -> None:
    outputs = Outputs(small_disk, 10**9)

    for _ in range(64):
        outputs.write("stdout", b"x" * 65536)

    assert outputs.is_disk_full
    assert outputs.size("stdout") + outputs.dropped()["stdout"] == 64 * 65536
    assert outputs.size("stdout") == (small_disk / "stdout").stat().st_size
