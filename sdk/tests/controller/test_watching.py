"""What a look says to the platform: what is new, and nothing twice."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import moorage
from moorage.controller.holds import Ended, Rows
from moorage.controller.reports import Observed, Usage
from moorage.controller.watching import Published, WatchedInstance
from sdk.tests.controller.sample import app

HOUR = (datetime(2026, 1, 1, 9, tzinfo=UTC), datetime(2026, 1, 1, 10, tzinfo=UTC))


@dataclass
class Heard:
    """A platform that remembers what it was told."""

    rows: list[Rows] = field(default_factory=list[Rows])
    usage_records: list[Usage] = field(default_factory=list[Usage])
    views: dict[str, Published] = field(default_factory=dict[str, Published])
    told: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    async def probe(self, name: str, member: str) -> tuple[Ended, bytes]:
        raise AssertionError(name)

    async def observe(self, observed: Observed) -> None:
        raise AssertionError(observed)

    async def put_view(self, name: str, rows: Rows) -> None:
        self.rows.append(rows)

    async def principals(self) -> list[dict[str, Any]]:
        return []

    async def usage(self, records: list[Usage]) -> None:
        self.usage_records += records

    async def request_repair(self, reason: str, members: list[str]) -> None:
        raise AssertionError(reason)

    def instance(self) -> WatchedInstance:
        known = moorage.Instance(
            id="ins_1", name="one", org_id="o", project_id="p", app_slug="sample", app_version="1"
        )
        return WatchedInstance.over(
            known, self, app.manifest, views=self.views, told=self.told, generation=1
        )


def said(key: str) -> Usage:
    begin, end = HOUR
    return Usage(meter="sample.words_said", key=key, quantity=1, from_at=begin, until_at=end)


def test_usage_that_was_reported_is_not_sent_again() -> None:
    heard = Heard()
    asyncio.run(heard.instance().report_usage([said("09")]))

    asyncio.run(heard.instance().report_usage([said("09"), said("10")]))

    assert [record.key for record in heard.usage_records] == ["09", "10"]


def test_a_view_says_how_many_rows_there_are_where_some_were_left_out() -> None:
    heard = Heard()

    asyncio.run(heard.instance().publish("sample.words", [{"host": "a", "word": "x"}], total=7))

    assert [rows.total for rows in heard.rows] == [7]
