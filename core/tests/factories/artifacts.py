"""Artifacts, publisher keys and signatures of a tenant."""

import base64
import hashlib
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.tests.callers import Caller
from core.tests.site import fresh

if TYPE_CHECKING:
    from core.tests.factories.tenants import Tenant


def digest_of(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def announcement(content: bytes, **changes: Any) -> dict[str, Any]:
    return {
        "name": f"thing-{fresh()}.tar",
        "digest": digest_of(content),
        "size": len(content),
        "media_type": "application/x-tar",
        **changes,
    }


async def announce(caller: Caller, project: str, content: bytes, **changes: Any) -> dict[str, Any]:
    """An artifact that waits for its bytes."""
    answer = await caller.post(
        f"/v1/projects/{project}/artifacts", announcement(content, **changes)
    )
    assert answer.status_code == 201, answer.text
    return answer.json()


async def send(caller: Caller, artifact: str, content: bytes, *, offset: int = 0) -> Any:
    return await caller.call(
        "PUT", f"/v1/artifacts/{artifact}/content?offset={offset}", content=content
    )


async def upload(caller: Caller, project: str, content: bytes, **changes: Any) -> dict[str, Any]:
    """A published artifact."""
    announced = await announce(caller, project, content, **changes)
    sent = await send(caller, announced["id"], content)
    assert sent.status_code == 200, sent.text
    answer = await caller.post(f"/v1/artifacts/{announced['id']}/complete")
    assert answer.status_code == 200, answer.text
    return answer.json()


def public_jwk(pair: Ed25519PrivateKey) -> dict[str, str]:
    return {"kty": "OKP", "crv": "Ed25519", "x": text(pair.public_key().public_bytes_raw())}


def signature_of(pair: Ed25519PrivateKey, digest: str) -> str:
    return text(pair.sign(b"moorage artifact v1\n" + digest.encode()))


def key_body(pair: Ed25519PrivateKey, project: str, *, name: str = "release") -> dict[str, Any]:
    """What registers a key in a project."""
    proof = text(pair.sign(b"moorage publisher key v1\n" + project.encode()))
    return {"name": name, "public_key": public_jwk(pair), "proof": proof}


def text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


async def register_key(caller: Caller, project: str, pair: Ed25519PrivateKey) -> dict[str, Any]:
    body = key_body(pair, project, name=f"key {fresh()}")
    answer = await caller.post(f"/v1/projects/{project}/publisher-keys", body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def sign(caller: Caller, artifact: dict[str, Any], key: str, pair: Ed25519PrivateKey) -> Any:
    body = {"key": key, "signature": signature_of(pair, artifact["digest"])}
    return await caller.post(f"/v1/artifacts/{artifact['id']}/signatures", body)


# For the tests that are made from the routes


async def make_artifact(tenant: "Tenant") -> str:
    content = fresh().encode()
    return (await upload(tenant.admin, tenant.project.id, content))["id"]


async def make_publisher_key(tenant: "Tenant") -> str:
    pair = Ed25519PrivateKey.generate()
    return (await register_key(tenant.admin, tenant.project.id, pair))["id"]


async def await_bytes(tenant: "Tenant") -> None:
    """Let the tenant's artifact be one that was announced and not sent."""
    announced = await announce(tenant.admin, tenant.project.id, fresh().encode())
    tenant.ids["artifact"] = announced["id"]


async def await_completion(tenant: "Tenant") -> None:
    """Let it be one of which all bytes were sent."""
    content = fresh().encode()
    announced = await announce(tenant.admin, tenant.project.id, content)
    await send(tenant.admin, announced["id"], content)
    tenant.ids["artifact"] = announced["id"]


async def await_signature(tenant: "Tenant") -> None:
    """Make the key and the signature that would be the first of the tenant's artifact."""
    pair = Ed25519PrivateKey.generate()
    key = await register_key(tenant.admin, tenant.project.id, pair)
    read = await tenant.admin.get(f"/v1/artifacts/{await tenant.id('artifact')}")
    tenant.ids["publisher_key"] = key["id"]
    tenant.ids["signature"] = signature_of(pair, read.json()["digest"])
