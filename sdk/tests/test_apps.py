"""Apps, versions, channels and operators through the client, against a real platform."""

import pytest

import moorage
from moorage import Client, manifest
from moorage.models import AppRead, ProjectRead
from sdk.tests.conftest import new_slug


def text(app: AppRead, version: str = "1.0.0", more: str = "") -> str:
    return (
        f"contract: 1\nslug: {app.slug}\nversion: '{version}'\nname: Example\nsummary: It works.\n"
        "modes:\n  - {operating_mode: standard, scope: project}\n" + more
    )


@pytest.fixture
async def app(admin: Client, project: ProjectRead) -> AppRead:
    return await admin.apps.create(project, slug=new_slug(), name="Example", summary="It works.")


async def test_an_app_is_found_by_its_slug(admin: Client, app: AppRead) -> None:
    assert await admin.apps.find(app.slug) == app
    assert await admin.apps.find(new_slug()) is None
    assert app in await admin.apps.list(project=app.project_id).all()


async def test_an_app_is_changed_and_removed(admin: Client, app: AppRead) -> None:
    changed = await admin.apps.update(app, name="Other", visibility="org")

    await admin.apps.delete(changed)

    assert (changed.name, changed.visibility, changed.summary) == ("Other", "org", "It works.")
    assert await admin.apps.find(app.slug) is None


async def test_a_version_goes_from_draft_to_retired(admin: Client, app: AppRead) -> None:
    draft = await admin.apps.create_version(app, manifest=text(app))
    draft = await admin.apps.replace_version(
        draft, manifest=text(app, more="runbook: RUNBOOK.md\n"), runbook="# Runbook\n"
    )
    published = await admin.apps.publish_version(draft, manifest_digest=draft.manifest_digest)
    deprecated = await admin.apps.deprecate_version(published, note="Use 2.0.0.")
    restored = await admin.apps.restore_version(deprecated)
    promotion = await admin.apps.promote(app, channel="dev", version=restored, reason="To try it.")
    channels = await admin.apps.list_channels(app).all()
    other = await admin.apps.create_version(app, manifest=text(app, "1.1.0"))
    other = await admin.apps.publish_version(other)
    await admin.apps.promote(app, channel="dev", version=other)
    retired = await admin.apps.retire_version(restored, reason="It has a flaw.")

    states = [v.status for v in (draft, published, deprecated, restored, retired)]
    assert states == ["draft", "published", "deprecated", "published", "retired"]
    assert published.runbook == "# Runbook\n"
    assert [(c.channel, c.version_id) for c in channels] == [("dev", published.id)]
    history = await admin.apps.list_promotions(app, channel="dev").all()
    assert [each.number for each in history] == ["1.1.0", "1.0.0"]
    assert history[1] == promotion
    assert (await admin.apps.get_version(retired)) == retired
    found = await admin.apps.find_version(app, "1.1.0")
    assert found is not None
    assert found.id == other.id
    assert await admin.apps.find_version(app, "9.9.9") is None


async def test_a_draft_is_thrown_away(admin: Client, app: AppRead) -> None:
    draft = await admin.apps.create_version(app, manifest=text(app))

    await admin.apps.delete_version(draft)

    assert await admin.apps.list_versions(app).all() == []


async def test_faults_of_a_manifest_are_those_that_are_found_here(
    admin: Client, app: AppRead
) -> None:
    bad = text(app, more="colour: red\n")

    with pytest.raises(moorage.ApiError) as refusal:
        await admin.apps.create_version(app, manifest=bad)

    assert refusal.value.code == "manifest_invalid"
    here = [
        (f"body.manifest:{fault.line}:{fault.column}", f"{fault.path}: {fault.message}")
        for fault in manifest.read(bad).faults
    ]
    assert [(fault.location, fault.message) for fault in refusal.value.errors] == here


async def test_what_a_version_asks_for_is_what_the_manifest_library_says(
    admin: Client, app: AppRead
) -> None:
    given = text(app, more="scopes: [usage.report]\n")

    draft = await admin.apps.create_version(app, manifest=given)

    reading = manifest.read(given)
    assert reading.manifest is not None
    asked = manifest.declaration(reading.manifest)
    assert draft.declaration == asked.model_dump(mode="json")
    assert draft.declaration_digest == asked.digest


async def test_operators_are_registered_and_removed(
    admin: Client, app: AppRead, project: ProjectRead
) -> None:
    account = await admin.service_accounts.create(
        project, name="night shift", permissions=["apps.operation.claim"]
    )

    made = await admin.operators.register(
        project, app=app, service_account=account, name="Night shift"
    )

    assert await admin.operators.get(made) == made
    assert await admin.operators.list(project).all() == [made]
    assert await admin.operators.list_of_app(app).all() == [made]
    await admin.operators.remove(made)
    assert await admin.operators.list(project).all() == []
