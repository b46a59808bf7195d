"""The exit code says who acts next, and errors can be read by programs."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from cli.tests.conftest import Moor
from moorage_cli import connection
from sdk.tests import running

NOBODYS = "org_01jg3vx6t0e8s9m2k4q7w5y1zr"


@pytest.fixture
def org(admin: Moor) -> str:
    """An org of the test's own, by its slug."""
    slug = f"x{running.free_port()}"
    ran = admin("orgs", "create", slug, "--name", "X", "--admin", running.ADMIN)
    assert ran.code == 0, ran.err
    return slug


def test_0_for_what_is_done(admin: Moor) -> None:
    assert admin("orgs", "list").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("orgs", "nonsense"),
        ("orgs", "create"),
        ("orgs", "list", "--nonsense"),
        ("orgs", "list", "--limit", "many"),
        ("orgs", "list", "--limit", "0"),
        ("orgs", "list", "--output", "xml"),
        ("memberships", "list"),
        ("memberships", "list", "--org", "a", "--project", "b/c"),
        ("memberships", "add", "a@example.org", "--role", "king", "--org", "platform"),
        ("projects", "get", "without-an-org"),
        ("service-accounts", "get", "bot"),
        ("tokens", "create", "x", "--expires-in", "soon", "--show-secret"),
        ("tokens", "create", "x"),
        ("orgs", "delete", "platform"),
    ],
)
def test_1_for_a_command_that_is_wrong(admin: Moor, arguments: tuple[str, ...]) -> None:
    ran = admin(*arguments)

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("moor: ")
    assert len(ran.err.splitlines()) == 1


def test_1_for_what_the_platform_finds_malformed(admin: Moor) -> None:
    ran = admin("orgs", "create", "Not A Slug", "--name", "X", "--admin", running.ADMIN)

    assert ran.code == 1
    assert "  body.slug: " in ran.err


def test_2_for_a_platform_that_cannot_be_reached(
    admin: Moor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PATIENCE", 0.3)
    monkeypatch.setenv("MOOR_URL", f"http://127.0.0.1:{running.free_port()}")

    ran = admin("orgs", "list")

    assert ran.code == 2
    assert "cannot be reached" in ran.err
    assert "correlation id" in ran.err


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A server that refuses everything with the status that the test puts here."""
    statuses: list[int] = []

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"code": "made_up", "detail": "No."}).encode()
            self.send_response(statuses[0])
            self.send_header("content-length", str(len(body)))
            self.send_header("retry-after", "3600")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    thread = Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("MOOR_URL", f"http://127.0.0.1:{server.server_port}")
    yield statuses
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, 1),
        (401, 3),
        (403, 3),
        (404, 4),
        (409, 5),
        (410, 5),
        (412, 5),
        (413, 1),
        (418, 2),
        (422, 1),
        (428, 1),
        (429, 2),
        (500, 2),
        (502, 2),
        (503, 2),
    ],
)
def test_every_status_has_its_code(
    moor: Moor,
    monkeypatch: pytest.MonkeyPatch,
    refusing: list[int],
    status: int,
    code: int,
) -> None:
    monkeypatch.setenv("MOOR_TOKEN", "moor_pat_x")
    refusing.append(status)

    ran = moor("roles", "list", "--output", "json")

    assert ran.code == code
    assert ran.problem()["status"] == status
    assert ran.problem()["exit_code"] == code


def test_3_for_somebody_who_is_not_signed_in(moor: Moor) -> None:
    ran = moor("orgs", "list")

    assert ran.code == 3
    assert "moor login" in ran.err


def test_3_for_a_token_that_does_not_count(admin: Moor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOR_TOKEN", "moor_pat_invented")

    ran = admin("orgs", "list")

    assert ran.code == 3
    assert "moor_pat_invented" not in ran.err


def test_4_for_what_is_not_there(admin: Moor) -> None:
    by_id = admin("orgs", "get", NOBODYS)
    by_name = admin("orgs", "get", "no-such-org")

    assert (by_id.code, by_name.code) == (4, 4)
    assert "There is no org no-such-org that you can see." in by_name.err


def test_5_for_what_the_state_does_not_allow(admin: Moor, org: str) -> None:
    again = admin("orgs", "create", org, "--name", "X", "--admin", running.ADMIN)
    admin("projects", "create", org, "alpha", "--name", "Alpha")
    full = admin("orgs", "delete", org, "--yes")

    assert (again.code, full.code) == (5, 5)
    assert "slug_taken" in again.err


def test_errors_are_one_json_document_for_programs(admin: Moor) -> None:
    before = admin("--output", "json", "orgs", "get", NOBODYS)
    after = admin("orgs", "get", NOBODYS, "-o", "json")

    assert before.out == after.out == ""
    assert before.problem()["code"] == after.problem()["code"] == "not_found"
    assert after.problem()["correlation_id"]


def test_a_wrong_command_line_is_json_for_programs_too(moor: Moor) -> None:
    ran = moor("orgs", "create", "--output", "json")

    assert ran.code == 1
    assert ran.problem()["code"] == "usage"


def test_a_profiles_token_goes_to_no_other_platform(
    process: Moor, token: str, platform: running.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    process("login", platform.url, "--token-stdin", stdin=token)
    monkeypatch.setenv("MOOR_URL", "https://elsewhere.example.org")

    ran = process("orgs", "list")

    assert ran.code == 3
    assert "not signed in to https://elsewhere.example.org" in ran.err
