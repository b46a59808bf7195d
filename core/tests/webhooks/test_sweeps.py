"""From an event to a receiver: fan-out, retries, dead letters, leases, fairness."""

import asyncio
import base64
import dataclasses
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from core.tests.callers import ActorMaker, Caller
from core.tests.factories.tenancy import OrgRow, ProjectRow
from core.tests.retention.plans import ExplainingDb
from core.tests.webhooks import receiver as receivers
from core.tests.webhooks.conftest import Settle, WebhookMaker
from core.tests.webhooks.receiver import Receiver
from moorage_core import unit
from moorage_core.kit.clock import ManualClock
from moorage_core.kit.destinations import Address
from moorage_core.kit.outbound import Resolver
from moorage_core.main import open_platform
from moorage_core.platform import Platform
from moorage_core.settings import Settings, WebhookSettings
from moorage_core.webhooks import commands, rules, store
from moorage_core.webhooks.models import Claim
from moorage_core.webhooks.rules import Answer, Failure
from moorage_core.webhooks.sweeps import GRACE, DeliverWebhooks, FanOutEvents

Happen = Callable[[str], Awaitable[str]]
Sql = psycopg.AsyncConnection[Any]
DEADLINE = 30


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another task brings about."""
    async with asyncio.timeout(DEADLINE):
        while not condition():
            await asyncio.sleep(0.005)


async def deliveries(admin: Caller, webhook: str, **params: str) -> list[dict[str, Any]]:
    answer = await admin.get(f"/v1/webhooks/{webhook}/deliveries", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


@pytest.mark.rule("EV-8")
async def test_an_event_reaches_the_receiver_as_a_signed_cloudevent(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    clock: ManualClock,
    acme: OrgRow,
) -> None:
    made = await webhook(types=["iam.project.created"])
    project = await happen("first")

    await queue()
    await deliver()

    [request] = receiver.received
    event = json.loads(request.body)
    assert request.line == "POST /in HTTP/1.1"
    assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["content-type"] == "application/cloudevents+json; charset=utf-8"
    assert (event["specversion"], event["type"]) == ("1.0", "iam.project.created")
    assert (event["subject"], event["orgid"]) == (project, acme.id)
    assert request.headers["webhook-id"] == event["id"]
    assert request.headers["webhook-timestamp"] == str(int(clock.now().timestamp()))
    key = base64.b64decode(made["secret"].removeprefix("whsec_"))
    signed = f"{event['id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    expected = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert request.headers["webhook-signature"] == f"v1,{expected}"


async def test_a_delivery_says_what_came_of_it(
    webhook: WebhookMaker, happen: Happen, queue: Settle, deliver: Settle, admin: Caller
) -> None:
    made = await webhook(types=["iam.project.created"])
    await happen("first")
    await queue()

    [before] = await deliveries(admin, made["id"])
    await deliver()
    [after] = await deliveries(admin, made["id"])

    assert (before["status"], before["attempts"], before["tried_at"]) == ("pending", 0, None)
    assert (after["status"], after["attempts"], after["answer_status"]) == ("delivered", 1, 200)
    assert after["error"] is None
    assert after["ended_at"] == after["tried_at"] is not None


async def test_a_webhook_gets_what_it_asked_for_and_nothing_from_before_or_elsewhere(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    actor: ActorMaker,
    rival: OrgRow,
) -> None:
    await happen("before")
    await queue()
    await webhook(types=["iam.project.*", "events.webhook.created"])
    await happen("after")
    stranger = await actor("tenant_admin", org=rival)
    await stranger.post(f"/v1/orgs/{rival.id}/projects", {"slug": "theirs", "name": "Theirs"})

    await queue()
    await deliver()

    got = [json.loads(request.body) for request in receiver.received]
    assert sorted(event["type"] for event in got) == [
        "events.webhook.created",
        "iam.project.created",
    ]
    assert {event["data"].get("slug") for event in got} == {None, "after"}


async def test_a_project_webhook_gets_the_events_of_its_project_only(
    webhook: WebhookMaker,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    admin: Caller,
    alpha: ProjectRow,
    beta: ProjectRow,
) -> None:
    await webhook(project=alpha.id, types=["iam.project.updated"])
    for project in (alpha, beta):
        changed = await admin.patch(f"/v1/projects/{project.id}", {"name": "New"}, version=1)
        assert changed.status_code == 200, changed.text

    await queue()
    await deliver()

    assert [json.loads(request.body)["subject"] for request in receiver.received] == [alpha.id]


async def test_fan_out_again_adds_nothing(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    admin: Caller,
    platform: Platform,
    sql: Sql,
) -> None:
    made = await webhook(types=["iam.project.created"])
    await happen("first")
    await queue()
    await sql.execute("UPDATE streams SET last = 0 WHERE name = 'webhooks'")

    await FanOutEvents(platform).activate()

    assert len(await deliveries(admin, made["id"])) == 1


async def test_what_the_filter_matches_in_sql_is_what_the_rule_says(
    platform: Platform, sql: Sql, acme: OrgRow
) -> None:
    patterns = ["*", "iam.*", "iam.org.*", "iam.org.created", "iam.org", "ia.*", "i_m.*"]
    types = ["iam.org.created", "iam.org.deleted", "iam.organ.created", "ia.m.x", "ixm.a.b"]
    await sql.execute(
        "INSERT INTO secrets VALUES ('sec_1', %s, NULL, 'test', 1, '', '', now())", (acme.id,)
    )
    for pattern in patterns:
        await sql.execute(
            """
            INSERT INTO webhooks (id, org_id, url, types, secret_id, enabled, from_seq, created_at,
                updated_at) VALUES (%s, %s, 'https://x/', %s, 'sec_1', true, 0, now(), now())
            """,
            (pattern, acme.id, [pattern]),
        )
    for seq, type in enumerate(types, start=1):
        await sql.execute(
            """
            INSERT INTO events (seq, id, type, org_id, subject, subject_version, correlation_id, at,
                topics, data) VALUES (%s, %s, %s, %s, 's', 1, 'c', now(), '{}', '{}')
            """,
            (seq, f"evt_{seq}", type, acme.id),
        )

    async with platform.database.sweep() as db:
        found = await store.list_matches(db, after=0, upto=len(types))

    assert {(match.webhook_id, match.event_type) for match in found} == {
        (pattern, type) for pattern in patterns for type in types if rules.matches(pattern, type)
    }


async def test_a_refusal_is_tried_again_after_the_pause_and_not_before(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    clock: ManualClock,
    admin: Caller,
) -> None:
    made = await webhook(types=["iam.project.created"])
    receiver.answers = [500, 200]
    await happen("first")
    await queue()

    await deliver()
    [failed] = await deliveries(admin, made["id"])
    clock.move(rules.backoff(failed["id"], 1) - timedelta(milliseconds=1))
    await deliver()
    tries_before = len(receiver.received)
    clock.move(timedelta(milliseconds=1))
    await deliver()
    [after] = await deliveries(admin, made["id"])

    assert (failed["status"], failed["error"], failed["answer_status"]) == (
        "pending",
        "refused",
        500,
    )
    assert tries_before == 1
    assert receiver.ids() == [failed["event_id"]] * 2
    assert (after["status"], after["attempts"]) == ("delivered", 2)


@pytest.mark.rule("EV-8")
async def test_after_its_last_try_a_delivery_is_dead_and_can_be_redelivered(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    clock: ManualClock,
    admin: Caller,
) -> None:
    made = await webhook(types=["iam.project.created"])
    receiver.answers = [503, 503, 503, 200]
    await happen("first")
    await queue()
    for _ in range(4):
        await deliver()
        clock.move(timedelta(minutes=5))

    [dead] = await deliveries(admin, made["id"], status="dead")
    path = f"/v1/webhooks/{made['id']}/deliveries/{dead['id']}"
    again = await admin.post(f"{path}/redeliveries")
    await deliver()
    after = await admin.get(path)

    assert (dead["attempts"], dead["error"], dead["answer_status"]) == (3, "refused", 503)
    assert again.status_code == 202, again.text
    assert (again.json()["status"], again.json()["attempts"]) == ("pending", 0)
    assert (after.json()["status"], after.json()["attempts"]) == ("delivered", 1)
    assert receiver.ids() == [dead["event_id"]] * 4
    assert await deliveries(admin, made["id"], status="dead") == []


@pytest.mark.rule("EV-6")
async def test_a_process_killed_in_the_middle_leaves_a_lease_that_runs_out(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    platform: Platform,
    receiver: Receiver,
    sql: Sql,
    admin: Caller,
) -> None:
    made = await webhook(types=["iam.project.created"])
    await happen("first")
    await queue()
    receiver.open.clear()
    killed = asyncio.create_task(DeliverWebhooks(platform).activate())
    await until(lambda: receiver.busy == 1)
    killed.cancel()
    with pytest.raises(asyncio.CancelledError):
        await killed
    receiver.open.set()

    await DeliverWebhooks(platform).activate()
    while_held = len(receiver.received)
    lease = platform.settings.webhooks.timeout + GRACE
    await sql.execute("UPDATE webhook_deliveries SET held_until = held_until - %s", (lease,))
    await DeliverWebhooks(platform).activate()

    [after] = await deliveries(admin, made["id"])
    assert while_held == 1
    assert receiver.ids() == [after["event_id"]] * 2
    assert (after["status"], after["attempts"]) == ("delivered", 1)


async def test_a_lease_is_not_shortened_by_a_clock_that_runs_ahead(
    webhook: WebhookMaker, happen: Happen, queue: Settle, platform: Platform, clock: ManualClock
) -> None:
    await webhook(types=["iam.project.created"])
    await happen("first")
    await queue()
    ahead = dataclasses.replace(platform, clock=ManualClock(clock.now() + timedelta(hours=1)))

    taken = [len(await DeliverWebhooks(each)._claim(1)) for each in (platform, ahead, ahead)]

    assert taken == [1, 0, 0]


@pytest.mark.parametrize(
    ("answer", "status"),
    [(Answer(None, 200), "delivered"), (Answer(Failure.TIMED_OUT), "pending")],
)
async def test_a_try_that_outlived_its_lease_counts_only_if_it_delivered(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    platform: Platform,
    clock: ManualClock,
    admin: Caller,
    answer: Answer,
    status: str,
) -> None:
    made = await webhook(types=["iam.project.created"])
    await happen("first")
    await queue()
    claims: list[Claim] = []
    for _ in range(2):
        async with platform.database.sweep() as db:
            claims += await store.claim(
                db,
                after="",
                limit=1,
                lane=1,
                share=1,
                busy={},
                now=clock.now(),
                lease=timedelta(0),
            )

    async with unit.work(platform, claims[0].org_id) as ctx:
        await commands.conclude(ctx, claims[0], answer)

    [after] = await deliveries(admin, made["id"])
    assert len(claims) == 2
    assert (after["status"], after["attempts"]) == (status, 1 if status == "delivered" else 0)


async def test_a_slow_receiver_does_not_stall_the_others(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
) -> None:
    async with receivers.listening() as slow:
        slow.open.clear()
        await webhook(types=["iam.project.created"], url=slow.url)
        await webhook(types=["iam.project.created"])
        for n in range(12):
            await happen(f"p{n}")
        await queue()
        delivering = asyncio.create_task(deliver())

        await until(lambda: len(receiver.received) == 12)
        await happen("later")
        await queue()
        await until(lambda: len(receiver.received) == 13)
        answered_by_slow = len(slow.received) - slow.busy
        slow.open.set()
        await delivering

        assert answered_by_slow == 0
        assert slow.most_busy == 2
        assert len(slow.received) == 13


async def test_an_org_has_no_more_than_half_of_the_hands(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    actor: ActorMaker,
    rival: OrgRow,
) -> None:
    async with receivers.listening() as slow:
        slow.open.clear()
        for _ in range(6):
            await webhook(types=["iam.project.created"], url=slow.url)
        for n in range(3):
            await happen(f"p{n}")
        stranger = await actor("tenant_admin", org=rival)
        theirs = {"org": rival.id, "url": receiver.url, "types": ["iam.project.created"]}
        assert (await stranger.post("/v1/webhooks", theirs)).status_code == 201
        for n in range(6):
            new = {"slug": f"p{n}", "name": "Theirs"}
            await stranger.post(f"/v1/orgs/{rival.id}/projects", new)
        await queue()
        delivering = asyncio.create_task(deliver())

        await until(lambda: len(receiver.received) == 6)
        slow.open.set()
        await delivering

        assert slow.most_busy == 4
        assert len(slow.received) == 18


async def test_no_more_of_one_lane_are_under_way_than_its_share(
    webhook: WebhookMaker, happen: Happen, queue: Settle, platform: Platform
) -> None:
    await webhook(types=["iam.project.created"])
    for n in range(12):
        await happen(f"p{n}")
    await queue()
    processes = [DeliverWebhooks(platform) for _ in range(5)]

    taken = [len(await process._claim(8)) for process in processes]

    assert taken == [2, 0, 0, 0, 0]


async def test_many_lanes_are_served_in_turn(
    webhook: WebhookMaker, happen: Happen, queue: Settle, platform: Platform, receiver: Receiver
) -> None:
    made = [await webhook(types=["iam.project.created"]) for _ in range(5)]
    for n in range(4):
        await happen(f"p{n}")
    await queue()
    sweep = DeliverWebhooks(platform)

    served = [{claim.webhook_id for claim in await sweep._claim(2)} for _ in range(5)]

    assert set().union(*served) == {webhook["id"] for webhook in made}


async def test_two_processes_share_the_work_and_send_nothing_twice(
    webhook: WebhookMaker, happen: Happen, queue: Settle, platform: Platform, receiver: Receiver
) -> None:
    for _ in range(3):
        await webhook(types=["iam.project.created"])
    for n in range(8):
        await happen(f"p{n}")
    await queue()

    seen = await asyncio.gather(*(DeliverWebhooks(platform).activate() for _ in range(3)))

    assert sum(one.get("delivered", 0) for one in seen) == 24
    assert len(receiver.received) == 24
    assert all(receiver.ids().count(id) == 3 for id in receiver.ids())


async def test_a_receiver_that_is_gone_disables_its_webhook(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    admin: Caller,
    sql: Sql,
) -> None:
    made = await webhook(types=["iam.project.created"])
    receiver.answers = [410]
    for n in range(5):
        await happen(f"p{n}")
    await queue()

    await deliver()
    await happen("unseen")
    await queue()

    after = await admin.get(f"/v1/webhooks/{made['id']}")
    ended = await deliveries(admin, made["id"])
    entries = await sql.execute(
        "SELECT actor_kind, action, details FROM audit_entries WHERE target = %s ORDER BY pos",
        (made["id"],),
    )
    events = await sql.execute(
        "SELECT type, subject_version FROM events WHERE subject = %s ORDER BY pos", (made["id"],)
    )
    assert (after.json()["enabled"], after.json()["version"]) == (False, 2)
    assert len(ended) == 5
    assert {one["status"] for one in ended} == {"dead"}
    assert {one["error"] for one in ended} == {"gone", "webhook_disabled"}
    assert len(receiver.received) <= 2
    [_, (kind, action, details)] = await entries.fetchall()
    assert (kind, action) == ("system", "events.webhook.update")
    assert details["enabled"] is False
    assert (await events.fetchall())[1] == ("events.webhook.updated", 2)


async def test_an_event_that_retention_took_first_cannot_be_delivered(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    admin: Caller,
    sql: Sql,
) -> None:
    made = await webhook(types=["iam.project.created"])
    await happen("first")
    await queue()
    await sql.execute("DELETE FROM events")

    await deliver()
    [dead] = await deliveries(admin, made["id"])
    again = await admin.post(f"/v1/webhooks/{made['id']}/deliveries/{dead['id']}/redeliveries")

    assert (dead["status"], dead["error"]) == ("dead", "event_expired")
    assert (again.status_code, again.json()["code"]) == (410, "event_expired")
    assert receiver.received == []


async def test_a_signing_key_that_does_not_open_fails_its_own_webhook_only(
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    admin: Caller,
    sql: Sql,
) -> None:
    broken = await webhook(types=["iam.project.created"])
    await webhook(types=["iam.project.created"])
    await sql.execute(
        """
        UPDATE secrets SET ciphertext = decode(repeat('00', 60), 'hex')
        WHERE id = (SELECT secret_id FROM webhooks WHERE id = %s)
        """,
        (broken["id"],),
    )
    await happen("first")
    await queue()

    await deliver()

    [failed] = await deliveries(admin, broken["id"])
    assert (failed["status"], failed["error"]) == ("pending", "internal")
    assert len(receiver.received) == 1


@pytest.mark.parametrize("webhook_settings", [WebhookSettings(private_addresses=False)])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "rebound.example", "[::ffff:7f00:1]"])
async def test_a_private_address_is_never_connected_to_whatever_its_name(
    happen: Happen,
    queue: Settle,
    platform: Platform,
    admin: Caller,
    acme: OrgRow,
    receiver: Receiver,
    sql: Sql,
    host: str,
) -> None:
    made = await admin.post(
        "/v1/webhooks", {"org": acme.id, "url": "https://example.org/", "types": ["iam.*"]}
    )
    await sql.execute("UPDATE webhooks SET url = %s", (f"http://{host}:{receiver.port}/",))
    await happen("first")
    await queue()

    class Rebound(Resolver):
        async def find(self, host: str, *, org: str) -> list[Address]:
            name = "localhost" if host == "rebound.example" else host
            return await super().find(name, org=org)

    await DeliverWebhooks(platform, resolver=Rebound(threads=1, share=1)).activate()

    [refused] = await deliveries(admin, made.json()["id"])
    assert (refused["status"], refused["error"]) == ("pending", "address_refused")
    assert receiver.connections == 0


async def test_claims_use_their_indexes_however_much_is_queued(
    webhook: WebhookMaker, platform: Platform, sql: Sql, acme: OrgRow
) -> None:
    made = [await webhook() for _ in range(3)]
    for n, one in enumerate(made):
        await sql.execute(
            """
            INSERT INTO webhook_deliveries (id, org_id, webhook_id, event_seq, event_id, event_type,
                status, due_at, created_at, ended_at)
            SELECT 'dlv_' || %(n)s || '_' || g, %(org)s, %(webhook)s, g, 'evt_' || g, 'iam.x',
                CASE WHEN g %% 4 = 0 THEN 'pending' ELSE 'delivered' END,
                CASE WHEN g %% 4 = 0 THEN now() END, now(), CASE WHEN g %% 4 <> 0 THEN now() END
            FROM generate_series(1, 8000) g
            """,
            {"n": n, "org": acme.id, "webhook": one["id"]},
        )
    await sql.execute("ANALYZE webhook_deliveries")
    now = platform.clock.now() + timedelta(minutes=1)

    async with platform.database.sweep() as db:
        explaining = ExplainingDb(db)
        claims = await store.claim(
            explaining,
            after="",
            limit=16,
            lane=4,
            share=16,
            busy={},
            now=now,
            lease=timedelta(minutes=1),
        )

    assert len(claims) == 12
    assert explaining.tables_read_whole == set()
    assert explaining.most_rows <= 12


async def test_with_background_work_running_an_event_arrives_by_itself(
    settings: Settings, webhook: WebhookMaker, happen: Happen, receiver: Receiver
) -> None:
    await webhook(types=["iam.project.created"])

    async with open_platform(settings, background=True):
        await happen("first")
        await until(lambda: len(receiver.received) == 1)
        await happen("second")
        await until(lambda: len(receiver.received) == 2)

    slugs = [json.loads(request.body)["data"]["slug"] for request in receiver.received]
    assert slugs == ["first", "second"]
