"""`moor audit verify` against a real database that somebody has been at, with real SQL."""

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
import typer
from psycopg.rows import dict_row
from typer.testing import CliRunner

from core.tests.audit import sealing
from core.tests.audit.conftest import Do, Seal, Verify
from core.tests.callers import Urls
from core.tests.embedded import places
from moorage_core import settings as settings_module
from moorage_core.audit import keyring, merkle, rules, seal_log, seals
from moorage_core.audit.models import Seal as SealRow
from moorage_core.audit.report import CODES, NOTES, Report
from moorage_core.embedded import postgres
from moorage_core.migrations import run as migrations
from moorage_core.operate import audit_verify
from moorage_core.settings import Settings

Sql = psycopg.AsyncConnection[Any]
Runner = Any


@pytest.fixture
async def log(do: Do, seal: Seal) -> None:
    """Three seals over two entries each, and one entry without a seal."""
    for n in range(3):
        await do(target=f"org_{n}", times=2, details={"name": "Ä → \\ \u2028", "n": [n, None]})
        await seal()
    await do()


def codes(report: Report) -> list[str]:
    return sorted({finding.code for finding in report.findings})


def text(report: Report) -> str:
    return "\n".join(finding.message for finding in (*report.findings, *report.notes))


@pytest.mark.usefixtures("log")
async def test_a_log_that_nobody_touched_is_sound(verify: Verify) -> None:
    report = verify()

    assert report.is_sound
    assert report.notes == []
    assert (report.entries, report.seals, report.unsealed) == (7, 3, 1)


async def test_a_platform_where_nothing_has_happened_is_sound(verify: Verify) -> None:
    report = verify()

    assert (report.is_sound, report.entries, report.seals) == (True, 0, 0)


@pytest.mark.usefixtures("log")
async def test_the_unsealed_window_is_stated(verify: Verify, do: Do) -> None:
    await do(number=False)

    report = verify()

    assert (report.unsealed, report.unnumbered) == (2, 1)
    assert report.unsealed_since is not None


CHANGES = [
    "id = 'aud_other'",
    "at = at + interval '1 microsecond'",
    "at = 'infinity'",
    "at = '4000-01-01 BC'",
    "org_id = 'org_00000000000000000000000000'",
    "actor_kind = 'system'",
    "actor_id = 'usr_innocent'",
    "actor_name = 'Innocent'",
    "credential = NULL",
    "action = 'iam.org.read'",
    "target = 'org_9'",
    "outcome = 'denied'",
    "count = 2",
    "break_glass = true, reason = 'because'",
    "reason = ''",
    "correlation_id = 'other'",
    "app_slug = 'app'",
    "app_instance_id = 'inst_1'",
    "details = '{}'",
    "details = 'null'",
    """details = '{"n": 1e400}'""",
    """details = '{"n": 0.1}'""",
    "leaf = ''",
]
"""Each column in turn: what a thief may want to be otherwise."""


@pytest.mark.rule("AU-4")
@pytest.mark.usefixtures("log")
async def test_a_changed_row_is_named_whatever_was_changed(sql: Sql, verify: Verify) -> None:
    await sql.execute("CREATE TABLE kept AS SELECT * FROM audit_entries WHERE seq = 3")
    found: dict[str, list[tuple[str, int | None]]] = {}

    for change in CHANGES:
        await sql.execute(f"UPDATE audit_entries SET {change} WHERE seq = 3".encode())
        found[change] = [(finding.code, finding.first) for finding in verify().findings]
        await sql.execute("DELETE FROM audit_entries WHERE seq = 3")
        await sql.execute("INSERT INTO audit_entries OVERRIDING SYSTEM VALUE TABLE kept")

    assert found == {change: [("entry_changed", 3)] for change in CHANGES}
    assert verify().is_sound


@pytest.mark.usefixtures("log")
async def test_a_row_changed_with_its_hash_is_found(sql: Sql, verify: Verify) -> None:
    await forge(sql, seq=3)

    report = verify()

    assert codes(report) == ["batch_changed"]
    assert "entries 3 to 4" in text(report)


@pytest.mark.usefixtures("log")
async def test_a_row_with_details_too_deep_to_read_is_named(sql: Sql, verify: Verify) -> None:
    deep = "[" * 3000 + "]" * 3000
    await sql.execute("UPDATE audit_entries SET details = %s::jsonb WHERE seq = 3", (deep,))

    assert codes(verify()) == ["entry_changed"]


@pytest.mark.usefixtures("log")
async def test_a_removed_row_is_named(sql: Sql, verify: Verify) -> None:
    await sql.execute("DELETE FROM audit_entries WHERE seq = 3")

    report = verify()

    assert codes(report) == ["entry_removed"]
    assert "entry 3: removed after seal 2" in text(report)


@pytest.mark.usefixtures("log")
async def test_a_row_removed_and_the_rest_renumbered_is_found(sql: Sql, verify: Verify) -> None:
    await sql.execute("DELETE FROM audit_entries WHERE seq = 3")
    await sql.execute("UPDATE audit_entries SET seq = -seq WHERE seq > 3")
    await sql.execute("UPDATE audit_entries SET seq = -seq - 1 WHERE seq < 0")
    await sql.execute("UPDATE streams SET last = 6 WHERE name = 'audit'")

    assert "batch_changed" in codes(verify())


@pytest.mark.usefixtures("log")
async def test_a_row_removed_before_it_was_sealed_is_found(sql: Sql, verify: Verify) -> None:
    await sql.execute("DELETE FROM audit_entries WHERE seq = 7")

    report = verify()

    assert codes(report) == ["entry_removed"]
    assert "entry 7: removed before it was sealed" in text(report)


COPY = (
    "INSERT INTO audit_entries (seq, id, at, org_id, actor_kind, actor_id, actor_name, credential,"
    " action, target, outcome, count, break_glass, correlation_id, details, leaf)"
    " SELECT {seq}, 'aud_put_in', at, org_id, actor_kind, actor_id, actor_name, credential, action,"
    " target, outcome, count, break_glass, correlation_id, details, leaf"
    " FROM audit_entries WHERE seq = 1"
)


async def put_in(sql: Sql, seq: str) -> None:
    """Insert a row of one's own with a hash that fits it."""
    await sql.execute(COPY.format(seq=seq).encode())
    await forge(sql, where="id = 'aud_put_in'")


@pytest.mark.parametrize("seq", ["99", "0", "-5"])
@pytest.mark.usefixtures("log")
async def test_a_row_put_in_with_a_number_never_given_out_is_named(
    sql: Sql, verify: Verify, seq: str
) -> None:
    await put_in(sql, seq)

    report = verify()

    assert codes(report) == ["entry_inserted"]
    assert "aud_put_in" in text(report)


@pytest.mark.usefixtures("log")
async def test_a_row_put_in_with_a_number_that_is_taken_is_named(sql: Sql, verify: Verify) -> None:
    await sql.execute("ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_seq_key")
    await put_in(sql, "4")

    report = verify()

    assert codes(report) == ["entry_inserted"]
    assert "entry 4 (aud_put_in)" in text(report)


@pytest.mark.usefixtures("log")
async def test_an_old_row_put_in_without_a_number_is_named(sql: Sql, verify: Verify) -> None:
    await put_in(sql, "NULL")
    await sql.execute("UPDATE audit_entries SET at = '2020-01-01' WHERE id = 'aud_put_in'")
    await forge(sql, where="id = 'aud_put_in'")

    report = verify()

    assert codes(report) == ["entry_inserted"]
    assert "entry (aud_put_in): no number" in text(report)


@pytest.mark.usefixtures("log")
async def test_a_cut_tail_is_found(sql: Sql, verify: Verify) -> None:
    await sql.execute("DELETE FROM audit_entries WHERE seq > 4")
    await sql.execute("DELETE FROM audit_seals WHERE number > 2")
    await sql.execute("UPDATE streams SET last = 4 WHERE name = 'audit'")

    report = verify()

    assert "tail_cut" in codes(report)
    assert "seal 3: in the seal log, and not in the database" in text(report)
    assert "entries 5 to 6: removed after seal 3" in text(report)


@pytest.mark.usefixtures("log")
async def test_an_emptied_log_is_found(sql: Sql, verify: Verify) -> None:
    await sql.execute("TRUNCATE audit_entries, audit_seals")
    await sql.execute("UPDATE streams SET last = 0 WHERE name = 'audit'")

    report = verify()

    assert "tail_cut" in codes(report)
    assert "seals 1 to 3" in text(report)


@pytest.mark.usefixtures("log")
async def test_a_removed_seal_is_found(sql: Sql, verify: Verify) -> None:
    await sql.execute("DELETE FROM audit_seals WHERE number = 2")

    assert codes(verify()) == ["seal_removed"]


async def forge(sql: Sql, *, seq: int | None = None, where: str = "") -> None:
    """Change a row, if `seq` names one, and make its hash fit."""
    chosen = where or f"seq = {seq}"
    if seq is not None:
        await sql.execute(f"UPDATE audit_entries SET target = 'forged' WHERE {chosen}".encode())
    async with sql.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(f"SELECT * FROM audit_entries WHERE {chosen}".encode())
        row = await cursor.fetchone()
    assert row is not None
    leaf = rules.content_hash(row | {"at": rules.timestamp(row["at"])})
    await sql.execute("UPDATE audit_entries SET leaf = %s WHERE id = %s", (leaf, row["id"]))


async def recompute(sql: Sql, *, settings: Settings, signer: keyring.AuditKeys | None) -> None:
    """Make every seal anew from what the tables hold, as somebody who read our code would."""
    path = seal_log.path_of(settings)
    with path.open("rb") as file:
        old = [line.seal for line in seal_log.read(file, size=path.stat().st_size)]
    before: SealRow | None = None
    for seal in old:
        assert seal is not None
        cursor = await sql.execute(
            "SELECT seq, leaf FROM audit_entries WHERE seq BETWEEN %s AND %s ORDER BY seq",
            (seal.first_seq, seal.last_seq),
        )
        leaves = [merkle.leaf_hash(*row) for row in await cursor.fetchall()]
        made = SealRow(
            number=seal.number,
            first_seq=seal.first_seq,
            last_seq=seal.last_seq,
            entries=len(leaves),
            root=merkle.root(leaves),
            previous=seals.digest(before),
            at=seal.at,
            key_id=signer.signer_id if signer else seal.key_id,
            signature=seal.signature,
        )
        before = signer.sign(made) if signer else made
        await sql.execute(
            "UPDATE audit_seals SET root = %s, previous = %s, key_id = %s, signature = %s"
            " WHERE number = %s",
            (before.root, before.previous, before.key_id, before.signature, before.number),
        )


@pytest.mark.usefixtures("log")
async def test_a_chain_recomputed_without_the_key_is_found(
    sql: Sql, verify: Verify, settings: Settings
) -> None:
    await forge(sql, seq=3)
    await recompute(sql, settings=settings, signer=None)

    report = verify()

    assert codes(report) == ["batch_changed", "log_contradicts", "seal_changed"]
    assert "seals 2 to 3: its signature is not valid" in text(report)
    assert "entries 3 to 4: at least one was changed" in text(report)


@pytest.mark.usefixtures("log")
async def test_a_chain_recomputed_with_another_key_is_found(
    sql: Sql, verify: Verify, settings: Settings
) -> None:
    await forge(sql, seq=3)
    await recompute(sql, settings=settings, signer=sealing.new_keys())

    report = verify()

    assert "seals 1 to 3: signed with a key that is not in the key folder" in text(report)
    assert "batch_changed" in codes(report)


@pytest.mark.usefixtures("log")
async def test_a_chain_recomputed_with_the_stolen_key_is_found(
    sql: Sql, verify: Verify, settings: Settings
) -> None:
    await forge(sql, seq=3)
    await recompute(sql, settings=settings, signer=keyring.read(settings.data / "keys"))

    report = verify()

    assert codes(report) == ["batch_changed", "log_contradicts"]
    assert "somebody else holds the signing key" in text(report)


@pytest.mark.usefixtures("log")
async def test_a_missing_seal_log_is_found(verify: Verify, settings: Settings) -> None:
    seal_log.path_of(settings).unlink()

    report = verify()

    assert codes(report) == ["log_missing"]
    assert "there is no seal log at" in text(report)


@pytest.mark.usefixtures("log")
async def test_a_missing_key_is_found(verify: Verify, settings: Settings) -> None:
    (settings.data / "keys" / "audit-1.pem").unlink()

    assert "seal_changed" in codes(verify())


@pytest.mark.usefixtures("log")
async def test_a_damaged_key_is_a_refusal(verify: Verify, settings: Settings) -> None:
    (settings.data / "keys" / "audit-1.pem").write_text("nonsense")

    with pytest.raises(audit_verify.Unreadable, match=r"audit-1\.pem"):
        verify()


@pytest.mark.usefixtures("log")
async def test_seals_made_while_the_check_runs_are_no_finding(
    sql: Sql, verify: Verify, do: Do, seal: Seal
) -> None:
    for _ in range(3):
        await do()
        await seal()
        assert verify().is_sound


@pytest.mark.usefixtures("log")
async def test_a_policy_that_hides_rows_from_the_check_is_a_refusal(
    sql: Sql, verify: Verify
) -> None:
    await sql.execute(
        "CREATE POLICY hide ON audit_entries AS RESTRICTIVE TO moorage_owner USING (seq <> 3)"
    )

    with pytest.raises(audit_verify.Unreadable, match="policy hides rows"):
        verify()


@pytest.mark.usefixtures("log")
async def test_a_view_in_place_of_the_table_is_a_refusal(sql: Sql, verify: Verify) -> None:
    await sql.execute("ALTER TABLE audit_entries RENAME TO old_entries")
    await sql.execute("CREATE VIEW audit_entries AS SELECT * FROM old_entries")
    await sql.execute("GRANT SELECT ON audit_entries TO moorage_owner")

    with pytest.raises(audit_verify.Unreadable, match="no plain table"):
        verify()


# The command


@pytest.fixture
def run(urls: Urls, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    effective = tmp_path / "effective.json"
    effective.write_text(settings_module.dump(settings))
    monkeypatch.setenv(settings_module.EFFECTIVE_VARIABLE, str(effective))
    command = typer.Typer()
    command.command()(audit_verify.verify)
    return lambda *arguments: CliRunner().invoke(command, arguments)


@pytest.mark.usefixtures("log")
async def test_the_command_says_what_it_looked_at_and_ends_with_0(run: Runner) -> None:
    result = run()

    assert result.exit_code == 0, result.output
    assert "every sealed entry is as it was sealed" in result.output
    assert "1 entries" in result.output


@pytest.mark.usefixtures("log")
async def test_the_command_names_what_it_found_and_ends_with_5(run: Runner, sql: Sql) -> None:
    await sql.execute("DELETE FROM audit_entries WHERE seq = 3")

    result = run()

    assert result.exit_code == 5
    assert "entry 3: removed after seal 2" in result.output
    assert "the audit log was tampered with" in result.output


@pytest.mark.usefixtures("log")
async def test_the_command_answers_programs_in_json(run: Runner, sql: Sql) -> None:
    await sql.execute("UPDATE audit_entries SET count = 7 WHERE seq = 3")

    result = run("--output", "json")

    answer = json.loads(result.stdout)
    assert result.exit_code == 5
    assert (answer["sound"], answer["entries"], answer["seals"]) == (False, 7, 3)
    assert answer["unsealed"]["entries"] == 1
    assert answer["findings"][0]["code"] == "entry_changed"
    assert answer["findings"][0]["first"] == 3
    assert set(CODES) | set(NOTES) >= {finding["code"] for finding in answer["findings"]}


async def test_a_database_without_our_tables_is_a_refusal(
    run: Runner, sql: Sql, capsys: pytest.CaptureFixture[str]
) -> None:
    await sql.execute("DROP TABLE audit_entries CASCADE")

    result = run()

    assert result.exit_code == 4
    assert "holds no audit log" in result.output


def at_rest(*arguments: str) -> Any:
    command = typer.Typer()
    command.command()(audit_verify.verify)
    return CliRunner().invoke(command, arguments)


def test_a_folder_without_a_platform_is_a_refusal_and_stays_empty(tmp_path: Path) -> None:
    result = at_rest("--data", str(tmp_path / "nothing"))

    assert result.exit_code == 4
    assert not (tmp_path / "nothing").exists()


def test_a_platform_at_rest_is_checked_and_left_at_rest() -> None:
    with places.open_place() as place, places.prepared_folder(place / "data") as folder:
        server = postgres.start(folder, fsync=False)
        migrations.upgrade(server.owner_url)
        while_it_runs = at_rest("--data", str(folder.path))
        still_runs = postgres.find_running(folder) is not None
        postgres.stop(server)

        result = at_rest("--data", str(folder.path))

        assert (while_it_runs.exit_code, still_runs) == (0, True), while_it_runs.output
        assert result.exit_code == 0, result.output
        assert postgres.find_running(folder) is None
