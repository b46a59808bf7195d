"""Each refusal is an exception of its own, with what a caller needs to act."""

import json

import pytest

import moorage
from moorage import Client
from moorage.models import OrgRead, ProjectRead
from sdk.tests import running
from sdk.tests.wire import Answer, Wire

NOBODYS = "org_01jg3vx6t0e8s9m2k4q7w5y1zr"


async def test_what_is_not_there_is_not_found(admin: Client) -> None:
    call = admin.using(correlation_id="looking-for-it")

    with pytest.raises(moorage.NotFound) as refusal:
        await call.orgs.get(NOBODYS)

    assert (refusal.value.status, refusal.value.code) == (404, "not_found")
    assert refusal.value.correlation_id == "looking-for-it"
    assert "looking-for-it" in str(refusal.value)
    assert NOBODYS in refusal.value.detail


async def test_a_code_has_a_class_below_that_of_its_status(admin: Client, org: OrgRead) -> None:
    with pytest.raises(moorage.errors.SlugTaken) as refusal:
        await admin.orgs.create(slug=org.slug, name="Org", admin_email=running.ADMIN)

    assert isinstance(refusal.value, moorage.Conflict)


async def test_faults_of_a_malformed_request_are_listed(admin: Client) -> None:
    with pytest.raises(moorage.errors.Malformed) as refusal:
        await admin.orgs.create(slug="Not A Slug", name="", admin_email=running.ADMIN)

    assert {fault.location for fault in refusal.value.errors} == {"body.slug", "body.name"}


async def test_an_object_that_was_changed_since_is_stale(admin: Client, org: OrgRead) -> None:
    await admin.orgs.update(org, name="Second")

    with pytest.raises(moorage.Stale):
        await admin.orgs.update(org, name="Third")


async def test_a_change_of_no_version_is_refused(admin: Client, org: OrgRead) -> None:
    with pytest.raises(moorage.IfMatchRequired):
        await admin.orgs.update(org.id, name="Second")

    assert (await admin.orgs.update(org.id, name="Second", version=org.version)).version == 2


async def test_what_is_not_allowed_is_forbidden(
    admin: Client, project: ProjectRead, bad: Wire
) -> None:
    account = await admin.service_accounts.create(
        project, name="bot", permissions=["iam.project.read"]
    )
    key = await admin.service_accounts.create_key(account)
    auth = moorage.ServiceAccount(account.id, key=key.id, secret=key.secret)

    async with Client(bad.url, auth=auth) as client:
        with pytest.raises(moorage.Forbidden):
            await client.projects.update(project, name="Mine now")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, moorage.BadRequest),
        (401, moorage.Unauthenticated),
        (403, moorage.Forbidden),
        (409, moorage.Conflict),
        (418, moorage.ApiError),
        (500, moorage.ServerFault),
        (507, moorage.ServerFault),
    ],
)
async def test_a_code_of_a_newer_platform_goes_by_its_status(
    over_bad: Client, bad: Wire, status: int, kind: type[moorage.ApiError]
) -> None:
    bad.faults = [Answer(status, json.dumps({"code": "brand_new", "detail": "New."}).encode())]

    with pytest.raises(kind) as refusal:
        await over_bad.me.get()

    assert refusal.value.code == "brand_new"


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1]", b'{"errors": 3}', b"\xff\xfe"])
async def test_a_refusal_without_a_problem_document_is_one_all_the_same(
    over_bad: Client, bad: Wire, body: bytes
) -> None:
    bad.faults = [Answer(500, body)]

    with pytest.raises(moorage.ServerFault) as refusal:
        await over_bad.using(correlation_id="which-call").me.get()

    assert refusal.value.code == "http_500"
    assert refusal.value.correlation_id == "which-call"
