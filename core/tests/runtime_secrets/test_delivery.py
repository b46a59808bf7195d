"""Secrets of what runs: in by the operation's token, out to nodes, to nobody else."""

import base64
import dataclasses
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from core.tests.site import Site, TimedSite, fresh
from core.tests.tasks.workplaces import Workplace, exec_wish, make_workplace
from moorage_core.runtime_secrets.sweeps import RemoveExpiredSecrets
from moorage_core.secrets.custody import Custody
from moorage_core.secrets.openbao import OpenBao
from moorage_core.secrets.openbao_store import OpenBaoStore
from moorage_core.settings import SecretSettings
from moorage_core.tasks import commands

PLANTED = "planted-value-7f3a"


@pytest.fixture
async def place(site: Site) -> Workplace:
    return await make_workplace(site)


async def put(place: Workplace, name: str, **changes: Any) -> httpx2.Response:
    body = {"name": name, "purpose": "cluster_key", "value": PLANTED} | changes
    if body.get("generate"):
        del body["value"]
    return await place.holder.post(f"/v1/operations/{place.operation}/secrets", body)


def naming(name: str) -> dict[str, Any]:
    return exec_wish(input={"argv": ["cat"], "stdin": {"$secret": name}})


async def test_a_secret_reaches_the_node_that_does_the_task(place: Workplace) -> None:
    stored = await put(place, "key")
    (asked,) = await place.ask(naming("key"))

    task = await place.take()

    assert stored.status_code == 201, stored.text
    assert base64.b64decode(task.secrets["key"]) == PLANTED.encode()
    assert task.input == {"argv": ["cat"], "stdin": {"$secret": "key"}}
    deliveries = await place.site.rows(
        "SELECT node_id, fence FROM secret_deliveries WHERE task_id = %s", asked["id"]
    )
    assert deliveries == [(place.node, 1)]


@pytest.mark.rule("TK-7")
async def test_no_answer_and_no_record_shows_a_secret(place: Workplace) -> None:
    stored = await put(place, "key")
    (asked,) = await place.ask(naming("key"))
    await place.take()
    read = await place.holder.get(f"/v1/tasks/{asked['id']}")

    said = [stored.text, read.text]
    for table in ("audit_entries", "events", "tasks", "runtime_secrets", "idempotency_answers"):
        said += [str(row) for row in await place.site.rows(f"SELECT t::text FROM {table} t")]
    seen = [text for text in said if PLANTED in text or PLANTED.encode().hex() in text]
    assert seen == []


async def test_a_value_can_be_made_here_and_be_bytes(place: Workplace) -> None:
    raw = base64.b64encode(b"\x00\xff").decode()
    await put(place, "made", generate=32)
    await put(place, "raw", value=raw, encoding="base64")
    await place.ask(exec_wish(input={"argv": ["true"], "secret_files": ["made", "raw"]}))

    task = await place.take()

    assert len(base64.b64decode(task.secrets["made"])) == 43
    assert base64.b64decode(task.secrets["raw"]) == b"\x00\xff"


@pytest.mark.rule("TK-7")
async def test_a_node_gets_a_secret_once(place: Workplace) -> None:
    await put(place, "key")
    first, second = await place.ask(naming("key"), naming("key"))

    (handed,) = (await place.poll()).tasks

    refused = await place.row(second["id"])
    assert handed.id == first["id"]
    assert (refused["status"], refused["error_code"]) == ("failed", "secret_delivered")


async def test_a_later_task_of_the_node_does_not_get_it_either(place: Workplace) -> None:
    await put(place, "key")
    (first,) = await place.ask(naming("key"))
    await place.take()
    await place.say(first["id"], "succeeded")
    (second,) = await place.ask(naming("key"))

    handed = await place.poll()

    assert handed.tasks == []
    assert (await place.row(second["id"]))["error_code"] == "secret_delivered"


@pytest.mark.rule("TK-7")
@pytest.mark.parametrize("end", ["unknown", "failed"])
async def test_the_next_attempt_at_the_same_task_gets_it_again(place: Workplace, end: str) -> None:
    await put(place, "key")
    wish = {
        "key": "step/put",
        "kind": "put",
        "input": {"path": "/etc/key", "content": {"$secret": "key"}},
    }
    (first,) = await place.ask(wish)
    await place.take()
    await place.say(first["id"], end)

    (second,) = await place.ask({**wish, "attempt": 2})
    handed = await place.take()
    await place.say(second["id"], end)
    (third,) = await place.ask({**wish, "attempt": 3})
    last = await place.take()

    assert (handed.id, last.id) == (second["id"], third["id"])
    assert base64.b64decode(last.secrets["key"]) == PLANTED.encode()


async def test_the_same_task_gets_it_again_when_the_answer_was_lost(place: Workplace) -> None:
    await put(place, "key")
    await place.ask(naming("key"))

    first, second = await place.take(), await place.take()

    assert first.secrets == second.secrets


@pytest.mark.rule("TK-7")
async def test_another_holder_of_the_operation_may_fetch_it_again(place: Workplace) -> None:
    await put(place, "key")
    await place.ask(naming("key"))
    await place.take()
    await place.site.rows("UPDATE operations SET fence = 2 WHERE id = %s", place.operation)
    again = await place.queue(
        fence=2, input={"argv": ["cat"], "stdin": {"$secret": "key"}}, kind="exec"
    )

    handed = await place.poll()

    assert again in [task.id for task in handed.tasks]


async def test_a_secret_that_is_not_there_fails_the_task_with_a_sentence(place: Workplace) -> None:
    (asked,) = await place.ask(naming("absent"))

    handed = await place.poll()

    row = await place.row(asked["id"])
    assert handed.tasks == []
    assert (row["status"], row["error_code"]) == ("failed", "secret_missing")
    assert "absent" in row["error_message"]


async def test_a_secret_that_does_not_open_fails_its_task_and_no_other(place: Workplace) -> None:
    await put(place, "spoilt")
    await place.site.rows(
        "UPDATE secrets SET ciphertext = ciphertext || 'x' WHERE id = (SELECT secret_id FROM"
        " runtime_secrets WHERE operation_id = %s)",
        place.operation,
    )
    await put(place, "good")
    spoilt, good = await place.ask(naming("spoilt"), naming("good"))
    plain = await place.queue()

    handed = await place.poll()

    row = await place.row(spoilt["id"])
    assert sorted(task.id for task in handed.tasks) == sorted([good["id"], plain])
    assert (row["status"], row["error_code"]) == ("failed", "secret_broken")
    assert "spoilt" in row["error_message"]


async def test_while_the_store_is_away_what_needs_it_waits_and_the_rest_goes(
    place: Workplace, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("t")
    settings = SecretSettings(url="http://127.0.0.1:9", token_file=tmp_path / "token")
    platform = place.site.platform
    away = Custody("embedded", {"openbao": OpenBaoStore(OpenBao(settings))})
    await put(place, "key")
    ((id, wrapped),) = await place.site.rows(
        "SELECT s.id, s.wrapped_key FROM secrets s JOIN runtime_secrets r ON r.secret_id = s.id"
        " WHERE r.operation_id = %s",
        place.operation,
    )
    await place.site.rows(
        "UPDATE secrets SET store = 'openbao', entry = 'e', wrapped_key = 'vault:v1:x'"
        " WHERE id = %s",
        id,
    )
    (needs,) = await place.ask(naming("key"))
    plain = await place.queue()
    before = await place.row(needs["id"])

    cut_off = dataclasses.replace(platform, custody=away)
    first = await commands.for_poll(cut_off, place.node, [])
    waiting = await place.row(needs["id"])
    await place.site.rows(
        "UPDATE secrets SET store = 'embedded', entry = NULL, wrapped_key = %s WHERE id = %s",
        wrapped,
        id,
    )
    later = await place.poll((plain, "received"))

    assert [task.id for task in first.tasks] == [plain]
    assert (waiting["status"], waiting["sent_count"]) == ("queued", 0)
    assert waiting["due_at"] == before["due_at"]
    assert [task.id for task in later.tasks] == [needs["id"]]
    assert base64.b64decode(later.tasks[0].secrets["key"]) == PLANTED.encode()


async def test_an_answer_is_no_larger_than_agents_read(place: Workplace) -> None:
    content = base64.b64encode(b"x" * 500_000).decode()
    for _ in range(20):
        await place.queue(kind="put", input={"path": "/srv/x", "content": content})

    first = await place.poll()
    second = await place.poll(*[(task.id, "received") for task in first.tasks])

    assert 0 < sum(len(task.input["content"]) for task in first.tasks) <= 8 << 20
    assert len(first.tasks) + len(second.tasks) == 20
    assert not {task.id for task in first.tasks} & {task.id for task in second.tasks}


async def test_a_name_is_used_once_in_an_operation(place: Workplace) -> None:
    await put(place, "key")

    again = await put(place, "key")

    assert again.status_code == 409
    assert again.json()["code"] == "secret_name_taken"


async def test_secrets_of_one_operation_are_not_there_for_another(site: Site) -> None:
    place = await make_workplace(site)
    other = await make_workplace(site, place.tenant)
    await put(place, "key")
    (asked,) = await other.ask(naming("key"))

    await other.poll()

    assert (await other.row(asked["id"]))["error_code"] == "secret_missing"


@pytest.mark.parametrize("who", ["admin", "holder of another"])
async def test_only_the_operations_token_puts_secrets_in(
    site: Site, place: Workplace, who: str
) -> None:
    other = await make_workplace(site, place.tenant)
    caller = place.tenant.admin if who == "admin" else other.holder
    body = {"name": f"k-{fresh()}", "purpose": "join", "generate": 32}

    answer = await caller.post(f"/v1/operations/{place.operation}/secrets", body)

    assert answer.status_code in (403, 404)


@pytest.mark.parametrize(
    "changes",
    [
        {"value": "x", "generate": None, "encoding": "base64"},
        {"name": "Not A Name"},
        {"purpose": "fun"},
        {"expires_in": 1},
        {"value": None},
    ],
)
async def test_what_is_not_a_secret_is_refused_without_repeating_it(
    place: Workplace, changes: dict[str, Any]
) -> None:
    answer = await put(place, **({"name": "key"} | changes))

    assert answer.status_code == 422
    assert PLANTED not in answer.text


async def test_a_secret_ends_with_its_time(timed: TimedSite) -> None:
    place = await make_workplace(timed)
    await timed.rows("UPDATE operations SET lease_expires_at = now() + interval '1000 days'")
    await put(place, "key", expires_in=60)
    (asked,) = await place.ask(naming("key"))
    timed.clock.move(timedelta(seconds=61))

    await place.poll()
    await RemoveExpiredSecrets(timed.platform).activate()

    row = await place.row(asked["id"])
    left = await timed.rows(
        "SELECT 1 FROM runtime_secrets WHERE operation_id = %s", place.operation
    )
    values = await timed.rows(
        "SELECT 1 FROM secrets WHERE org_id = %s AND purpose = 'runtime'", place.tenant.org.id
    )
    assert (row["error_code"], left, values) == ("secret_missing", [], [])


async def test_a_task_takes_no_more_than_a_mebibyte_of_secrets(place: Workplace) -> None:
    names = [f"key-{n}" for n in range(5)]
    for name in names:
        await put(place, name, value="x" * 262_144)
    files = {"argv": ["true"], "secret_files": names}
    (large,) = await place.ask(exec_wish(input=files))
    (fits,) = await place.ask(exec_wish(input=files | {"secret_files": names[:4]}))

    handed = await place.take()

    row = await place.row(large["id"])
    assert (row["status"], row["error_code"]) == ("failed", "secrets_too_large")
    assert handed.id == fits["id"]


async def test_an_operation_has_a_hundred_secrets_at_most(place: Workplace) -> None:
    stored = [await put(place, f"key-{n}", generate=16) for n in range(101)]

    assert {answer.status_code for answer in stored[:100]} == {201}
    assert stored[100].status_code == 409
    assert stored[100].json()["code"] == "too_many_secrets"
