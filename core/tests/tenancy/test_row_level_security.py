"""The second wall: statements whose WHERE was removed on purpose, on every table there is.

The tables come from the catalog, so one that is added without a policy fails here.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from core.tests import golden_files
from core.tests.factories import instances
from core.tests.factories.tenancy import ProjectRow, make_project
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.site import Site
from moorage_core.kit.db import Scope, org_scope
from moorage_core.kit.ids import PLATFORM_ORG

SEEN_BY_ALL = {"audit_seals", "operation_moves", "signing_keys", "streams"}
"""Numbers, hashes, public keys and rules: nothing in them is anybody's."""
SYSTEMS_ALONE = {"device_codes", "pulse"}
"""Tables that the app role may not even ask for, but by functions that find one row."""
PERSONAL = {"access_tokens"}
"""Names an org to narrow a person's rights to; belongs to the person."""
THE_PLATFORMS = {"enrolments", "nodes", "ssh_authorities"}
"""Rows of the platform's own org alone: a constraint says so."""
KNOWN_TO_ALL = {"ssh_authorities"}
"""Of the platform's own tables, those whose public halves every caller may read."""
KEYS_WITHOUT_ORG = {
    "apps_slug": "slugs are unique on the platform: docs/decisions/0011",
    "access_credentials_name": "begins with a random id that is one org's",
    "access_grants_live": "two random ids",
    "access_grants_principal_key": "made of a random id",
    "allocations_instance": "two random ids",
    "allocations_name": "begins with a random id that is one org's",
    "allocations_node": "the platform chooses nodes, nobody names one to hit upon it",
    "enrolments_token_hash_key": "a random secret's hash; the platform's own table",
    "node_access_pkey": "a node is held once; only the platform writes by node",
    "node_evidence_node_id_kind_key_key": "a node's own word, named by the node alone",
    "nodes_name": "the platform's own table",
    "nodes_token": "a random secret's hash; the platform's own table",
    "operation_allocations_pkey": "two random ids",
    "operation_grants_token_hash_key": "a random secret's hash",
    "runtime_secrets_operation": "begins with a random id that is one org's",
    "secret_deliveries_pkey": "begins with a random id that is one org's",
    "ssh_authorities_generation_key": "the platform's own table",
    "secret_leftovers_pkey": "the path of a random id in the secret store",
    "ssh_workers_pkey": "a random id that is one org's",
    "ssh_certificates_pkey": "one numbering of certificates for the whole platform",
    "ssh_hosts_pkey": "a random id that is one org's",
    "task_outputs_pkey": "begins with a random id that is one org's",
    "tasks_operation_id_key_allocation_id_attempt_key": "begins with a random id that is one org's",
    "app_channels_pkey": "begins with a random id that is one org's",
    "app_operators_account": "two random ids",
    "app_versions_app_id_number_key": "begins with a random id that is one org's",
    "app_versions_precedence": "begins with a random id that is one org's",
    "artifact_signatures_pkey": "two random ids",
    "artifacts_digest": "begins with a random id that is one org's",
    "entitlements_app": "two random ids",
    "promotions_app_id_sequence_key": "begins with a random id that is one org's",
    "publisher_keys_key": "begins with a random id that is one org's",
    "version_artifacts_pkey": "begins with a random id that is one org's",
    "access_tokens_token_hash_key": "a random secret's hash; the table is a person's, not an org's",
    "controller_replicas_operator_id_name_key": "begins with a random id that is one org's",
    "instance_components_pkey": "begins with a random id that is one org's",
    "instance_revisions_pkey": "begins with a random id that is one org's",
    "instances_name": "begins with a random id that is one org's",
    "members_name": "begins with a random id that is one org's",
    "operation_steps_pkey": "begins with a random id that is one org's",
    "operations_instance_kept": "a random id that is one org's",
    "operations_member_kept": "a random id that is one org's",
    "runtime_secrets_instance_name": "begins with a random id that is one org's",
    "usage_records_instance_id_meter_key_key": "begins with a random id that is one org's",
    "view_rows_pkey": "begins with a random id that is one org's",
    "views_pkey": "begins with a random id that is one org's",
    "watches_pkey": "a random id that is one org's",
    "watches_token_hash_key": "a random secret's hash",
    "audit_entries_id_key": "a random id; proofs name it across the whole log",
    "audit_entries_seq_key": "one numbering for the whole log",
    "events_seq_key": "one numbering for the whole log",
    "webhook_deliveries_webhook_id_event_seq_key": "begins with a random id that is one org's",
}

INNER_FUNCTIONS = {
    "user_grants",
    "check_operation_locks",
    "check_operation_move",
    "operator_acts",
    "close_apps",
    "keep_names_apart",
    "keep_published_version",
    "keep_source",
    "keep_version_artifacts",
}
"""Only other functions of the owner call them, and triggers."""
OF_SYSTEM_TOO = {"claiming_operator"}
"""What a transaction of moorage_system looks up: a claim is made across orgs."""


@dataclass(frozen=True)
class Two:
    """Two tenants, of which the first has a second project."""

    acme: Tenant
    rival: Tenant
    beta: ProjectRow


@pytest.fixture(scope="module")
async def two(site: Site) -> Two:
    """Every table that belongs to tenants holds rows of both."""
    acme = await (await make_tenant(site)).fill()
    rival = await (await make_tenant(site)).fill()
    beta = await make_project(site.sql, acme.org, "beta")
    next_door = await Tenant(site, acme.org, beta, acme.admin).fill()
    for tenant in (acme, rival, next_door):
        put = await tenant.admin.put(
            f"/v1/projects/{tenant.project.id}/overlay",
            {"document": {}},
            headers={"if-match": '"0"'},
        )
        assert put.is_success, put.text
        await instances.leave_traces(tenant)
    for tenant in (acme, rival):
        robot = await mint(tenant)
        refused = await robot.delete(f"/v1/projects/{tenant.project.id}")
        assert refused.status_code == 403, "and so counted in audit_denials"
    return Two(acme, rival, beta)


@asynccontextmanager
async def as_app(site: Site, scope: Scope | None) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """A transaction as moorage_app, rolled back at the end."""
    connection = await psycopg.AsyncConnection.connect(site.urls.app)
    async with connection:
        if scope is not None:
            await connection.execute(scope.sql().encode())
        yield connection
        await connection.rollback()


async def tables(site: Site, *, column: str | None = None) -> list[str]:
    """All tables of ours, or those that have the column."""
    rows = await site.rows(
        """
        SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND c.relname <> 'alembic_version'
            AND (%s::text IS NULL OR EXISTS (SELECT FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attname = %s AND NOT a.attisdropped))
        ORDER BY 1
        """,
        column,
        column,
    )
    return [name for (name,) in rows]


async def values(
    connection: psycopg.AsyncConnection[Any], table: str, column: LiteralString
) -> set[str | None]:
    """The column of every row that is seen: no WHERE."""
    query = SQL("SELECT {} FROM {}").format(Identifier(column), Identifier(table))
    return {row[0] for row in await (await connection.execute(query)).fetchall()}


async def test_every_table_forces_row_level_security_on_everybody(site: Site) -> None:
    found = await site.rows(
        """
        SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND c.relname <> 'alembic_version'
            AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
        """
    )

    assert found == []


async def test_our_roles_cannot_go_round_it(site: Site) -> None:
    found = await site.rows(
        """
        SELECT rolname FROM pg_roles
        WHERE rolname IN ('moorage_owner', 'moorage_app', 'moorage_system')
            AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolreplication)
        """
    )

    assert found == []


async def test_a_query_without_where_sees_one_org(site: Site, two: Two) -> None:
    scope = org_scope(two.rival.org.id, principal=two.rival.admin.id)
    async with as_app(site, scope) as connection:
        for table in await tables(site, column="org_id"):
            if table in THE_PLATFORMS:
                continue
            there = {row[0] for row in await site.rows(f"SELECT org_id FROM {table}")}
            assert two.acme.org.id in there, f"{table} has no row of acme: make one"

            seen = await values(connection, table, "org_id")

            assert seen - {None} == {two.rival.org.id}, table


async def test_what_is_the_platforms_is_no_tenants_to_see(site: Site, two: Two) -> None:
    scope = org_scope(two.rival.org.id, principal=two.rival.admin.id)
    async with as_app(site, scope) as connection:
        for table in THE_PLATFORMS - KNOWN_TO_ALL:
            assert await site.rows(f"SELECT 1 FROM {table}"), f"{table} has no row: make one"

            assert await _count(connection, table) == 0, table


async def test_a_node_sees_itself_and_what_was_given_to_it(site: Site, two: Two) -> None:
    task = two.acme.ids["task"]
    node = (await site.rows("SELECT node_id FROM tasks WHERE id = %s", task))[0][0]
    open_to_nodes = {"nodes", "tasks", "task_outputs", "node_evidence", "allocations"}

    async with as_app(site, Scope(principal=node)) as connection:
        for table in await tables(site, column="org_id"):
            if table not in open_to_nodes | KNOWN_TO_ALL:
                assert await _count(connection, table) == 0, table
        assert await values(connection, "nodes", "id") == {node}
        for table in open_to_nodes - {"nodes"}:
            assert await values(connection, table, "node_id") == {node}, table


async def test_a_query_without_where_sees_one_project(site: Site, two: Two) -> None:
    scope = Scope("usr_x", frozenset({two.acme.org.id}), projects=frozenset({two.beta.id}))
    async with as_app(site, scope) as connection:
        for table in await tables(site, column="project_id"):
            there = {row[0] for row in await site.rows(f"SELECT project_id FROM {table}")}
            assert two.acme.project.id in there, f"{table} has no row of alpha: make one"

            seen = await values(connection, table, "project_id")

            assert seen <= {two.beta.id}, table
        assert await values(connection, "projects", "id") == {two.beta.id}
        assert await values(connection, "orgs", "id") == {two.acme.org.id}
        people = await values(connection, "users", "id")
        assert two.acme.ids["user"] not in people


async def test_an_unset_scope_sees_no_row(site: Site, two: Two) -> None:
    async with as_app(site, None) as connection:
        for table in await tables(site):
            unasked = table in SEEN_BY_ALL | SYSTEMS_ALONE
            assert unasked or not await _count(connection, table), table


async def test_a_statement_alone_sees_no_row_whatever_its_connection_saw_before(
    site: Site, two: Two
) -> None:
    database = site.platform.database
    async with database.transaction(org_scope(two.acme.org.id)) as db:
        assert await _count(db.connection, "projects") == 2
        used = db.connection.info.backend_pid

    async with database.alone() as db:
        assert db.connection.info.backend_pid == used
        for table in await tables(site):
            unasked = table in SEEN_BY_ALL | SYSTEMS_ALONE
            assert unasked or not await _count(db.connection, table), table


async def test_an_empty_scope_sees_no_row(site: Site, two: Two) -> None:
    async with as_app(site, Scope()) as connection:
        for table in await tables(site):
            unasked = table in SEEN_BY_ALL | SYSTEMS_ALONE
            assert unasked or not await _count(connection, table), table


async def test_those_who_run_the_platform_see_name_plates_and_nothing_inside(
    site: Site, two: Two
) -> None:
    async with as_app(site, org_scope(PLATFORM_ORG, principal="usr_root")) as connection:
        for table in await tables(site, column="org_id"):
            seen = await values(connection, table, "org_id")

            assert seen <= {PLATFORM_ORG, None}, table
        assert two.acme.org.id in await values(connection, "orgs", "id")


async def test_credentials_are_seen_by_their_person_alone(site: Site, two: Two) -> None:
    scope = org_scope(two.acme.org.id, principal=two.acme.admin.id)
    async with as_app(site, scope) as connection:
        for table in ("access_tokens", "sessions"):
            assert await values(connection, table, "user_id") == {two.acme.admin.id}
        assert await values(connection, "idempotency_answers", "principal") == {two.acme.admin.id}


async def test_a_change_without_where_reaches_own_rows_alone(site: Site, two: Two) -> None:
    org = two.rival.org.id
    scope = org_scope(org, principal=two.rival.admin.id)
    for table in await tables(site, column="org_id"):
        own = len(await site.rows(f"SELECT 1 FROM {table} WHERE org_id = %s", org))
        for verb, statement in (
            ("UPDATE", f"UPDATE {table} SET org_id = org_id"),
            ("DELETE", f"DELETE FROM {table}"),
        ):
            if table in PERSONAL or not await _may(site, "moorage_app", table, verb):
                continue
            async with as_app(site, scope) as connection:
                touched = await _attempt(connection, statement)

            assert touched <= own, (table, verb)


async def test_a_row_cannot_be_written_into_another_org(site: Site, two: Two) -> None:
    scope = org_scope(two.rival.org.id, principal=two.rival.admin.id)
    for table in await tables(site, column="org_id"):
        if table in PERSONAL | THE_PLATFORMS:
            continue
        if not await _may(site, "moorage_app", table, "UPDATE"):
            continue
        async with as_app(site, scope) as connection:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute(
                    SQL("UPDATE {} SET org_id = %s").format(Identifier(table)), (two.acme.org.id,)
                )


async def test_an_org_admin_cannot_change_a_person(site: Site, two: Two) -> None:
    scope = org_scope(two.acme.org.id, principal=two.acme.admin.id)
    async with as_app(site, scope) as connection:
        seen = await values(connection, "users", "id")
        assert two.acme.ids["user"] in seen

        touched = await _attempt(connection, "UPDATE users SET password_hash = 'mine'")

        assert touched <= 1, "only the caller's own account"


@pytest.mark.parametrize("verb", ["UPDATE", "DELETE", "TRUNCATE"])
@pytest.mark.parametrize("role", ["moorage_app", "moorage_system"])
async def test_the_audit_log_is_append_only(site: Site, role: str, verb: str) -> None:
    allowed = [
        column
        for (column,) in await site.rows(
            """
            SELECT attname FROM pg_attribute
            WHERE attrelid = 'audit_entries'::regclass AND attnum > 0
                AND %s = 'UPDATE' AND has_column_privilege(%s, attrelid, attnum, 'UPDATE')
            """,
            verb,
            role,
        )
    ]

    # The sequencer gives an entry its number; that is all that ever happens to one.
    assert allowed == (["seq"] if (role, verb) == ("moorage_system", "UPDATE") else [])
    assert not await _may(site, role, "audit_entries", verb)


@pytest.mark.parametrize("table", ["audit_entries", "events"])
async def test_a_writer_cannot_choose_the_number_of_a_record(site: Site, table: str) -> None:
    rows = await site.rows("SELECT has_column_privilege('moorage_app', %s, 'seq', 'INSERT')", table)

    assert rows == [(False,)]


async def test_what_each_role_may_do_is_as_written_down(site: Site) -> None:
    rows = await site.rows(
        """
        SELECT r.rolname, c.relname, p.verb,
            CASE WHEN has_table_privilege(r.rolname, c.oid, p.verb) THEN '(all columns)' ELSE
                (SELECT string_agg(a.attname, ' ' ORDER BY a.attname) FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                    AND p.verb <> 'DELETE'
                    AND has_column_privilege(r.rolname, c.oid, a.attnum, p.verb)) END AS columns
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
            (VALUES ('moorage_app'), ('moorage_system')) r(rolname),
            (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) p(verb)
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
        ORDER BY 1, 2, 3
        """
    )
    lines = [
        f"{role:15} {table:22} {verb:7} {columns}" for role, table, verb, columns in rows if columns
    ]

    golden_files.check("database_grants.txt", "\n".join([*lines, ""]))


async def test_the_system_role_cannot_read_a_column_beyond_its_list(site: Site, two: Two) -> None:
    """The list itself is the golden file; here it is tried."""
    columns = await site.rows(
        """
        SELECT c.relname, a.attname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
            AND NOT has_column_privilege('moorage_system', c.oid, a.attnum, 'SELECT')
        """
    )
    assert ("events", "data") in columns
    assert ("audit_entries", "details") in columns
    assert ("secrets", "ciphertext") in columns
    assert ("idempotency_answers", "body") in columns
    connection = await psycopg.AsyncConnection.connect(site.urls.system, autocommit=True)
    async with connection:
        for table, column in columns:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await values(connection, table, column)


async def test_look_ups_before_sign_in_are_for_the_app_role_alone(site: Site) -> None:
    rows = await site.rows(
        """
        SELECT p.proname,
            has_function_privilege('moorage_app', p.oid, 'EXECUTE'),
            has_function_privilege('moorage_system', p.oid, 'EXECUTE'),
            has_function_privilege('public', p.oid, 'EXECUTE')
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = 'public' ORDER BY 1
        """
    )

    for name, app, system, public in rows:
        expected = (name not in INNER_FUNCTIONS, name in OF_SYSTEM_TOO, False)
        assert (app, system, public) == expected, name


async def test_temporary_tables_come_last_where_functions_of_the_owner_look(site: Site) -> None:
    """Unless it is named, pg_temp comes first: whoever calls could put a table in the way."""
    rows = await site.rows("SELECT proname, proconfig::text[] FROM pg_proc WHERE prosecdef")

    assert len(rows) > 5
    for name, config in rows:
        assert "search_path=public, pg_temp" in (config or []), f"{name} could be led astray"


async def test_the_app_role_cannot_lead_the_owner_into_a_table_of_its_own(site: Site) -> None:
    """On a server where everybody may make temporary tables, as PostgreSQL allows at first."""
    database = Identifier(site.sql.info.dbname)
    await site.sql.execute(SQL("GRANT TEMP ON DATABASE {} TO moorage_app").format(database))
    heard: list[str] = []
    async with as_app(site, Scope()) as connection:
        connection.add_notice_handler(lambda said: heard.append(said.message_primary or ""))
        await connection.execute(
            """
            CREATE FUNCTION pg_temp.trap() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE NOTICE 'ran as %', current_user; RETURN NULL; END $$;
            CREATE TEMP TABLE users (LIKE public.users INCLUDING ALL);
            CREATE TRIGGER trap BEFORE INSERT ON users EXECUTE FUNCTION pg_temp.trap();
            GRANT ALL ON users TO PUBLIC;
            """
        )

        await connection.execute("SELECT ensure_user('usr_new', 'new@example.org', now())")

    assert heard == []


async def test_unique_keys_of_owned_tables_include_the_org(site: Site) -> None:
    rows = await site.rows(
        """
        SELECT c.relname, i.relname, x.indisprimary,
            ARRAY(SELECT a.attname::text FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attnum = ANY (x.indkey)) AS columns
        FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid
            JOIN pg_class i ON i.oid = x.indexrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND x.indisunique AND EXISTS (SELECT FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attname = 'org_id')
        """
    )

    for table, index, primary, columns in rows:
        made_by_us = primary and columns in (["id"], ["pos"])
        assert "org_id" in columns or made_by_us or index in KEYS_WITHOUT_ORG, (
            f"{table}: {index} lets one org see that another holds a value"
        )
    assert set(KEYS_WITHOUT_ORG) <= {index for _, index, _, _ in rows}, "a reason without a key"


@pytest.mark.parametrize(
    "id",
    [
        "org_x', true); SELECT set_config('moorage.whole_orgs', 'org_y",
        "org_x,org_y",
        "org_x'",
        "org_x;",
        "org_\N{LATIN SMALL LETTER A WITH DIAERESIS}",
        "org x",
        "org_x\n",
        "org_x\x00",
    ],
)
@pytest.mark.parametrize("field", ["principal", "orgs", "whole_orgs", "projects"])
def test_a_scope_takes_ids_and_nothing_else(field: str, id: str) -> None:
    values: dict[str, Any] = {field: id if field == "principal" else frozenset({id})}

    with pytest.raises(ValueError, match="ids and nothing else"):
        Scope(**values).sql()


async def test_a_scope_ends_with_its_transaction(site: Site, two: Two) -> None:
    """Pooled connections are shared: what one request may see must not stay behind."""
    async with site.platform.database.transaction(org_scope(two.acme.org.id)) as db:
        assert await db.value("SELECT current_setting('moorage.orgs')") == two.acme.org.id
        pid = await db.value("SELECT pg_backend_pid()")
    async with site.platform.database.app.connection() as connection:
        row = await (
            await connection.execute(
                "SELECT pg_backend_pid(), current_setting('moorage.orgs', true)"
            )
        ).fetchone()

    assert row == (pid, "")


async def _may(site: Site, role: str, table: str, verb: str) -> bool:
    return (await site.rows("SELECT has_table_privilege(%s, %s, %s)", role, table, verb))[0][0]


async def _count(connection: psycopg.AsyncConnection[Any], table: str) -> int:
    query = SQL("SELECT count(*) FROM {}").format(Identifier(table))
    row = await (await connection.execute(query)).fetchone()
    return row[0] if row else 0


async def _attempt(connection: psycopg.AsyncConnection[Any], statement: str) -> int:
    """Rows touched; none where foreign keys or triggers hold the rows."""
    try:
        return (await connection.execute(statement.encode())).rowcount
    except (psycopg.errors.ForeignKeyViolation, psycopg.errors.IntegrityConstraintViolation):
        return 0
