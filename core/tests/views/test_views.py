"""Views: what controllers publish and people read."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.tests.factories.controllers import Watcher, make_replica
from core.tests.factories.instances import CLUSTER, Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site
from moorage_core.retention.sweeps import DeleteExpired
from moorage_core.views import rules
from moorage_core.views.models import View

SEEN = (
    CLUSTER
    + """
permissions:
  - {key: $app.key.read, description: May see keys., grants: [viewer, project_admin]}
views:
  - name: $app.keys
    title: Keys
    key: key
    permission: $app.key.read
    columns:
      - {name: key, title: Key}
      - {name: size, title: Size, type: integer}
"""
)


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site), more=SEEN)


@pytest.fixture
async def watcher(echo: Echo) -> Watcher:
    instance = await echo.running()
    return await (await make_replica(echo)).watch(instance["id"])


def part(echo: Echo, word: str = "keys") -> str:
    return f"views/{echo.app['slug'].replace('-', '_')}.{word}"


async def put(watcher: Watcher, generation: int, *keys: str, **more: Any) -> dict[str, Any]:
    rows = [{"key": key, "size": len(key)} for key in keys]
    answer = await watcher.send(
        "PUT", part(watcher.echo), generation=generation, upserts=rows, **more
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


async def keys(watcher: Watcher, caller: Any = None, query: str = "") -> list[str]:
    path = f"/v1/instances/{watcher.instance}/{part(watcher.echo)}{query}"
    answer = await (caller or watcher.echo.admin).get(path)
    assert answer.status_code == 200, answer.text
    return [row["key"] for row in answer.json()["items"]]


async def test_what_was_published_is_read(watcher: Watcher) -> None:
    state = await put(watcher, 1, "a", "b", complete=True)

    answer = await watcher.echo.admin.get(f"/v1/instances/{watcher.instance}/{part(watcher.echo)}")

    assert state == {"generation": 1, "row_count": 2, "total": 2, "truncated": False}
    assert answer.json()["items"] == [
        {"key": "a", "data": {"key": "a", "size": 1}},
        {"key": "b", "data": {"key": "b", "size": 1}},
    ]
    assert answer.json()["view"]["title"] == "Keys"


async def test_rows_change_go_and_stay(watcher: Watcher) -> None:
    await put(watcher, 1, "a", "b", "c", complete=True)

    await put(watcher, 2, "d", deletes=["a"])

    assert await keys(watcher) == ["b", "c", "d"]


@pytest.mark.rule("WV-7")
async def test_with_a_complete_generation_the_rows_of_earlier_ones_go(watcher: Watcher) -> None:
    await put(watcher, 1, "a", "b", complete=True)

    await put(watcher, 2, "b")
    await put(watcher, 2, "c", complete=True)

    assert await keys(watcher) == ["b", "c"]


@pytest.mark.rule("WV-7")
async def test_a_generation_that_has_passed_is_refused(watcher: Watcher) -> None:
    await put(watcher, 5, "a")

    answer = await watcher.send("PUT", part(watcher.echo), generation=4)

    assert (answer.status_code, answer.json()["code"]) == (409, "generation_passed")


@pytest.mark.rule("WV-7")
async def test_of_too_many_rows_the_freshest_stay(
    watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MOST_ROWS", 3)
    await put(watcher, 1, "a", "b", "c")

    state = await put(watcher, 2, "d", "e")

    assert state == {"generation": 2, "row_count": 3, "total": 5, "truncated": True}
    assert await keys(watcher) == ["a", "d", "e"]


async def test_a_list_goes_on_where_it_ended(watcher: Watcher) -> None:
    await put(watcher, 1, "a", "b:/ä", "c")
    path = f"/v1/instances/{watcher.instance}/{part(watcher.echo)}"

    first = (await watcher.echo.admin.get(f"{path}?limit=2")).json()
    rest = await keys(watcher, query=f"?after={first['next']}")

    assert [row["key"] for row in first["items"]] == ["a", "b:/ä"]
    assert rest == ["c"]


@pytest.mark.rule("WV-8")
async def test_rows_of_nobody_are_for_those_who_run_the_instance(
    site: Site, watcher: Watcher
) -> None:
    viewer = await site.actor("viewer", project=watcher.echo.tenant.project)
    await put(watcher, 1, "mine")
    row = {"key": "system", "size": 1, "$project": None}
    await watcher.send("PUT", part(watcher.echo), generation=1, upserts=[row])

    assert await keys(watcher, viewer) == ["mine"]
    assert await keys(watcher) == ["mine", "system"]


async def test_a_view_needs_the_key_that_it_declares(site: Site, watcher: Watcher) -> None:
    member = await site.actor("project_member", project=watcher.echo.tenant.project)
    path = f"/v1/instances/{watcher.instance}"

    answer = await member.get(f"{path}/{part(watcher.echo)}")
    listed = (await member.get(f"{path}/views")).json()["items"]

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert [(each["title"], each["readable"]) for each in listed] == [("Keys", False)]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"size": 1}, "row_invalid"),
        ({"key": "a", "colour": "red"}, "row_invalid"),
        ({"key": "a", "$project": "prj_00000000000000000000000000"}, "row_foreign"),
    ],
)
async def test_a_row_that_does_not_fit_is_refused(
    watcher: Watcher, row: dict[str, Any], code: str
) -> None:
    answer = await watcher.send("PUT", part(watcher.echo), generation=1, upserts=[row])

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert await keys(watcher) == []


async def test_a_view_that_nobody_declared_is_unknown(watcher: Watcher) -> None:
    answer = await watcher.send("PUT", part(watcher.echo, "secrets"), generation=1)

    assert (answer.status_code, answer.json()["code"]) == (404, "view_unknown")


async def test_whoever_holds_an_operation_of_the_instance_publishes_too(watcher: Watcher) -> None:
    await watcher.echo.ask(watcher.instance, "restart")
    (brief,) = await watcher.echo.claim()
    holder = Watcher(watcher.echo, watcher.instance, brief["grant"], brief["fence"])

    await put(holder, 1, "a")

    assert await keys(watcher) == ["a"]


async def test_rows_go_with_time_once_the_instance_is_gone(site: Site, watcher: Watcher) -> None:
    await put(watcher, 1, "a", "b")
    await site.sql.execute(
        "UPDATE instances SET status = 'deleted', deleted_at = now() - interval '10 years'"
        " WHERE id = %s",
        (watcher.instance,),
    )

    seen = await DeleteExpired(site.platform).activate()

    assert seen["view_rows"] == 2
    query = "SELECT count(*) FROM view_rows WHERE instance_id = %s"
    assert await site.rows(query, watcher.instance) == [(0,)]


def test_a_generation_that_was_cut_stays_cut() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    before = View("i", "v", 1, 3, 5, truncated=True, observed_at=at, version=1)

    assert rules.is_truncated(before, 1, kept=3, dropped=0, total=3)
    assert not rules.is_truncated(before, 2, kept=3, dropped=0, total=3)
