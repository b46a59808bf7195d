"""Policy through the client: layers, dry runs, explanations."""

import pytest

from moorage import Client, errors
from moorage.models import AppRead, LimitedWords, OrgRead, OverlayDocument, ProjectRead
from sdk.tests.conftest import new_slug

MANIFEST = """\
contract: 1
slug: {slug}
version: '{version}'
name: Example
summary: An app for tests.
modes: [{{operating_mode: standard, scope: project}}]
"""


@pytest.fixture
async def app(admin: Client, project: ProjectRead) -> AppRead:
    """Two versions, to which the project is entitled."""
    made = await admin.apps.create(
        project, slug=new_slug(), name="Example", summary="An app for tests."
    )
    for version in ("1.0.0", "2.0.0"):
        text = MANIFEST.format(slug=made.slug, version=version)
        await admin.apps.publish_version(await admin.apps.create_version(made, manifest=text))
    offer = await admin.entitlements.offer(project, made)
    await admin.entitlements.create(project, app=made, consent=offer.consent)
    return made


async def test_a_layer_is_written_at_the_version_that_was_read(admin: Client, org: OrgRead) -> None:
    before = await admin.policy.get_org(org)
    document = OverlayDocument(regions=LimitedWords(allow=["eu"]))

    written = await admin.policy.put_org(org, document=document, version=before.version)

    assert (before.version, written.version) == (0, 1)
    assert written.document.regions is not None
    assert written.document.regions.allow == ["eu"]
    with pytest.raises(errors.Stale):
        await admin.policy.put_org(org, document=document, version=before.version)


async def test_what_was_read_can_be_written_back(admin: Client, org: OrgRead) -> None:
    document = {"skus": {"deny": ["large"]}, "quotas": {"gpus": 4}}
    first = await admin.policy.put_org(org, document=document, version=0)

    second = await admin.policy.put_org(org, document=first.document, version=first.version)

    assert second.document == first.document


async def test_a_limit_that_nothing_enforces_is_not_lost_on_the_way(
    admin: Client, org: OrgRead
) -> None:
    with pytest.raises(errors.DimensionNotEnforced) as refusal:
        await admin.policy.put_org(org, document={"budget": {"eur": 5}}, version=0)

    assert refusal.value.errors[0].location == "body.document.budget"


async def test_a_wider_layer_is_refused_by_name(
    admin: Client, org: OrgRead, project: ProjectRead
) -> None:
    await admin.policy.put_org(org, document={"regions": {"allow": ["eu"]}}, version=0)

    with pytest.raises(errors.OverlayWidens) as refusal:
        await admin.policy.put_project(
            project, document={"regions": {"allow": ["eu", "us"]}}, version=0
        )

    assert f"Org {org.slug}'s layer does not allow us" in refusal.value.detail


async def test_a_dry_run_says_what_would_break_and_changes_nothing(
    admin: Client, org: OrgRead, project: ProjectRead, app: AppRead
) -> None:
    tried = await admin.policy.put_org(
        org, document={"versions": {app.slug: "^1"}}, version=0, dry_run=True
    )

    assert [(each.version, each.instead) for each in tried.breaks.items] == [("2.0.0", "1.0.0")]
    assert (await admin.policy.get_org(org)).version == 0


async def test_each_limit_says_which_layer_it_comes_from(
    admin: Client, org: OrgRead, project: ProjectRead, app: AppRead
) -> None:
    [held] = [each async for each in admin.entitlements.list(project, app=app)]
    await admin.policy.put_org(org, document={"quotas": {"gpus": 8}}, version=0)
    await admin.policy.put_project(project, document={"quotas": {"gpus": 2}}, version=0)
    await admin.policy.put_entitlement(held, document={"quotas": {"gpus": 1}}, version=0)

    left = await admin.policy.effective(project)

    assert (left.quotas["gpus"].limit, left.quotas["gpus"].layer) == (2, "project")
    assert [layer.version for layer in left.layers][1:] == [0, 1, 1]
    assert (await admin.policy.get_entitlement(held)).version == 1
    assert (await admin.policy.get_project(project)).version == 1
    assert (await admin.policy.get_global()).level == "global"


async def test_an_explanation_names_the_layer_and_who_can_change_it(
    admin: Client, org: OrgRead, project: ProjectRead, app: AppRead
) -> None:
    await admin.policy.put_org(org, document={"regions": {"deny": ["eu"]}}, version=0)

    here = await admin.policy.explain(
        project=project, app=app, operation="instance.deploy", region="eu", gpus=1
    )
    there = await admin.policy.explain(
        project=project, app=app, operation="instance.deploy", region="us"
    )

    refusals = [verdict for verdict in here.verdicts if verdict.allowed is False]
    assert [(no.layer, no.dimension, no.value) for no in refusals] == [("org", "regions", "eu")]
    assert "policy.overlay.update" in str(refusals[0].who_can_change)
    assert there.allowed
    assert there.version is not None
    assert there.version.number == "2.0.0"


async def test_the_platforms_layer_is_written_by_those_who_run_it(admin: Client) -> None:
    before = await admin.policy.get_global()

    tried = await admin.policy.put_global(
        document={"regions": {"deny": ["nowhere"]}}, version=before.version, dry_run=True
    )

    assert tried.version == before.version + 1
    assert (await admin.policy.get_global()) == before
