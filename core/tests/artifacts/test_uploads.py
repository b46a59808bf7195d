"""Announcing, uploading and completing an artifact, through HTTP."""

import asyncio
import dataclasses
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories.artifacts import announce, announcement, digest_of, send, upload
from core.tests.factories.tenancy import make_project
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.site import Site, fresh
from moorage_core.artifacts.local_blobs import LocalBlobs
from moorage_core.http import edge


def path_of(tenant: Tenant) -> str:
    return f"/v1/projects/{tenant.project.id}/artifacts"


def problem(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def received(caller: Caller, artifact: str) -> int | None:
    return (await caller.get(f"/v1/artifacts/{artifact}")).json()["received"]


async def trace(site: Site, artifact: str) -> list[tuple[str, str]]:
    """The audited actions and the events of an artifact."""
    actions = await site.rows(
        "SELECT action FROM audit_entries WHERE target = %s ORDER BY at, id", artifact
    )
    events = await site.rows(
        "SELECT type FROM events WHERE subject = %s ORDER BY subject_version, id", artifact
    )
    return [(action, event) for (action,), (event,) in zip(actions, events, strict=True)]


async def test_an_artifact_is_announced_uploaded_in_parts_and_published(
    site: Site, tenant: Tenant
) -> None:
    content = os.urandom(100_000)
    announced = await announce(tenant.admin, tenant.project.id, content)
    id = announced["id"]
    assert (announced["lifecycle"], announced["trust"]) == ("uploading", "unverified")
    assert await received(tenant.admin, id) == 0

    first = await send(tenant.admin, id, content[:60_000])
    between = await received(tenant.admin, id)
    second = await send(tenant.admin, id, content[60_000:], offset=60_000)
    published = await tenant.admin.post(f"/v1/artifacts/{id}/complete")

    assert (first.json(), between, second.json()) == (
        {"received": 60_000},
        60_000,
        {"received": 100_000},
    )
    assert published.json()["lifecycle"] == "published"
    assert await received(tenant.admin, id) is None
    assert await trace(site, id) == [
        ("catalog.artifact.create", "catalog.artifact.created"),
        ("catalog.artifact.create", "catalog.artifact.published"),
    ]


async def test_a_service_account_of_the_project_uploads_too(tenant: Tenant) -> None:
    robot = await mint(tenant)

    artifact = await upload(robot, tenant.project.id, fresh().encode())

    assert artifact["lifecycle"] == "published"


async def test_an_empty_artifact_needs_no_bytes(tenant: Tenant) -> None:
    announced = await announce(tenant.admin, tenant.project.id, b"")

    answer = await tenant.admin.post(f"/v1/artifacts/{announced['id']}/complete")

    assert answer.json()["lifecycle"] == "published"


@pytest.mark.rule("AR-2")
async def test_wrong_bytes_are_thrown_away_and_can_be_sent_again(
    site: Site, tenant: Tenant
) -> None:
    content = b"what was announced"
    id = (await announce(tenant.admin, tenant.project.id, content))["id"]
    await send(tenant.admin, id, b"what was sent here")

    refused = await tenant.admin.post(f"/v1/artifacts/{id}/complete")
    left = await received(tenant.admin, id)
    await send(tenant.admin, id, content)
    accepted = await tenant.admin.post(f"/v1/artifacts/{id}/complete")

    assert problem(refused) == (422, "digest_mismatch")
    assert left == 0
    assert accepted.json()["lifecycle"] == "published"


@pytest.mark.rule("AR-2")
async def test_missing_bytes_are_told_and_kept(tenant: Tenant) -> None:
    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]
    await send(tenant.admin, id, b"01234")

    answer = await tenant.admin.post(f"/v1/artifacts/{id}/complete")

    assert problem(answer) == (409, "upload_incomplete")
    assert "5 of 10 bytes" in answer.json()["detail"]
    assert await received(tenant.admin, id) == 5


@pytest.mark.parametrize(("size", "code"), [(5, "digest_mismatch"), (15, "upload_incomplete")])
async def test_a_size_that_is_not_true_leads_nowhere(tenant: Tenant, size: int, code: str) -> None:
    content = b"0123456789"
    id = (await announce(tenant.admin, tenant.project.id, content, size=size))["id"]
    await send(tenant.admin, id, content[:size])

    answer = await tenant.admin.post(f"/v1/artifacts/{id}/complete")

    assert answer.json()["code"] == code


async def test_a_full_disk_is_told_to_whoever_uploads(
    site: Site, tenant: Tenant, tmp_path: Path
) -> None:
    blobs = LocalBlobs(tmp_path, reserve=1 << 60)
    site.api.state.platform = dataclasses.replace(site.platform, blobs=blobs)
    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]

    answer = await send(tenant.admin, id, b"0123456789")
    left = await received(tenant.admin, id)
    site.api.state.platform = site.platform
    blobs.close()

    assert problem(answer) == (503, "store_full")
    assert answer.headers["retry-after"] == "60"
    assert left == 0


@pytest.mark.rule("AR-1")
async def test_another_offset_is_refused_with_the_right_one(tenant: Tenant) -> None:
    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]
    await send(tenant.admin, id, b"01234")

    answers = [await send(tenant.admin, id, b"x", offset=offset) for offset in (0, 4, 6)]

    assert {problem(answer) for answer in answers} == {(409, "upload_offset")}
    assert answers[0].json()["errors"] == [
        {"location": "query.offset", "message": "the upload stands at 5"}
    ]
    assert await received(tenant.admin, id) == 5


@pytest.mark.parametrize("offset", ["-1", "x", "1.5", str(1 << 70), ""])
async def test_an_offset_is_a_whole_number(tenant: Tenant, offset: str) -> None:
    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]

    answer = await tenant.admin.call(
        "PUT", f"/v1/artifacts/{id}/content?offset={offset}", content=b"x"
    )

    assert problem(answer) == (422, "malformed")


async def test_more_than_was_announced_is_refused_before_it_is_read(tenant: Tenant) -> None:
    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]

    answer = await send(tenant.admin, id, b"0123456789x")

    assert problem(answer) == (422, "more_than_announced")
    assert await received(tenant.admin, id) == 0


async def test_more_than_was_announced_is_refused_where_nobody_says_how_much(
    tenant: Tenant,
) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"01234"
        yield b"56789x"

    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]

    answer = await tenant.admin.call("PUT", f"/v1/artifacts/{id}/content", content=chunks())

    assert problem(answer) == (422, "more_than_announced")
    assert await received(tenant.admin, id) == 5


@pytest.mark.rule("AR-1")
async def test_of_two_uploaders_at_once_one_is_sent_away(tenant: Tenant) -> None:
    content = b"0123456789"
    id = (await announce(tenant.admin, tenant.project.id, content))["id"]
    begun, over = asyncio.Event(), asyncio.Event()

    async def chunks() -> AsyncIterator[bytes]:
        yield content[:5]
        begun.set()
        await over.wait()
        yield content[5:]

    slow = asyncio.create_task(
        tenant.admin.call("PUT", f"/v1/artifacts/{id}/content", content=chunks())
    )
    await begun.wait()
    other = await send(tenant.admin, id, content)
    over.set()

    assert problem(other) == (409, "upload_busy")
    assert (await slow).json() == {"received": 10}
    assert (await tenant.admin.post(f"/v1/artifacts/{id}/complete")).status_code == 200


async def test_what_is_published_takes_no_bytes(tenant: Tenant) -> None:
    artifact = await upload(tenant.admin, tenant.project.id, fresh().encode())

    sent = await send(tenant.admin, artifact["id"], b"x", offset=artifact["size"])
    completed = await tenant.admin.post(f"/v1/artifacts/{artifact['id']}/complete")

    assert problem(sent) == (409, "not_uploading")
    assert problem(completed) == (409, "not_uploading")


@pytest.mark.parametrize(("bound", "taken"), [(edge.DRAINED_BYTES, 5), (15, 2)])
async def test_a_refused_body_is_read_on_so_that_its_sender_hears_why(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, bound: int, taken: int
) -> None:
    monkeypatch.setattr(edge, "DRAINED_BYTES", bound)
    artifact = await upload(tenant.admin, tenant.project.id, fresh().encode())
    sent: list[int] = []

    async def chunks() -> AsyncIterator[bytes]:
        for number in range(5):
            sent.append(number)
            yield b"0123456789"

    answer = await tenant.admin.call(
        "PUT", f"/v1/artifacts/{artifact['id']}/content", content=chunks()
    )

    assert problem(answer) == (409, "not_uploading")
    assert len(sent) == taken


async def test_who_may_only_read_uploads_nothing(site: Site, tenant: Tenant) -> None:
    member = await site.actor("project_member", project=tenant.project)
    id = (await announce(tenant.admin, tenant.project.id, b"0123456789"))["id"]

    sent = await send(member, id, b"x")
    completed = await member.post(f"/v1/artifacts/{id}/complete")
    announced = await member.post(path_of(tenant), announcement(b"x"))

    assert {problem(each) for each in (sent, completed, announced)} == {(403, "forbidden")}
    assert await received(member, id) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../../etc/passwd"},
        {"name": "a/b"},
        {"name": ".hidden"},
        {"name": "a\x00b"},
        {"name": "a\nb"},
        {"name": "\x1b[31m"},
        {"name": ""},
        {"name": "x" * 129},
        {"digest": "sha512:" + "0" * 128},
        {"digest": "md5:" + "0" * 32},
        {"digest": "sha256:" + "A" * 64},
        {"digest": "sha256:" + "0" * 63},
        {"digest": "0" * 64},
        {"size": -1},
        {"size": 1 << 53},
        {"size": 1e300},
        {"size": "5"},
        {"size": True},
        {"media_type": "text/html\r\nX-Injected: yes"},
        {"media_type": "nonsense"},
        {"kind": "zip"},
        {"lifecycle": "published"},
        {"trust": "verified"},
    ],
    ids=str,
)
async def test_an_announcement_of_another_form_is_refused(
    tenant: Tenant, change: dict[str, Any]
) -> None:
    answer = await tenant.admin.post(path_of(tenant), announcement(b"bytes", **change))

    assert problem(answer) == (422, "malformed")


async def test_an_artifact_beyond_the_limit_is_refused(site: Site, tenant: Tenant) -> None:
    limit = site.platform.settings.limits.artifact_bytes

    answer = await tenant.admin.post(path_of(tenant), announcement(b"", size=limit + 1))

    assert problem(answer) == (422, "artifact_too_large")


async def test_a_project_has_each_content_once(tenant: Tenant) -> None:
    content = fresh().encode()
    artifact = await upload(tenant.admin, tenant.project.id, content)

    again = await tenant.admin.post(path_of(tenant), announcement(content))
    found = await tenant.admin.get(path_of(tenant), params={"digest": digest_of(content)})

    assert problem(again) == (409, "content_taken")
    assert [item["id"] for item in found.json()["items"]] == [artifact["id"]]


@pytest.mark.rule("AR-3")
async def test_another_project_must_bring_the_bytes_itself(site: Site, tenant: Tenant) -> None:
    """Whoever knows a digest does not get at what it names."""
    content = fresh().encode()
    await upload(tenant.admin, tenant.project.id, content)
    other = await make_tenant(site)
    id = (await announce(other.admin, other.project.id, content))["id"]

    answer = await other.admin.post(f"/v1/artifacts/{id}/complete")

    assert problem(answer) == (409, "upload_incomplete")


async def test_the_artifacts_of_a_project_can_be_found_by_trust(tenant: Tenant) -> None:
    kept = await upload(tenant.admin, tenant.project.id, fresh().encode())
    bad = await upload(tenant.admin, tenant.project.id, fresh().encode())
    await tenant.admin.post(f"/v1/artifacts/{bad['id']}/revoke", {"reason": "it does harm"})

    found = {
        trust: [
            item["id"]
            for item in (await tenant.admin.get(path_of(tenant), params={"trust": trust})).json()[
                "items"
            ]
        ]
        for trust in ("unverified", "verified", "revoked")
    }

    assert found == {"unverified": [kept["id"]], "verified": [], "revoked": [bad["id"]]}


async def test_a_source_that_the_org_does_not_have_is_refused(tenant: Tenant) -> None:
    body = announcement(b"x", source="src_" + "7" * 26, location="thing.tar")

    answer = await tenant.admin.post(path_of(tenant), body)

    assert problem(answer) == (422, "source_unusable")


@pytest.mark.parametrize("location", ["../x", "https://elsewhere.example/x", "/x", "a\nb"])
async def test_a_location_leads_nowhere_else(tenant: Tenant, location: str) -> None:
    body = announcement(b"x", source="src_" + "7" * 26, location=location)

    answer = await tenant.admin.post(path_of(tenant), body)

    assert answer.status_code == 422
    assert answer.json()["code"] in ("location_unusable", "malformed")


async def test_what_nobody_uses_can_be_removed(site: Site, tenant: Tenant) -> None:
    content = fresh().encode()
    artifact = await upload(tenant.admin, tenant.project.id, content)

    gone = await tenant.admin.delete(f"/v1/artifacts/{artifact['id']}")
    again = await upload(tenant.admin, tenant.project.id, content)

    assert gone.status_code == 204
    assert (await tenant.admin.get(f"/v1/artifacts/{artifact['id']}")).status_code == 404
    assert again["id"] != artifact["id"]
    assert (await trace(site, artifact["id"]))[-1] == (
        "catalog.artifact.delete",
        "catalog.artifact.deleted",
    )


async def test_an_upload_of_a_deleted_project_is_not_found(site: Site, tenant: Tenant) -> None:
    project = await make_project(site.sql, tenant.org, f"prj-{fresh()}")
    id = (await announce(tenant.admin, project.id, b"0123456789"))["id"]

    await tenant.admin.delete(f"/v1/projects/{project.id}")

    assert problem(await send(tenant.admin, id, b"x")) == (404, "not_found")


async def test_a_lifecycle_moves_by_the_publishers_word(site: Site, tenant: Tenant) -> None:
    artifact = await upload(tenant.admin, tenant.project.id, fresh().encode())
    path, version = f"/v1/artifacts/{artifact['id']}", artifact["version"]
    seen: list[str] = []

    for word in ("deprecated", "published", "retired"):
        answer = await tenant.admin.patch(path, {"lifecycle": word}, version=version)
        version = answer.json()["version"]
        seen.append(answer.json()["lifecycle"])
    back = await tenant.admin.patch(path, {"lifecycle": "published"}, version=version)
    stale = await tenant.admin.patch(path, {"lifecycle": "published"}, version=1)
    promoted = await tenant.admin.patch(path, {"lifecycle": "promoted"}, version=version)

    assert seen == ["deprecated", "published", "retired"]
    assert problem(back) == (409, "invalid_transition")
    assert problem(stale) == (412, "stale")
    assert problem(promoted) == (422, "malformed")
