"""What has expired goes, oldest first and in small pieces; what is kept or still needed stays."""

from datetime import timedelta
from typing import Any, LiteralString

import psycopg
import pytest

from core.tests.callers import Caller
from core.tests.factories.tenancy import OrgRow, make_person
from core.tests.retention.plans import ExplainingDb
from moorage_core.kit.clock import ManualClock
from moorage_core.platform import Platform
from moorage_core.retention import store
from moorage_core.retention.sweeps import DeleteExpired
from moorage_core.settings import RetentionSettings, Settings

Sql = psycopg.AsyncConnection[Any]
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.fixture
def retention() -> RetentionSettings:
    return RetentionSettings(batch=10)


@pytest.fixture
def settings(settings: Settings, retention: RetentionSettings) -> Settings:
    return settings.model_copy(update={"retention": retention})


async def fill_events(sql: Sql, org: OrgRow, *, ages: list[timedelta], clock: ManualClock) -> None:
    """Numbered events, oldest number first, that webhooks have passed."""
    for seq, age in enumerate(ages, start=1):
        await sql.execute(
            """
            INSERT INTO events (seq, id, type, org_id, subject, subject_version, correlation_id, at,
                topics, data) VALUES (%s, %s, 'iam.org.created', %s, 's', 1, 'c', %s, '{}', '{}')
            """,
            (seq, f"evt_{seq}", org.id, clock.now() - age),
        )
    await sql.execute(
        "UPDATE streams SET last = %s WHERE name IN ('events', 'webhooks')", (len(ages),)
    )


async def column(sql: Sql, query: LiteralString) -> list[Any]:
    return [row[0] for row in await (await sql.execute(query)).fetchall()]


async def floor(sql: Sql) -> int:
    return (await column(sql, "SELECT floor FROM streams WHERE name = 'events'"))[0]


@pytest.mark.rule("EV-7")
async def test_old_events_go_and_a_cursor_before_them_gets_a_410(
    platform: Platform, sql: Sql, acme: OrgRow, clock: ManualClock, client: Any
) -> None:
    await fill_events(sql, acme, ages=[31 * DAY] * 25 + [29 * DAY] * 3, clock=clock)
    viewer = Caller(client, await make_person(sql, "v@example.org", role="viewer", org=acme.id))

    seen = await DeleteExpired(platform).activate()

    before = await viewer.get("/v1/events", params={"after": "24"})
    at_floor = await viewer.get("/v1/events", params={"after": "25"})
    assert seen["events"] == 25
    assert await floor(sql) == 25
    assert (before.status_code, before.json()["code"]) == (410, "cursor_expired")
    assert [item["sequence"] for item in at_floor.json()["items"]] == ["26", "27", "28"]


async def test_only_a_prefix_goes(
    platform: Platform, sql: Sql, acme: OrgRow, clock: ManualClock
) -> None:
    await fill_events(sql, acme, ages=[31 * DAY, 29 * DAY, 31 * DAY], clock=clock)

    await DeleteExpired(platform).activate()

    assert await column(sql, "SELECT seq FROM events ORDER BY seq") == [2, 3]
    assert await floor(sql) == 1


async def test_events_that_webhooks_have_not_passed_or_without_a_number_stay(
    platform: Platform, sql: Sql, acme: OrgRow, clock: ManualClock
) -> None:
    await fill_events(sql, acme, ages=[31 * DAY] * 5, clock=clock)
    await sql.execute("UPDATE streams SET last = 2 WHERE name = 'webhooks'")
    await sql.execute("UPDATE events SET seq = NULL WHERE seq = 5")

    await DeleteExpired(platform).activate()

    assert await column(sql, "SELECT id FROM events ORDER BY pos") == ["evt_3", "evt_4", "evt_5"]
    assert await floor(sql) == 2


async def test_an_activation_deletes_no_more_than_its_share_and_the_next_goes_on(
    platform: Platform, sql: Sql, acme: OrgRow, clock: ManualClock
) -> None:
    class Modest(DeleteExpired):
        batches = 2

    await fill_events(sql, acme, ages=[31 * DAY] * 50, clock=clock)
    sweep = Modest(platform)

    deleted = [(await sweep.activate())["events"] for _ in range(4)]

    assert deleted == [20, 20, 10, 0]
    assert await column(sql, "SELECT count(*) FROM events") == [0]


async def test_answers_sessions_codes_and_assertions_go_when_their_time_is_over(
    platform: Platform, sql: Sql, clock: ManualClock
) -> None:
    now = clock.now()
    people = [await make_person(sql, f"{n}@example.org") for n in range(2)]
    for n, (person, age) in enumerate(zip(people, (0.9, 1.1), strict=True)):
        digest = bytes([n]) * 32
        await sql.execute(
            """
            INSERT INTO idempotency_answers (principal, digest, route, fingerprint, status, headers,
                at) VALUES (%s, %s, 'r', '', 201, '{}', %s)
            """,
            (person.id, digest, now - 24 * HOUR * age),
        )
        await sql.execute(
            """
            INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, seen_at,
                expires_at) VALUES (%s, %s, %s, '', now(), now(), %s)
            """,
            (f"ses_{n}", person.id, digest, now - 7 * DAY * age),
        )
        await sql.execute(
            "INSERT INTO password_codes VALUES (%s, %s, %s)", (person.id, digest, now - HOUR * age)
        )
        await sql.execute(
            "INSERT INTO used_assertions VALUES ('sac_1', %s, %s)", (f"jti{n}", now - HOUR * age)
        )

    seen = await DeleteExpired(platform).activate()

    assert {name: count for name, count in seen.items() if count} == dict.fromkeys(
        ("idempotency_answers", "sessions", "password_codes", "used_assertions"), 1
    )
    assert await column(sql, "SELECT id FROM sessions") == ["ses_0"]
    assert await column(sql, "SELECT jti FROM used_assertions") == ["jti0"]


@pytest.mark.rule("ID-8")
async def test_after_its_time_an_idempotency_key_is_as_good_as_new(
    platform: Platform, sql: Sql, acme: OrgRow, clock: ManualClock, client: Any
) -> None:
    person = await make_person(
        sql, "a@example.org", role="tenant_admin", org=acme.id, expires_in=3 * DAY
    )
    caller = Caller(client, person)
    path, key = f"/v1/orgs/{acme.id}/projects", {"idempotency-key": "mine"}
    await caller.post(path, {"slug": "first", "name": "First"}, headers=key)

    clock.move(23 * HOUR)
    await DeleteExpired(platform).activate()
    within = await caller.post(path, {"slug": "second", "name": "Second"}, headers=key)
    clock.move(2 * HOUR)
    await DeleteExpired(platform).activate()
    after = await caller.post(path, {"slug": "second", "name": "Second"}, headers=key)

    assert (within.status_code, within.json()["code"]) == (422, "idempotency_key_reused")
    assert after.status_code == 201, after.text


async def fill_deliveries(sql: Sql, org: OrgRow, *, rows: int) -> None:
    """A webhook with deliveries that ended an hour apart, the first `rows` hours ago."""
    await sql.execute(
        "INSERT INTO secrets VALUES ('sec_1', %s, NULL, 'test', 1, '', '', now())", (org.id,)
    )
    await sql.execute(
        """
        INSERT INTO webhooks (id, org_id, url, types, secret_id, enabled, from_seq, created_at,
            updated_at) VALUES ('whk_1', %s, 'https://x/', '{*}', 'sec_1', true, 0, now(), now())
        """,
        (org.id,),
    )
    await sql.execute(
        """
        INSERT INTO webhook_deliveries (id, org_id, webhook_id, event_seq, event_id, event_type,
            status, created_at, ended_at)
        SELECT 'dlv_' || g, %s, 'whk_1', g, 'evt_' || g, 't', 'delivered', now(),
            now() - (%s + 0.5 - g) * interval '1 hour' FROM generate_series(1, %s) g
        """,
        (org.id, rows, rows),
    )


async def test_ended_deliveries_go_and_a_deleted_webhook_follows_its_last_one(
    platform: Platform, sql: Sql, acme: OrgRow, clock: ManualClock
) -> None:
    await fill_deliveries(sql, acme, rows=24 * 14 + 20)
    await sql.execute("UPDATE webhook_deliveries SET status = 'dead' WHERE event_seq % 2 = 0")
    await sql.execute(
        """
        UPDATE webhooks SET deleted_at = now() - interval '20 days', enabled = false,
            secret_id = NULL
        """
    )
    sweep = DeleteExpired(platform)

    first = await sweep.activate()
    clock.move(14 * DAY + HOUR)
    second = await sweep.activate()

    assert (first["webhook_deliveries"], first["webhooks"]) == (20, 0)
    assert (second["webhook_deliveries"], second["webhooks"]) == (24 * 14, 1)


async def test_a_pending_delivery_stays_however_old(
    platform: Platform, sql: Sql, acme: OrgRow, clock: ManualClock
) -> None:
    await fill_deliveries(sql, acme, rows=1)
    await sql.execute(
        "UPDATE webhook_deliveries SET status = 'pending', due_at = now(), ended_at = NULL"
    )
    clock.move(400 * DAY)

    seen = await DeleteExpired(platform).activate()

    assert seen["webhook_deliveries"] == 0
    assert await column(sql, "SELECT count(*) FROM webhook_deliveries") == [1]


FULL = 20_000


async def fill_everything(sql: Sql, org: OrgRow) -> None:
    """Many rows of every kind, a second apart, the newest now."""
    await fill_deliveries(sql, org, rows=FULL)
    for statement in (
        """
        INSERT INTO users (id, email, name, created_at, updated_at)
        SELECT 'usr_' || g, g || '@example.org', 'x', now(), now() FROM generate_series(1, %(n)s) g
        """,
        """
        INSERT INTO events (seq, id, type, org_id, subject, subject_version, correlation_id, at,
            topics, data)
        SELECT g, 'evt_' || g, 'iam.org.created', %(org)s, 's', 1, 'c',
            now() - (%(n)s - g) * interval '1 second', '{}', '{}' FROM generate_series(1, %(n)s) g
        """,
        """
        INSERT INTO idempotency_answers (principal, digest, route, fingerprint, status, headers, at)
        SELECT 'usr_' || g %% 50, sha256(g::text::bytea), 'r', '', 201, '{}',
            now() - (%(n)s - g) * interval '1 second' FROM generate_series(1, %(n)s) g
        """,
        """
        INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, seen_at, expires_at)
        SELECT 'ses_' || g, 'usr_' || g, sha256(g::text::bytea), '', now(), now(),
            now() - (%(n)s - g) * interval '1 second' FROM generate_series(1, %(n)s) g
        """,
        """
        INSERT INTO password_codes
        SELECT 'usr_' || g, sha256(g::text::bytea), now() - (%(n)s - g) * interval '1 second'
        FROM generate_series(1, %(n)s) g
        """,
        """
        INSERT INTO device_codes (id, device_hash, user_hash, client, address, lifetime_seconds,
            created_at, expires_at)
        SELECT 'dvc_' || g, sha256(g::text::bytea), sha256(('u' || g)::bytea), '', '', 60, now(),
            now() - (%(n)s - g) * interval '1 second' FROM generate_series(1, %(n)s) g
        """,
        """
        INSERT INTO refusals (id, principal, correlation_id, at, route, permission, status, code,
            title, detail, errors)
        SELECT 'rfs_' || g, 'usr_' || g %% 50, 'c', now() - (%(n)s - g) * interval '1 second',
            'r', 'p', 409, 'c', 't', 'd', '[]' FROM generate_series(1, %(n)s) g
        """,
        """
        INSERT INTO used_assertions
        SELECT 'sac_' || g %% 50, g::text, now() - (%(n)s - g) * interval '1 second'
        FROM generate_series(1, %(n)s) g
        """,
        # What a pull is of does not matter here.
        "ALTER TABLE pulls DISABLE TRIGGER ALL",
        """
        INSERT INTO pulls (id, org_id, project_id, entitlement_id, app_id, version_id, artifact_id,
            artifact_name, holder, secret_hash, created_at, expires_at)
        SELECT 'pul_' || g, %(org)s, 'p', 'e', 'a', 'v', 'a', 'x', 'h', '', now(),
            now() - (%(n)s - g) * interval '1 second' FROM generate_series(1, %(n)s) g
        """,
        """
        INSERT INTO webhooks (id, org_id, url, types, enabled, from_seq, created_at, updated_at,
            deleted_at)
        SELECT 'whk_d' || g, %(org)s, 'https://x/', '{*}', false, 0, now(), now(),
            now() - (%(n)s - g) * interval '1 second' FROM generate_series(1, %(n)s) g
        """,
        # Nor where a task is done, and who said what.
        "ALTER TABLE tasks DISABLE TRIGGER ALL",
        """
        INSERT INTO tasks (id, org_id, project_id, operation_id, allocation_id, node_id, reach,
            kind, key, fence, run_as, input, fingerprint, timeout_seconds, output_limit, status,
            due_at, ended_at, correlation_id, created_at)
        SELECT 'tsk_' || g, %(org)s, 'p', 'o' || g, 'a', 'n', 'agent', 'exec', g::text, 1, 'root',
            '{}', '', 1, 1, 'failed', now(), now() - (%(n)s - g) * interval '1 second', 'c', now()
        FROM generate_series(1, %(n)s) g
        """,
        "ALTER TABLE task_outputs DISABLE TRIGGER ALL",
        """
        INSERT INTO task_outputs (task_id, stream, at_offset, org_id, project_id, node_id, content)
        SELECT 'tsk_' || g, 'stdout', 0, %(org)s, 'p', 'n', repeat('x', 400)::bytea
        FROM generate_series(1, %(n)s) g
        """,
        "ALTER TABLE node_evidence DISABLE TRIGGER ALL",
        """
        INSERT INTO node_evidence (id, org_id, node_id, kind, key, received_at, data)
        SELECT 'evd_' || g, %(org)s, 'n', 'ssh.login', g::text,
            now() - (%(n)s - g) * interval '1 second', '{}' FROM generate_series(1, %(n)s) g
        """,
        "ALTER TABLE ssh_certificates DISABLE TRIGGER ALL",
        """
        INSERT INTO ssh_certificates (org_id, project_id, grant_id, key_id, fingerprint,
            correlation_id, issued_at, expires_at)
        SELECT %(org)s, 'p', 'g', 'k', 'f', 'c', now(), now() - (%(n)s - g) * interval '1 second'
        FROM generate_series(1, %(n)s) g
        """,
        "ALTER TABLE enrolments DISABLE TRIGGER ALL",
        """
        INSERT INTO enrolments (id, org_id, node_id, token_hash, expires_at, created_at, created_by)
        SELECT 'enr_' || g, 'org_00000000000000000000000000', 'n', sha256(g::text::bytea),
            now() - (%(n)s - g) * interval '1 second', now(), 'u' FROM generate_series(1, %(n)s) g
        """,
        "ALTER TABLE operations DISABLE TRIGGER ALL",
        """
        INSERT INTO operations (id, org_id, project_id, kind, status, reason, requested_by_kind,
            requested_by, requested_by_name, lease_expires_at, deadline, correlation_id, created_at,
            updated_at, ended_at)
        SELECT 'opn_' || g, %(org)s, 'p', 'node.session', 'succeeded', 'r', 'user', 'u', 'u', now(),
            now(), 'c', now(), now(), now() - (%(n)s - g) * interval '1 second'
        FROM generate_series(1, %(n)s) g
        """,
        "ALTER TABLE operation_grants DISABLE TRIGGER ALL",
        """
        INSERT INTO operation_grants (id, operation_id, org_id, project_id, fence, token_hash,
            created_at)
        SELECT 'opg_' || g, 'opn_' || g, %(org)s, 'p', 1, sha256(g::text::bytea), now()
        FROM generate_series(1, %(n)s) g
        """,
        "ALTER TABLE operation_allocations DISABLE TRIGGER ALL",
        """
        INSERT INTO operation_allocations (operation_id, allocation_id, org_id, project_id)
        SELECT 'opn_' || g, 'alc_' || g, %(org)s, repeat('p', 400)
        FROM generate_series(1, %(n)s) g
        """,
        "ALTER TABLE operation_steps DISABLE TRIGGER ALL",
        """
        INSERT INTO operation_steps (operation_id, number, org_id, project_id, name, status,
            started_at)
        SELECT 'opn_' || g, 1, %(org)s, 'p', repeat('s', 100), 'succeeded', now()
        FROM generate_series(1, %(n)s) g
        """,
        "ALTER TABLE plans DISABLE TRIGGER ALL",
        """
        INSERT INTO plans (id, org_id, project_id, kind, input, content, read, created_by,
            expires_at, correlation_id, created_at)
        SELECT 'pln_' || g, %(org)s, 'p', 'instance.restart', '{}', '{}', '{}', 'u',
            now() - (%(n)s - g) * interval '1 second', 'c', now() FROM generate_series(1, %(n)s) g
        """,
        "UPDATE streams SET last = %(n)s WHERE name IN ('events', 'webhooks')",
        "ANALYZE",
    ):
        await sql.execute(statement, {"n": FULL, "org": org.id})


async def test_a_batch_reads_what_it_deletes_and_not_the_table(
    platform: Platform, sql: Sql, acme: OrgRow, clock: ManualClock
) -> None:
    await fill_everything(sql, acme)
    limit = 100
    # Most of each table has expired in one round and hardly any of it in the other.
    for before in (clock.now() - timedelta(seconds=10), clock.now() - timedelta(seconds=FULL - 50)):
        async with platform.database.sweep() as db:
            explaining = ExplainingDb(db)
            await store.delete_events(explaining, before=before, limit=limit)
            for kind in store.KINDS:
                await store.delete_batch(explaining, kind, before=before, limit=limit)
            await store.delete_webhooks(explaining, before=before, limit=limit)
            await store.delete_tasks(explaining, before=before, limit=limit)
            await store.delete_operations(explaining, before=before, limit=limit)

        # The table of streams has three rows; reading it whole is one page. The rest are empty.
        small = {"streams", "allocations", "runtime_secrets"}
        assert explaining.tables_read_whole <= small
        assert explaining.most_rows <= limit


async def test_how_often_it_looks_is_a_setting(platform: Platform) -> None:
    assert DeleteExpired(platform).every == platform.settings.retention.sweep_every
