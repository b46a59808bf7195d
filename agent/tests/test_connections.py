"""Connections to systemd that wait for the next who needs one, and not for ever."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.tests.standin_systemd import Systemd
from lab.tests.waiting import wait_until
from moorage_agent import systemd, units
from moorage_agent.connections import Connections

UNIT = units.name("tsk_1")


@pytest.fixture
def standing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Systemd]]:
    monkeypatch.setattr(systemd, "SOCKET", tmp_path / "socket")
    monkeypatch.setattr(systemd, "BOOTED", tmp_path)
    stood: list[Systemd] = []

    def stand(*breaks: tuple[str, str]) -> Systemd:
        stood.append(Systemd(tmp_path / "socket", code=0, breaks=breaks, lives=100))
        return stood[-1]

    yield stand
    for one in stood:
        one.close()


def ask(connections: Connections) -> bool:
    with connections.use() as connection:
        return units.is_there(connection, UNIT)


def test_one_that_was_given_back_is_used_again(standing: Callable[..., Systemd]) -> None:
    init, connections = standing(), Connections()

    answers = [ask(connections) for _ in range(3)]

    assert (answers, init.accepted) == ([False] * 3, 1)


def test_one_that_broke_is_replaced(standing: Callable[..., Systemd]) -> None:
    init, connections = standing(("GetUnit", "before")), Connections()

    with pytest.raises(systemd.Gone):
        ask(connections)

    assert ask(connections) is False
    assert init.accepted == 2


def test_one_that_nobody_asks_for_is_closed(standing: Callable[..., Systemd]) -> None:
    init, connections = standing(), Connections(keep=0.01)

    ask(connections)

    wait_until(lambda: init.closed == 1)
    assert ask(connections) is False
    assert init.accepted == 2


def test_without_systemd_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systemd, "SOCKET", tmp_path / "none")
    monkeypatch.setattr(systemd, "BOOTED", tmp_path / "none")

    with pytest.raises(systemd.Absent, match="does not answer"):
        ask(Connections())
