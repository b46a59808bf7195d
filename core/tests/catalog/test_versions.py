"""Versions through HTTP: drafts, publishing, and what never changes after."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import pytest

from core.tests.catalog.publishers import Street, make_street
from core.tests.factories import artifacts, catalog
from core.tests.factories.artifacts import digest_of
from core.tests.site import Site, fresh
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import AppVersionId

Brings = Callable[..., Awaitable[dict[str, Any]]]
"""Makes a version of an app."""


@pytest.fixture
async def street(site: Site) -> Street:
    return await make_street(site)


async def test_a_draft_is_kept_as_it_was_sent(street: Street) -> None:
    app = await street.app()
    text = catalog.manifest(app["slug"], "1.2.0-rc.1", more="# a comment of ours\n")

    made = await catalog.made(
        street.publisher,
        f"/v1/apps/{app['id']}/versions",
        {"manifest": text, "runbook": "# Runbook\n\n\tDo this.\n"},
    )

    read = await street.publisher.get(f"/v1/app-versions/{made['id']}")
    assert read.json() == made
    assert (made["number"], made["status"]) == ("1.2.0-rc.1", "draft")
    assert made["manifest_text"] == text
    assert made["manifest_digest"] == digest_of(text.encode())
    assert made["manifest"]["slug"] == app["slug"]
    assert made["runbook"] == "# Runbook\n\n\tDo this.\n"
    assert (made["artifacts"], made["channels"]) == ([], [])


@pytest.mark.rule("CA-4")
async def test_a_draft_is_seen_in_its_project_alone(street: Street) -> None:
    app = await street.app(visibility="platform")
    draft = await catalog.draft(street.publisher, app)
    path, listing = f"/v1/app-versions/{draft['id']}", f"/v1/apps/{app['id']}/versions"
    everybody = {
        "publisher": street.publisher,
        "colleague": street.colleague,
        "tenant admin": street.tenant.admin,
        "sibling": street.sibling,
        "stranger": street.stranger.admin,
        "platform admin": await street.site.actor("platform_admin"),
    }

    read = {who for who, c in everybody.items() if (await c.get(path)).status_code == 200}
    listed = {who for who, c in everybody.items() if draft["id"] in (await c.get(listing)).text}

    assert read == listed == {"publisher", "colleague", "tenant admin"}


async def test_a_foreign_draft_cannot_be_told_from_none(street: Street) -> None:
    app = await street.app(visibility="platform")
    draft = await catalog.draft(street.publisher, app)

    for verb in ("publish", "restore"):
        answer = await street.stranger.admin.post(f"/v1/app-versions/{draft['id']}/{verb}", {})

        assert answer.status_code == 404, answer.text


async def test_versions_are_listed_newest_first_and_by_state(street: Street) -> None:
    app = await street.app()
    old = await catalog.publish(street.publisher, app, version="1.0.0")
    new = await catalog.publish(street.publisher, app, version="1.1.0")
    draft = await catalog.draft(street.publisher, app, version="2.0.0")
    path = f"/v1/apps/{app['id']}/versions"

    everything = (await street.publisher.get(path)).json()["items"]
    published = (await street.publisher.get(path, params={"status": "published"})).json()["items"]
    numbered = (await street.publisher.get(path, params={"number": "1.1.0"})).json()["items"]
    first = (await street.publisher.get(path, params={"limit": "2"})).json()
    second = (await street.publisher.get(path, params={"after": first["next"]})).json()

    assert [each["id"] for each in everything] == [draft["id"], new["id"], old["id"]]
    assert [each["id"] for each in published] == [new["id"], old["id"]]
    assert [each["id"] for each in numbered] == [new["id"]]
    assert [each["id"] for each in second["items"]] == [old["id"]]


async def test_a_manifest_is_for_its_app(street: Street) -> None:
    app, other = await street.app(), await street.app()

    answer = await street.publisher.post(
        f"/v1/apps/{app['id']}/versions", {"manifest": catalog.manifest(other["slug"])}
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "manifest_misfit")


async def test_every_fault_of_a_manifest_is_told_with_line_and_column(street: Street) -> None:
    app = await street.app()
    text = catalog.manifest(app["slug"], more="colour: red\nscopes:\n  - everything\n")

    answer = await street.publisher.post(f"/v1/apps/{app['id']}/versions", {"manifest": text})

    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, "manifest_invalid")
    places = [fault["location"] for fault in problem["errors"]]
    assert [place.rpartition(":")[0] for place in places] == ["body.manifest:8", "body.manifest:10"]
    assert "colour" in problem["errors"][0]["message"]


async def test_a_manifest_that_names_a_runbook_comes_with_it(street: Street) -> None:
    app = await street.app()
    text = catalog.manifest(app["slug"], more="runbook: RUNBOOK.md\n")

    answer = await street.publisher.post(f"/v1/apps/{app['id']}/versions", {"manifest": text})

    assert (answer.status_code, answer.json()["code"]) == (422, "runbook_missing")


async def test_a_number_has_one_draft(street: Street) -> None:
    app = await street.app()
    draft = await catalog.draft(street.publisher, app)

    answer = await street.publisher.post(
        f"/v1/apps/{app['id']}/versions", {"manifest": catalog.manifest(app["slug"])}
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "version_exists")
    assert answer.json()["resource_id"] == draft["id"]


@pytest.mark.rule("CA-3")
async def test_a_published_number_is_never_drafted_again(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    retire = f"/v1/app-versions/{version['id']}/retire"
    await catalog.made(street.publisher, retire, {"reason": "It has a flaw."}, status=200)

    answer = await street.publisher.post(
        f"/v1/apps/{app['id']}/versions", {"manifest": catalog.manifest(app["slug"])}
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "version_exists")
    assert "another version" in answer.json()["detail"]


@pytest.mark.rule("CA-3")
@pytest.mark.parametrize("brings_out", [catalog.draft, catalog.publish])
@pytest.mark.parametrize(
    ("first", "second"),
    [("1.0.0", "1.0.0+zz"), ("1.0.0+a", "1.0.0"), ("1.0.0-rc.1+a", "1.0.0-rc.1+b.c")],
)
async def test_two_versions_never_differ_in_their_build_alone(
    street: Street, brings_out: Brings, first: str, second: str
) -> None:
    app = await street.app()
    version = await brings_out(street.publisher, app, version=first)

    answer = await street.publisher.post(
        f"/v1/apps/{app['id']}/versions", {"manifest": catalog.manifest(app["slug"], second)}
    )

    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (409, "version_exists")
    assert problem["resource_id"] == version["id"]
    assert f"{second} differs from {first}" in problem["detail"]


async def test_a_build_is_no_other_prerelease(street: Street) -> None:
    app = await street.app()
    numbers = ["1.0.0+a", "1.0.0-a", "1.0.0-a.b", "1.0.1+a"]

    drafts = [await catalog.draft(street.publisher, app, version=number) for number in numbers]

    assert [draft["number"] for draft in drafts] == numbers


async def test_the_database_takes_no_second_build_of_a_number_either(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    copy = """
        INSERT INTO app_versions (id, app_id, org_id, project_id, number, status, manifest_text,
            manifest_digest, manifest, declaration, declaration_digest, runbook, created_at,
            updated_at)
        SELECT %s, app_id, org_id, project_id, '1.0.0+zz', 'draft', manifest_text, manifest_digest,
            manifest, declaration, declaration_digest, runbook, created_at, updated_at
        FROM app_versions WHERE id = %s
        """

    with pytest.raises(psycopg.errors.UniqueViolation):
        await street.site.rows(copy, AppVersionId.new(), version["id"])


async def test_the_number_of_a_draft_stays(street: Street) -> None:
    app = await street.app()
    draft = await catalog.draft(street.publisher, app)

    answer = await street.publisher.put(
        f"/v1/app-versions/{draft['id']}",
        {"manifest": catalog.manifest(app["slug"], "1.0.1")},
        headers={"if-match": '"1"'},
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "manifest_misfit")


async def test_a_draft_that_was_thrown_away_frees_its_number(street: Street) -> None:
    app = await street.app()
    draft = await catalog.draft(street.publisher, app)

    answer = await street.publisher.delete(f"/v1/app-versions/{draft['id']}")

    assert answer.status_code == 204
    assert (await catalog.draft(street.publisher, app))["id"] != draft["id"]


@pytest.mark.rule("CA-2")
async def test_what_was_published_does_not_change_through_the_api(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    path = f"/v1/app-versions/{version['id']}"
    text = catalog.manifest(app["slug"], more="# another\n")

    answers = [
        await street.publisher.put(
            path, {"manifest": text}, headers={"if-match": f'"{version["version"]}"'}
        ),
        await street.publisher.delete(path),
        await street.publisher.post(f"{path}/publish", {}),
    ]

    assert [answer.status_code for answer in answers] == [409, 409, 409]
    assert {answer.json()["code"] for answer in answers} == {"not_a_draft"}
    assert (await street.publisher.get(path)).json() == version


@pytest.mark.rule("CA-2")
@pytest.mark.parametrize(
    "change",
    [
        "manifest_text = 'other'",
        "manifest_digest = 'other'",
        "manifest = '{}'",
        "declaration = '{}'",
        "declaration_digest = 'other'",
        "runbook = 'other'",
        "number = '9.9.9'",
        "published_at = now()",
        "status = 'draft', published_at = NULL",
    ],
)
async def test_what_was_published_does_not_change_by_sql_either(
    street: Street, change: str
) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)

    async def attempt() -> None:
        scope = org_scope(street.tenant.org.id)
        async with street.site.platform.database.transaction(scope) as db:
            query = f"UPDATE app_versions SET {change} WHERE id = %s".encode()
            await db.connection.execute(query, (version["id"],))

    with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
        await attempt()
    read = await street.publisher.get(f"/v1/app-versions/{version['id']}")
    assert read.json() == version


@pytest.mark.parametrize(
    ("query", "refusal"),
    [
        ("DELETE FROM app_versions WHERE id = %s", psycopg.errors.IntegrityConstraintViolation),
        (
            "UPDATE version_artifacts SET name = 'x' WHERE version_id = %s",
            psycopg.errors.InsufficientPrivilege,
        ),
        (
            "DELETE FROM version_artifacts WHERE version_id = %s",
            psycopg.errors.InsufficientPrivilege,
        ),
    ],
)
async def test_what_was_published_does_not_go_by_sql(
    street: Street, query: str, refusal: type[Exception]
) -> None:
    app = await street.app()
    artifact = await street.artifact()
    version = await catalog.publish(street.publisher, app, artifacts=[artifact])

    async def attempt() -> None:
        scope = org_scope(street.tenant.org.id)
        async with street.site.platform.database.transaction(scope) as db:
            await db.connection.execute(query.encode(), (version["id"],))

    with pytest.raises(refusal):
        await attempt()
    read = await street.publisher.get(f"/v1/app-versions/{version['id']}")
    assert read.json() == version


async def test_a_published_version_gets_no_more_artifacts_by_sql(street: Street) -> None:
    app, artifact = await street.app(), await street.artifact()
    version = await catalog.publish(street.publisher, app)

    async def attempt() -> None:
        scope = org_scope(street.tenant.org.id)
        async with street.site.platform.database.transaction(scope) as db:
            await db.run(
                """
                INSERT INTO version_artifacts (version_id, name, artifact_id, org_id, project_id)
                VALUES (%s, 'more', %s, %s, %s)
                """,
                (version["id"], artifact["id"], street.tenant.org.id, street.project),
            )

    with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
        await attempt()


async def test_nobody_adds_a_version_to_a_foreign_app_by_sql(street: Street) -> None:
    app = await street.app(visibility="platform")
    version = await catalog.publish(street.publisher, app)
    there = street.stranger

    async def attempt() -> None:
        async with street.site.platform.database.transaction(org_scope(there.org.id)) as db:
            await db.run(
                """
                INSERT INTO app_versions (id, app_id, org_id, project_id, number, status,
                    manifest_text, manifest_digest, manifest, declaration, declaration_digest,
                    runbook, created_at, updated_at, published_at)
                SELECT %s, app_id, %s, %s, '6.6.6', status, manifest_text, manifest_digest,
                    manifest, declaration, declaration_digest, runbook, created_at, updated_at,
                    published_at
                FROM app_versions WHERE id = %s
                """,
                (AppVersionId.new(), there.org.id, there.project.id, version["id"]),
            )

    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        await attempt()


async def test_a_version_is_published_with_its_artifacts(street: Street) -> None:
    app = await street.app(visibility="platform")
    artifact = await street.artifact()

    version = await catalog.publish(street.publisher, app, artifacts=[artifact])

    read = await street.stranger.admin.get(f"/v1/app-versions/{version['id']}")
    assert read.json()["artifacts"] == [
        {
            "name": "thing.tar",
            "digest": artifact["digest"],
            "size": artifact["size"],
            "media_type": artifact["media_type"],
            "artifact_id": artifact["id"],
            "lifecycle": "published",
            "trust": "unverified",
        }
    ]


@pytest.mark.rule("CA-5")
async def test_publishing_needs_every_artifact_in_the_publishing_project(street: Street) -> None:
    app = await street.app()
    content = fresh().encode()
    elsewhere = await artifacts.upload(street.sibling, street.sibling_project.id, content)
    cut_off = await artifacts.announce(street.publisher, street.project, fresh().encode())
    named = [elsewhere | {"name": "elsewhere"}, cut_off | {"name": "cut-off"}]
    draft = await catalog.draft(street.publisher, app, artifacts=named)

    answer = await street.publisher.post(f"/v1/app-versions/{draft['id']}/publish", {})

    assert (answer.status_code, answer.json()["code"]) == (409, "artifacts_not_ready")
    faults = {fault["location"]: fault["message"] for fault in answer.json()["errors"]}
    assert "upload or register it" in faults["artifacts.elsewhere"]
    assert "not complete" in faults["artifacts.cut-off"]
    read = await street.publisher.get(f"/v1/app-versions/{draft['id']}")
    assert read.json() == draft


@pytest.mark.rule("CA-5")
async def test_publishing_needs_the_size_that_the_manifest_says(street: Street) -> None:
    app = await street.app()
    artifact = await street.artifact()
    draft = await catalog.draft(
        street.publisher, app, artifacts=[artifact | {"size": artifact["size"] + 1}]
    )

    answer = await street.publisher.post(f"/v1/app-versions/{draft['id']}/publish", {})

    assert answer.status_code == 409
    assert "bytes" in answer.json()["errors"][0]["message"]


async def test_publishing_refuses_a_revoked_artifact(street: Street) -> None:
    app = await street.app()
    artifact = await street.artifact()
    draft = await catalog.draft(street.publisher, app, artifacts=[artifact])
    revoke = f"/v1/artifacts/{artifact['id']}/revoke"
    await catalog.made(street.publisher, revoke, {"reason": "It does harm."}, status=200)

    answer = await street.publisher.post(f"/v1/app-versions/{draft['id']}/publish", {})

    assert answer.status_code == 409
    assert "revoked" in answer.json()["errors"][0]["message"]


async def test_what_is_published_is_what_was_looked_at(street: Street) -> None:
    app = await street.app()
    seen = await catalog.draft(street.publisher, app)
    path = f"/v1/app-versions/{seen['id']}"
    text = catalog.manifest(app["slug"], more="# changed meanwhile\n")
    await street.publisher.put(path, {"manifest": text}, headers={"if-match": '"1"'})

    answer = await street.publisher.post(
        f"{path}/publish", {"manifest_digest": seen["manifest_digest"]}
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "draft_changed")


async def test_publishing_and_changing_at_once_never_mix(street: Street) -> None:
    app = await street.app()
    draft = await catalog.draft(street.publisher, app)
    path = f"/v1/app-versions/{draft['id']}"
    text = catalog.manifest(app["slug"], more="# changed\n")

    published, changed = await asyncio.gather(
        street.publisher.post(f"{path}/publish", {"manifest_digest": draft["manifest_digest"]}),
        street.publisher.put(path, {"manifest": text}, headers={"if-match": '"1"'}),
    )

    assert sorted([published.status_code, changed.status_code]) in ([200, 409], [200, 412])
    read = (await street.publisher.get(path)).json()
    assert (read["status"] == "published") == (published.status_code == 200)
    assert (read["manifest_text"] == text) == (changed.status_code == 200)


async def test_a_deprecation_can_be_taken_back_and_a_retirement_not(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    path = f"/v1/app-versions/{version['id']}"

    async def ask(verb: str, body: dict[str, str] | None = None) -> tuple[int, str]:
        answer = await street.publisher.post(f"{path}/{verb}", body)
        problem = answer.json()
        return answer.status_code, problem["code" if answer.is_error else "status"]

    told = [
        await ask("deprecate", {"note": "Use 2.0.0."}),
        await ask("deprecate", {"note": "Use 2.0.0."}),
        await ask("restore"),
        await ask("restore"),
        await ask("deprecate", {"note": "Use 2.0.0."}),
        await ask("retire", {"reason": "It has a flaw."}),
        await ask("restore"),
        await ask("deprecate", {"note": "Use 2.0.0."}),
    ]

    refused = (409, "invalid_transition")
    assert told == [
        (200, "deprecated"),
        refused,
        (200, "published"),
        refused,
        (200, "deprecated"),
        (200, "retired"),
        refused,
        refused,
    ]
    read = (await street.publisher.get(path)).json()
    assert (read["note"], read["retired_at"] is not None) == ("It has a flaw.", True)
    events = await street.site.rows(
        "SELECT type, subject_version FROM events WHERE subject = %s ORDER BY subject_version",
        version["id"],
    )
    assert events == [
        ("catalog.version.drafted", 1),
        ("catalog.version.published", 2),
        ("catalog.version.deprecated", 3),
        ("catalog.version.restored", 4),
        ("catalog.version.deprecated", 5),
        ("catalog.version.retired", 6),
    ]


async def test_a_draft_is_neither_restored_nor_retired(street: Street) -> None:
    app = await street.app()
    draft = await catalog.draft(street.publisher, app)
    path = f"/v1/app-versions/{draft['id']}"

    answers = [
        await street.publisher.post(f"{path}/restore"),
        await street.publisher.post(f"{path}/retire", {"reason": "It has a flaw."}),
        await street.publisher.post(f"{path}/deprecate", {"note": "Use another."}),
    ]

    assert [answer.json()["code"] for answer in answers] == ["invalid_transition"] * 3
