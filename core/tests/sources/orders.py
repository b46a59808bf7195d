"""What is wanted from a source in tests, and how it is reached."""

import hashlib
import ipaddress
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from core.tests.sources.depot import Depot
from moorage_core.kit import outbound
from moorage_core.kit.destinations import Address
from moorage_core.kit.outbound import Road
from moorage_core.sources.fetch import Order
from moorage_core.sources.models import Source
from moorage_core.sources.rules import Credential

CONTENT = b"0123456789" * 1000
REPOSITORY = "team/echo"
FILE = "echo/echo.tar"
BASIC = Credential("ada", "engine-room")
LOOPBACK = ipaddress.ip_address("127.0.0.1")


def digest_of(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


BLOB = f"/v2/{REPOSITORY}/blobs/{digest_of(CONTENT)}"


def order(depot: Depot, *, kind: str = "https", **fields: Any) -> Order:
    """The content, from a depot that is a source of this kind."""
    source: dict[str, Any] = {
        "id": "src_1",
        "org_id": "org_1",
        "slug": "depot",
        "name": "Depot",
        "kind": kind,
        "url": depot.url,
        "token_url": fields.pop("token_url", None),
        "secret_id": "sec_1" if fields.get("credential") else None,
        "enabled": True,
        "version": 1,
        "created_at": datetime(2026, 11, 15, tzinfo=UTC),
        "updated_at": datetime(2026, 11, 15, tzinfo=UTC),
        "policy_name": "acme/depot",
    }
    wanted: dict[str, Any] = {
        "source": Source(**source),
        "credential": None,
        "kind": "oci" if kind == "oci" else "blob",
        "location": REPOSITORY if kind == "oci" else FILE,
        "digest": digest_of(CONTENT),
        "size": len(CONTENT),
        "wait": 10.0,
        "patience": 60.0,
    }
    return Order(**wanted | fields)


def road(
    *, tls: ssl.SSLContext | None = None, private: bool = True, address: Address = LOOPBACK
) -> Road:
    """On which every name has the same address."""

    async def resolve(host: str) -> list[Address]:
        return [] if host.startswith("nowhere") else [address]

    return Road(resolve, tls or outbound.tls(), private=private)


class Given(Exception):
    """What was given out before it failed."""

    def __init__(self, content: bytes) -> None:
        super().__init__(len(content))
        self.content = content


async def take(pieces: AsyncIterator[bytes]) -> bytes:
    """All of it. Where it fails, what was given out before is the cause's `Given`."""
    taken = bytearray()
    try:
        async for piece in pieces:
            assert piece, "an empty piece says nothing"
            taken += piece
    except Exception as err:
        raise err from Given(bytes(taken))
    return bytes(taken)
