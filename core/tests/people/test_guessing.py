"""Guessing passwords: how many tries there are, and who is not kept waiting by them."""

import asyncio
import dataclasses
from collections.abc import Iterator

import pytest

from core.tests.factories.tenants import PASSWORD
from core.tests.people.signing_in import log_in, make_person
from core.tests.site import Site, fresh
from moorage_core.errors import Busy
from moorage_core.kit.ratelimit import Buckets
from moorage_core.people import passwords

NEW = "a password of fifteen words"


@pytest.fixture
def few(site: Site) -> Iterator[Site]:
    """The site, with three tries for everybody."""
    buckets = Buckets(0.001, 3, monotonic=lambda: 0.0)
    platform = dataclasses.replace(site.platform, by_guess=buckets)
    site.api.state.platform = platform
    yield dataclasses.replace(site, platform=platform)
    site.api.state.platform = site.platform


async def test_an_address_has_few_tries_whatever_the_account(few: Site) -> None:
    _, email = await make_person(few)
    for _ in range(3):
        await log_in(few, f"stranger-{fresh()}@example.org")

    answer = await log_in(few, email)

    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert int(answer.headers["retry-after"]) > 1


async def test_an_account_has_few_tries_whatever_the_address(few: Site) -> None:
    person, _ = await make_person(few)
    guess = {"current": "not this one", "password": NEW}
    for _ in range(3):
        assert (await person.post("/v1/me/password", guess)).status_code == 401

    answer = await person.post("/v1/me/password", {"current": PASSWORD, "password": NEW})

    assert answer.status_code == 429


async def test_who_comes_when_many_wait_is_told_to_come_again() -> None:
    tries = [asyncio.create_task(passwords.is_right(None, "x")) for _ in range(20)]

    answers = await asyncio.gather(*tries, return_exceptions=True)

    assert answers.count(False) == passwords.AT_ONCE
    refused = [answer for answer in answers if isinstance(answer, Busy)]
    assert len(refused) == 20 - passwords.AT_ONCE
    assert refused[0].headers == {"Retry-After": "1"}
    assert await passwords.is_right(None, "x") is False
