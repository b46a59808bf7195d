"""The keeper: duties by the clock, trouble that stays in the log, certificates taken up in time."""

import signal
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from moorage_core.embedded import tls
from moorage_core.embedded.errors import OperatorError
from moorage_core.operate import keeper
from moorage_core.operate.keeper import Duty

NAMES = ("localhost",)


@pytest.fixture
def hangups() -> Iterator[list[int]]:
    """The signals that tell the server to replace its workers."""
    seen: list[int] = []
    before = signal.signal(signal.SIGHUP, lambda number, _: seen.append(number))
    yield seen
    signal.signal(signal.SIGHUP, before)


def test_a_duty_is_done_again_and_again_and_trouble_does_not_end_it() -> None:
    turns = threading.Semaphore(0)

    def act() -> None:
        turns.release()
        raise OperatorError("something is in the way")

    with keeper.keeping([Duty("test", 0, act)]):
        assert [turns.acquire(timeout=20) for _ in range(2)] == [True, True]

    assert "keeper" not in [thread.name for thread in threading.enumerate()]


def test_our_own_certificate_is_renewed_in_time(tmp_path: Path, hangups: list[int]) -> None:
    now = datetime.now(UTC)
    tls.own(tmp_path, names=NAMES, now=now - timedelta(days=61))
    duty = keeper.own_certificate(tmp_path, names=NAMES)

    duty.act()
    duty.act()

    assert hangups == [signal.SIGHUP]
    assert tls.given(tmp_path / "server.pem", tmp_path / "server.key", now=now).expires > (
        now + timedelta(days=89)
    )


def test_given_files_are_taken_up_once_both_fit(tmp_path: Path, hangups: list[int]) -> None:
    now = datetime.now(UTC)
    chain, key = tmp_path / "server.pem", tmp_path / "server.key"
    tls.own(tmp_path, names=NAMES, now=now)
    old = key.read_bytes()
    duty = keeper.given_certificate(chain, key)

    duty.act()
    assert hangups == []
    tls.renew_if_needed(tmp_path, names=[*NAMES, "moor.example"], now=now)
    new = key.read_bytes()
    key.write_bytes(old)
    with pytest.raises(tls.CertificateUnusable, match="does not belong"):
        duty.act()
    assert hangups == []
    key.write_bytes(new)
    duty.act()
    duty.act()

    assert hangups == [signal.SIGHUP]
