"""Publisher keys, signatures, and what revoking either does."""

import asyncio
from typing import Any

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.callers import Caller
from core.tests.factories.artifacts import (
    announce,
    digest_of,
    key_body,
    public_jwk,
    register_key,
    sign,
    signature_of,
    upload,
)
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh

REASON = {"reason": "The key was copied from a laptop."}


def problem(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


class Publisher:
    """A project with a key and a published artifact."""

    def __init__(self, tenant: Tenant, artifact: dict[str, Any], key: str, pair: Any) -> None:
        self.tenant, self.artifact, self.key, self.pair = tenant, artifact, key, pair
        self.admin, self.project = tenant.admin, tenant.project.id

    async def trust(self) -> tuple[str, str | None]:
        read = (await self.admin.get(f"/v1/artifacts/{self.artifact['id']}")).json()
        return read["trust"], read["trust_reason"]

    async def sign(self, key: str | None = None, pair: Any = None) -> httpx2.Response:
        return await sign(self.admin, self.artifact, key or self.key, pair or self.pair)

    async def revoke_key(self, key: str) -> httpx2.Response:
        return await self.admin.post(f"/v1/publisher-keys/{key}/revoke", REASON)


@pytest.fixture
async def publisher(tenant: Tenant) -> Publisher:
    pair = Ed25519PrivateKey.generate()
    artifact = await upload(tenant.admin, tenant.project.id, fresh().encode())
    key = await register_key(tenant.admin, tenant.project.id, pair)
    return Publisher(tenant, artifact, key["id"], pair)


async def events_of(site: Site, subject: str) -> list[str]:
    rows = await site.rows("SELECT type FROM events WHERE subject = %s ORDER BY id", subject)
    return [type for (type,) in rows]


@pytest.mark.rule("AR-4")
async def test_a_good_signature_makes_an_artifact_verified(
    site: Site, publisher: Publisher
) -> None:
    answer = await publisher.sign()
    listed = await publisher.admin.get(f"/v1/artifacts/{publisher.artifact['id']}/signatures")

    assert answer.status_code == 200
    assert await publisher.trust() == ("verified", None)
    (signature,) = listed.json()["items"]
    assert signature["key_id"] == publisher.key
    assert signature["public_key"] == public_jwk(publisher.pair)
    assert signature["signature"] == signature_of(publisher.pair, publisher.artifact["digest"])
    assert (await events_of(site, publisher.artifact["id"]))[-1] == "catalog.artifact.verified"


@pytest.mark.rule("AR-4")
async def test_a_bad_signature_changes_nothing(publisher: Publisher) -> None:
    path = f"/v1/artifacts/{publisher.artifact['id']}/signatures"
    elsewhere = await make_tenant(publisher.tenant.site)
    foreign = await register_key(elsewhere.admin, elsewhere.project.id, publisher.pair)
    good = signature_of(publisher.pair, publisher.artifact["digest"])
    bodies = {
        "another digest": {"signature": signature_of(publisher.pair, digest_of(b"other"))},
        "another key": {"signature": signature_of(Ed25519PrivateKey.generate(), digest_of(b"x"))},
        "a key of another project": {"key": foreign["id"]},
        "a key that is not there": {"key": "pky_" + "7" * 26},
    }

    answers = {
        name: await publisher.admin.post(path, {"key": publisher.key, "signature": good} | body)
        for name, body in bodies.items()
    }

    assert {name: problem(answer) for name, answer in answers.items()} == dict.fromkeys(
        bodies, (422, "signature_invalid")
    )
    assert await publisher.trust() == ("unverified", None)


@pytest.mark.parametrize("signature", ["", "A" * 85, "A" * 87, "!" * 86, 7, None], ids=repr)
async def test_a_malformed_signature_is_refused(publisher: Publisher, signature: object) -> None:
    answer = await publisher.admin.post(
        f"/v1/artifacts/{publisher.artifact['id']}/signatures",
        {"key": publisher.key, "signature": signature},
    )

    assert problem(answer) == (422, "malformed")


async def test_a_key_signs_an_artifact_once(publisher: Publisher) -> None:
    await publisher.sign()

    assert problem(await publisher.sign()) == (409, "already_signed")


async def test_what_is_still_uploading_is_not_signed(publisher: Publisher) -> None:
    announced = await announce(publisher.admin, publisher.project, fresh().encode())

    answer = await sign(publisher.admin, announced, publisher.key, publisher.pair)

    assert problem(answer) == (409, "upload_incomplete")


async def test_a_key_is_registered_once(publisher: Publisher) -> None:
    body = key_body(publisher.pair, publisher.project)
    path = f"/v1/projects/{publisher.project}/publisher-keys"

    live = await publisher.admin.post(path, body)
    await publisher.revoke_key(publisher.key)
    revoked = await publisher.admin.post(path, body)

    assert problem(live) == problem(revoked) == (409, "key_taken")


@pytest.mark.parametrize(
    "key",
    [
        {"kty": "OKP", "crv": "Ed25519", "x": "short"},
        {"kty": "OKP", "crv": "X25519", "x": "A" * 43},
        {"kty": "OKP", "crv": "Ed25519", "x": "A" * 43, "d": "A" * 43},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB"},
        {},
        "A" * 43,
    ],
    ids=str,
)
async def test_a_key_is_the_public_half_of_an_ed25519_pair(tenant: Tenant, key: object) -> None:
    answer = await tenant.admin.post(
        f"/v1/projects/{tenant.project.id}/publisher-keys", {"name": "key", "public_key": key}
    )

    assert answer.status_code == 422


@pytest.mark.rule("AR-4")
async def test_a_foreign_key_is_not_registered(publisher: Publisher) -> None:
    """With it, what its holder has signed would count here too, also after they revoked it."""
    attacker = await make_tenant(publisher.tenant.site)
    path = f"/v1/projects/{attacker.project.id}/publisher-keys"
    seen = key_body(publisher.pair, publisher.project)
    own = key_body(Ed25519PrivateKey.generate(), attacker.project.id)
    bodies = {
        "no proof": {name: seen[name] for name in ("name", "public_key")},
        "the proof of another project": seen,
        "the proof of another key": seen | {"proof": own["proof"]},
        "an artifact's signature": seen
        | {"proof": signature_of(publisher.pair, publisher.artifact["digest"])},
    }

    answers = {name: await attacker.admin.post(path, body) for name, body in bodies.items()}

    assert {name: problem(answer) for name, answer in answers.items()} == dict.fromkeys(
        bodies, (422, "key_not_proved")
    )


async def test_a_revoked_key_signs_nothing(publisher: Publisher) -> None:
    await publisher.revoke_key(publisher.key)

    assert problem(await publisher.sign()) == (409, "key_revoked")
    assert problem(await publisher.revoke_key(publisher.key)) == (409, "key_revoked")


@pytest.mark.rule("AR-4")
async def test_revoking_a_key_takes_the_trust_of_what_it_alone_has_signed(
    site: Site, publisher: Publisher
) -> None:
    other = Ed25519PrivateKey.generate()
    other_key = (await register_key(publisher.admin, publisher.project, other))["id"]
    both = await upload(publisher.admin, publisher.project, fresh().encode())
    await publisher.sign()
    await sign(publisher.admin, both, publisher.key, publisher.pair)
    await sign(publisher.admin, both, other_key, other)

    answer = await publisher.revoke_key(publisher.key)

    assert answer.json()["revoked"] is True
    trust, reason = await publisher.trust()
    assert trust == "failed"
    assert reason is not None
    assert REASON["reason"] in reason
    kept = await publisher.admin.get(f"/v1/artifacts/{both['id']}")
    assert kept.json()["trust"] == "verified"
    assert (await events_of(site, publisher.artifact["id"]))[-1] == "catalog.artifact.failed"
    assert await events_of(site, publisher.key) == [
        "catalog.publisher_key.created",
        "catalog.publisher_key.revoked",
    ]
    signatures = await publisher.admin.get(f"/v1/artifacts/{both['id']}/signatures")
    assert {s["key_id"]: s["revoked_at"] is None for s in signatures.json()["items"]} == {
        publisher.key: False,
        other_key: True,
    }


async def test_another_key_brings_the_trust_back(publisher: Publisher) -> None:
    await publisher.sign()
    await publisher.revoke_key(publisher.key)
    other = Ed25519PrivateKey.generate()
    other_key = (await register_key(publisher.admin, publisher.project, other))["id"]

    await publisher.sign(other_key, other)

    assert await publisher.trust() == ("verified", None)


async def test_signing_and_revoking_at_once_leaves_nothing_verified_by_a_revoked_key(
    publisher: Publisher,
) -> None:
    """Whichever comes first: the artifact is never trusted by that key afterwards."""
    for _ in range(5):
        pair = Ed25519PrivateKey.generate()
        key = (await register_key(publisher.admin, publisher.project, pair))["id"]
        artifact = await upload(publisher.admin, publisher.project, fresh().encode())

        await asyncio.gather(sign(publisher.admin, artifact, key, pair), publisher.revoke_key(key))

        read = (await publisher.admin.get(f"/v1/artifacts/{artifact['id']}")).json()
        assert read["trust"] in ("unverified", "failed")


async def test_two_keys_revoked_at_once_leave_nothing_verified(publisher: Publisher) -> None:
    """Each looks for a live signature and must not take the other's for one."""
    for _ in range(8):
        pairs = [Ed25519PrivateKey.generate() for _ in range(2)]
        keys = [(await register_key(publisher.admin, publisher.project, p))["id"] for p in pairs]
        artifact = await upload(publisher.admin, publisher.project, fresh().encode())
        for key, pair in zip(keys, pairs, strict=True):
            await sign(publisher.admin, artifact, key, pair)

        answers = await asyncio.gather(*map(publisher.revoke_key, keys))

        read = (await publisher.admin.get(f"/v1/artifacts/{artifact['id']}")).json()
        assert ([answer.status_code for answer in answers], read["trust"]) == ([200, 200], "failed")


@pytest.mark.rule("AR-5")
async def test_revoking_is_final_and_recorded(site: Site, publisher: Publisher) -> None:
    await publisher.sign()
    path = f"/v1/artifacts/{publisher.artifact['id']}"

    answer = await publisher.admin.post(f"{path}/revoke", {"reason": "It opens a back door."})
    again = await publisher.admin.post(f"{path}/revoke", {"reason": "It opens a back door."})
    signed = await publisher.sign()
    removed = await publisher.admin.delete(path)
    announced = await publisher.admin.post(
        f"/v1/projects/{publisher.project}/artifacts",
        {name: publisher.artifact[name] for name in ("name", "digest", "size", "media_type")},
    )

    assert (answer.json()["trust"], answer.json()["trust_reason"]) == (
        "revoked",
        "It opens a back door.",
    )
    assert {problem(each) for each in (again, signed, removed)} == {(409, "artifact_revoked")}
    assert problem(announced) == (409, "content_taken")
    assert (await events_of(site, publisher.artifact["id"]))[-1] == "catalog.artifact.revoked"
    entries = await site.rows(
        "SELECT action, actor_id, details ->> 'reason' FROM audit_entries WHERE target = %s"
        " ORDER BY id DESC LIMIT 1",
        publisher.artifact["id"],
    )
    assert entries == [
        ("catalog.artifact.revoke", publisher.admin.id, "It opens a back door."),
    ]


async def test_a_key_revoked_later_does_not_lift_a_revocation(publisher: Publisher) -> None:
    await publisher.sign()
    path = f"/v1/artifacts/{publisher.artifact['id']}"
    await publisher.admin.post(f"{path}/revoke", {"reason": "It opens a back door."})

    await publisher.revoke_key(publisher.key)

    assert await publisher.trust() == ("revoked", "It opens a back door.")


async def test_the_platform_revokes_a_tenants_artifact_for_all_to_see(
    site: Site, publisher: Publisher
) -> None:
    root = await site.actor("platform_admin")
    reason = "It mines coins on other people's machines."

    answer = await root.post(
        f"/v1/break-glass/artifacts/{publisher.artifact['id']}/revoke", {"reason": reason}
    )
    await site.number()

    assert answer.status_code == 200
    assert await publisher.trust() == ("revoked", reason)
    log = await publisher.admin.get(
        "/v1/audit", params={"target": publisher.artifact["id"], "newest_first": True}
    )
    entry = log.json()["items"][0]
    assert (entry["action"], entry["break_glass"], entry["reason"], entry["actor_id"]) == (
        "platform.artifact.revoke",
        True,
        reason,
        root.id,
    )
    assert set((await events_of(site, publisher.artifact["id"]))[-2:]) == {
        "catalog.artifact.revoked",
        "iam.break_glass.used",
    }


async def test_what_a_deleted_project_has_left_can_still_be_revoked(
    site: Site, publisher: Publisher
) -> None:
    """Tenants that are entitled to its apps may still pull it."""
    other = await upload(publisher.admin, publisher.project, fresh().encode())
    root = await site.actor("platform_admin")
    await publisher.admin.delete(f"/v1/projects/{publisher.project}")
    body = {"reason": "It opens a back door."}

    by_org = await publisher.admin.post(f"/v1/artifacts/{publisher.artifact['id']}/revoke", body)
    by_platform = await root.post(f"/v1/break-glass/artifacts/{other['id']}/revoke", body)
    key = await publisher.revoke_key(publisher.key)
    read = await publisher.admin.get(f"/v1/artifacts/{publisher.artifact['id']}")

    assert by_org.json()["trust"] == by_platform.json()["trust"] == "revoked"
    assert key.json()["revoked"] is True
    assert problem(read) == (404, "not_found")


async def test_a_tenant_admin_revokes_nothing_as_the_platform(
    publisher: Publisher,
) -> None:
    answer = await publisher.admin.post(
        f"/v1/break-glass/artifacts/{publisher.artifact['id']}/revoke",
        {"reason": "because I want to"},
    )

    assert problem(answer) == (403, "forbidden")


async def test_those_who_run_the_platform_see_no_tenants_artifact(
    site: Site, publisher: Publisher
) -> None:
    root: Caller = await site.actor("platform_admin")

    read = await root.get(f"/v1/artifacts/{publisher.artifact['id']}")
    revoked = await root.post(
        f"/v1/artifacts/{publisher.artifact['id']}/revoke", {"reason": "because I want to"}
    )

    assert problem(read) == problem(revoked) == (404, "not_found")
