"""What nodes say about their tasks, and their output on its way up."""

import hashlib
from typing import Any

import pytest

from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace, exec_wish, make_workplace
from moorage_core.authz.authorize import Hidden
from moorage_core.tasks import commands, rules
from moorage_core.tasks.models import Report


@pytest.fixture
async def place(site: Site) -> Workplace:
    return await make_workplace(site)


@pytest.fixture
async def task(place: Workplace) -> str:
    """A task that the node has."""
    id = await place.queue(output_limit=1024)
    await place.poll()
    return id


async def append(place: Workplace, task: str, content: bytes, *, offset: int = 0) -> int:
    return await commands.append_output(
        place.site.platform, place.node, task, "stdout", offset=offset, content=content
    )


async def test_a_task_begins_and_ends_as_its_node_says(place: Workplace, task: str) -> None:
    began = await place.say(task, "running")
    ended = await place.say(task, "succeeded", result={"exit_code": 0}, changed=True)

    read = await place.tenant.admin.get(f"/v1/tasks/{task}")
    assert (began, ended) == ("recorded", "recorded")
    assert read.json()["status"] == "succeeded"
    assert read.json()["result"] == {"exit_code": 0}
    assert read.json()["changed"] is True
    assert read.json()["started_at"] is not None


async def test_saying_it_twice_changes_nothing(place: Workplace, task: str) -> None:
    await place.say(task, "failed", error_code="exit_nonzero", error_message="It ended with 1.")
    before = await place.row(task)

    outcome = await place.say(task, "failed", error_code="other")

    assert outcome == "repeated"
    assert await place.row(task) == before


@pytest.mark.rule("TK-5")
async def test_what_comes_after_a_task_was_given_up_is_kept_beside_it(
    place: Workplace, task: str
) -> None:
    await place.say(task, "running")
    await place.poll()

    outcome = await place.say(task, "succeeded", result={"exit_code": 0})

    row = await place.row(task)
    assert outcome == "late"
    assert row["status"] == "unknown"
    assert row["late"]["state"] == "succeeded"
    assert row["late"]["result"] == {"exit_code": 0}


async def test_a_report_with_another_fence_is_refused(place: Workplace, task: str) -> None:
    outcome = await place.say(task, "succeeded", fence=7)

    assert outcome == "refused"
    assert (await place.row(task))["status"] == "sent"


async def test_what_a_host_says_cannot_break_the_database(place: Workplace, task: str) -> None:
    said: dict[str, Any] = {"text": "a\x00b\ud800", "n": float("nan")}

    outcome = await place.say(task, "failed", result=said, error_message="no\x00pe\ud800")

    assert outcome == "recorded"
    assert (await place.row(task))["result"] == {"text": "a\ufffdb?", "n": None}


async def test_many_reports_cost_two_statements(place: Workplace) -> None:
    ids = [await place.queue() for _ in range(20)]
    await place.poll()
    said = [Report(id, 1, state) for id in ids for state in ("running", "succeeded")]
    database = place.site.platform.database
    before = (database.transactions, database.statements)

    answers = await place.report(*said)

    assert {each.outcome for each in answers} == {"recorded"}
    assert (database.transactions - before[0], database.statements - before[1]) == (1, 2)
    rows = [await place.row(id) for id in ids]
    assert {row["status"] for row in rows} == {"succeeded"}
    assert all(row["started_at"] for row in rows)


async def test_whoever_waits_hears_of_the_end_at_once(site: Site, place: Workplace) -> None:
    (task,) = await place.ask(exec_wish())
    await place.poll()
    topics = [f"task:{task['id']}"], [f"op:{place.operation}"]

    with site.platform.hub.watch(topics[0]) as one, site.platform.hub.watch(topics[1]) as all_of:
        await place.say(task["id"], "succeeded")
        woken = await one.wait(0), await all_of.wait(0)

    assert woken == (True, True)


async def test_output_goes_up_piece_by_piece(place: Workplace, task: str) -> None:
    first = await append(place, task, b"hello ")
    second = await append(place, task, b"world", offset=first)

    read = await place.tenant.admin.get(f"/v1/tasks/{task}/output")
    rest = await place.tenant.admin.get(f"/v1/tasks/{task}/output?offset=8")
    assert second == 11
    assert read.content == b"hello world"
    assert read.headers["moorage-next-offset"] == "11"
    assert read.headers["moorage-ended"] == "false"
    assert rest.content == b"rld"


async def test_a_piece_in_the_wrong_place_is_refused_with_the_right_one(
    place: Workplace, task: str
) -> None:
    await append(place, task, b"hello")

    with pytest.raises(rules.OutputOffset) as refused:
        await append(place, task, b"hello")

    assert refused.value.errors[0].message == "5"


async def test_no_more_is_kept_than_the_task_allows(place: Workplace, task: str) -> None:
    await append(place, task, b"x" * 1024)

    with pytest.raises(rules.OutputFull):
        await append(place, task, b"x", offset=1024)


@pytest.mark.rule("TK-8")
async def test_output_ends_with_its_task(place: Workplace, task: str) -> None:
    await append(place, task, b"hello")
    await place.say(task, "succeeded")

    with pytest.raises(rules.OutputEnded):
        await append(place, task, b"!", offset=5)

    read = await place.tenant.admin.get(f"/v1/tasks/{task}/output?wait=30")
    assert read.headers["moorage-ended"] == "true"


async def test_nothing_at_the_right_place_is_no_news(place: Workplace, task: str) -> None:
    assert await append(place, task, b"") == 0


async def test_a_node_adds_nothing_to_the_output_of_another(
    site: Site, place: Workplace, task: str
) -> None:
    other = await make_workplace(site, place.tenant)

    with pytest.raises(Hidden):
        await append(other, task, b"evil")

    assert (await place.row(task))["stdout_bytes"] == 0


async def test_a_piece_of_output_costs_one_statement(place: Workplace, task: str) -> None:
    database = place.site.platform.database
    before = (database.transactions, database.statements)

    await append(place, task, b"hello")

    assert (database.transactions - before[0], database.statements - before[1]) == (1, 1)


@pytest.mark.rule("TK-8")
async def test_large_output_comes_in_pieces_that_fit_together(place: Workplace) -> None:
    content = b"".join(hashlib.sha256(str(n).encode()).digest() for n in range(80_000))
    id = await place.queue(output_limit=1 << 26)
    await place.poll()
    for at in range(0, len(content), rules.CHUNK):
        await append(place, id, content[at : at + rules.CHUNK], offset=at)

    read = b""
    while len(read) < len(content):
        answer = await place.tenant.admin.get(f"/v1/tasks/{id}/output?offset={len(read)}")
        assert answer.content, "it came to an end too early"
        read += answer.content

    assert read == content


async def test_a_node_gets_no_artifact_that_its_task_does_not_name(
    place: Workplace, task: str
) -> None:
    with pytest.raises(Hidden):
        await commands.open_content(place.site.platform, place.node, task)
