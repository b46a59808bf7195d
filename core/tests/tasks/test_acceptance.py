"""Which tasks are taken: the rule by itself, and through the API."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import httpx2
import psycopg
import pytest

from core.tests.factories import machines
from core.tests.factories.artifacts import announcement
from core.tests.factories.tenancy import make_project
from core.tests.factories.tenants import Bearer, Tenant, make_tenant
from core.tests.site import Site, fresh
from core.tests.tasks.workplaces import Workplace, exec_wish, make_workplace
from moorage_core.errors import ApiError
from moorage_core.operations import rules
from moorage_core.operations.models import Grant, Operation
from moorage_core.tasks import acceptance, kinds
from moorage_core.tasks.acceptance import Earlier, Machine, Wish

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
INPUTS: dict[str, dict[str, Any]] = {
    "exec": {"argv": ["true"]},
    "put": {"path": "/etc/motd", "content": "aGVsbG8="},
    "get": {"path": "/etc/motd"},
    "packages": {"present": ["htop"]},
    "service": {"unit": "cron.service", "state": "started"},
    "access-sync": {},
    "probe": {"parts": ["inventory"]},
    "wipe": {},
}
OURS = sorted(set(INPUTS) - kinds.PLATFORMS_OWN)


def wish(kind: str = "exec", **changes: Any) -> Wish:
    given: dict[str, Any] = {
        "key": "step/one",
        "kind": kind,
        "allocation": "a",
        "input": INPUTS[kind],
        "run_as": "root",
        "timeout": 60,
        "output_limit": 1024,
        "attempt": 1,
        "repeatable": False,
    }
    return Wish(**(given | changes))


def machine(**changes: Any) -> dict[str, Machine]:
    given: dict[str, Any] = {
        "id": "a",
        "status": "active",
        "node_id": "n",
        "reach": "agent",
        "quarantined": False,
    }
    return {"a": Machine(**(given | changes))}


def code_of(check: Callable[[], Any]) -> str:
    try:
        check()
    except ApiError as refusal:
        return refusal.code
    return "taken"


def test_every_kind_of_the_protocol_has_a_shape() -> None:
    assert set(INPUTS) == set(kinds.KINDS)


@pytest.mark.parametrize("kind", sorted(INPUTS))
def test_only_the_platform_itself_asks_for_its_own_kinds(kind: str) -> None:
    asked = code_of(lambda: acceptance.check_wish(wish(kind), "t", machine(), internal=False))
    internal = code_of(lambda: acceptance.check_wish(wish(kind), "t", machine(), internal=True))

    assert internal == "taken"
    assert asked == ("task_kind_not_allowed" if kind in kinds.PLATFORMS_OWN else "taken")


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize(
    ("machines", "expected"),
    [
        (dict[str, Machine](), "allocation_foreign"),
        (machine(status="provisioning"), "allocation_inactive"),
        (machine(status="releasing"), "allocation_inactive"),
        (machine(status="released"), "allocation_inactive"),
        (machine(status="failed"), "allocation_inactive"),
        (machine(quarantined=True), "node_quarantined"),
    ],
)
def test_no_kind_is_taken_on_a_machine_that_does_not_allow_it(
    kind: str, machines: dict[str, Machine], expected: str
) -> None:
    check = lambda: acceptance.check_wish(wish(kind), "t", machines, internal=False)  # noqa: E731 - read once

    assert code_of(check) == expected


@pytest.mark.parametrize(
    ("status", "fence", "expected"),
    [
        ("running", 2, "taken"),
        ("running", 1, "grant_ended"),
        ("undoing", 2, "taken"),
        ("ready", 2, "grant_ended"),
        ("waiting", 2, "grant_ended"),
        ("succeeded", 2, "grant_ended"),
        ("failed", 2, "grant_ended"),
        ("cancelled", 2, "grant_ended"),
    ],
)
def test_a_grant_is_good_while_its_operation_runs_and_nobody_took_over(
    status: str, fence: int, expected: str
) -> None:
    operation = Operation(
        id="o",
        org_id="g",
        project_id="p",
        kind="node.session",
        status=status,
        reason="r",
        message=None,
        requested_by_kind="user",
        requested_by="u",
        requested_by_name="u",
        fence=2,
        lease_expires_at=NOW,
        deadline=NOW,
        correlation_id="c",
        traceparent=None,
        app_slug=None,
        app_instance_id=None,
        version=1,
        created_at=NOW,
        updated_at=NOW,
        ended_at=None,
        allocations=["a"],
    )

    check = lambda: rules.check_grant(operation, Grant("g", "o", "g", "p", fence))  # noqa: E731 - read once

    assert code_of(check) == expected


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("exec", {}),
        ("exec", {"argv": []}),
        ("exec", {"argv": ["a\x00b"]}),
        ("exec", {"argv": "true"}),
        ("exec", {"argv": ["true"], "shell": True}),
        ("exec", {"argv": ["true"], "cwd": "relative"}),
        ("exec", {"argv": ["true"], "env": {"A=B": "c"}}),
        ("exec", {"argv": ["true"], "stdin": {"$secret": "Not A Name"}}),
        ("exec", {"argv": ["true"], "stdin": {"$other": "name"}}),
        ("put", {"path": "/a"}),
        ("put", {"path": "a", "content": ""}),
        ("put", {"path": "/a", "content": "not base64!"}),
        ("put", {"path": "/a", "content": "", "digest": "sha256:" + "0" * 64, "size": 0}),
        ("put", {"path": "/a", "digest": "sha256:" + "0" * 64}),
        ("put", {"path": "/a", "content": "", "mode": "rwx"}),
        ("get", {"path": "relative"}),
        ("packages", {}),
        ("packages", {"present": ["--force"]}),
        ("service", {"unit": "../evil"}),
        ("service", {"unit": "cron.service", "state": "exploded"}),
        ("probe", {}),
        ("probe", {"parts": ["inventory"], "argv": ["true"]}),
        ("wipe", {"all": True}),
    ],
)
def test_an_input_that_its_kind_does_not_take_is_refused(kind: str, given: dict[str, Any]) -> None:
    asked = wish(kind, input=given)

    assert code_of(lambda: acceptance.check_input(asked, "t")) == "task_input_invalid"


@pytest.mark.parametrize(
    ("kind", "given", "names"),
    [
        ("exec", {"argv": ["a"], "stdin": {"$secret": "key"}}, ["key"]),
        ("exec", {"argv": ["a"], "stdin": "key", "secret_files": ["b", "a"]}, ["a", "b"]),
        ("put", {"path": "/a", "content": {"$secret": "key"}}, ["key"]),
        ("put", {"path": "/a", "content": ""}, []),
    ],
)
def test_secrets_are_named_where_a_kind_takes_them(
    kind: str, given: dict[str, Any], names: list[str]
) -> None:
    assert code_of(lambda: acceptance.check_input(wish(kind, input=given), "t")) == "taken"
    assert kinds.secret_names(kind, given) == names


@pytest.mark.parametrize(
    ("asked", "earlier", "expected"),
    [
        ({}, None, "new"),
        ({"attempt": 2}, None, "task_attempt_skipped"),
        ({}, {}, "the same"),
        ({"timeout": 61}, {}, "task_differs"),
        ({"kind": "get", "input": INPUTS["get"]}, {}, "task_differs"),
        ({"attempt": 2}, {}, "new"),
        ({"attempt": 3}, {}, "task_attempt_skipped"),
        ({"attempt": 2}, {"status": "running", "ended": False}, "task_still_runs"),
        ({"attempt": 1}, {"attempt": 2}, "the same"),
        ({"attempt": 2}, {"status": "unknown"}, "task_not_repeatable"),
        ({"attempt": 2, "repeatable": True}, {"status": "unknown", "repeatable": True}, "new"),
    ],
)
def test_a_key_names_one_task_and_its_attempts(
    asked: dict[str, Any], earlier: dict[str, Any] | None, expected: str
) -> None:
    before = None
    if earlier is not None:
        made = wish(repeatable=earlier.pop("repeatable", False))
        before = Earlier(
            **{
                "id": "t",
                "key": "step/one",
                "allocation_id": "a",
                "attempt": 1,
                "kind": "exec",
                "status": "failed",
                "ended": True,
                "fingerprint": made.fingerprint,
            }
            | earlier
        )

    try:
        verdict = "new" if acceptance.is_new(wish(**asked), before) else "the same"
    except ApiError as refusal:
        verdict = refusal.code

    assert verdict == expected


@pytest.mark.parametrize("kind", sorted(kinds.ENSURING - kinds.PLATFORMS_OWN))
def test_what_makes_sure_of_something_may_be_asked_for_again_when_its_end_is_unknown(
    kind: str,
) -> None:
    made = wish(kind)
    before = Earlier(
        "t", "step/one", "a", 1, kind, "unknown", ended=True, fingerprint=made.fingerprint
    )

    assert acceptance.is_new(wish(kind, attempt=2), before)


# Through the API


@pytest.fixture(scope="module")
async def place(site: Site) -> Workplace:
    return await make_workplace(site)


async def ask(place: Workplace, caller: Bearer, **changes: Any) -> httpx2.Response:
    body = {"tasks": [{"allocation": place.allocation, **exec_wish(), **changes}]}
    return await caller.post(f"/v1/operations/{place.operation}/tasks", body)


async def test_a_task_is_queued_for_the_node_of_the_machine(place: Workplace) -> None:
    (task,) = await place.ask(exec_wish(key="install/base", input={"argv": ["uptime"]}))

    row = await place.row(task["id"])
    assert task["status"] == "queued"
    assert task["key"] == "install/base"
    assert row["node_id"] == place.node
    assert row["input"] == {"argv": ["uptime"]}


async def test_what_is_kept_of_output_is_a_setting_unless_the_task_says_otherwise(
    site: Site, place: Workplace
) -> None:
    usual, own = await place.ask(exec_wish(), exec_wish(output_limit=7))

    assert usual["output_limit"] == site.platform.settings.machines.output_limit
    assert own["output_limit"] == 7


@pytest.mark.rule("TK-4")
async def test_asking_again_gives_the_same_task(place: Workplace) -> None:
    wanted = exec_wish()

    first = await place.ask(wanted, exec_wish())
    again = await place.ask(wanted)

    assert again[0]["id"] == first[0]["id"]


async def test_a_node_gets_tasks_in_the_order_of_the_call(site: Site) -> None:
    place = await make_workplace(site)
    asked = await place.ask(*[exec_wish() for _ in range(20)])

    handed = await place.poll()

    assert [task.id for task in handed.tasks] == [task["id"] for task in asked]


@pytest.mark.rule("TK-4")
async def test_asking_otherwise_under_the_same_key_is_refused(place: Workplace) -> None:
    wanted = exec_wish()
    await place.ask(wanted)

    answer = await ask(place, place.holder, **(wanted | {"input": {"argv": ["false"]}}))

    assert answer.status_code == 409
    assert answer.json()["code"] == "task_differs"


async def test_another_attempt_waits_for_the_end_of_the_one_before(place: Workplace) -> None:
    wanted = exec_wish()
    (first,) = await place.ask(wanted)

    early = await ask(place, place.holder, **(wanted | {"attempt": 2}))
    await place.poll()
    await place.say(first["id"], "failed")
    (second,) = await place.ask(wanted | {"attempt": 2})

    (first_again,) = await place.ask(wanted)
    assert first_again["id"] == first["id"]
    assert early.json()["code"] == "task_still_runs"
    assert second["id"] != first["id"]
    assert second["attempt"] == 2


@pytest.mark.rule("TK-3")
async def test_all_tasks_of_a_call_are_taken_or_none(place: Workplace) -> None:
    before = await place.site.rows("SELECT count(*) FROM tasks")
    wishes = [exec_wish(), exec_wish(input={"argv": []})]

    answer = await place.holder.post(
        f"/v1/operations/{place.operation}/tasks",
        {"tasks": [{"allocation": place.allocation, **each} for each in wishes]},
    )

    assert answer.status_code == 422
    assert answer.json()["code"] == "task_input_invalid"
    assert answer.json()["errors"][0]["location"] == "body.tasks.1.input.argv"
    assert await place.site.rows("SELECT count(*) FROM tasks") == before


async def test_one_call_is_one_audit_entry_without_inputs(place: Workplace) -> None:
    await place.ask(exec_wish(input={"argv": ["echo", "planted-value"]}), exec_wish())

    (entry,) = await place.site.rows(
        "SELECT details FROM audit_entries WHERE action = 'apps.task.create' AND target = %s"
        " ORDER BY id DESC LIMIT 1",
        place.operation,
    )
    assert entry[0]["tasks"] == 2
    assert entry[0]["kinds"] == {"exec": 2}
    assert "planted-value" not in str(entry)


async def test_an_unknown_artifact_is_refused(place: Workplace) -> None:
    digest = announcement(fresh().encode())["digest"]

    answer = await ask(
        place,
        place.holder,
        kind="put",
        input={"path": "/opt/thing", "digest": digest, "size": 3},
    )

    assert answer.json()["code"] == "artifact_missing"


async def test_people_are_told_that_the_token_is_needed(place: Workplace) -> None:
    admin = await place.site.actor("project_admin", project=place.tenant.project)

    answer = await admin.post(
        f"/v1/operations/{place.operation}/tasks",
        {"tasks": [{"allocation": place.allocation, **exec_wish()}]},
    )

    assert answer.status_code == 403


@pytest.mark.parametrize("count", [1, 100])
async def test_tasks_are_added_by_the_same_few_statements_however_many(
    site: Site, place: Workplace, count: int
) -> None:
    wishes = [exec_wish() for _ in range(count)]
    await place.ask(exec_wish())
    database = site.platform.database
    before = (database.transactions, database.statements)

    await place.ask(*wishes)

    # One transaction to prove the token, one to do it.
    assert (database.transactions - before[0], database.statements - before[1]) == (2, 7)


# The isolation matrix


async def _foreign_org(place: Workplace) -> httpx2.Response:
    """The token of an operation of another org, on this machine."""
    stranger = await make_workplace(place.site)
    return await _send(stranger, place.allocation)


async def _other_project(place: Workplace) -> httpx2.Response:
    """The token of an operation of another project of the same org, on this machine."""
    beta = await make_project(place.site.sql, place.tenant.org, f"beta-{fresh()}")
    neighbour = Tenant(place.site, place.tenant.org, beta, place.tenant.admin)
    return await _send(await make_workplace(place.site, neighbour), place.allocation)


async def _other_operation(place: Workplace) -> httpx2.Response:
    """The token of another session of the same project, which this machine is not part of."""
    return await _send(await make_workplace(place.site, place.tenant), place.allocation)


async def _ended_owner(place: Workplace) -> httpx2.Response:
    """The token of a session that has ended."""
    await place.site.rows(
        "UPDATE operations SET status = 'succeeded', ended_at = now() WHERE id = %s",
        place.operation,
    )
    return await _send(place, place.allocation)


async def _expired_owner(place: Workplace) -> httpx2.Response:
    """The token of a session whose lease has run out and that no sweep has ended yet."""
    await place.site.rows(
        "UPDATE operations SET lease_expires_at = now() - interval '1 s' WHERE id = %s",
        place.operation,
    )
    return await _send(place, place.allocation)


async def _released_allocation(place: Workplace) -> httpx2.Response:
    """The machine was given back."""
    await place.site.rows(
        "UPDATE allocations SET status = 'released' WHERE id = %s", place.allocation
    )
    return await _send(place, place.allocation)


async def _lower_fence(place: Workplace) -> httpx2.Response:
    """Another holder has taken the operation over."""
    await place.site.rows("UPDATE operations SET fence = 2 WHERE id = %s", place.operation)
    return await _send(place, place.allocation)


KIND: dict[str, str] = {"kind": "exec"}


async def _send(place: Workplace, allocation: str) -> httpx2.Response:
    kind = KIND["kind"]
    return await place.holder.post(
        f"/v1/operations/{place.operation}/tasks",
        {
            "tasks": [
                {
                    "key": f"step/{fresh()}",
                    "kind": kind,
                    "allocation": allocation,
                    "input": INPUTS[kind],
                }
            ]
        },
    )


Intruder = Callable[[Workplace], Awaitable[httpx2.Response]]
INTRUDERS: dict[Intruder, set[tuple[int, str]]] = {
    _foreign_org: {(409, "allocation_foreign")},
    _other_project: {(409, "allocation_foreign")},
    _other_operation: {(409, "allocation_foreign")},
    _ended_owner: {(401, "unauthenticated")},
    _expired_owner: {(401, "unauthenticated")},
    _released_allocation: {(409, "allocation_inactive")},
    _lower_fence: {(401, "unauthenticated")},
}


@pytest.mark.rule("TK-1", "TK-2")
@pytest.mark.parametrize(
    ("kind", "intruder"),
    list(itertools.product(sorted(INPUTS), INTRUDERS)),
    ids=lambda value: value if isinstance(value, str) else value.__name__.strip("_"),
)
async def test_nobody_works_on_a_machine_that_is_not_their_operations(
    site: Site, kind: str, intruder: Intruder, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = await make_workplace(site)
    monkeypatch.setitem(KIND, "kind", kind)

    answer = await intruder(place)

    assert (answer.status_code, answer.json()["code"]) in INTRUDERS[intruder], answer.text
    tasks = await site.rows("SELECT id FROM tasks WHERE allocation_id = %s", place.allocation)
    assert tasks == []
    assert (await place.poll()).tasks == []


async def test_an_operation_of_somebody_else_is_not_there_for_a_token(site: Site) -> None:
    place, stranger = await make_workplace(site), await make_workplace(site)
    neighbour = await make_workplace(site, place.tenant)
    task = await place.queue()
    body = {"tasks": [{"allocation": place.allocation, **exec_wish()}]}

    for holder in (stranger.holder, neighbour.holder):
        asked = await holder.post(f"/v1/operations/{place.operation}/tasks", body)
        assert asked.status_code == 404
        for path in (f"/v1/tasks/{task}", f"/v1/tasks/{task}/output"):
            assert (await holder.get(path)).status_code == 404
        assert (await holder.get(f"/v1/operations/{place.operation}/tasks")).status_code == 404
        assert (await holder.post(f"/v1/tasks/{task}/cancel")).status_code == 404
        assert (await holder.get(f"/v1/operations/{place.operation}")).status_code in (403, 404)


async def test_a_task_on_a_quarantined_node_is_refused(site: Site) -> None:
    place = await make_workplace(site)
    await site.rows("UPDATE nodes SET status = 'quarantined' WHERE id = %s", place.node)

    answer = await _send(place, place.allocation)

    assert answer.json()["code"] == "node_quarantined"


async def test_a_thousand_tasks_fan_out_over_many_machines(site: Site) -> None:
    tenant = await make_tenant(site)
    region, sku = await machines.make_region_row(site), await machines.make_sku_row(site)
    held = [
        await machines.make_allocation_row(
            tenant, await machines.make_node_row(site, region=region, sku=sku)
        )
        for _ in range(50)
    ]
    operation = await machines.make_operation_row(tenant, *held)
    holder = Bearer(site.client, await machines.give_grant(tenant, operation))

    for half in range(2):
        tasks = [
            {"allocation": each, **exec_wish(key=f"step/{half}-{turn}")}
            for turn in range(10)
            for each in held
        ]
        answer = await holder.post(f"/v1/operations/{operation}/tasks", {"tasks": tasks})
        assert answer.status_code == 200, answer.text

    counted = await site.rows("SELECT count(*) FROM tasks WHERE operation_id = %s", operation)
    assert counted == [(1000,)]


async def fill(place: Workplace, count: int) -> None:
    """Tasks of the machine that have not ended."""
    task = await place.queue()
    await place.site.rows(
        "INSERT INTO tasks SELECT (jsonb_populate_record(t, jsonb_build_object('id',"
        " 'tsk_' || lpad(g::text, 26, '0'), 'key', g))).* FROM tasks t, generate_series(2, %s) g"
        " WHERE t.id = %s",
        count,
        task,
    )


async def test_a_machine_has_a_thousand_open_tasks_at_most(site: Site) -> None:
    place = await make_workplace(site)
    await fill(place, 998)
    first, second, third = exec_wish(), exec_wish(), exec_wish()
    asked = {"tasks": [{"allocation": place.allocation, **each} for each in (second, third)]}
    await place.ask(first)

    refused = await place.holder.post(f"/v1/operations/{place.operation}/tasks", asked)
    (last,) = await place.ask(second)
    (again,) = await place.ask(second)

    await place.site.rows("DELETE FROM tasks WHERE node_id = %s", place.node)
    assert refused.status_code == 409
    assert refused.json()["code"] == "too_many_tasks"
    assert last["id"] == again["id"]


async def test_asking_for_tasks_holds_no_session_while_it_waits_for_its_machine(
    site: Site,
) -> None:
    """Whoever gives the machine back has it already, and ends the session next."""
    place = await make_workplace(site)
    async with await psycopg.AsyncConnection.connect(place.site.urls.super) as releasing:
        await releasing.execute(
            "SELECT 1 FROM allocations WHERE id = %s FOR UPDATE", (place.allocation,)
        )
        asking = asyncio.create_task(place.ask(exec_wish()))
        while not await place.site.rows(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            " AND datname = current_database()"
        ):
            await asyncio.sleep(0)

        await releasing.execute(
            "SELECT 1 FROM operations WHERE id = %s FOR UPDATE NOWAIT", (place.operation,)
        )
        await releasing.rollback()

    assert (await asking)[0]["status"] == "queued"
