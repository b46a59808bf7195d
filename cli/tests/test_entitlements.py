"""`moor entitlements`, against a real platform."""

import asyncio
from collections.abc import Callable

import pytest

import moorage
from cli.tests.conftest import Moor
from moorage.models import AppRead
from sdk.tests import running
from sdk.tests.running import Platform

MANIFEST = """\
contract: 1
slug: {slug}
version: '{version}'
name: Example
summary: An app for tests.
modes: [{{operating_mode: standard, scope: project}}]
permissions:
  - {{key: {slug}.greeting.read, description: Read greetings., grants: [project_admin]}}
scopes: [{scopes}]
"""
Publish = Callable[..., None]


@pytest.fixture
def project(admin: Moor) -> str:
    slug = f"e{running.free_port()}"
    admin("orgs", "create", slug, "--name", "Acme", "--admin", running.ADMIN)
    admin("projects", "create", slug, "alpha", "--name", "Alpha")
    return f"{slug}/alpha"


@pytest.fixture
def publish(admin: Moor, platform: Platform, token: str, project: str) -> Publish:
    """Publish a version of an app of the project."""
    where = admin("projects", "get", project, "-o", "json").json()["id"]

    async def bring_out(slug: str, version: str, scopes: str) -> None:
        auth = moorage.AccessToken(token)
        async with moorage.Client(platform.url, auth=auth) as client:
            app: AppRead | None = await client.apps.find(slug)
            if app is None:
                app = await client.apps.create(
                    where, slug=slug, name="Example", summary="An app for tests."
                )
            text = MANIFEST.format(slug=slug, version=version, scopes=scopes)
            await client.apps.publish_version(await client.apps.create_version(app, manifest=text))

    return lambda slug, version, scopes="": asyncio.run(bring_out(slug, version, scopes))


@pytest.fixture
def app(publish: Publish) -> str:
    slug = f"app{running.free_port()}"
    publish(slug, "1.0.0")
    return slug


def test_an_offer_says_what_is_asked_for_and_what_it_is_for(
    admin: Moor, project: str, app: str
) -> None:
    shown = admin("entitlements", "offer", project, app).out.splitlines()
    digest = admin("entitlements", "offer", project, app, "-o", "json").json()["consent"]

    assert shown[0] == f"Example ({app}), version 1.0.0"
    assert f"  By default, project_admin holds {app}.greeting.read." in shown
    assert f"  {app}.greeting.read: Read greetings." in shown
    assert shown[-1] == f"Consent: {digest}"


def test_a_project_is_entitled_by_the_digest_that_was_read(
    admin: Moor, project: str, app: str
) -> None:
    digest = admin("entitlements", "offer", project, app, "-o", "json").json()["consent"]

    wrong = admin("entitlements", "create", project, app, "--consent", "sha256:" + "0" * 64)
    made = admin(
        *("entitlements", "create", project, app, "--versions", "^1", "--consent", digest),
        *("-o", "json"),
    ).json()
    listed = admin("entitlements", "list", project, "--app", app, "-o", "json").json()["items"]

    assert (wrong.code, "for something else" in wrong.err) == (5, True)
    assert (made["resolved"]["number"], made["versions"]) == ("1.0.0", "^1")
    assert [each["id"] for each in listed] == [made["id"]]
    assert listed[0]["your_permissions"] == [f"{app}.greeting.read"]


def test_without_a_terminal_nothing_is_accepted_unless_somebody_says_so(
    admin: Moor, project: str, app: str, process: Moor
) -> None:
    refused = process("entitlements", "create", project, app)
    accepted = process("entitlements", "create", project, app, "--yes", "-o", "json")

    assert refused.code != 0
    assert "It asks for:" in refused.err
    assert "Say --yes" in refused.err
    assert accepted.json()["enabled"] is True


def test_a_wider_version_is_compared_and_accepted(
    admin: Moor, project: str, app: str, publish: Publish
) -> None:
    admin("entitlements", "create", project, app, "--yes")
    publish(app, "2.0.0", "usage.report")

    waits = admin("entitlements", "get", app, "--project", project, "-o", "json").json()
    diff = admin("entitlements", "diff", app, "--project", project).out.splitlines()
    after = admin(
        "entitlements", "consent", app, "--project", project, "--yes", "-o", "json"
    ).json()

    assert (waits["resolved"]["number"], waits["waiting"]["number"]) == ("1.0.0", "2.0.0")
    assert diff == [
        "Version 2.0.0 needs consent.",
        "+ It has the scope usage.report.",
        f"Consent: {waits['waiting']['consent']}",
    ]
    assert (after["resolved"]["number"], after["waiting"]) == ("2.0.0", None)


def test_an_entitlement_is_changed_disabled_enabled_and_deleted(
    admin: Moor, project: str, app: str
) -> None:
    made = admin("entitlements", "create", project, app, "--yes", "-o", "json").json()
    here = ("--project", project, "-o", "json")

    changed = admin("entitlements", "update", app, "--versions", "~1.0", *here).json()
    nothing = admin("entitlements", "update", app, "--project", project)
    disabled = admin("entitlements", "disable", app, *here).json()
    enabled = admin("entitlements", "enable", made["id"], "-o", "json").json()
    deleted = admin("entitlements", "delete", app, "--yes", *here).json()
    gone = admin("entitlements", "get", app, "--project", project)

    assert changed["versions"] == "~1.0"
    assert (nothing.code, "Say what should change" in nothing.err) == (1, True)
    assert (disabled["enabled"], disabled["your_permissions"]) == (False, [])
    assert enabled["enabled"] is True
    assert deleted == {"id": made["id"], "deleted": True}
    assert (gone.code, "not entitled" in gone.err) == (4, True)
