"""Reading the audit log through HTTP: who sees what, filters, pages, proofs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from core.tests.audit.conftest import ADA, Do, Seal
from core.tests.callers import ActorMaker, Caller
from core.tests.factories.tenancy import OrgRow, ProjectRow
from moorage_core.audit import commands, keyring, proofs, store
from moorage_core.audit.merkle import Step
from moorage_core.audit.models import Wanted
from moorage_core.audit.proofs import Proof
from moorage_core.authz.principals import Kind, Place, Principal
from moorage_core.kit.clock import ManualClock
from moorage_core.kit.db import Database, Db, org_scope
from moorage_core.kit.ids import PLATFORM_ORG, AuditEntryId
from moorage_core.platform import Platform
from moorage_core.settings import Settings

START = datetime(2026, 1, 1, tzinfo=UTC)
BOB = Principal(Kind.SERVICE_ACCOUNT, "sac_bob", "bob")


async def listed(caller: Caller, query: str = "") -> list[dict[str, Any]]:
    answer = await caller.get(f"/v1/audit{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


async def targets(caller: Caller, query: str = "") -> list[str]:
    return [entry["target"] for entry in await listed(caller, query)]


@pytest.fixture
async def admin(actor: ActorMaker, acme: OrgRow) -> Caller:
    return await actor("tenant_admin", org=acme)


async def test_a_change_can_be_read_back_with_who_what_and_why(
    admin: Caller, do: Do, acme: OrgRow, alpha: ProjectRow
) -> None:
    await do("iam.project.update", alpha.id, project=alpha.id, details={"name": "Ä → b"})

    (entry,) = await listed(admin)

    assert (entry["seq"], entry["org_id"], entry["project_id"]) == (1, acme.id, alpha.id)
    assert (entry["actor_kind"], entry["actor_id"], entry["actor_name"]) == (
        "user",
        ADA.id,
        ADA.name,
    )
    assert (entry["action"], entry["outcome"], entry["count"]) == (
        "iam.project.update",
        "allowed",
        1,
    )
    assert entry["details"] == {"name": "Ä → b"}
    assert entry["at"].endswith("Z")


async def test_a_real_mutation_is_in_the_log_with_its_correlation_id(
    admin: Caller, acme: OrgRow, number: Any
) -> None:
    made = await admin.post(f"/v1/orgs/{acme.id}/projects", {"slug": "new", "name": "New"})
    await number()

    (entry,) = await listed(
        admin, f"?correlation_id={made.headers['x-correlation-id']}&target={made.json()['id']}"
    )

    assert entry["actor_id"] == admin.id


async def test_an_entry_shows_only_after_it_has_its_number(admin: Caller, do: Do) -> None:
    await do(number=False)

    assert await listed(admin) == []


# Who sees what


async def test_a_tenant_sees_its_own_org_and_no_other(
    admin: Caller, actor: ActorMaker, rival: OrgRow, do: Do
) -> None:
    stranger = await actor("tenant_admin", org=rival)
    await do(target="ours")
    await do(target="theirs", org=rival.id)

    assert await targets(admin) == ["ours"]
    assert await targets(stranger) == ["theirs"]


async def test_a_project_member_sees_the_project_alone(
    actor: ActorMaker, alpha: ProjectRow, beta: ProjectRow, do: Do
) -> None:
    member = await actor("project_member", project=alpha)
    await do(target="of the org")
    await do(target="of alpha", project=alpha.id)
    await do(target="of beta", project=beta.id)

    assert await targets(member) == ["of alpha"]


async def test_somebody_in_two_places_sees_both_in_one_order(
    actor: ActorMaker, alpha: ProjectRow, rival: OrgRow, do: Do, sql: Any
) -> None:
    both = await actor("tenant_admin", org=rival)
    await sql.execute(
        "INSERT INTO memberships (id, org_id, project_id, user_id, role, created_at, updated_at)"
        " VALUES ('mbr_1', %s, %s, %s, 'project_member', now(), now())",
        (alpha.org.id, alpha.id, both.id),
    )
    for n in range(3):
        await do(target=f"rival {n}", org=rival.id)
        await do(target=f"alpha {n}", project=alpha.id)
        await do(target=f"acme {n}")

    assert await targets(both) == [f"{where} {n}" for n in range(3) for where in ("rival", "alpha")]
    assert await targets(both, f"?org={rival.id}") == ["rival 0", "rival 1", "rival 2"]


async def test_those_who_run_the_platform_see_its_entries_and_no_tenants(
    actor: ActorMaker, do: Do
) -> None:
    root = await actor("platform_admin")
    await do(target="a tenant's")
    await do(target="the platform's", org=PLATFORM_ORG)

    assert await targets(root) == ["the platform's"]


async def test_a_viewer_may_not_read_the_log(actor: ActorMaker, acme: OrgRow, do: Do) -> None:
    viewer = await actor("viewer", org=acme)
    await do()
    entry = await _only_id(await actor("tenant_admin", org=acme))

    for path in ("/v1/audit", "/v1/audit/seals", f"/v1/audit/{entry}", f"/v1/audit/{entry}/proof"):
        answer = await viewer.get(path)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), path


async def test_asking_for_an_org_without_the_key_there_is_refused_like_an_org_that_is_not(
    admin: Caller, rival: OrgRow
) -> None:
    foreign = await admin.get(f"/v1/audit?org={rival.id}")
    absent = await admin.get("/v1/audit?org=org_01jg3vx6t0e8s9m2k4q7w5y1zr")

    assert foreign.status_code == absent.status_code == 403
    assert foreign.json()["detail"] == absent.json()["detail"]


async def test_an_entry_of_another_org_is_as_absent_as_a_random_one(
    admin: Caller, actor: ActorMaker, rival: OrgRow, do: Do
) -> None:
    await do(org=rival.id)
    foreign = await _only_id(await actor("tenant_admin", org=rival))
    random = AuditEntryId.new()

    for path in ("", "/proof"):
        seen = await admin.get(f"/v1/audit/{foreign}{path}")
        absent = await admin.get(f"/v1/audit/{random}{path}")
        assert seen.status_code == 404
        assert _anonymous(seen.json(), foreign) == _anonymous(absent.json(), random)


async def test_an_entry_of_another_project_is_absent_for_a_project_member(
    actor: ActorMaker, admin: Caller, alpha: ProjectRow, beta: ProjectRow, do: Do
) -> None:
    member = await actor("project_member", project=alpha)
    await do(project=beta.id)

    answer = await member.get(f"/v1/audit/{await _only_id(admin)}")

    assert answer.status_code == 404


async def _only_id(caller: Caller) -> str:
    (entry,) = await listed(caller)
    return entry["id"]


def _anonymous(problem: dict[str, Any], id: str) -> dict[str, Any]:
    detail = problem["detail"].replace(id, "ID")
    return problem | {"correlation_id": "", "detail": detail}


# Filters and pages


async def test_filters_narrow_the_list(
    admin: Caller, do: Do, acme: OrgRow, alpha: ProjectRow, clock: ManualClock
) -> None:
    start = clock.now()
    await do("iam.org.update", "one")
    clock.move(timedelta(hours=1))
    await do("iam.member.add", "two", project=alpha.id, by=BOB)
    clock.move(timedelta(hours=1))
    await do("iam.org.update", "three", by=BOB)

    def after(hours: float) -> str:
        return (start + timedelta(hours=hours)).isoformat().replace("+00:00", "Z")

    assert await targets(admin, f"?org={acme.id}") == ["one", "two", "three"]
    assert await targets(admin, f"?project={alpha.id}") == ["two"]
    assert await targets(admin, f"?actor={BOB.id}") == ["two", "three"]
    assert await targets(admin, "?action=iam.org.update") == ["one", "three"]
    assert await targets(admin, "?target=two") == ["two"]
    assert await targets(admin, "?outcome=denied") == []
    assert await targets(admin, f"?since={after(0.5)}") == ["two", "three"]
    assert await targets(admin, f"?until={after(0.5)}") == ["one"]
    assert await targets(admin, f"?since={after(0.5)}&until={after(1.5)}") == ["two"]
    assert await targets(admin, f"?actor={BOB.id}&action=iam.org.update") == ["three"]


async def test_a_moment_may_come_from_any_time_zone(admin: Caller, do: Do) -> None:
    await do()

    assert await targets(admin, "?since=2026-03-01T00:00:00%2B23:59") == ["org_1"]
    assert await targets(admin, "?until=2026-03-01T00:00:00-23:59") == []


async def test_pages_go_from_old_to_new_or_back_and_miss_nothing(admin: Caller, do: Do) -> None:
    await do(times=7)

    async def walk(query: str) -> list[int]:
        seen: list[int] = []
        after = ""
        while True:
            answer = (await admin.get(f"/v1/audit?limit=3{query}{after}")).json()
            seen += [entry["seq"] for entry in answer["items"]]
            if answer["next"] is None:
                return seen
            after = f"&after={answer['next']}"

    assert await walk("") == [1, 2, 3, 4, 5, 6, 7]
    assert await walk("&newest_first=true") == [7, 6, 5, 4, 3, 2, 1]


async def test_a_reader_who_follows_the_log_sees_what_came_since(admin: Caller, do: Do) -> None:
    await do(times=2)
    first = (await admin.get("/v1/audit?limit=1")).json()
    await do(times=1)

    rest = (await admin.get(f"/v1/audit?after={first['next']}")).json()

    assert [entry["seq"] for entry in rest["items"]] == [2, 3]


BAD_QUERIES = [
    "after=!!!",
    "after=YWJj",
    "after=OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5",
    "limit=0",
    "limit=1000",
    "org=prj_1",
    "actor=",
    "actor=%00",
    "action=" + "a" * 201,
    "outcome=maybe",
    "since=yesterday",
    "since=2026-03-01T00:00:00",
    "since=0001-01-01T00:00:00%2B23:59",
    "until=9999-12-31T23:59:59-23:59",
    "newest_first=perhaps",
]


async def test_bad_input_is_a_problem_document(admin: Caller) -> None:
    answers = {query: await admin.get(f"/v1/audit?{query}") for query in BAD_QUERIES}

    seen = {query: (each.status_code, each.json()["code"]) for query, each in answers.items()}
    assert seen == dict.fromkeys(BAD_QUERIES, (422, "malformed"))


async def test_odd_text_in_a_filter_is_only_text(admin: Caller, do: Do) -> None:
    odd = ["' OR 1=1 --", "100%", "%s", "Ω≈ç", "%(org)s"]
    for value in odd:
        await do(target=value)

    for value in odd:
        answer = await admin.get("/v1/audit", params={"target": value})
        assert [entry["target"] for entry in answer.json()["items"]] == [value]


# Seals and proofs


def _proof(document: dict[str, Any]) -> Proof:
    """The proof as somebody reads it who has nothing but the answer."""
    return Proof(
        content=document["content"],
        seq=document["seq"],
        path=[Step(step["side"], bytes.fromhex(step["hash"])) for step in document["path"]],
        signed=document["seal"]["signed"],
        signature=bytes.fromhex(document["seal"]["signature"]),
        public_key=bytes.fromhex(document["public_key"]["raw"]),
    )


@pytest.mark.rule("AU-5")
async def test_a_tenant_proves_its_entry_with_a_key_it_noted_earlier(
    admin: Caller, do: Do, seal: Seal, rival: OrgRow
) -> None:
    await do(org=rival.id, times=3)
    await do(target="ours", details={"name": "Ä", "list": [1, None, True]})
    await do(org=rival.id, times=2)
    await seal()
    keys = (await admin.get("/v1/audit/seals")).json()["keys"]
    trusted = {key["id"]: bytes.fromhex(key["raw"]) for key in keys}

    answer = await admin.get(f"/v1/audit/{await _only_id(admin)}/proof")

    document = answer.json()
    proofs.check(_proof(document), trusted=trusted)
    assert document["entry"]["target"] == "ours"
    assert "Ä" in document["content"]
    assert "SHA-256" in document["how_to_check"]


async def test_a_proof_shows_nothing_of_another_tenant(
    admin: Caller, do: Do, seal: Seal, rival: OrgRow
) -> None:
    await do("iam.org.update", "secret of the rival", org=rival.id)
    await do()
    await seal()

    answer = await admin.get(f"/v1/audit/{await _only_id(admin)}/proof")

    assert answer.status_code == 200
    assert rival.id not in answer.text
    assert "secret of the rival" not in answer.text


async def test_an_entry_inside_the_unsealed_window_has_no_proof_yet(
    admin: Caller, do: Do, seal: Seal
) -> None:
    await do()
    entry = await _only_id(admin)
    early = await admin.get(f"/v1/audit/{entry}/proof")
    await seal()

    late = await admin.get(f"/v1/audit/{entry}/proof")

    assert (early.status_code, early.json()["code"]) == (409, "not_sealed_yet")
    assert "every 10 seconds" in early.json()["detail"]
    assert late.status_code == 200


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE audit_entries SET target = 'forged' WHERE seq = 2",
        "UPDATE audit_entries SET leaf = '\\x00' WHERE seq = 1",
        "UPDATE audit_seals SET root = '\\x00'",
        "DELETE FROM audit_entries WHERE seq = 1",
    ],
)
async def test_no_proof_is_given_of_what_was_tampered_with(
    admin: Caller, do: Do, seal: Seal, sql: psycopg.AsyncConnection[Any], tampering: str
) -> None:
    await do(times=2)
    await seal()
    entry = (await listed(admin))[1]["id"]
    await sql.execute(tampering.encode())

    answer = await admin.get(f"/v1/audit/{entry}/proof")

    assert (answer.status_code, answer.json()["code"]) == (409, "seal_broken")
    assert "moor audit verify" in answer.json()["detail"]


async def test_seals_are_listed_newest_first_with_their_keys(
    admin: Caller, do: Do, seal: Seal, settings: Settings
) -> None:
    for _ in range(3):
        await do()
        await seal()
    keyring.add(settings.data / "keys", number=2)

    first = (await admin.get("/v1/audit/seals?limit=2")).json()
    rest = (await admin.get(f"/v1/audit/seals?limit=2&after={first['next']}")).json()

    assert [seal["number"] for seal in first["items"] + rest["items"]] == [3, 2, 1]
    assert rest["next"] is None
    assert len(first["keys"]) == 2
    assert first["items"][0]["key_id"] == first["keys"][0]["id"]
    assert first["keys"][0]["pem"].startswith("-----BEGIN PUBLIC KEY-----")


async def test_before_the_first_seal_there_are_none(admin: Caller) -> None:
    answer = await admin.get("/v1/audit/seals")

    assert answer.json() == {"items": [], "next": None, "keys": []}


# Cost


@pytest.fixture
async def long_log(alpha: ProjectRow, sql: psycopg.AsyncConnection[Any]) -> ProjectRow:
    """20,000 entries, one a minute; every 200th is of the project, the 7,777th of another kind."""
    await sql.execute(
        "INSERT INTO audit_entries (seq, id, at, org_id, project_id, actor_kind, actor_id,"
        " actor_name, action, target, outcome, count, break_glass, correlation_id, details, leaf)"
        " SELECT n, 'aud_' || lpad(n::text, 26, '0'), %s + n * interval '1 minute', %s,"
        " CASE WHEN n %% 200 = 0 THEN %s END, 'user', 'usr_' || n %% 200, 'x',"
        " CASE WHEN n = 7777 THEN 'a.b.rare' ELSE 'a.b.c' END, 't' || n, 'allowed', 1, false,"
        " 'c' || n, '{}', '' FROM generate_series(1, 20000) n",
        (START, alpha.org.id, alpha.id),
    )
    await sql.execute("ANALYZE audit_entries")
    return alpha


LITTLE = {
    "action=a.b.rare": ["t7777"],
    "action=a.b.none": [],
    "outcome=denied": [],
    "action=a.b.rare&actor=usr_177": ["t7777"],
    "action=a.b.rare&since=2026-01-01T00:00:00Z": ["t7777"],
    "action=a.b.rare&until=2026-01-05T00:00:00Z": [],
    "until=2025-01-01T00:00:00Z": [],
}
"""Filters that match little, and what they find in the long log."""


@pytest.mark.parametrize("order", ["false", "true"])
async def test_a_filter_that_matches_little_reads_a_part_of_the_log_at_a_time(
    admin: Caller, long_log: ProjectRow, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    monkeypatch.setattr(commands, "EXAMINED", 1500)
    for query, found in LITTLE.items():
        shown: list[str] = []
        most, pages, after = 0, 0, ""
        while True:
            answer, read = await reading(admin, f"/v1/audit?{query}&newest_first={order}{after}")
            most, pages = max(most, read), pages + 1
            shown += [entry["target"] for entry in answer["items"]]
            if answer["next"] is None:
                break
            after = f"&after={answer['next']}"

        assert shown == found, query
        assert most <= 3 * 1500 + 1, query
        assert pages <= 15, query


async def test_a_span_of_time_is_found_without_going_there_page_by_page(
    admin: Caller, long_log: ProjectRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "EXAMINED", 1500)
    since = (START + timedelta(minutes=15_000)).isoformat().replace("+00:00", "Z")
    until = (START + timedelta(minutes=15_003)).isoformat().replace("+00:00", "Z")

    answer, read = await reading(admin, f"/v1/audit?since={since}&until={until}")

    assert [entry["seq"] for entry in answer["items"]] == [15_000, 15_001, 15_002]
    assert read <= 3 * 1500


async def reading(caller: Caller, path: str) -> tuple[dict[str, Any], int]:
    """An answer, and how many rows of the log were read for it."""
    spent: list[int] = []
    whole = Database.transaction

    @asynccontextmanager
    async def counted(self: Database, *args: Any, **options: Any) -> AsyncIterator[Db]:
        async with whole(self, *args, **options) as db:
            before = await rows_read(db)
            yield db
            spent.append(await rows_read(db) - before)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "transaction", counted)
        answer = await caller.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json(), max(spent)


async def test_a_page_reads_its_own_rows_and_not_the_whole_log(
    platform: Platform, long_log: ProjectRow
) -> None:
    alpha, org = long_log, long_log.org.id
    cases = [
        (Wanted(), None, 51),
        (Wanted(), alpha.id, 50),
        (Wanted(newest_first=True), None, 51),
        (Wanted(target="t10077"), None, 1),
        (Wanted(actor="usr_7"), None, 50),
        (Wanted(correlation_id="c10077"), None, 1),
    ]

    # Often enough for PostgreSQL to consider one plan for all parameters.
    for wanted, project, shown in cases * 8:
        async with platform.database.transaction(org_scope(org)) as db:
            before = await rows_read(db)
            found = await store.list_entries(
                db, wanted, scope=[Place(org, project)], after=10_000, limit=51
            )
            after = await rows_read(db)
        assert len(found) == shown, wanted
        assert after - before <= shown + 1, wanted


async def rows_read(db: Db) -> int:
    """How many rows of the log this connection has read lately, by whatever way."""
    return await db.value(
        "SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0) FROM pg_stat_xact_user_tables"
        " WHERE relname = 'audit_entries'"
    )
