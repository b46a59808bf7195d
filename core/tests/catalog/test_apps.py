"""Apps through HTTP: who may register, who sees them, and when they can go."""

import asyncio

import pytest

from core.tests.catalog.publishers import Street, make_street, robot
from core.tests.factories import catalog
from core.tests.site import Site, fresh
from moorage_core.authz.permissions import Permission
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import EntitlementId
from moorage_manifest import shipped


@pytest.fixture
async def street(site: Site) -> Street:
    return await make_street(site)


async def test_an_app_is_registered_with_one_entry_and_one_event(street: Street) -> None:
    app = await street.app(slug=f"echo-{fresh()}")

    entries = await street.site.rows(
        "SELECT action, app_slug, project_id FROM audit_entries WHERE target = %s", app["id"]
    )
    events = await street.site.rows(
        "SELECT type, app_slug, data ->> 'visibility' FROM events WHERE subject = %s", app["id"]
    )
    assert (app["visibility"], app["project_id"], app["version"]) == ("project", street.project, 1)
    assert entries == [("catalog.app.create", app["slug"], street.project)]
    assert events == [("catalog.app.created", app["slug"], "project")]


@pytest.mark.rule("CA-1")
async def test_a_slug_is_taken_on_the_whole_platform(street: Street) -> None:
    app = await street.app()
    other = street.stranger

    answer = await other.admin.post(
        f"/v1/projects/{other.project.id}/apps", catalog.new_app(app["slug"])
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "slug_taken")
    assert app["id"] not in answer.text


async def test_of_two_who_want_a_slug_at_once_one_gets_it(street: Street) -> None:
    slug, other = f"echo-{fresh()}", street.stranger

    answers = await asyncio.gather(
        street.publisher.post(f"/v1/projects/{street.project}/apps", catalog.new_app(slug)),
        other.admin.post(f"/v1/projects/{other.project.id}/apps", catalog.new_app(slug)),
    )

    # Who comes at the very same moment is told to try again, and then that it is taken.
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses in ([201, 409], [201, 503])


@pytest.mark.parametrize("slug", ["apps", "catalog", "moorage", "platform"])
async def test_a_word_of_the_platform_is_no_slug(street: Street, slug: str) -> None:
    answer = await street.publisher.post(
        f"/v1/projects/{street.project}/apps", catalog.new_app(slug)
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "slug_reserved")


async def test_the_name_of_a_family_is_no_slug(street: Street) -> None:
    root = await street.site.actor("platform_admin")
    family = f"fam-{fresh()}"
    keys = [{"key": f"{family.replace('-', '_')}.thing.read", "description": "Look."}]
    put = await root.put(f"/v1/families/{family}", {"description": "For tests.", "keys": keys})
    assert put.is_success, put.text

    answer = await street.publisher.post(
        f"/v1/projects/{street.project}/apps", catalog.new_app(family)
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "slug_reserved")


@pytest.mark.parametrize("slug", shipped())
async def test_the_name_of_a_shipped_family_is_no_slug_even_before_it_is_written(
    street: Street, slug: str
) -> None:
    answer = await street.publisher.post(
        f"/v1/projects/{street.project}/apps", catalog.new_app(slug)
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "slug_reserved")
    assert await street.site.rows("SELECT name FROM families WHERE name = %s", slug) == []


@pytest.mark.parametrize(
    "slug", ["Echo", "1echo", "echo_it", "-echo", "echo-", "e--cho", "x" * 41, "é", "a/b"]
)
async def test_a_slug_of_another_form_is_malformed(street: Street, slug: str) -> None:
    answer = await street.publisher.post(
        f"/v1/projects/{street.project}/apps", catalog.new_app(slug)
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")


VISIBLE = {
    "project": {"publisher", "colleague", "own robot"},
    "org": {"publisher", "colleague", "own robot", "sibling", "sibling's robot"},
    "platform": {
        "publisher",
        "colleague",
        "own robot",
        "sibling",
        "sibling's robot",
        "stranger",
        "platform admin",
    },
}


@pytest.mark.parametrize("visibility", VISIBLE)
async def test_an_app_is_seen_by_those_it_is_shown_to(street: Street, visibility: str) -> None:
    app = await street.app(visibility=visibility)
    version = await catalog.publish(street.publisher, app)
    admin, keys = street.tenant.admin, [str(Permission.CATALOG_APP_READ)]
    callers = {
        "publisher": street.publisher,
        "colleague": street.colleague,
        "own robot": await robot(admin, street.project, keys),
        "sibling": street.sibling,
        "sibling's robot": await robot(admin, street.sibling_project.id, keys),
        "stranger": street.stranger.admin,
        "platform admin": await street.site.actor("platform_admin"),
        "nobody": await street.site.actor(),
    }

    by_id = {
        who
        for who, caller in callers.items()
        if (await caller.get(f"/v1/apps/{app['id']}")).status_code == 200
    }
    by_slug = {
        who
        for who, caller in callers.items()
        if app["id"] in (await caller.get("/v1/apps", params={"slug": app["slug"]})).text
    }
    by_version = {
        who
        for who, caller in callers.items()
        if (await caller.get(f"/v1/app-versions/{version['id']}")).status_code == 200
    }

    assert by_id == by_slug == by_version == VISIBLE[visibility]


async def test_a_robot_sees_nothing_without_the_key(street: Street) -> None:
    app = await street.app(visibility="platform")
    keys = [str(Permission.CATALOG_ARTIFACT_READ)]
    own = await robot(street.tenant.admin, street.project, keys)
    other = await robot(street.stranger.admin, street.stranger.project.id, keys)

    answers = [await caller.get(f"/v1/apps/{app['id']}") for caller in (own, other)]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert all("catalog.app.read" in answer.json()["detail"] for answer in answers)


async def test_who_is_shown_an_app_is_told_that_it_is_not_theirs(street: Street) -> None:
    app = await street.app(visibility="platform")
    version = await catalog.publish(street.publisher, app)
    admin = street.stranger.admin

    answers = [
        await admin.patch(f"/v1/apps/{app['id']}", {"name": "Mine"}, version=app["version"]),
        await admin.delete(f"/v1/apps/{app['id']}"),
        await admin.post(
            f"/v1/apps/{app['id']}/versions",
            {"manifest": catalog.manifest(app["slug"], "6.6.6")},
        ),
        await admin.post(f"/v1/app-versions/{version['id']}/retire", {"reason": "No good."}),
        await admin.post(
            f"/v1/apps/{app['id']}/promotions", {"channel": "prod", "version": version["id"]}
        ),
        await street.sibling.delete(f"/v1/apps/{app['id']}"),
    ]

    assert [answer.status_code for answer in answers] == [403] * len(answers)
    assert (await street.publisher.get(f"/v1/apps/{app['id']}")).json() == app


async def test_a_list_is_narrowed_to_a_publisher(street: Street) -> None:
    mine = await street.app(visibility="org")
    theirs = await catalog.made(
        street.sibling,
        f"/v1/projects/{street.sibling_project.id}/apps",
        catalog.new_app(visibility="org"),
    )

    by_project = await street.sibling.get("/v1/apps", params={"project": street.sibling_project.id})
    by_org = await street.sibling.get("/v1/apps", params={"org": street.tenant.org.id})
    foreign = await street.sibling.get("/v1/apps", params={"project": street.project})

    assert [app["id"] for app in by_project.json()["items"]] == [theirs["id"]]
    assert {app["id"] for app in by_org.json()["items"]} == {mine["id"], theirs["id"]}
    assert foreign.status_code == 403


async def test_apps_come_in_pages(street: Street) -> None:
    made = [(await street.app())["id"] for _ in range(3)]
    query = {"project": street.project, "limit": "2"}

    first = (await street.publisher.get("/v1/apps", params=query)).json()
    second = (
        await street.publisher.get("/v1/apps", params=query | {"after": first["next"]})
    ).json()

    assert [app["id"] for app in [*first["items"], *second["items"]]] == made
    assert second["next"] is None


async def test_an_app_with_drafts_alone_can_be_removed_and_its_slug_is_free(
    street: Street,
) -> None:
    app = await street.app()
    version = await catalog.draft(street.publisher, app)

    answer = await street.publisher.delete(f"/v1/apps/{app['id']}")

    assert answer.status_code == 204
    gone = [
        await street.publisher.get(path)
        for path in (f"/v1/apps/{app['id']}", f"/v1/app-versions/{version['id']}")
    ]
    assert [each.status_code for each in gone] == [404, 404]
    assert (await street.app(slug=app["slug"]))["id"] != app["id"]


@pytest.mark.rule("CA-1")
async def test_an_app_that_was_published_stays(street: Street) -> None:
    app = await street.app()
    version = await catalog.publish(street.publisher, app)
    retire = f"/v1/app-versions/{version['id']}/retire"
    await catalog.made(street.publisher, retire, {"reason": "It has a flaw."}, status=200)

    answer = await street.publisher.delete(f"/v1/apps/{app['id']}")

    assert (answer.status_code, answer.json()["code"]) == (409, "app_published")
    assert (await street.publisher.get(f"/v1/apps/{app['id']}")).status_code == 200


async def entitle(street: Street, app: str, version: str, *, org: str, project: str) -> None:
    await street.site.sql.execute(
        """
        INSERT INTO entitlements (id, org_id, project_id, app_id, app_slug, versions, enabled,
            accepted, accepted_digest, accepted_version_id, accepted_by, accepted_at, created_at,
            updated_at)
        VALUES (%s, %s, %s, %s, 'x', '*', true, '{}', 'x', %s, 'x', now(), now(), now())
        """,
        (EntitlementId.new(), org, project, app, version),
    )


@pytest.mark.rule("CA-9")
@pytest.mark.parametrize(
    ("visibility", "status"), [("org", 409), ("project", 409), ("platform", 200)]
)
async def test_nobody_who_is_entitled_loses_sight_of_an_app(
    street: Street, visibility: str, status: int
) -> None:
    app = await street.app(visibility="platform")
    version = await catalog.publish(street.publisher, app)
    there = street.stranger
    place = {"org": there.org.id, "project": there.project.id}
    await entitle(street, app["id"], version["id"], **place)

    answer = await street.publisher.patch(
        f"/v1/apps/{app['id']}", {"visibility": visibility}, version=app["version"]
    )

    assert answer.status_code == status, answer.text
    if status == 409:
        assert answer.json()["code"] == "still_entitled"
        assert answer.json()["detail"].startswith("1 project that is")
        assert not any(value in answer.text for value in place.values())


async def test_an_app_is_hidden_once_nobody_else_is_entitled(street: Street) -> None:
    app = await street.app(visibility="platform")
    version = await catalog.publish(street.publisher, app)
    org = street.tenant.org.id
    await entitle(street, app["id"], version["id"], org=org, project=street.project)

    answer = await street.publisher.patch(
        f"/v1/apps/{app['id']}", {"visibility": "project"}, version=app["version"]
    )

    assert (answer.status_code, answer.json()["visibility"]) == (200, "project")
    assert (await street.stranger.admin.get(f"/v1/apps/{app['id']}")).status_code == 404


async def test_a_stranger_cannot_count_who_is_entitled(street: Street) -> None:
    app = await street.app(visibility="platform")
    version = await catalog.publish(street.publisher, app)
    there = street.stranger
    await entitle(street, app["id"], version["id"], org=there.org.id, project=there.project.id)
    query = "SELECT entitled_beyond(%s, 'project')"

    counted: list[int] = []
    for org in (there.org.id, street.tenant.org.id):
        async with street.site.platform.database.transaction(org_scope(org)) as db:
            counted.append(await db.value(query, (app["id"],)))

    assert counted == [0, 1]
