"""No app gets anybody a key that was not accepted: tried, from publishing to use."""

from dataclasses import dataclass
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories import catalog
from core.tests.factories.entitlements import entitle, key_of, make_app, offer, permissions
from core.tests.factories.tenancy import ProjectRow, make_project
from core.tests.factories.tenants import Bearer, Tenant, make_tenant, mint
from core.tests.site import Site, fresh
from moorage_core.authz.authorize import Hidden
from moorage_core.authz.principals import Principal
from moorage_core.context import Context, Trace
from moorage_core.entitlements import commands
from moorage_core.entitlements.app_keys import EntitlementMissing
from moorage_core.errors import Forbidden
from moorage_core.people import commands as people
from moorage_core.service_accounts import commands as service_accounts

ADMINS = "project_admin"


@dataclass(frozen=True)
class Place:
    """A publisher, a tenant with a project of its own for the test, and the platform's operator."""

    site: Site
    publisher: Tenant
    tenant: Tenant
    project: ProjectRow
    root: Caller

    async def app(self, more: str = "", **grants: str) -> dict[str, Any]:
        """A published app that everybody sees, with these keys of its own."""
        made = await make_app(
            self.publisher.admin, self.publisher.project.id, visibility="platform"
        )
        keys = permissions(made["slug"], **grants) if grants else ""
        await catalog.publish(self.publisher.admin, made, more=keys + more)
        return made

    async def entitle(self, app: dict[str, Any]) -> dict[str, Any]:
        return await entitle(self.tenant.admin, self.project.id, app["id"])

    async def robot(self, *keys: str) -> tuple[dict[str, Any], Bearer]:
        """A service account of the project with exactly these keys, and the account itself."""
        body = {"name": f"r {fresh()}", "permissions": list(keys)}
        path = f"/v1/projects/{self.project.id}/service-accounts"
        account = await catalog.made(self.tenant.admin, path, body)
        owner = Tenant(self.site, self.tenant.org, self.project, self.tenant.admin)
        owner.ids["account"] = account["id"]
        return account, await mint(owner)


@pytest.fixture(scope="module")
async def publisher(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def place(site: Site, publisher: Tenant, tenant: Tenant) -> Place:
    project = await make_project(site.sql, tenant.org, f"p-{fresh()}")
    return Place(site, publisher, tenant, project, await site.actor("platform_admin"))


async def principal_of(site: Site, caller: Caller) -> Principal:
    """Who the platform takes the caller for."""
    token = caller.proof["authorization"].removeprefix("Bearer ")
    found = await people.find_access_token_principal(site.platform, token)
    found = found or await service_accounts.find_token_principal(site.platform, token)
    assert found is not None
    return found


async def ask(
    site: Site, caller: Caller, key: str, project: ProjectRow, app: dict[str, Any]
) -> str:
    """What the door for actions and views answers: `yes`, or the name of the refusal."""
    who = await principal_of(site, caller)
    async with site.platform.database.transaction(who.scope, read_only=True) as db:
        ctx = Context(who, db, site.platform.clock, Trace("test"), site.platform)
        try:
            await commands.authorize_app(
                ctx, key, project=project.id, org=project.org.id, app=app["id"]
            )
        except (Forbidden, Hidden) as refusal:
            return type(refusal).__name__
        return "yes"


# What a manifest cannot say


@pytest.mark.rule("PM-1", "PM-2")
@pytest.mark.parametrize(
    "more",
    [
        "permissions: [{key: iam.project.delete, description: x, grants: [viewer]}]\n",
        "permissions: [{key: catalog.entitlement.consent, description: x, grants: [viewer]}]\n",
        "permissions: [{key: somebody.greeting.read, description: x, grants: [viewer]}]\n",
        "permissions: [{key: OWN.greeting, description: x, grants: [tenant_admin]}]\n",
        "permissions: [{key: OWN.greeting.read, description: x, grants: [tenant_admin]}]\n",
        "permissions: [{key: OWN.greeting.read, description: x, grants: [platform_admin]}]\n",
        "permissions: [{key: OWN.greeting.read, description: x, grants: [service_account]}]\n",
        "permissions: [{key: OWN.greeting.read, description: x, grants: ['*']}]\n",
        "permissions: [{key: OWNmore.greeting.read, description: x, grants: [viewer]}]\n",
        "family_grants: {iam.project.delete: [viewer]}\n",
        "family_grants: {FAMILY.queue.read: [viewer]}\n",
        "families: [FAMILY-NAME]\nfamily_grants: {FAMILY.queue.burn: [viewer]}\n",
        "families: [FAMILY-NAME]\nfamily_grants: {FAMILY.queue.read: [tenant_admin]}\n",
        "families: [iam]\nfamily_grants: {iam.project.delete: [viewer]}\n",
        """views: [{name: OWN.all, title: All, columns: [{name: a, title: A}], key: a,
            permission: iam.project.read}]\n""",
        "actions: [{name: OWN.burn, title: Burn, permission: FAMILY.queue.read}]\n",
        "actions: [{name: iam.burn, title: Burn, permission: OWN.greeting.read}]\n",
        "scopes: [platform.everything]\n",
    ],
)
async def test_a_manifest_that_reaches_beyond_its_app_is_refused(place: Place, more: str) -> None:
    """Nothing is published, so there is nothing to consent to and nobody holds anything."""
    family = await make_family(place)
    app = await make_app(place.publisher.admin, place.publisher.project.id, visibility="platform")
    namespace = app["slug"].replace("-", "_")
    text = (
        more.replace("OWN", namespace)
        .replace("FAMILY-NAME", family)
        .replace("FAMILY", family.replace("-", "_"))
    )

    answer = await place.publisher.admin.post(
        f"/v1/apps/{app['id']}/versions", {"manifest": catalog.manifest(app["slug"], more=text)}
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "manifest_invalid")
    offered = await place.tenant.admin.get(f"/v1/projects/{place.project.id}/offers/{app['id']}")
    assert (offered.status_code, offered.json()["code"]) == (409, "no_version")


@pytest.mark.rule("PM-1")
@pytest.mark.parametrize("slug", ["iam", "catalog", "platform", "policy", "events", "audit"])
async def test_no_app_is_called_like_an_area_of_the_core(place: Place, slug: str) -> None:
    path = f"/v1/projects/{place.publisher.project.id}/apps"

    answer = await place.publisher.admin.post(path, catalog.new_app(slug))

    assert (answer.status_code, answer.json()["code"]) == (422, "slug_reserved")


async def make_family(place: Place, *names: str) -> str:
    """A family of the platform's with `<namespace>.queue.<name>` for each name."""
    family = f"f-{fresh()}"
    keys = [
        {"key": queue(family, name), "description": f"May {name} it.", "means": None}
        for name in names or ("read",)
    ]
    put = await place.root.put(f"/v1/families/{family}", {"description": "Queues.", "keys": keys})
    assert put.status_code == 200, put.text
    return family


def queue(family: str, name: str) -> str:
    return f"{family.replace('-', '_')}.queue.{name}"


async def admit(place: Place, family: str, app: dict[str, Any], *keys: str) -> None:
    path = f"/v1/families/{family}/admissions/{app['id']}"
    answer = await place.root.put(path, {"keys": list(keys)})
    assert answer.status_code == 200, answer.text


# Where a key is worth something


@pytest.mark.rule("PM-3")
async def test_a_key_opens_its_own_app_in_the_entitled_project_alone(place: Place) -> None:
    first, second = await place.app(send=ADMINS), await place.app(send=ADMINS)
    elsewhere = await make_project(place.site.sql, place.tenant.org, f"p-{fresh()}")
    admin, key = place.tenant.admin, key_of(first["slug"], "send")
    await place.entitle(first)
    await place.entitle(second)

    async def at(project: ProjectRow, app: dict[str, Any]) -> str:
        return await ask(place.site, admin, key, project, app)

    assert await at(place.project, first) == "yes"
    assert await at(place.project, second) == "Forbidden"
    assert await at(elsewhere, first) == "EntitlementMissing"
    assert await at(place.publisher.project, first) == "Hidden"


@pytest.mark.rule("PM-3")
async def test_who_holds_nothing_in_the_project_is_told_that_there_is_no_such_app(
    place: Place,
) -> None:
    app = await place.app(send=ADMINS)
    await place.entitle(app)
    key = key_of(app["slug"], "send")
    outsiders = [place.publisher.admin, place.root, await place.site.actor()]

    answers = [await ask(place.site, each, key, place.project, app) for each in outsiders]

    assert answers == ["Hidden"] * 3


@pytest.mark.rule("PM-3")
async def test_a_publisher_holds_no_key_of_its_app_without_an_entitlement(place: Place) -> None:
    app = await place.app(send=ADMINS)

    own = await ask(
        place.site,
        place.publisher.admin,
        key_of(app["slug"], "send"),
        place.publisher.project,
        app,
    )

    assert own == EntitlementMissing.__name__


@pytest.mark.rule("PM-1")
async def test_a_key_of_the_core_is_never_a_key_of_an_app(place: Place) -> None:
    app = await place.app(send=ADMINS)
    await place.entitle(app)

    answer = await ask(place.site, place.tenant.admin, "iam.project.read", place.project, app)

    assert answer == "Forbidden"


@pytest.mark.rule("PM-4")
async def test_keys_end_with_the_entitlement_at_once(place: Place) -> None:
    app = await place.app(send=ADMINS)
    made = await place.entitle(app)
    key, path = key_of(app["slug"], "send"), f"/v1/entitlements/{made['id']}"
    account, robot = await place.robot(key)
    people_and_robots = [place.tenant.admin, robot]

    async def answers() -> list[str]:
        return [await ask(place.site, who, key, place.project, app) for who in people_and_robots]

    assert await answers() == ["yes", "yes"]
    await place.tenant.admin.patch(path, {"enabled": False}, version=1)
    assert await answers() == ["Forbidden"] * 2
    await place.tenant.admin.patch(path, {"enabled": True}, version=2)
    assert await answers() == ["yes", "yes"]
    await place.tenant.admin.delete(path)
    assert await answers() == ["EntitlementMissing"] * 2
    kept = await place.tenant.admin.get(f"/v1/service-accounts/{account['id']}")
    assert kept.json()["permissions"] == [key]


@pytest.mark.rule("PM-4")
async def test_keys_end_with_the_project(place: Place) -> None:
    app = await place.app(send=ADMINS)
    await place.entitle(app)
    key = key_of(app["slug"], "send")

    await place.tenant.admin.delete(f"/v1/projects/{place.project.id}")

    answer = await ask(place.site, place.tenant.admin, key, place.project, app)
    assert answer == EntitlementMissing.__name__


@pytest.mark.rule("PM-6")
async def test_a_wider_version_gives_nothing_before_consent(place: Place) -> None:
    app = await place.app(read="viewer")
    made = await place.entitle(app)
    wider = permissions(app["slug"], read="viewer, project_member", wipe="viewer")
    await catalog.publish(place.publisher.admin, app, version="2.0.0", more=wider)
    viewer = await place.site.actor("viewer", project=place.project)
    member = await place.site.actor("project_member", project=place.project)
    read, wipe = key_of(app["slug"], "read"), key_of(app["slug"], "wipe")

    async def answers() -> list[str]:
        cases = [(viewer, read), (viewer, wipe), (member, read)]
        return [await ask(place.site, who, key, place.project, app) for who, key in cases]

    assert await answers() == ["yes", "Forbidden", "Forbidden"]
    consent = (await offer(place.tenant.admin, place.project.id, app["id"]))["consent"]
    path = f"/v1/entitlements/{made['id']}/consent"
    await catalog.made(place.tenant.admin, path, {"consent": consent}, status=200)
    assert await answers() == ["yes", "yes", "yes"]


@pytest.mark.rule("PM-2")
async def test_a_family_key_counts_where_the_family_is_named_and_the_app_admitted(
    place: Place,
) -> None:
    family = await make_family(place, "read", "drop")
    read, drop = queue(family, "read"), queue(family, "drop")
    grants = f"families: [{family}]\nfamily_grants: {{{read}: [viewer], {drop}: [viewer]}}\n"
    app, plain = await place.app(more=grants), await place.app(send="viewer")
    await place.entitle(app)
    await place.entitle(plain)
    viewer = await place.site.actor("viewer", project=place.project)

    async def at(key: str, app: dict[str, Any]) -> str:
        return await ask(place.site, viewer, key, place.project, app)

    assert [await at(read, app), await at(drop, app)] == ["Forbidden"] * 2
    await admit(place, family, app, read)
    assert [await at(read, app), await at(drop, app)] == ["yes", "Forbidden"]
    assert await at(read, plain) == "Forbidden"
    await place.root.delete(f"/v1/families/{family}/admissions/{app['id']}")
    assert await at(read, app) == "Forbidden"


# Service accounts and tokens


@pytest.mark.rule("PM-5")
async def test_a_service_account_has_no_key_of_an_app_unless_its_list_names_it(
    place: Place,
) -> None:
    app = await place.app(send="project_admin, project_member, viewer", read=ADMINS)
    made = await place.entitle(app)
    _, plain = await place.robot("catalog.entitlement.read")
    _, named = await place.robot("catalog.entitlement.read", key_of(app["slug"], "send"))

    shown = [
        (await caller.get(f"/v1/entitlements/{made['id']}")).json()["your_permissions"]
        for caller in (plain, named)
    ]

    assert shown == [[], [key_of(app["slug"], "send")]]


@pytest.mark.rule("PM-5")
async def test_nobody_gives_an_account_a_key_of_an_app_that_they_lack(place: Place) -> None:
    app = await place.app(read="viewer, project_member", send=ADMINS)
    await place.entitle(app)
    admin = await place.site.actor("project_admin", project=place.project)
    path = f"/v1/projects/{place.project.id}/service-accounts"

    async def give(*keys: str) -> tuple[int, str]:
        answer = await admin.post(path, {"name": f"r {fresh()}", "permissions": list(keys)})
        return answer.status_code, answer.json().get("code", "")

    assert await give(key_of(app["slug"], "send")) == (201, "")
    assert await give(key_of(app["slug"], "read")) == (403, "beyond_ceiling")
    assert await give(key_of(app["slug"], "gone")) == (422, "permission_unknown")


@pytest.mark.rule("PM-5")
async def test_an_account_that_makes_accounts_hands_on_only_what_it_holds(place: Place) -> None:
    app = await place.app(read=ADMINS, send=ADMINS)
    await place.entitle(app)
    read, send = key_of(app["slug"], "read"), key_of(app["slug"], "send")
    _, maker = await place.robot("iam.service_account.create", read)
    path = f"/v1/projects/{place.project.id}/service-accounts"

    same = await maker.post(path, {"name": f"r {fresh()}", "permissions": [read]})
    more = await maker.post(path, {"name": f"r {fresh()}", "permissions": [read, send]})

    assert same.status_code == 201, same.text
    assert (more.status_code, more.json()["code"]) == (403, "beyond_ceiling")


@pytest.mark.rule("PM-5")
async def test_an_account_cannot_have_keys_of_an_app_of_another_project(place: Place) -> None:
    app = await place.app(send=ADMINS)
    await entitle(place.tenant.admin, place.tenant.project.id, app["id"])
    path = f"/v1/projects/{place.project.id}/service-accounts"
    body = {"name": f"r {fresh()}", "permissions": [key_of(app["slug"], "send")]}

    answer = await place.tenant.admin.post(path, body)

    assert (answer.status_code, answer.json()["code"]) == (422, "permission_unknown")


@pytest.mark.rule("PM-5")
async def test_a_family_key_is_handed_on_only_by_who_holds_it_on_every_app(place: Place) -> None:
    family = await make_family(place)
    read = queue(family, "read")
    granting = await place.app(
        more=f"families: [{family}]\nfamily_grants: {{{read}: [project_admin]}}\n"
    )
    await admit(place, family, granting, read)
    await place.entitle(granting)
    path = f"/v1/projects/{place.project.id}/service-accounts"

    async def give() -> int:
        body = {"name": f"r {fresh()}", "permissions": [read]}
        return (await place.tenant.admin.post(path, body)).status_code

    before = await give()
    keeping = await place.app(more=f"families: [{family}]\nfamily_grants: {{{read}: [viewer]}}\n")
    await admit(place, family, keeping, read)
    await place.entitle(keeping)

    assert (before, await give()) == (201, 403)


async def test_an_accounts_keys_are_made_while_its_app_is_disabled(place: Place) -> None:
    """Who rotates a key then still holds all that the account will hold again."""
    app = await place.app(send=ADMINS)
    made = await place.entitle(app)
    account, _ = await place.robot(key_of(app["slug"], "send"))
    path = f"/v1/service-accounts/{account['id']}/keys"
    await place.tenant.admin.patch(f"/v1/entitlements/{made['id']}", {"enabled": False}, version=1)

    disabled = await place.tenant.admin.post(path, {})
    await place.tenant.admin.delete(f"/v1/entitlements/{made['id']}")
    deleted = await place.tenant.admin.post(path, {})

    assert disabled.status_code == 201, disabled.text
    assert (deleted.status_code, deleted.json()["code"]) == (422, "permission_unknown")
    assert "take off the account" in deleted.json()["detail"]


async def test_a_token_lists_app_keys_that_its_owner_holds_and_has_no_others(
    place: Place,
) -> None:
    app = await place.app(read=ADMINS, send=ADMINS, wipe="viewer")
    made = await place.entitle(app)
    read, wipe = key_of(app["slug"], "read"), key_of(app["slug"], "wipe")
    body = {"name": "narrow", "expires_in": 600, "project": place.project.id}
    keys = ["catalog.entitlement.read", read]

    issued = await place.tenant.admin.post("/v1/access-tokens", {**body, "permissions": keys})
    lacking = await place.tenant.admin.post("/v1/access-tokens", {**body, "permissions": [wipe]})
    anywhere = await place.tenant.admin.post(
        "/v1/access-tokens", {"name": "wide", "expires_in": 600, "permissions": keys}
    )

    assert (issued.status_code, anywhere.status_code) == (201, 201)
    assert (lacking.status_code, wipe in lacking.json()["detail"]) == (403, True)
    token = Bearer(place.site.client, issued.json()["token"])
    shown = await token.get(f"/v1/entitlements/{made['id']}")
    assert shown.json()["your_permissions"] == [read]
