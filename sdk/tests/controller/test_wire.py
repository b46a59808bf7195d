"""What the refusals of the platform mean to whoever holds something."""

import asyncio

import pytest

import moorage
from moorage._problem import NotFound
from moorage.controller import wire


def refused(code: str) -> None:
    async def ask() -> None:
        raise NotFound("It is not there.", status=404, code=code, correlation_id="01abc")

    asyncio.run(wire.persist(ask))


def test_what_is_held_is_lost_when_it_is_gone() -> None:
    with pytest.raises(moorage.Lost):
        refused("not_found")


def test_a_view_that_an_earlier_version_lacks_ends_no_watch() -> None:
    with pytest.raises(moorage.Fail) as failed:
        refused("view_unknown")

    assert failed.value.code == "view_unknown"
