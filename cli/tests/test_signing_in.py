"""Signing in and out, and what is kept of it."""

import json
import re
import stat
import subprocess
from pathlib import Path

import httpx2

from cli.tests.conftest import Moor
from sdk.tests import running
from sdk.tests.running import Platform


def credentials(home: Path) -> Path:
    return home / "config/moorage/credentials.json"


def login(process: Moor, platform: Platform, *options: str) -> None:
    ran = process(
        "login",
        platform.url,
        "--email",
        running.ADMIN,
        "--password-stdin",
        *options,
        stdin=platform.password,
    )
    assert ran.code == 0, ran.err


def test_a_person_signs_in_lists_orgs_and_signs_out(
    process: Moor, platform: Platform, home: Path
) -> None:
    login(process, platform)

    listed = process("orgs", "list")
    token = json.loads(credentials(home).read_text())["profiles"]["default"]["token"]
    left = process("logout")
    after = process("orgs", "list")

    assert "platform" in listed.out
    assert left.out.strip() == f"Signed out of {platform.url}. The token is revoked."
    assert after.code == 3
    assert token not in credentials(home).read_text()
    refused = process("login", platform.url, "--token-stdin", stdin=token)
    assert refused.code == 3


def test_what_is_kept_is_for_its_owner_alone(process: Moor, platform: Platform, home: Path) -> None:
    login(process, platform)

    kept = credentials(home)

    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert platform.password not in kept.read_text()
    assert [entry.name for entry in kept.parent.iterdir()] == ["credentials.json"]


def test_a_file_that_others_could_read_is_closed_to_them(
    process: Moor, platform: Platform, home: Path
) -> None:
    login(process, platform)
    credentials(home).chmod(0o644)

    process("whoami")

    assert stat.S_IMODE(credentials(home).stat().st_mode) == 0o600


def test_signing_in_leaves_no_session_open(process: Moor, platform: Platform, admin: Moor) -> None:
    login(process, platform)

    entries = admin("audit", "list", "--limit", "3", "-o", "json").json()["items"]

    assert "iam.session.ended" in [entry["action"] for entry in entries]


def test_profiles_are_kept_apart(process: Moor, platform: Platform) -> None:
    login(process, platform, "--profile", "one")

    one = process("--profile", "one", "whoami", "-o", "json")
    two = process("whoami", "--profile", "two", "-o", "json")

    assert one.json()["profile"] == "one"
    assert two.code == 3


def test_a_token_is_enough(process: Moor, platform: Platform, token: str) -> None:
    ran = process("login", platform.url, "--token-stdin", stdin=f"{token}\n")

    assert ran.code == 0, ran.err
    assert process("whoami", "-o", "json").json()["kind"] == "user"
    assert "No token was revoked" in process("logout").out


def test_a_wrong_password_signs_nobody_in(process: Moor, platform: Platform, home: Path) -> None:
    ran = process(
        *("login", platform.url, "--email", "nobody@example.org", "--password-stdin"),
        stdin="not the password",
    )

    assert ran.code == 3
    assert "wrong_password" in ran.err
    assert "not the password" not in ran.err + ran.out
    assert not credentials(home).exists()


def test_a_password_is_asked_for_only_at_a_terminal(process: Moor, platform: Platform) -> None:
    ran = process("login", platform.url, "--email", running.ADMIN)

    assert ran.code == 1
    assert "--password-stdin" in ran.err


def test_plain_http_to_another_machine_is_refused(process: Moor) -> None:
    ran = process("login", "http://192.0.2.1:7700", "--token-stdin", stdin="moor_pat_x")

    assert ran.code == 1
    assert "plain_http_refused" in ran.err


def test_a_service_account_signs_in_with_its_key(
    process: Moor, admin: Moor, platform: Platform, home: Path
) -> None:
    file = str(home / "key.pem")
    admin("orgs", "create", "keys", "--name", "Keys", "--admin", running.ADMIN)
    admin("projects", "create", "keys", "alpha", "--name", "Alpha")
    account = admin(
        *("service-accounts", "create", "keys/alpha", "bot", "-o", "json"),
        *("--permission", "iam.project.read"),
    ).json()["id"]
    key = admin("service-accounts", "keys", "add", account, "--generate", file, "-o", "json").json()

    ran = process(
        *("login", platform.url, "--service-account", account),
        *("--key", key["id"], "--private-key", file),
    )

    assert ran.code == 0, ran.err
    assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
    assert "secret" not in key
    shown = process("projects", "get", "keys/alpha", "-o", "json")
    assert shown.json()["slug"] == "alpha"


def test_a_code_sets_a_password(process: Moor, admin: Moor, platform: Platform, home: Path) -> None:
    admin("users", "create", "new@example.org", "--name", "New")
    file = home / "code"
    issued = admin("users", "reset-password", "new@example.org", "--secret-file", str(file))
    code = file.read_text().strip()
    secret = "a long enough password"

    ran = process("password", "set", "--url", platform.url, "--stdin", stdin=f"{code}\n{secret}\n")

    assert ran.code == 0, ran.err
    assert code not in issued.out + issued.err
    signed_in = process(
        *("login", platform.url, "--email", "new@example.org", "--password-stdin"), stdin=secret
    )
    assert signed_in.code == 0, signed_in.err


def test_a_person_approves_a_code_in_the_console(platform: Platform, home: Path) -> None:
    approved = approve_printed_code(platform, "login", platform.url, "--code")

    kept = json.loads(credentials(home).read_text())["profiles"]["default"]
    assert approved.returncode == 0
    assert kept["token"].startswith("moor_pat_")
    assert kept["token_id"] is not None


def test_a_code_that_is_refused_signs_nobody_in(platform: Platform, home: Path) -> None:
    refused = approve_printed_code(platform, "login", platform.url, "--code", verb="deny")

    assert refused.returncode != 0
    assert not credentials(home).exists()


def approve_printed_code(
    platform: Platform, *arguments: str, verb: str = "approve"
) -> subprocess.Popen[str]:
    """Run `moor`, and decide about the code that it shows as somebody signed in to the console."""
    with subprocess.Popen([*running.MOOR, *arguments], stderr=subprocess.PIPE, text=True) as moor:
        assert moor.stderr is not None
        shown = moor.stderr.readline()
        found = re.search(r"Open (\S+) and approve this code: +([A-Z]{4}-[A-Z]{4})$", shown)
        assert found is not None, shown
        assert found[1] == f"{platform.url}/login/code"
        with httpx2.Client(base_url=platform.url) as console:
            account = {"email": running.ADMIN, "password": platform.password}
            csrf = console.post("/v1/auth/login", json=account).json()["csrf_token"]
            path = f"/v1/auth/device-codes/{found[2]}/{verb}"
            assert console.post(path, headers={"x-csrf-token": csrf}).status_code == 200
        moor.stderr.read()
        moor.wait(60)
    return moor
