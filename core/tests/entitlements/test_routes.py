"""Offers, entitlements and consent through HTTP."""

import asyncio
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories import catalog
from core.tests.factories.entitlements import entitle, key_of, make_app, offer, permissions
from core.tests.factories.tenancy import OrgRow, ProjectRow, make_project
from core.tests.factories.tenants import Bearer, Tenant, make_tenant
from core.tests.site import Site, fresh
from moorage_core.kit.ids import PLATFORM_ORG

NONE = "sha256:" + "0" * 64
SCOPE = "scopes: [usage.report]\n"


@pytest.fixture(scope="module")
async def publisher(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def app(publisher: Tenant) -> dict[str, Any]:
    """An app that everybody sees, with version 1.0.0."""
    made = await make_app(publisher.admin, publisher.project.id, visibility="platform")
    await catalog.publish(publisher.admin, made, more=asks(made))
    return made


@pytest.fixture
async def project(site: Site, tenant: Tenant) -> ProjectRow:
    return await make_project(site.sql, tenant.org, f"p-{fresh()}")


def asks(app: dict[str, Any]) -> str:
    return permissions(app["slug"], read="viewer, project_admin", send="project_admin")


def entitlements_of(project: ProjectRow) -> str:
    return f"/v1/projects/{project.id}/entitlements"


def at(entitlement: dict[str, Any]) -> str:
    return f"/v1/entitlements/{entitlement['id']}"


async def code_of(caller: Caller, path: str, body: Any) -> tuple[int, str]:
    answer = await caller.post(path, body)
    return answer.status_code, answer.json().get("code", "")


# Offers


async def test_an_offer_shows_what_would_be_accepted(
    tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    found = await offer(tenant.admin, project.id, app["id"])

    assert found["version"]["number"] == "1.0.0"
    assert found["declaration"]["keys"] == [
        {
            "key": key_of(app["slug"], "read"),
            "description": "May read greetings.",
            "roles": ["project_admin", "viewer"],
        },
        {
            "key": key_of(app["slug"], "send"),
            "description": "May send greetings.",
            "roles": ["project_admin"],
        },
    ]
    assert found["consent"].startswith("sha256:")
    assert found["entitlement_id"] is None
    assert (
        f"By default, viewer holds {key_of(app['slug'], 'read')}."
        in (found["declaration"]["sentences"])
    )


async def test_an_offer_shows_families_scopes_touches_secrets_and_tasks(
    site: Site, publisher: Tenant, tenant: Tenant, project: ProjectRow
) -> None:
    root, family = await site.actor("platform_admin"), f"f-{fresh()}"
    namespace = family.replace("-", "_")
    words = {"key": f"{namespace}.queue.read", "description": "See the queue."}
    put = await root.put(
        f"/v1/families/{family}", {"description": "Queues.", "keys": [words | {"means": None}]}
    )
    assert put.status_code == 200, put.text
    app = await make_app(publisher.admin, publisher.project.id, visibility="platform")
    more = (
        f"families: [{family}]\n"
        f"family_grants: {{{namespace}.queue.read: [viewer]}}\n"
        "components: {worker: {}}\n"
        "touches: {instance.repair: [worker]}\n"
        "secrets: [cluster_key]\n"
        "tasks: {kinds: [exec], run_as: [root]}\n"
    )
    await catalog.publish(publisher.admin, app, more=more + SCOPE)

    shown = (await offer(tenant.admin, project.id, app["id"]))["declaration"]

    assert shown["families"] == [family]
    assert shown["family_keys"] == [words | {"roles": ["viewer"], "means": None, "admitted": False}]
    assert shown["scopes"] == ["usage.report"]
    assert shown["touches"] == [{"operation": "instance.repair", "components": ["worker"]}]
    assert (shown["secrets"], shown["task_kinds"]) == (["cluster_key"], ["exec"])
    assert "Its tasks run as root." in shown["sentences"]


def says(app: dict[str, Any], name: str, verb: str) -> str:
    """YAML of one action that takes the key of a verb."""
    named = f"{app['slug'].replace('-', '_')}.{name}"
    key = key_of(app["slug"], verb)
    return f"actions: [{{name: {named}, title: Do it, permission: {key}}}]\n"


async def test_an_offer_shows_who_can_run_and_see_what_and_which_commands_look(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    space, read = app["slug"].replace("-", "_"), key_of(app["slug"], "read")
    more = (
        "components: {worker: {}}\n"
        "tasks: {kinds: [probe], run_as: [root]}\n"
        f"views: [{{name: {space}.list, title: All, columns: [{{name: id, title: Id}}], key: id, "
        f"permission: {read}}}]\n"
        f"probes: [{{name: {space}.alive, component: worker, command: ['true', '-x']}}]\n"
    )
    text = asks(app) + says(app, "wipe", "read") + more
    await catalog.publish(publisher.admin, app, version="2.0.0", more=text)

    shown = (await offer(tenant.admin, project.id, app["id"]))["declaration"]

    who = {"permission": read, "roles": ["project_admin", "viewer"]}
    assert shown["actions"] == [{"name": f"{space}.wipe", "title": "Do it"} | who]
    assert shown["views"] == [{"name": f"{space}.list", "title": "All"} | who]
    assert shown["probes"] == [
        {"name": f"{space}.alive", "component": "worker", "command": ["true", "-x"]}
    ]
    assert (
        f"By default, project_admin and viewer can run {space}.wipe, which needs {read}."
        in shown["sentences"]
    )


async def test_an_offer_is_of_the_version_that_channel_and_constraint_lead_to(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    second = await catalog.publish(publisher.admin, app, version="2.0.0", more=asks(app))
    path = f"/v1/apps/{app['id']}/promotions"
    await catalog.made(publisher.admin, path, {"channel": "prod", "version": second["id"]})

    newest = await offer(tenant.admin, project.id, app["id"])
    older = await offer(tenant.admin, project.id, app["id"], versions="^1")
    channel = await offer(tenant.admin, project.id, app["id"], channel="prod")
    none = await tenant.admin.get(
        f"/v1/projects/{project.id}/offers/{app['id']}", params={"channel": "dev"}
    )

    numbers = [found["version"]["number"] for found in (newest, older, channel)]
    assert numbers == ["2.0.0", "1.0.0", "2.0.0"]
    assert (none.status_code, none.json()["code"]) == (409, "no_version")


async def test_an_app_with_nothing_published_is_no_offer(
    publisher: Tenant, tenant: Tenant, project: ProjectRow
) -> None:
    app = await make_app(publisher.admin, publisher.project.id, visibility="platform")
    await catalog.draft(publisher.admin, app)

    answer = await tenant.admin.get(f"/v1/projects/{project.id}/offers/{app['id']}")

    assert (answer.status_code, answer.json()["code"]) == (409, "no_version")


# Creating


async def test_a_project_is_entitled_by_consent_to_the_offer(
    site: Site, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"], versions=" ^1 ")

    assert made["app_slug"] == app["slug"]
    assert (made["versions"], made["channel"], made["enabled"]) == ("^1", None, True)
    assert (made["resolved"]["number"], made["waiting"]) == ("1.0.0", None)
    assert made["accepted_by"] == tenant.admin.id
    assert made["your_permissions"] == [key_of(app["slug"], "read"), key_of(app["slug"], "send")]
    read = await tenant.admin.get(at(made))
    assert (read.json(), read.headers["etag"]) == (made, '"1"')
    await site.number()
    assert await site.rows(
        "SELECT type, app_slug, data ->> 'accepted_digest' FROM events WHERE subject = %s",
        made["id"],
    ) == [("catalog.entitlement.created", app["slug"], made["accepted_digest"])]
    assert await site.rows(
        "SELECT action, app_slug, actor_id FROM audit_entries WHERE target = %s", made["id"]
    ) == [("catalog.entitlement.create", app["slug"], tenant.admin.id)]


@pytest.mark.rule("PM-6")
@pytest.mark.parametrize("consent", [{}, {"consent": NONE}], ids=["missing", "wrong"])
async def test_without_the_right_consent_nothing_is_entitled(
    tenant: Tenant, project: ProjectRow, app: dict[str, Any], consent: dict[str, str]
) -> None:
    expected = (await offer(tenant.admin, project.id, app["id"]))["consent"]

    answer = await tenant.admin.post(entitlements_of(project), {"app": app["id"], **consent})

    assert (answer.status_code, answer.json()["code"]) == (409, "consent_needed")
    assert answer.json()["errors"][0] == {"location": "body.consent", "message": expected}
    assert key_of(app["slug"], "read") in answer.json()["detail"]
    assert (await tenant.admin.get(entitlements_of(project))).json()["items"] == []


@pytest.mark.rule("PM-6")
async def test_consent_to_an_offer_that_has_changed_since_is_no_consent(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    seen = (await offer(tenant.admin, project.id, app["id"]))["consent"]
    await catalog.publish(publisher.admin, app, version="1.1.0", more=asks(app) + SCOPE)

    answer = await tenant.admin.post(entitlements_of(project), {"app": app["id"], "consent": seen})

    assert (answer.status_code, answer.json()["code"]) == (409, "consent_needed")
    assert "usage.report" in str(answer.json()["errors"])


async def test_a_project_has_one_entitlement_to_an_app(
    tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    await entitle(tenant.admin, project.id, app["id"])

    again = await code_of(tenant.admin, entitlements_of(project), {"app": app["id"]})

    assert again == (409, "already_entitled")


async def test_of_many_who_entitle_a_project_at_once_one_does(
    tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    consent = (await offer(tenant.admin, project.id, app["id"]))["consent"]
    body = {"app": app["id"], "consent": consent}

    answers = await asyncio.gather(
        *(tenant.admin.post(entitlements_of(project), body) for _ in range(4))
    )

    codes = sorted(answer.json().get("code", "made") for answer in answers)
    assert codes == ["already_entitled"] * 3 + ["made"]
    assert len((await tenant.admin.get(entitlements_of(project))).json()["items"]) == 1


async def test_a_project_that_is_being_deleted_gets_no_entitlement(
    site: Site, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    """Whoever waited for the deletion finds no project; nothing is left behind in it."""
    consent = (await offer(tenant.admin, project.id, app["id"]))["consent"]
    body = {"app": app["id"], "consent": consent}

    made, gone = await asyncio.gather(
        tenant.admin.post(entitlements_of(project), body),
        tenant.admin.delete(f"/v1/projects/{project.id}"),
    )

    assert gone.status_code == 204
    left = await site.rows("SELECT id FROM entitlements WHERE project_id = %s", project.id)
    assert len(left) == (1 if made.status_code == 201 else 0)
    assert (await tenant.admin.get(entitlements_of(project))).status_code == 404


async def test_what_is_no_constraint_is_refused(
    tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    body = {"app": app["id"], "versions": "newest"}

    assert await code_of(tenant.admin, entitlements_of(project), body) == (
        422,
        "constraint_invalid",
    )


async def test_an_app_that_the_tenant_cannot_see_is_not_there(
    publisher: Tenant, tenant: Tenant, project: ProjectRow
) -> None:
    for visibility in ("project", "org"):
        app = await make_app(publisher.admin, publisher.project.id, visibility=visibility)
        await catalog.publish(publisher.admin, app)

        refused = await code_of(tenant.admin, entitlements_of(project), {"app": app["id"]})

        assert refused == (404, "not_found")


async def test_an_app_that_only_its_own_project_sees_is_for_no_other_project(
    tenant: Tenant, project: ProjectRow
) -> None:
    """The admin of the org sees it; the people of the other project would not."""
    app = await make_app(tenant.admin, tenant.project.id)
    await catalog.publish(tenant.admin, app)

    refused = await code_of(tenant.admin, entitlements_of(project), {"app": app["id"]})

    assert refused == (409, "app_not_shared")
    assert (await entitle(tenant.admin, tenant.project.id, app["id"]))["resolved"] is not None


# Who


@pytest.mark.parametrize("role", ["project_admin", "project_member", "viewer"])
async def test_the_projects_people_read_entitlements_and_change_none(
    site: Site, tenant: Tenant, project: ProjectRow, app: dict[str, Any], role: str
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])
    somebody = await site.actor(role, project=project)

    listed = await somebody.get(entitlements_of(project))
    changes = [
        await somebody.post(entitlements_of(project), {"app": app["id"]}),
        await somebody.patch(at(made), {"enabled": False}, version=1),
        await somebody.post(f"{at(made)}/consent", {"consent": made["accepted_digest"]}),
        await somebody.delete(at(made)),
    ]

    assert [each["id"] for each in listed.json()["items"]] == [made["id"]]
    assert (await somebody.get(at(made))).status_code == 200
    assert (await somebody.get(f"{at(made)}/diff")).status_code == 200
    assert [each.status_code for each in changes] == [403] * 4
    for answer, verb in zip(changes, ("create", "update", "consent", "delete"), strict=True):
        assert f"catalog.entitlement.{verb}" in answer.json()["detail"]


async def test_platform_admins_entitle_projects_of_the_platforms_own_org_and_no_others(
    site: Site, project: ProjectRow, app: dict[str, Any]
) -> None:
    root = await site.actor("platform_admin")
    own = await make_project(site.sql, OrgRow(PLATFORM_ORG, "platform"), f"p-{fresh()}")

    made = await entitle(root, own.id, app["id"])
    refused = await code_of(root, entitlements_of(project), {"app": app["id"]})

    assert made["your_permissions"] == [key_of(app["slug"], "read"), key_of(app["slug"], "send")]
    assert refused == (404, "not_found")


async def test_each_reader_sees_their_own_permissions(
    site: Site, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])
    read, send = key_of(app["slug"], "read"), key_of(app["slug"], "send")
    expected = {"project_admin": [read, send], "project_member": [], "viewer": [read]}

    for role, keys in expected.items():
        somebody = await site.actor(role, project=project)

        shown = (await somebody.get(at(made))).json()
        listed = (await somebody.get(entitlements_of(project))).json()["items"][0]

        assert (shown["your_permissions"], listed["your_permissions"]) == (keys, keys)


# Wider versions


@pytest.mark.rule("PM-6")
async def test_a_wider_version_waits_while_the_accepted_one_goes_on(
    site: Site, publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])
    wide = await catalog.publish(
        publisher.admin, app, version="2.0.0", more=permissions(app["slug"], wipe="viewer")
    )
    viewer = await site.actor("viewer", project=project)
    wipe = key_of(app["slug"], "wipe")

    waits = (await viewer.get(at(made))).json()
    consented = await tenant.admin.post(
        f"{at(made)}/consent", {"consent": waits["waiting"]["consent"]}
    )
    after = (await viewer.get(at(made))).json()

    assert waits["resolved"]["number"] == "1.0.0"
    assert (waits["waiting"]["id"], waits["waiting"]["number"]) == (wide["id"], "2.0.0")
    assert wipe not in waits["your_permissions"]
    assert consented.status_code == 200, consented.text
    assert (after["resolved"]["number"], after["waiting"]) == ("2.0.0", None)
    assert after["your_permissions"] == [wipe]
    await site.number()
    assert await site.rows(
        "SELECT type FROM events WHERE subject = %s ORDER BY seq", made["id"]
    ) == [("catalog.entitlement.created",), ("catalog.entitlement.consented",)]


@pytest.mark.rule("PM-6")
async def test_an_action_that_moves_to_a_key_that_more_people_hold_waits_for_consent(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    first = asks(app) + says(app, "wipe", "send")
    await catalog.publish(publisher.admin, app, version="1.1.0", more=first)
    made = await entitle(tenant.admin, project.id, app["id"])
    moved = asks(app) + says(app, "wipe", "read")
    await catalog.publish(publisher.admin, app, version="2.0.0", more=moved)

    after = (await tenant.admin.get(at(made))).json()
    shown = (await tenant.admin.get(f"{at(made)}/diff")).json()

    assert (after["resolved"]["number"], after["waiting"]["number"]) == ("1.1.0", "2.0.0")
    [new] = shown["wider"]
    assert new["what"] == "actions"
    assert "viewer can run" in new["sentence"]


async def test_a_narrower_version_needs_no_consent(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])
    await catalog.publish(publisher.admin, app, version="2.0.0")

    after = (await tenant.admin.get(at(made))).json()

    assert (after["resolved"]["number"], after["waiting"]) == ("2.0.0", None)
    assert after["accepted_digest"] == made["accepted_digest"]


async def test_the_difference_is_shown_in_sentences_both_ways(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])
    reads = permissions(app["slug"], read="viewer, project_admin")
    await catalog.publish(publisher.admin, app, version="2.0.0", more=reads + SCOPE)

    shown = (await tenant.admin.get(f"{at(made)}/diff")).json()
    same = (await tenant.admin.get(f"{at(made)}/diff", params={"version": "1.0.0"})).json()

    assert (shown["version"]["number"], shown["consent_needed"]) == ("2.0.0", True)
    assert [each["sentence"] for each in shown["wider"]] == ["It has the scope usage.report."]
    assert [each["sentence"] for each in shown["narrower"]] == [
        f"It has a permission key {key_of(app['slug'], 'send')}.",
        f"By default, project_admin holds {key_of(app['slug'], 'send')}.",
    ]
    waiting = (await tenant.admin.get(at(made))).json()["waiting"]
    assert shown["consent"] == waiting["consent"]
    assert (same["wider"], same["narrower"], same["consent_needed"]) == ([], [], False)


async def test_a_draft_and_a_version_that_is_not_there_have_no_difference(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])
    draft = await catalog.draft(publisher.admin, app, version="3.0.0")

    for name in (draft["id"], "3.0.0", "9.9.9"):
        answer = await tenant.admin.get(f"{at(made)}/diff", params={"version": name})

        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.rule("PM-6")
async def test_consent_is_for_what_the_entitlement_can_come_to_and_nothing_else(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"], versions="^1")
    wide = await catalog.publish(publisher.admin, app, version="2.0.0", more=asks(app) + SCOPE)
    diff = await tenant.admin.get(f"{at(made)}/diff", params={"version": wide["number"]})

    beyond = await tenant.admin.post(f"{at(made)}/consent", {"consent": diff.json()["consent"]})

    assert (beyond.status_code, beyond.json()["code"]) == (409, "consent_needed")
    assert beyond.json()["errors"][0]["message"] == made["accepted_digest"]


async def test_on_a_channel_promotion_decides_and_a_wider_promotion_waits(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    versions = (await publisher.admin.get(f"/v1/apps/{app['id']}/versions")).json()["items"]
    promotions = f"/v1/apps/{app['id']}/promotions"
    first = {"channel": "prod", "version": versions[0]["id"]}
    await catalog.made(publisher.admin, promotions, first)
    made = await entitle(tenant.admin, project.id, app["id"], channel="prod")
    wide = await catalog.publish(publisher.admin, app, version="2.0.0", more=asks(app) + SCOPE)

    before = (await tenant.admin.get(at(made))).json()
    await catalog.made(publisher.admin, promotions, {"channel": "prod", "version": wide["id"]})
    after = (await tenant.admin.get(at(made))).json()

    assert (before["resolved"]["number"], before["waiting"]) == ("1.0.0", None)
    assert (after["resolved"]["number"], after["waiting"]["number"]) == ("1.0.0", "2.0.0")


# Changing


async def test_a_change_that_leads_to_a_wider_version_needs_consent(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"], versions="^1")
    await catalog.publish(publisher.admin, app, version="2.0.0", more=asks(app) + SCOPE)

    refused = await tenant.admin.patch(at(made), {"versions": "^2"}, version=1)
    digest = refused.json()["errors"][0]["message"]
    changed = await tenant.admin.patch(at(made), {"versions": "^2", "consent": digest}, version=1)

    assert (refused.status_code, refused.json()["code"]) == (409, "consent_needed")
    assert "usage.report" in refused.json()["detail"]
    assert key_of(app["slug"], "read") not in refused.json()["detail"]
    assert changed.status_code == 200, changed.text
    assert (changed.json()["resolved"]["number"], changed.json()["version"]) == ("2.0.0", 2)
    assert changed.json()["accepted_digest"] == digest


async def test_consent_along_with_a_change_needs_the_key_for_consent_too(
    site: Site, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])
    keys = ["catalog.entitlement.update"]
    body = {"name": "narrow", "expires_in": 600, "permissions": keys}
    issued = await tenant.admin.post("/v1/access-tokens", body)
    narrow = Bearer(site.client, issued.json()["token"])

    refused = await narrow.patch(
        at(made), {"enabled": False, "consent": made["accepted_digest"]}, version=1
    )
    disabled = await narrow.patch(at(made), {"enabled": False}, version=1)

    assert refused.status_code == 403
    assert "catalog.entitlement.consent" in refused.json()["detail"]
    assert disabled.status_code == 200, disabled.text
    assert disabled.json()["resolved"] == made["resolved"]


async def test_a_change_to_versions_that_are_not_there_is_refused(
    tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])

    answer = await tenant.admin.patch(at(made), {"versions": "^7"}, version=1)

    assert (answer.status_code, answer.json()["code"]) == (409, "no_version")


async def test_the_channel_is_taken_away_by_none_and_kept_when_left_out(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    versions = (await publisher.admin.get(f"/v1/apps/{app['id']}/versions")).json()["items"]
    body = {"channel": "dev", "version": versions[0]["id"]}
    await catalog.made(publisher.admin, f"/v1/apps/{app['id']}/promotions", body)
    made = await entitle(tenant.admin, project.id, app["id"], channel="dev")

    kept = await tenant.admin.patch(at(made), {"versions": "^1"}, version=1)
    taken = await tenant.admin.patch(at(made), {"channel": "none"}, version=2)

    assert (kept.json()["channel"], taken.json()["channel"]) == ("dev", None)


@pytest.mark.rule("PM-4")
async def test_disabling_takes_the_keys_away_and_enabling_gives_them_back(
    tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])

    off = await tenant.admin.patch(at(made), {"enabled": False}, version=1)
    on = await tenant.admin.patch(at(made), {"enabled": True}, version=2)

    assert (off.json()["enabled"], off.json()["your_permissions"]) == (False, [])
    assert on.json()["your_permissions"] == made["your_permissions"]


async def test_a_change_of_a_version_that_is_gone_is_refused(
    tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])
    await tenant.admin.patch(at(made), {"enabled": False}, version=1)

    stale = await tenant.admin.patch(at(made), {"enabled": True}, version=1)
    deletion = await tenant.admin.delete(at(made), headers={"if-match": '"1"'})

    assert (stale.status_code, deletion.status_code) == (412, 412)


# Ending


async def test_a_deleted_entitlement_is_gone_and_can_be_made_anew(
    site: Site, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])

    deleted = await tenant.admin.delete(at(made))

    assert deleted.status_code == 204
    assert (await tenant.admin.get(at(made))).status_code == 404
    assert (await tenant.admin.get(entitlements_of(project))).json()["items"] == []
    again = await entitle(tenant.admin, project.id, app["id"])
    assert again["id"] != made["id"]
    await site.number()
    assert await site.rows(
        "SELECT type FROM events WHERE subject = %s ORDER BY seq", made["id"]
    ) == [("catalog.entitlement.created",), ("catalog.entitlement.deleted",)]


async def test_entitlements_go_with_their_project(
    tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    made = await entitle(tenant.admin, project.id, app["id"])

    deleted = await tenant.admin.delete(f"/v1/projects/{project.id}")

    assert deleted.status_code == 204
    answers = [
        await tenant.admin.get(at(made)),
        await tenant.admin.get(f"{at(made)}/diff"),
        await tenant.admin.get(entitlements_of(project)),
        await tenant.admin.patch(at(made), {"enabled": False}, version=1),
        await tenant.admin.post(entitlements_of(project), {"app": app["id"]}),
    ]
    assert {answer.status_code for answer in answers} == {404}


async def test_a_list_can_be_of_one_app(
    publisher: Tenant, tenant: Tenant, project: ProjectRow, app: dict[str, Any]
) -> None:
    other = await make_app(publisher.admin, publisher.project.id, visibility="platform")
    await catalog.publish(publisher.admin, other)
    made = [await entitle(tenant.admin, project.id, each["id"]) for each in (app, other)]

    every = await tenant.admin.get(entitlements_of(project))
    first = await tenant.admin.get(entitlements_of(project), params={"limit": "1"})
    one = await tenant.admin.get(entitlements_of(project), params={"app": other["id"]})

    assert [each["id"] for each in every.json()["items"]] == [each["id"] for each in made]
    assert (len(first.json()["items"]), first.json()["next"] is not None) == (1, True)
    assert [each["id"] for each in one.json()["items"]] == [made[1]["id"]]
