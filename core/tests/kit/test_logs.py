"""Log lines carry ids and never a secret, whoever writes them and however it got there."""

import json
import logging
from collections.abc import Iterator

import psycopg
import pytest
import structlog

from moorage_core.errors import Busy
from moorage_core.kit import logs, tokens

JWT = "eyJhbGciOiJFZDI1NTE5In0.eyJzdWIiOiJzYWNfeCJ9.c2lnbmF0dXJlc2lnbmF0dXJl"
PEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n-----END PRIVATE KEY-----"
PAT = tokens.new(tokens.ACCESS_TOKEN)
SECRETS = {
    "a personal token": (f"proved by {PAT}", PAT),
    "a session": (f"cookie moorage_session={PAT.replace('pat', 'ses')}; Path=/", PAT[9:]),
    "a one-time code": (f"code {PAT.replace('pat', 'pwc')}", PAT[9:]),
    "a key of a service account": (f"{PAT.replace('pat', 'sak')}", PAT[9:]),
    "a signed token": (f"token {JWT}.", JWT),
    "a header": (f"Authorization: Bearer {JWT[:30]}xyz", JWT[:30]),
    "basic authentication": ("Authorization: Basic aHVudGVyMjpodW50ZXIy", "aHVudGVyMjpodW50ZXIy"),
    "a private key": (f"loaded {PEM}", "MC4CAQAwBQYDK2Vw"),
    "a database URL": ("postgresql://moorage_app:hunter2@db/moorage", "hunter2"),
    "a database URL without user": ("postgresql://:hunter2@db/moorage", "hunter2"),
    "a connection string": ("user=moorage_app password=hunter2 host=db", "hunter2"),
    "a quoted connection string": ("user=moorage_app password='hunter two' host=db", "hunter two"),
    "a webhook's key": ("whsec_aHVudGVyMmh1bnRlcjJodW50ZXIy", "aHVudGVyMmh1"),
}
KEYS = [
    "password",
    "new_password",
    "client_secret",
    "secret",
    "access_token",
    "authorization",
    "Authorization",
    "cookie",
    "set-cookie",
    "x-csrf-token",
    "private_key",
    "privateKey",
    "code_verifier",
    "client_assertion",
    "db.password",
    "api_key",
]


@pytest.fixture
def configured(plain_logs: None) -> Iterator[None]:
    """Logs as in production, for one test."""
    before, root = structlog.get_config(), logging.getLogger()
    handlers, level = list(root.handlers), root.level
    logs.configure(level="debug")
    yield
    structlog.configure(**before)
    root.handlers[:], root.level = handlers, level


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_inside_text_is_masked(name: str) -> None:
    text, secret = SECRETS[name]

    scrubbed = logs.scrub(text)

    assert secret not in scrubbed
    assert logs.MASK in scrubbed


@pytest.mark.parametrize("key", KEYS)
def test_a_value_whose_name_says_that_it_is_secret_is_masked(key: str) -> None:
    assert logs.scrub({key: "hunter2"}) == {key: logs.MASK}
    assert logs.scrub({"deep": [{key: ["hunter2"]}]}) == {"deep": [{key: [logs.MASK]}]}


@pytest.mark.parametrize(
    "line",
    [
        {"route": "create_access_token", "status": 201, "ms": 3.4, "ok": True, "none": None},
        {"token_count": 3, "path": "/v1/access-tokens", "passwords_changed": 2},
        {"correlation_id": "01jg3vx6t0e8s9m2k4q7w5y1zr", "org": "org_01jg3vx6t0e8s9m2k4q7w5y1zr"},
    ],
)
def test_what_is_no_secret_stays_readable(line: dict[str, object]) -> None:
    assert logs.scrub(line) == line


def test_a_line_is_one_object_with_its_ids(
    configured: None, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure(level="info")
    with structlog.contextvars.bound_contextvars(correlation_id="abc", trace_id="def"):
        structlog.get_logger().info("thing.done", password="hunter2", note=f"by {PAT}")

    line = json.loads(capsys.readouterr().err)

    assert (line["event"], line["level"]) == ("thing.done", "info")
    assert (line["correlation_id"], line["trace_id"]) == ("abc", "def")
    assert line["timestamp"].endswith("Z")
    assert (line["password"], line["note"]) == (logs.MASK, f"by {logs.MASK}")


@pytest.mark.parametrize("format", ["json", "text"])
def test_an_exception_is_written_without_the_secrets_in_its_message(
    configured: None, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    logs.configure(level="info", format=format)
    try:
        raise RuntimeError("no route to postgresql://moorage_app:hunter2@db/moorage")
    except RuntimeError:
        structlog.get_logger().exception("http.unhandled")

    written = capsys.readouterr().err

    assert "hunter2" not in written
    assert "RuntimeError" in written
    assert "Traceback" in written


@pytest.mark.parametrize("format", ["json", "text"])
def test_a_trace_says_where_and_what_but_repeats_nothing_of_what_was_handled(
    configured: None, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    logs.configure(level="info", format=format)
    try:
        _break_in_turn()
    except ExceptionGroup:
        structlog.get_logger().exception("sweep.failed")

    written = capsys.readouterr().err

    assert "payroll" not in written
    assert "UniqueViolation 23505" in written
    assert "ExceptionGroup" in written
    assert "KeyError" in written
    assert "_break_in_turn" in written


def _break_in_turn() -> None:
    """A group of what the database said and of what came of that, with a tenant's word in each."""
    said = "payroll"
    try:
        raise psycopg.errors.UniqueViolation(f"Key (name)=({said}) already exists.")
    except psycopg.Error as err:
        caused = KeyError(said)
        caused.__cause__ = err
        raise ExceptionGroup(said, [caused, ValueError(said)]) from err


def test_a_trace_that_goes_round_ends() -> None:
    one, other = ValueError("payroll"), KeyError("payroll")
    one.__context__, other.__context__ = other, one

    assert logs.trace(one).count("ValueError") == 1


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (psycopg.errors.CheckViolation("payroll"), "CheckViolation 23514"),
        (psycopg.OperationalError("payroll"), "OperationalError"),
        (ConnectionRefusedError(111, "payroll"), "ConnectionRefusedError ECONNREFUSED"),
        (OSError("payroll"), "OSError"),
        (Busy("payroll"), "Busy busy"),
        (ValueError("payroll"), "ValueError"),
    ],
)
def test_an_error_is_named_by_its_class_and_code(error: Exception, name: str) -> None:
    assert logs.named(error) == name


@pytest.mark.parametrize("format", ["json", "text"])
def test_lines_of_libraries_go_the_same_way(
    configured: None, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    logs.configure(level="info", format=format)
    try:
        raise RuntimeError(f"bad token {PAT}")
    except RuntimeError:
        logging.getLogger("some.package").exception("sent %s to %s", PAT, "db")

    written = capsys.readouterr().err

    assert PAT not in written
    assert "sent" in written
    assert "RuntimeError" in written


def test_lines_below_the_level_are_dropped(
    configured: None, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure(level="warning")
    structlog.get_logger().info("quiet")
    logging.getLogger("some.package").info("quiet")

    assert capsys.readouterr().err == ""
