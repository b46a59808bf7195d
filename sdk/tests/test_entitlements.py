"""Entitlements through the client: offer, consent, waiting versions."""

import pytest

from moorage import Client, errors
from moorage.models import AppRead, ProjectRead
from sdk.tests.conftest import new_slug

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


async def publish(client: Client, app: AppRead, version: str, *, scopes: str = "") -> None:
    text = MANIFEST.format(slug=app.slug, version=version, scopes=scopes)
    draft = await client.apps.create_version(app, manifest=text)
    await client.apps.publish_version(draft)


@pytest.fixture
async def app(admin: Client, project: ProjectRead) -> AppRead:
    made = await admin.apps.create(
        project, slug=new_slug(), name="Example", summary="An app for tests."
    )
    await publish(admin, made, "1.0.0")
    return made


async def test_what_an_offer_shows_is_what_is_accepted(
    admin: Client, project: ProjectRead, app: AppRead
) -> None:
    offer = await admin.entitlements.offer(project, app, versions="^1")

    made = await admin.entitlements.create(project, app=app, versions="^1", consent=offer.consent)

    assert [key.key for key in offer.declaration.keys] == made.your_permissions
    assert made.resolved is not None
    assert (made.resolved.number, made.accepted_digest) == ("1.0.0", offer.consent)
    assert [each.id async for each in admin.entitlements.list(project, app=app)] == [made.id]


async def test_without_consent_the_error_carries_the_digest(
    admin: Client, project: ProjectRead, app: AppRead
) -> None:
    with pytest.raises(errors.ConsentNeeded) as refusal:
        await admin.entitlements.create(project, app=app, consent=None)

    offer = await admin.entitlements.offer(project, app)
    assert refusal.value.errors[0].message == offer.consent


async def test_a_wider_version_waits_until_its_digest_is_accepted(
    admin: Client, project: ProjectRead, app: AppRead
) -> None:
    offer = await admin.entitlements.offer(project, app)
    made = await admin.entitlements.create(project, app=app, consent=offer.consent)
    await publish(admin, app, "2.0.0", scopes="usage.report")

    diff = await admin.entitlements.diff(made)
    after = await admin.entitlements.give_consent(made, consent=diff.consent)

    assert [each.sentence for each in diff.wider] == ["It has the scope usage.report."]
    assert after.resolved is not None
    assert (after.resolved.number, after.waiting) == ("2.0.0", None)


async def test_an_entitlement_is_changed_disabled_and_deleted(
    admin: Client, project: ProjectRead, app: AppRead
) -> None:
    offer = await admin.entitlements.offer(project, app)
    made = await admin.entitlements.create(project, app=app, consent=offer.consent)

    changed = await admin.entitlements.update(made, versions="~1.0", enabled=False)
    await admin.entitlements.delete(changed)

    assert (changed.versions, changed.enabled, changed.your_permissions) == ("~1.0", False, [])
    with pytest.raises(errors.NotFound):
        await admin.entitlements.get(made)
