"""An instance with a thousand members, and a view with thousands of rows."""

import asyncio
import shutil
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import async_playwright

from bench import console, played
from bench.console import Visit
from core.tests.embedded import places

MOST_DRAWN = 60


@dataclass(frozen=True)
class Found:
    members: int
    rows: int
    points: int
    asked: list[str]
    """For members, while one of them was drained."""


@pytest.fixture(scope="module")
def found() -> Found:
    with places.open_place() as place:
        return apart(look(place / "data"))


def apart(doing: Coroutine[Any, Any, Found]) -> Found:
    """In a thread of its own: the browser of other tests keeps a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, doing).result()


async def look(data: Path) -> Found:
    async with (
        played.estate(data, nodes=console.FEW_MEMBERS + 1) as estate,
        estate.controller().working(),
        console.furnished(estate) as (_, many),
        async_playwright() as playing,
    ):
        browser = await playing.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = await console.signed_in(browser, estate)
        visit = Visit(page, many, "many", console.MEMBERS, console.ROWS)
        await visit.load("graph", "", console.graph_of(visit))
        points = await page.locator(".point").count()
        await visit.load("rows", f"/views/{played.VIEW}", console.whole("row", console.ROWS))
        rows = await page.evaluate("bench.rows()")
        await visit.load("members", "/members", console.whole("member", console.MEMBERS))
        members = await page.evaluate("bench.rows()")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        wish = {"members": [(await estate.members(many))[0]], "reason": "a test"}
        await estate.ask(f"/v1/instances/{many}/members/drain", wish)
        await page.get_by_text("Drained", exact=True).first.wait_for()
        await browser.close()
    return Found(members, rows, points, [url for url in asked if "/members?" in url])


def test_of_many_rows_only_those_in_sight_are_drawn(found: Found) -> None:
    assert 0 < found.members <= MOST_DRAWN
    assert 0 < found.rows <= MOST_DRAWN


def test_many_members_are_drawn_as_groups(found: Found) -> None:
    assert 3 <= found.points <= 10


def test_when_one_member_changes_the_others_are_not_read_again(found: Found) -> None:
    assert found.asked
    assert all("changed_since=" in url for url in found.asked)
