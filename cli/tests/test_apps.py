"""`moor app` and `moor operators`, against a real platform."""

import pytest

from cli.tests.conftest import Moor
from sdk.tests import running


@pytest.fixture
def project(admin: Moor) -> str:
    org = f"c{running.free_port()}"
    admin("orgs", "create", org, "--name", "Acme", "--admin", running.ADMIN)
    admin("projects", "create", org, "alpha", "--name", "Alpha")
    return f"{org}/alpha"


@pytest.fixture
def slug(admin: Moor, project: str) -> str:
    slug = f"a{running.free_port()}"
    made = admin("app", "create", project, slug, "--name", "Example", "--summary", "It works.")
    assert made.code == 0, made.err
    return slug


def test_apps_go_by_slug(admin: Moor, project: str, slug: str) -> None:
    got = admin("app", "get", slug, "-o", "json").json()
    changed = admin("app", "update", slug, "--visibility", "org", "-o", "json").json()
    listed = admin("app", "list", "--project", project, "-o", "json").json()["items"]
    nothing = admin("app", "update", slug)
    deleted = admin("app", "delete", slug, "--yes", "-o", "json").json()

    assert (got["visibility"], changed["visibility"]) == ("project", "org")
    assert [each["slug"] for each in listed] == [slug]
    assert nothing.code == 1
    assert deleted == {"id": got["id"], "deleted": True}
    assert admin("app", "get", slug).code == 4


def test_operators_are_registered_by_name(admin: Moor, project: str, slug: str) -> None:
    permission = ("--permission", "apps.operation.claim")
    admin("service-accounts", "create", project, "night", *permission)
    options = ("--account", "night", "--name", "Night shift")

    made = admin("operators", "register", project, slug, *options, "-o", "json").json()
    got = admin("operators", "get", made["id"], "-o", "json").json()
    listed = admin("operators", "list", project)
    of_app = admin("operators", "of-app", slug)
    kept = admin("service-accounts", "delete", "night", "--project", project, "--yes")
    removed = admin("operators", "remove", made["id"], "--yes")

    assert (got["serves"], got["app_slug"]) == ("publisher", slug)
    assert made["id"] in listed.out
    assert made["id"] in of_app.out
    assert (kept.code, "is_app_operator" in kept.err) == (5, True)
    assert removed.out.strip() == f"The operator Night shift of {slug} is removed."
