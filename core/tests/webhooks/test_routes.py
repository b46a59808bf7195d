"""Webhooks through HTTP: who may make them, what they show, and what they never show."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from core.tests.callers import ActorMaker, Caller
from core.tests.factories.tenancy import OrgRow, ProjectRow
from core.tests.webhooks.conftest import Settle, WebhookMaker
from core.tests.webhooks.receiver import Received, Receiver
from moorage_core.kit.clock import ManualClock
from moorage_core.kit.ids import DeliveryId, WebhookId
from moorage_core.settings import WebhookSettings
from moorage_core.webhooks import rules

Sql = psycopg.AsyncConnection[Any]
Happen = Callable[[str], Awaitable[str]]
PUBLIC = "https://receiver.example/in?token=hush"


def signed_by(request: Received, secret: str) -> bool:
    """What a receiver that knows this secret says."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    head = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}."
    expected = base64.b64encode(hmac.digest(key, head.encode() + request.body, hashlib.sha256))
    return f"v1,{expected.decode()}" in request.headers["webhook-signature"].split(" ")


@pytest.mark.rule("ID-6")
async def test_a_new_webhook_shows_its_secret_once(admin: Caller, acme: OrgRow) -> None:
    body = {"org": acme.id, "url": PUBLIC, "types": ["iam.*"]}
    key = {"idempotency-key": "the-same"}

    made = await admin.post("/v1/webhooks", body, headers=key)
    replay = await admin.post("/v1/webhooks", body, headers=key)
    read = await admin.get(f"/v1/webhooks/{made.json()['id']}")
    listed = await admin.get("/v1/webhooks", params={"org": acme.id})

    assert made.status_code == 201, made.text
    assert made.headers["etag"] == '"1"'
    assert made.json()["secret"].startswith("whsec_")
    assert (replay.status_code, replay.json()["code"]) == (409, "already_issued")
    assert replay.json()["resource_id"] == made.json()["id"]
    assert "secret" not in read.json()
    assert listed.json()["items"] == [read.json()]


@pytest.mark.rule("EV-10")
async def test_neither_secret_nor_path_is_kept_in_evidence(
    admin: Caller, acme: OrgRow, sql: Sql
) -> None:
    made = await admin.post("/v1/webhooks", {"org": acme.id, "url": PUBLIC, "types": ["*"]})
    id, secret = made.json()["id"], made.json()["secret"]
    await admin.post(f"/v1/webhooks/{id}/secret-rotations", {})

    key = base64.b64decode(secret.removeprefix("whsec_")).hex()
    for table in ("audit_entries", "events", "idempotency_answers", "secrets", "webhooks"):
        rows = await (await sql.execute(f"SELECT t::text FROM {table} t")).fetchall()
        kept = "".join(row[0] for row in rows)
        assert rows, table
        assert secret not in kept, table
        assert key not in kept, table
        assert "hush" not in kept or table == "webhooks", table
    actions = await sql.execute("SELECT action, details->>'host' FROM audit_entries ORDER BY pos")
    assert await actions.fetchall() == [
        ("events.webhook.create", "receiver.example"),
        ("events.webhook.update", "receiver.example"),
    ]


async def test_an_update_needs_the_version_it_changes(admin: Caller, webhook: WebhookMaker) -> None:
    made = await webhook()
    path = f"/v1/webhooks/{made['id']}"

    blind = await admin.call("PATCH", path, json={"enabled": False})
    stale = await admin.patch(path, {"enabled": False}, version=7)
    good = await admin.patch(path, {"enabled": False}, version=1)

    assert (blind.status_code, blind.json()["code"]) == (428, "if_match_required")
    assert (stale.status_code, stale.json()["code"]) == (412, "stale")
    assert good.status_code == 200, good.text
    assert good.headers["etag"] == '"2"'
    assert good.json() == {
        **{key: value for key, value in made.items() if key != "secret"},
        "enabled": False,
        "version": 2,
        "updated_at": good.json()["updated_at"],
    }


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"url": "ftp://x.example/"}, "webhook_url_not_allowed"),
        ({"types": ["nope.*"]}, "unknown_event_type"),
        ({"types": []}, "malformed"),
        ({"types": ["IAM.*"]}, "malformed"),
        ({"types": ["iam*"]}, "malformed"),
        ({"types": ["iam.*.created"]}, "malformed"),
        ({"types": ["*"] * 51}, "malformed"),
        ({"url": 7}, "malformed"),
        ({"secret": "mine"}, "malformed"),
        ({"enabled": "yes"}, "malformed"),
    ],
)
async def test_a_bad_change_is_refused_and_changes_nothing(
    admin: Caller, webhook: WebhookMaker, change: dict[str, Any], code: str
) -> None:
    made = await webhook()
    path = f"/v1/webhooks/{made['id']}"

    refused = await admin.patch(path, change, version=1)

    assert (refused.status_code, refused.json()["code"]) == (422, code), refused.text
    assert (await admin.get(path)).json()["version"] == 1


@pytest.mark.parametrize("webhook_settings", [WebhookSettings()])
@pytest.mark.parametrize("url", ["http://receiver.example/", "https://10.0.0.1/", "https://[::1]/"])
async def test_by_default_a_webhook_points_at_the_public_internet(
    admin: Caller, acme: OrgRow, url: str
) -> None:
    body = {"org": acme.id, "url": url, "types": ["*"]}

    refused = await admin.post("/v1/webhooks", body)

    assert (refused.status_code, refused.json()["code"]) == (422, "webhook_url_not_allowed")


async def test_during_the_overlap_both_secrets_sign_and_then_the_new_one_alone(
    admin: Caller,
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    clock: ManualClock,
) -> None:
    made = await webhook(types=["iam.project.created"])
    rotated = await admin.post(f"/v1/webhooks/{made['id']}/secret-rotations", {"overlap_hours": 2})
    for slug in ("during", "after"):
        await happen(slug)
        await queue()
        await deliver()
        clock.move(timedelta(hours=2))

    during, after = receiver.received
    assert rotated.status_code == 201, rotated.text
    assert rotated.json()["previous_until"] is not None
    assert signed_by(during, made["secret"])
    assert signed_by(during, rotated.json()["secret"])
    assert not signed_by(after, made["secret"])
    assert signed_by(after, rotated.json()["secret"])


async def test_a_leaked_or_broken_secret_can_be_replaced_at_once(
    admin: Caller,
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    sql: Sql,
) -> None:
    made = await webhook(types=["iam.project.created"])
    await sql.execute("UPDATE secrets SET ciphertext = decode(repeat('00', 60), 'hex')")
    rotated = await admin.post(f"/v1/webhooks/{made['id']}/secret-rotations", {"overlap_hours": 0})
    await happen("first")
    await queue()
    await deliver()

    [request] = receiver.received
    assert rotated.json()["previous_until"] is None
    assert not signed_by(request, made["secret"])
    assert signed_by(request, rotated.json()["secret"])


async def test_a_deleted_webhook_is_gone_with_its_secret_and_gets_nothing_more(
    admin: Caller,
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
    sql: Sql,
) -> None:
    made = await webhook(types=["*"])
    path = f"/v1/webhooks/{made['id']}"
    await happen("before")
    await queue()

    stale = await admin.delete(path, headers={"if-match": '"9"'})
    deleted = await admin.delete(path)
    await happen("after")
    await queue()
    await deliver()

    secrets = await sql.execute("SELECT FROM secrets WHERE purpose = 'webhook_signing'")
    ended = await sql.execute("SELECT DISTINCT status, error FROM webhook_deliveries")
    assert stale.status_code == 412
    assert deleted.status_code == 204, deleted.text
    assert [(await admin.get(path)).status_code, (await admin.delete(path)).status_code] == [
        404
    ] * 2
    assert secrets.rowcount == 0
    assert await ended.fetchall() == [("dead", "webhook_disabled")]
    assert receiver.received == []


async def test_a_project_admin_has_webhooks_of_the_project_and_of_nothing_else(
    actor: ActorMaker, acme: OrgRow, alpha: ProjectRow, beta: ProjectRow, webhook: WebhookMaker
) -> None:
    whole = await webhook()
    other = await webhook(project=beta.id)
    lead = await actor("project_admin", project=alpha)
    body = {"org": acme.id, "url": PUBLIC, "types": ["iam.*"]}

    mine = await lead.post("/v1/webhooks", {**body, "project": alpha.id})
    of_org = await lead.post("/v1/webhooks", body)
    of_beta = await lead.post("/v1/webhooks", {**body, "project": beta.id})
    listed = await lead.get("/v1/webhooks", params={"org": acme.id})
    narrowed = await lead.get("/v1/webhooks", params={"org": acme.id, "project": alpha.id})

    assert mine.status_code == 201, mine.text
    assert (of_org.status_code, of_beta.status_code) == (403, 404)
    assert [item["id"] for item in listed.json()["items"]] == [mine.json()["id"]]
    assert narrowed.json() == listed.json()
    for hidden in (whole, other):
        assert (await lead.get(f"/v1/webhooks/{hidden['id']}")).status_code == 404


async def test_a_project_of_another_org_is_not_found(
    admin: Caller, rival: OrgRow, alpha: ProjectRow
) -> None:
    body = {"url": PUBLIC, "types": ["*"], "project": alpha.id}

    mixed = await admin.post("/v1/webhooks", {**body, "org": rival.id})
    listed = await admin.get("/v1/webhooks", params={"org": rival.id})

    assert (mixed.status_code, listed.status_code) == (404, 404)


async def test_a_stranger_finds_nothing(
    actor: ActorMaker, rival: OrgRow, webhook: WebhookMaker
) -> None:
    made = await webhook()
    stranger = await actor("tenant_admin", org=rival)
    path = f"/v1/webhooks/{made['id']}"
    nowhere = f"/v1/webhooks/{WebhookId.new()}"

    for method, tail, body in (
        ("GET", "", None),
        ("PATCH", "", {"enabled": False}),
        ("DELETE", "", None),
        ("POST", "/secret-rotations", {}),
        ("GET", "/deliveries", None),
        ("POST", f"/deliveries/{DeliveryId.new()}/redeliveries", None),
    ):
        headers = {"if-match": '"1"'}
        theirs = await stranger.call(method, path + tail, json=body, headers=headers)
        absent = await stranger.call(method, nowhere + tail, json=body, headers=headers)
        assert (theirs.status_code, absent.status_code) == (404, 404), (method, tail)
        assert theirs.json()["detail"].replace(made["id"], "") == absent.json()["detail"].replace(
            nowhere.rpartition("/")[2], ""
        )


async def test_who_may_not_read_events_may_not_have_them_sent(
    actor: ActorMaker, acme: OrgRow, alpha: ProjectRow, sql: Sql
) -> None:
    lead = await actor("project_admin", project=alpha)
    await sql.execute(
        "UPDATE access_tokens SET permissions = %s WHERE user_id = %s",
        (["events.webhook.create"], lead.id),
    )
    body = {"org": acme.id, "project": alpha.id, "url": PUBLIC, "types": ["*"]}

    refused = await lead.post("/v1/webhooks", body)

    assert refused.status_code == 403
    assert "events.event.read" in refused.json()["detail"]


async def test_members_look_and_change_nothing(
    actor: ActorMaker, alpha: ProjectRow, webhook: WebhookMaker
) -> None:
    made = await webhook(project=alpha.id)
    member = await actor("project_member", project=alpha)
    path = f"/v1/webhooks/{made['id']}"

    assert (await member.get(path)).status_code == 200
    assert (await member.get(f"{path}/deliveries")).status_code == 200
    assert (await member.patch(path, {"enabled": False}, version=1)).status_code == 403
    assert (await member.post(f"{path}/secret-rotations", {})).status_code == 403
    assert (await member.delete(path)).status_code == 403


async def test_an_org_has_only_so_many_webhooks(
    webhook: WebhookMaker, admin: Caller, acme: OrgRow, sql: Sql
) -> None:
    made = await webhook()
    await sql.execute(
        """
        INSERT INTO webhooks (id, org_id, url, types, secret_id, enabled, from_seq, created_at,
            updated_at)
        SELECT 'whk_' || g, org_id, url, types, secret_id, true, 0, now(), now()
        FROM webhooks, generate_series(2, %s) g WHERE id = %s
        """,
        (rules.MAX_PER_ORG, made["id"]),
    )

    refused = await admin.post("/v1/webhooks", {"org": acme.id, "url": PUBLIC, "types": ["*"]})

    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_webhooks")


async def test_deliveries_page_from_the_newest_back(
    admin: Caller, webhook: WebhookMaker, happen: Happen, queue: Settle
) -> None:
    made = await webhook(types=["iam.project.created"])
    for n in range(5):
        await happen(f"p{n}")
    await queue()
    path = f"/v1/webhooks/{made['id']}/deliveries"

    pages: list[list[str]] = []
    after: str | None = ""
    while after is not None:
        params = {"limit": 2, "status": "pending", **({"after": after} if after else {})}
        page = (await admin.get(path, params=params)).json()
        pages.append([item["event_id"] for item in page["items"]])
        after = page["next"]
    dead = await admin.get(path, params={"status": "dead"})
    foreign = await admin.get(path, params={"after": base64.urlsafe_b64encode(b"whk_1").decode()})

    flat = [id for page in pages for id in page]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert flat == sorted(flat, reverse=True)
    assert dead.json() == {"items": [], "next": None}
    assert (foreign.status_code, foreign.json()["code"]) == (422, "malformed")


async def test_what_is_still_tried_or_has_nowhere_to_go_cannot_be_redelivered(
    admin: Caller,
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
) -> None:
    made = await webhook(types=["iam.project.created"])
    path = f"/v1/webhooks/{made['id']}"
    await happen("first")
    await queue()
    [pending] = (await admin.get(f"{path}/deliveries")).json()["items"]
    again = f"{path}/deliveries/{pending['id']}/redeliveries"

    early = await admin.post(again)
    await deliver()
    await admin.patch(path, {"enabled": False}, version=1)
    disabled = await admin.post(again)
    absent = await admin.post(f"{path}/deliveries/{DeliveryId.new()}/redeliveries")

    assert (early.status_code, early.json()["code"]) == (409, "delivery_pending")
    assert (disabled.status_code, disabled.json()["code"]) == (409, "webhook_disabled")
    assert absent.status_code == 404


async def test_a_redelivery_is_audited_published_and_wakes_those_who_deliver(
    admin: Caller,
    webhook: WebhookMaker,
    happen: Happen,
    queue: Settle,
    deliver: Settle,
    platform: Any,
    sql: Sql,
) -> None:
    made = await webhook(types=["iam.project.created"])
    await happen("first")
    await queue()
    await deliver()
    path = f"/v1/webhooks/{made['id']}/deliveries"
    [done] = (await admin.get(path)).json()["items"]

    with platform.hub.watch(["webhooks"]) as waiter:
        again = await admin.post(f"{path}/{done['id']}/redeliveries")
        async with asyncio.timeout(30):
            woken = await waiter.wait(30)

    entry = await sql.execute(
        "SELECT action, details FROM audit_entries WHERE target = %s", (done["id"],)
    )
    event = await sql.execute(
        "SELECT type, subject_version, data FROM events WHERE subject = %s", (done["id"],)
    )
    assert again.status_code == 202, again.text
    assert woken
    assert await entry.fetchall() == [
        (
            "events.webhook.redeliver",
            {"webhook": made["id"], "event": done["event_id"]},
        )
    ]
    assert await event.fetchall() == [
        (
            "events.delivery.requeued",
            again.json()["version"],
            {"id": done["id"], "webhook_id": made["id"]},
        )
    ]
