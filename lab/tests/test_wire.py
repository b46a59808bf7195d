"""A slow wire, without a network: frames go in, and come out late or not at all."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

from moorage_lab.wire import Direction


@contextmanager
def direction(*, delay: float = 0, loss: float = 0) -> Iterator[tuple[Direction, int, list[bytes]]]:
    arriving, sending = os.pipe()
    sent: list[bytes] = []
    try:
        yield Direction(arriving, sent.append, delay, loss, random.Random(1)), sending, sent
    finally:
        os.close(arriving)
        os.close(sending)


def test_a_frame_leaves_when_its_time_has_come_and_not_before() -> None:
    with direction(delay=0.5) as (way, sending, sent):
        os.write(sending, b"frame")
        way.take(now=10.0)

        way.pass_on(now=10.4)
        early = list(sent)
        way.pass_on(now=10.5)

        assert (early, sent) == ([], [b"frame"])


def test_frames_keep_their_order() -> None:
    with direction(delay=0.5) as (way, sending, sent):
        for now, frame in ((1.0, b"one"), (1.2, b"two"), (1.4, b"three")):
            os.write(sending, frame)
            way.take(now)

        way.pass_on(now=1.75)

        assert sent == [b"one", b"two"]
        assert way.due_in(1.75) is not None


def test_a_share_of_the_frames_is_lost() -> None:
    with direction(loss=0.25) as (way, sending, sent):
        for _ in range(1000):
            os.write(sending, b"x")
            way.take(now=0)

        way.pass_on(now=0)

        assert 650 < len(sent) < 850


def test_a_queue_has_an_end() -> None:
    with direction(delay=60) as (way, sending, _):
        for _ in range(10_050):
            os.write(sending, b"x")
            way.take(now=0)

        assert len(way.waiting) == 10_000


def test_an_end_that_is_down_loses_frames_and_not_the_wire() -> None:
    def refuse(frame: bytes) -> None:
        raise OSError(f"{frame!r} cannot be sent")

    with direction() as (way, sending, _):
        way.send = refuse
        os.write(sending, b"x")
        way.take(now=0)

        way.pass_on(now=0)

        assert way.due_in(0) is None
