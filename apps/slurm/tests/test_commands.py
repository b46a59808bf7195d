"""Waiting for what nobody tells of."""

import socket

import pytest

from moorage_slurm.onhost import commands


def test_waiting_ends_with_the_first_answer_that_holds() -> None:
    answers = iter([0, 1, 2])

    assert commands.until(lambda: next(answers), bool, within=60) == 1


def test_who_has_no_more_time_gets_the_last_answer() -> None:
    assert commands.until(lambda: "not yet", lambda said: said == "there", within=0) == "not yet"


def test_a_port_at_which_somebody_listens_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with commands.connect(*server.getsockname(), within=1) as plain:
            assert plain.getpeername() == server.getsockname()


def test_a_port_at_which_nobody_listens_says_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = server.getsockname()

    with pytest.raises(ConnectionRefusedError):
        commands.connect(*place, within=0)
