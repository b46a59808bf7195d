"""Measures the console. `bench.run` calls this and keeps the results in bench/results/console.json.

The same things are done at a real browser to two instances of one platform: one with few members
and rows, and one with a thousand and five thousand. What the browser itself says of them counts:
how long after a key or a click the page was painted again, how long its one thread was busy, and
how far apart frames came while somebody scrolls. Times to content count from the beginning of the
navigation to the frame in which all of it is there.

Members, machines and operations are copied as rows from what was deployed; rows of the view are
published through the route of controllers.
"""

import asyncio
import contextlib
import shutil
import statistics
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg
from playwright.async_api import Browser, Page, async_playwright

from bench import played
from bench.played import Estate

MEMBERS, ROWS, OPERATIONS = 1000, 5000, 5000
FEW_MEMBERS, FEW_ROWS = 3, 20
ROUNDS = 5
SLOWEST, LONG = 200, 50
"""Milliseconds: what people still take for at once, and what keeps a thread from the next key."""
FLOOR = 16
"""Milliseconds. Browsers tell of no interaction that was quicker."""
HOME = "/projects/bench/bench-research/instances"
RECORDER = (Path(__file__).parent / "console.js").read_text()

Report = Callable[..., None]


@dataclass(frozen=True)
class Seen:
    """What the browser said of what was done meanwhile."""

    interactions: list[float]
    tasks: list[float]
    frames: list[float]


@dataclass
class Visit:
    """A page of one of the instances, and whatever was measured at it."""

    page: Page
    instance: str
    label: str
    members: int
    rows: int
    interactions: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    tasks: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    loads: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    async def load(self, name: str, path: str, there: str) -> None:
        """Open a page anew; milliseconds until it is whole."""
        await self.page.goto(f"{HOME}/{self.instance}{path}", wait_until="commit")
        self.loads.setdefault(name, []).append(await self.until(there))
        await self.rest()

    async def until(self, there: str) -> float:
        found = await self.page.wait_for_function(f"() => ({there}) && performance.now()")
        return float(await found.json_value())

    async def rest(self) -> None:
        """Until nothing that was asked for is still on its way."""
        await self.page.evaluate("bench.rest()")

    async def watch(self, name: str, doing: Awaitable[object]) -> Seen:
        """Do something; the slowest of its interactions counts, and the longest task."""
        await self.page.evaluate("bench.begin()")
        await doing
        said = await self.page.evaluate("bench.end()")
        seen = Seen(said["interactions"], said["tasks"], said["frames"])
        self.interactions.setdefault(name, []).append(max([FLOOR, *seen.interactions]))
        self.tasks.setdefault(name, []).append(max([0, *seen.tasks]))
        return seen


def measure(data: Path, report: Report) -> None:
    asyncio.run(_measure(data, report))


async def _measure(data: Path, report: Report) -> None:
    async with played.estate(data, nodes=FEW_MEMBERS + 1) as estate:
        async with estate.controller().working(), furnished(estate) as (few, many):
            async with async_playwright() as playing:
                browser = await playing.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox"]
                )
                page = await signed_in(browser, estate)
                small = Visit(page, few, "few", FEW_MEMBERS, FEW_ROWS)
                large = Visit(page, many, "many", MEMBERS, ROWS)
                for _ in range(ROUNDS):
                    for visit in (small, large):
                        await _visit(visit)
                await _scroll(large, report)
                await _live(estate, large, report)
                await browser.close()
    _compare(small, large, report)


async def signed_in(browser: Browser, estate: Estate) -> Page:
    """A page that says what it does, of the project's admin."""
    context = await browser.new_context(
        base_url=estate.site.url, viewport={"width": 1280, "height": 800}, locale="en-GB"
    )
    page = await context.new_page()
    await page.add_init_script(RECORDER)
    email = "admin@bench.example"
    await page.goto("/login")
    await page.get_by_label("E-mail").fill(email)
    await page.get_by_role("textbox", name="Password").fill(f"{email} has a long password")
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await page.wait_for_url(lambda url: "/login" not in url)
    return page


# --- what is done at both ------------------------------------------------------------------------


async def _visit(visit: Visit) -> None:
    """Every page from its address, then what people do on it."""
    page = visit.page
    await visit.load("overview with its graph", "", graph_of(visit))
    members = page.get_by_role("link", name="Members", exact=True)
    await visit.watch("switch to members", members.click())
    await visit.until(whole("member", visit.members))
    await visit.load("members", "/members", whole("member", visit.members))
    await _table(visit, "member", words="worker-9", column="Name")
    await visit.watch("choose all members", page.get_by_label("Choose all members").click())
    await page.get_by_label("Choose all members").click()
    await visit.load("operations", "/operations", "bench.rows() > 2")
    await visit.load("a view", f"/views/{played.VIEW}", whole("row", visit.rows))
    await _table(visit, "row", words="night", column="Name")


async def _table(visit: Visit, noun: str, *, words: str, column: str) -> None:
    page = visit.page
    heading = page.get_by_role("button", name=column, exact=True)
    await visit.watch(f"sort {noun}s", heading.click())
    await visit.watch(f"sort {noun}s", heading.click())
    menu = page.get_by_role("button", name="What can be done with").first
    await visit.watch(f"open the menu of a {noun}", menu.click())
    await page.keyboard.press("Escape")
    await page.get_by_role("menu").wait_for(state="detached")
    box = page.get_by_label(f"Filter {noun}s")
    if await box.count():
        await box.click()
        await visit.watch(f"type in the filter of {noun}s", page.keyboard.type(words, delay=80))


def whole(noun: str, count: int) -> str:
    """Whether so many rows have come, in the words of the page."""
    if count <= FEW_MEMBERS:
        return f"bench.rows() >= {count}"
    some = f"bench.says('main', 'of {count:,} {noun}s') || bench.says('main', 'so far')"
    return f"bench.says('main', '{count:,} {noun}s') && !({some})"


def graph_of(visit: Visit) -> str:
    """Whether the graph tells of all members."""
    words = f"{visit.members:,} members" if visit.members > FEW_MEMBERS else "worker-1"
    return f"bench.says('figure', '{words}')"


# --- what only many can show ---------------------------------------------------------------------


async def _scroll(visit: Visit, report: Report) -> None:
    """From the top to the bottom by the wheel, against as many frames at rest."""
    await visit.load("members", "/members", whole("member", MEMBERS))
    still = await visit.watch("rest", asyncio.sleep(2))
    members = await visit.watch("scroll", _roll(visit.page, "Table of members"))
    await visit.load("a view", f"/views/{played.VIEW}", whole("row", ROWS))
    rows = await visit.watch("scroll", _roll(visit.page, "Table of rows"))
    drawn = await visit.page.evaluate("bench.rows()")
    for name, seen in (
        ("at rest", still),
        (f"scroll {MEMBERS} members", members),
        (f"scroll {ROWS} rows", rows),
    ):
        _frames(name, seen, report)
    report(f"rows in the document, of {ROWS}", drawn, "", "<= 60", drawn <= 60)


async def _roll(page: Page, label: str) -> None:
    box = await page.get_by_role("region", name=label).bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + 200, box["y"] + 200)
    for _ in range(100):
        await page.mouse.wheel(0, 480)
        await asyncio.sleep(0.02)


def _frames(name: str, seen: Seen, report: Report) -> None:
    frames = sorted(seen.frames)
    p95, late = frames[int(len(frames) * 0.95)], sum(each > LONG for each in frames)
    report(f"{name}: 95th of 100 frames came after", p95, "ms", "<= 34", p95 <= 34)
    report(f"{name}: frames later than {LONG} ms, of {len(frames)}", late, "")
    report(f"{name}: longest task", max([0, *seen.tasks]), "ms")


async def _live(estate: Estate, visit: Visit, report: Report) -> None:
    """Members are drained and resumed while somebody scrolls through the list of all."""
    await visit.load("members", "/members", whole("member", MEMBERS))
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    member = (await estate.members(visit.instance))[-1]
    wish = {"members": [member], "reason": "a benchmark"}

    async def change() -> None:
        for verb in ("drain", "resume"):
            path = f"/v1/instances/{visit.instance}/members/{verb}"
            await estate.ended(await estate.ask(path, wish))

    async def both() -> None:
        await asyncio.gather(_roll(visit.page, "Table of members"), change())

    seen = await visit.watch("scroll", both())
    await visit.rest()
    pages = [url for url in asked if "/members" in url]
    name = "scroll while a member is drained and resumed"
    _frames(name, seen, report)
    report(f"{name}: requests", len(asked), "")
    report(f"{name}: requests for pages of members", len(pages), "")


def _compare(small: Visit, large: Visit, report: Report) -> None:
    for name, lags in large.loads.items():
        whole, few = statistics.median(lags), statistics.median(small.loads[name])
        size = f"{MEMBERS} members, {ROWS} rows"
        report(f"{name}, {size}: whole after", whole, "ms", "<= 2000", whole <= 2000)
        report(f"{name}, {FEW_MEMBERS} members, {FEW_ROWS} rows: whole after", few, "ms")
        report(f"{name}, many against few: ratio", whole / few, "")
    for name, lags in large.interactions.items():
        if name in ("rest", "scroll"):
            continue
        median, most = statistics.median(lags), max(lags)
        report(f"{name}, many: painted after", median, "ms")
        report(f"{name}, many: slowest", most, "ms", f"<= {SLOWEST}", most <= SLOWEST)
        report(f"{name}, many: longest task", statistics.median(large.tasks[name]), "ms")
        if name in small.interactions:
            few = statistics.median(small.interactions[name])
            report(f"{name}, few: painted after", few, "ms")


# --- what it is done with ------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def furnished(estate: Estate) -> AsyncIterator[tuple[str, str]]:
    """Two instances that are watched, one of them with many members, rows and operations."""
    few = await estate.deploy("few", estate.machines[:FEW_MEMBERS])
    many = await estate.deploy("many", estate.machines[FEW_MEMBERS:])
    for _ in range(3):
        await estate.ended(await estate.ping(few))
    ended = await estate.ended(await estate.ping(many))
    await _multiply(estate, many, ended["id"])
    watcher = estate.controller()
    watches = (await watcher.claim(capacity=0, watch_capacity=10, wait=0))["watches"]
    for watch in watches:
        count = ROWS if watch["instance_id"] == many else FEW_ROWS
        await _publish(estate, watch, count)

    async def listen() -> None:
        while True:
            await watcher.claim(capacity=0, wait=10)

    async with asyncio.TaskGroup() as group:
        listening = group.create_task(listen())
        yield few, many
        listening.cancel()


async def _publish(estate: Estate, watch: dict[str, Any], count: int) -> None:
    rows = [
        {
            "job": number,
            "name": f"{('night', 'day')[number % 2]}-shift-{number}",
            "state": ("running", "waiting", "done")[number % 3],
            "cpus": 1 + number % 64,
            "begun": f"2026-01-{1 + number % 28:02}T08:00:00Z",
            "member": f"worker-{1 + number % 999}",
        }
        for number in range(1, count + 1)
    ]
    said = {"fence": watch["fence"], "generation": 1, "upserts": rows, "complete": True}
    path = f"/v1/instances/{watch['instance_id']}/views/{played.VIEW}"
    await estate.line.call("PUT", path, said, token=watch["grant"])
    seen = {"fence": watch["fence"], "health": "healthy", "fresh_for": 3600}
    path = f"/v1/instances/{watch['instance_id']}/observed"
    await estate.line.call("PUT", path, seen, token=watch["grant"])


COPIES: dict[str, tuple[LiteralString, dict[str, LiteralString]]] = {
    "nodes": (
        "x.id = (SELECT node_id FROM allocations WHERE instance_id = %(like)s LIMIT 1)",
        {
            "id": "'nod_' || {n}",
            "name": "'copy-' || n",
            "token_hash": "null",
            "last_seen_at": "now() + interval '1 day'",
        },
    ),
    "allocations": (
        "x.instance_id = %(like)s",
        {
            "id": "'alc_' || {n}",
            "name": "'copy-' || n",
            "node_id": "'nod_' || {n}",
            "node_name": "'copy-' || n",
        },
    ),
    "members": (
        "x.instance_id = %(like)s",
        {
            "id": "'mem_' || {n}",
            "name": "'worker-' || n",
            "node_name": "'copy-' || n",
            "allocation_id": "'alc_' || {n}",
        },
    ),
    "operations": (
        "x.id = %(like)s",
        {"id": "'opn_' || {n}", "correlation_id": "'copy-' || n"},
    ),
}
"""By table: what is copied, and what differs in the copy numbered n."""


async def _multiply(estate: Estate, instance: str, ended: str) -> None:
    """So many members as rows, each on a machine of its own, and operations that ended."""
    async with await psycopg.AsyncConnection.connect(estate.site.super_url, autocommit=True) as db:
        await db.execute("SET session_replication_role = replica")
        for table in ("nodes", "allocations", "members"):
            await _copy(db, table, range(2, MEMBERS), like=instance)
        await _copy(db, "operations", range(1, OPERATIONS), like=ended)
        await db.execute(
            "UPDATE instance_components SET desired = %s, next_number = %s WHERE instance_id = %s",
            (MEMBERS, MEMBERS + 1, instance),
        )
        await db.execute("VACUUM ANALYZE")


async def _copy(db: psycopg.AsyncConnection[Any], table: str, numbers: range, *, like: str) -> None:
    which, differs = COPIES[table]
    found = await db.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND NOT attisdropped AND attgenerated = ''",
        (table,),
    )
    columns = [row[0] for row in await found.fetchall()]
    number = "lpad(n::text, 26, '0')"
    changed = ", ".join(f"'{name}', {said.format(n=number)}" for name, said in differs.items())
    statement = (
        f"INSERT INTO {table} ({', '.join(columns)})"
        f" SELECT {', '.join(f'r.{column}' for column in columns)} FROM {table} x,"
        f" generate_series({numbers.start}, {numbers.stop}) n,"
        f" LATERAL jsonb_populate_record(x, jsonb_build_object({changed})) r WHERE {which}"
    )
    await db.execute(cast(LiteralString, statement), {"like": like})
