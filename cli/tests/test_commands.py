"""Every noun, against a real platform."""

import json
from pathlib import Path

import pytest

from cli.tests.conftest import Moor
from sdk.tests import running
from sdk.tests.running import wait_until


@pytest.fixture
def org(admin: Moor) -> str:
    slug = f"c{running.free_port()}"
    admin("orgs", "create", slug, "--name", "Acme ☃", "--admin", running.ADMIN)
    return slug


@pytest.fixture
def project(admin: Moor, org: str) -> str:
    admin("projects", "create", org, "alpha", "--name", "Alpha")
    return f"{org}/alpha"


def test_orgs_go_by_slug(admin: Moor, org: str) -> None:
    renamed = admin("orgs", "rename", org, "Other", "-o", "json").json()
    listed = admin("orgs", "list", "-o", "json").json()["items"]
    deleted = admin("orgs", "delete", org, "--yes", "-o", "json").json()

    assert (renamed["slug"], renamed["name"], renamed["version"]) == (org, "Other", 2)
    assert org in [found["slug"] for found in listed]
    assert deleted == {"id": renamed["id"], "deleted": True}
    assert admin("orgs", "get", renamed["id"]).code == 4


def test_projects_go_by_org_and_slug(admin: Moor, project: str) -> None:
    renamed = admin("projects", "rename", project, "Other", "-o", "json").json()
    deleted = admin("projects", "delete", project, "--yes")

    assert renamed["name"] == "Other"
    assert deleted.out.strip() == "The project alpha is deleted."
    assert admin("projects", "get", project).code == 4


def test_memberships_go_by_email(admin: Moor, org: str, project: str) -> None:
    admin("memberships", "add", "m@example.org", "--role", "viewer", "--org", org)
    admin("memberships", "add", "m@example.org", "--role", "project_member", "--project", project)
    changed = admin(
        *(
            "memberships",
            "update",
            "m@example.org",
            "--role",
            "tenant_admin",
            "--org",
            org,
            "-o",
            "json",
        )
    ).json()
    admin("memberships", "remove", "m@example.org", "--project", project, "--yes")
    left = admin("memberships", "list", "--project", project, "-o", "json").json()["items"]
    one = admin("memberships", "get", "m@example.org", "--org", org, "-o", "json").json()

    assert changed["role"] == one["role"] == "tenant_admin"
    assert left == []


def test_an_admin_is_appointed_with_a_reason(admin: Moor, org: str) -> None:
    ran = admin(
        *("orgs", "appoint-admin", org, "--email", "rescue@example.org"),
        *("--reason", "The last admin left.", "-o", "json"),
    )

    assert ran.json()["role"] == "tenant_admin"


def test_users_are_disabled_and_enabled(admin: Moor) -> None:
    email = f"u{running.free_port()}@example.org"
    admin("users", "create", email, "--name", "Somebody")

    off = admin("users", "disable", email, "-o", "json").json()
    on = admin("users", "enable", email, "-o", "json").json()
    renamed = admin("users", "rename", email, "Other", "-o", "json").json()

    assert (off["disabled"], on["disabled"], renamed["name"]) == (True, False, "Other")
    assert email in admin("users", "list").out


def test_service_accounts_and_their_keys(admin: Moor, project: str, tmp_path: Path) -> None:
    accounts = ("service-accounts",)
    named = ("bot", "--project", project)
    admin(*accounts, "create", project, "bot", "--permission", "iam.project.read")
    changed = admin(
        *accounts, "update", *named, "--permission", "iam.member.read", "-o", "json"
    ).json()
    off = admin(*accounts, "disable", *named, "-o", "json").json()
    on = admin(*accounts, "enable", *named, "-o", "json").json()
    secret = tmp_path / "secret"
    added = admin(
        *accounts, "keys", "add", *named, "--secret-file", str(secret), "-o", "json"
    ).json()
    admin(*accounts, "keys", "revoke", "bot", added["id"], "--project", project, "--yes")
    keys = admin(*accounts, "keys", "list", *named, "-o", "json").json()["items"]
    gone = admin(*accounts, "delete", *named, "--yes")

    assert changed["permissions"] == ["iam.member.read"]
    assert (off["disabled"], on["disabled"]) == (True, False)
    assert secret.read_text().strip()
    assert "secret" not in added
    assert [key["revoked_at"] is not None for key in keys] == [True]
    assert gone.code == 0


def test_a_key_that_cannot_be_kept_is_not_registered(
    admin: Moor, project: str, tmp_path: Path
) -> None:
    taken = tmp_path / "key.pem"
    taken.write_text("mine")
    admin("service-accounts", "create", project, "bot", "--permission", "iam.project.read")
    named = ("bot", "--project", project)

    ran = admin("service-accounts", "keys", "add", *named, "--generate", str(taken))

    keys = admin("service-accounts", "keys", "list", *named, "-o", "json").json()["items"]
    assert ran.code == 1
    assert (taken.read_text(), keys) == ("mine", [])


def test_tokens_show_their_secret_only_when_asked(admin: Moor) -> None:
    name = f"t{running.free_port()}"

    shown = admin("tokens", "create", name, "--show-secret", "-o", "json").json()
    revoked = admin("tokens", "revoke", name)
    listed = admin("tokens", "list")

    assert shown["token"].startswith("moor_pat_")
    assert revoked.out.strip() == f"The token {name} is revoked."
    assert shown["token"] not in listed.out


def test_a_password_makes_a_token_that_outlives_the_login(
    admin: Moor, process: Moor, platform: running.Platform
) -> None:
    command = ("tokens", "create", "long", "--expires-in", "30d", "--show-secret", "-o", "json")

    by_token = admin(*command)
    by_password = process(
        *command, "--email", running.ADMIN, "--password-stdin", stdin=platform.password
    )

    assert by_token.problem()["code"] == "token_lifetime"
    assert by_password.json()["token"].startswith("moor_pat_")


def test_roles_are_explained(admin: Moor) -> None:
    assert "viewer" in admin("roles", "list").out
    assert "iam.org.read" in admin("roles", "get", "viewer", "-o", "json").json()["permissions"]
    assert admin("roles", "get", "king").code == 4


def test_audit_is_listed_read_and_proved(admin: Moor, org: str, tmp_path: Path) -> None:
    [entry] = admin(
        *("audit", "list", "--org", org, "--action", "iam.org.create", "-o", "json")
    ).json()["items"]
    one = admin("audit", "get", entry["id"], "-o", "json").json()
    file = str(tmp_path / "proof.json")
    wait_until(lambda: admin("audit", "proof", entry["id"]).code == 0)
    [key] = admin("audit", "keys", "-o", "json").json()["items"]
    proved = admin("audit", "proof", entry["id"], "--save", file, "--key", key["id"], "-o", "json")

    kept = admin("audit", "check", file, "--key", key["id"], "-o", "json")
    stranger = admin("audit", "check", file, "--key", "another")
    Path(file).write_text(Path(file).read_text().replace("iam.org.create", "iam.org.delete"))
    forged = admin("audit", "check", file)

    assert one == entry
    assert proved.json()["key_known"] is True
    assert kept.json()["entry"]["target"] == entry["target"]
    assert (stranger.code, forged.code) == (5, 5)
    assert admin("audit", "seals").code == 0


def test_audit_takes_moments(admin: Moor, org: str) -> None:
    future = admin("audit", "list", "--org", org, "--since", "2100-01-01", "-o", "json")
    past = admin(
        *("audit", "list", "--org", org, "--until", "2100-01-01T00:00:00Z", "--oldest-first"),
        *("-o", "json"),
    )

    assert future.json() == {"items": []}
    assert past.json()["items"][0]["action"] == "iam.org.create"


def test_events_are_listed(admin: Moor, org: str) -> None:
    def listed() -> list[str]:
        ran = admin("events", "--org", org, "--type", "iam.org.*", "-o", "json")
        return [event["type"] for event in ran.json()["items"]]

    wait_until(lambda: listed() == ["iam.org.created"])

    assert "iam.org.created" in admin("events", "list", "--org", org).out


def test_webhooks_are_made_changed_and_deleted(admin: Moor, org: str) -> None:
    url = "https://hooks.example.org/x"
    made = admin(
        *("webhooks", "create", org, url, "--type", "iam.*", "--show-secret", "-o", "json")
    ).json()
    off = admin("webhooks", "update", made["id"], "--disable", "-o", "json").json()
    rotated = admin(
        *("webhooks", "rotate-secret", made["id"], "--overlap-hours", "0", "--show-secret"),
        *("-o", "json"),
    ).json()
    listed = admin("webhooks", "list", org, "-o", "json").json()["items"]
    sent = admin("webhooks", "deliveries", "list", made["id"], "--status", "dead", "-o", "json")
    gone = admin("webhooks", "delete", made["id"], "--yes")

    assert off["enabled"] is False
    assert rotated["secret"] != made["secret"]
    assert [webhook["id"] for webhook in listed] == [made["id"]]
    assert sent.json() == {"items": []}
    assert (gone.code, admin("webhooks", "get", made["id"]).code) == (0, 4)


def test_sign_in_providers_are_made_changed_and_removed(
    admin: Moor, process: Moor, token: str
) -> None:
    slug = f"idp-{running.free_port()}"
    made = process(
        *("oidc-providers", "create", slug, "--name", "Login", "--client-id", "moorage"),
        *("--issuer", "https://login.example.org", "--client-secret-stdin", "-o", "json"),
        *("--domain", "example.org", "--domain", "example.com"),
        stdin="very secret\n",
    ).json()
    off = admin("oidc-providers", "update", slug, "--disable", "-o", "json").json()
    linking = ("oidc-providers", "link", slug, "admin@localhost", "--subject", "root")
    silent = admin(*linking)
    linked = admin(*linking, "--reason", "the only way back in")
    unlinked = admin("oidc-providers", "unlink", slug, "admin@localhost")
    gone = admin("oidc-providers", "delete", slug, "--yes")

    assert made["callback_url"].endswith(f"/{slug}/callback")
    assert "very secret" not in json.dumps(made)
    assert (off["enabled"], off["domains"]) == (False, ["example.org", "example.com"])
    assert (silent.code, linked.code, unlinked.code, gone.code) == (1, 0, 0, 0)


def test_status_and_version_need_nobody_signed_in(moor: Moor, platform: running.Platform) -> None:
    status = moor("status", "--url", platform.url, "-o", "json")
    version = moor("version", "-o", "json")

    assert status.json()["status"] == "ok"
    assert {"moorage", "moorage-cli", "moorage-core"} <= set(version.json())


def test_lists_stop_at_their_limit(admin: Moor, org: str) -> None:
    assert len(admin("orgs", "list", "--limit", "1", "-o", "json").json()["items"]) == 1


def test_tables_are_whole_in_a_pipe(admin: Moor, org: str) -> None:
    lines = admin("orgs", "list").out.splitlines()

    assert lines[0].split() == ["ID", "SLUG", "NAME", "CREATED", "AT"]
    assert any("Acme ☃" in line and org in line for line in lines)
    assert [line for line in lines if line != line.rstrip()] == []
