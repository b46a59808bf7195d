"""What the refusals of the platform mean to whoever holds something."""

import asyncio

import pytest

import moorage
from moorage._problem import NotFound, Unreachable
from moorage.controller import wire


def refused(code: str, *, part: bool = False) -> None:
    async def ask() -> None:
        raise NotFound("It is not there.", status=404, code=code, correlation_id="01abc")

    asyncio.run(wire.Grip().persist(ask, part=part))


def test_what_is_held_is_lost_when_it_is_gone() -> None:
    with pytest.raises(moorage.Lost):
        refused("not_found")


def test_a_view_that_an_earlier_version_lacks_ends_no_watch() -> None:
    with pytest.raises(moorage.Fail) as failed:
        refused("view_unknown")

    assert failed.value.code == "view_unknown"


def test_a_member_that_left_during_a_look_ends_no_watch() -> None:
    with pytest.raises(moorage.Fail):
        refused("not_found", part=True)


async def test_what_was_let_go_is_asked_for_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "FIRST_PAUSE", 0.0)
    grip = wire.Grip()
    asked: list[str] = []

    async def ask() -> None:
        asked.append("once")
        grip.let_go()
        raise Unreachable("silence", sent=False, correlation_id="none")

    with pytest.raises(moorage.Lost):
        await grip.persist(ask)
    with pytest.raises(moorage.Lost):
        await grip.persist(ask)

    assert asked == ["once"]
