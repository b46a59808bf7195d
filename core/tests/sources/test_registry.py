"""Blobs from a real registry: with a password, and with tokens of a service beside it."""

import asyncio
import base64
import json
import time
import urllib.parse
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from joserfc import jwt
from joserfc.jwk import ECKey

from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh
from core.tests.sources import depot as depots
from core.tests.sources import orders, registry
from core.tests.sources.depot import Asked, Depot
from core.tests.sources.orders import take
from moorage_core.embedded import authority
from moorage_core.sources import commands, rules

pytestmark = pytest.mark.skipif(registry.PROGRAM is None, reason=registry.WHY_NOT)

REPOSITORY = "team/echo"
CONTENT = b"a blob of some length " * 50_000
GOOD = {"username": registry.USER[0], "password": registry.USER[1]}
BAD = {"username": registry.USER[0], "password": "wrong"}
PROOF = "Basic " + base64.b64encode(":".join(registry.USER).encode()).decode()


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def make_source(tenant: Tenant, **fields: Any) -> str:
    body = {"slug": f"s-{fresh()}", "name": "Registry", "kind": "oci"} | fields
    made = await tenant.admin.post(f"/v1/orgs/{tenant.org.id}/sources", body)
    assert made.status_code == 201, made.text
    return made.json()["id"]


async def fetched(
    site: Site, tenant: Tenant, source: str, digest: str, *, offset: int = 0, **fields: Any
) -> bytes:
    wanted = {"location": REPOSITORY, "size": len(CONTENT)} | fields
    pieces = await commands.open_remote(
        site.platform,
        source,
        org=tenant.org.id,
        kind="oci",
        digest=digest,
        offset=offset,
        **wanted,
    )
    return await take(pieces)


# A password


@pytest.fixture(scope="module")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    place = tmp_path_factory.mktemp("registry")
    (place / "htpasswd").write_text(registry.HTPASSWD)
    auth = {"htpasswd": {"realm": "registry", "path": str(place / "htpasswd")}}
    async with registry.running(place, auth) as url:
        yield url


async def test_a_blob_is_fetched_with_a_password(site: Site, tenant: Tenant, guarded: str) -> None:
    digest = await registry.push(guarded, REPOSITORY, CONTENT, authorization=PROOF)
    source = await make_source(tenant, url=guarded, credential=GOOD)

    assert await fetched(site, tenant, source, digest) == CONTENT
    assert await fetched(site, tenant, source, digest, offset=1000) == CONTENT[1000:]


@pytest.mark.parametrize("credential", [None, BAD], ids=["none", "wrong"])
async def test_without_the_right_password_the_registry_says_no(
    site: Site, tenant: Tenant, guarded: str, credential: dict[str, str] | None
) -> None:
    digest = await registry.push(guarded, REPOSITORY, CONTENT, authorization=PROOF)
    source = await make_source(tenant, url=guarded, credential=credential)

    with pytest.raises(rules.SourceRefused, match="credential"):
        await fetched(site, tenant, source, digest)


async def test_what_the_registry_does_not_have_it_does_not_give(
    site: Site, tenant: Tenant, guarded: str
) -> None:
    digest = await registry.push(guarded, REPOSITORY, CONTENT, authorization=PROOF)
    source = await make_source(tenant, url=guarded, credential=GOOD)

    with pytest.raises(rules.SourceRefused, match="no such artifact"):
        await fetched(site, tenant, source, orders.digest_of(b"never pushed"))
    with pytest.raises(rules.SourceRefused, match="no such artifact"):
        await fetched(site, tenant, source, digest, location="team/other")


async def test_another_size_than_announced_is_refused(
    site: Site, tenant: Tenant, guarded: str
) -> None:
    digest = await registry.push(guarded, REPOSITORY, CONTENT, authorization=PROOF)
    source = await make_source(tenant, url=guarded, credential=GOOD)

    with pytest.raises(rules.SourceMismatch):
        await fetched(site, tenant, source, digest, size=len(CONTENT) - 1)


# Tokens


class TokenService:
    """Signs what it is asked for, for whoever knows the password."""

    def __init__(self, place: Path) -> None:
        authority.make(place, now=datetime.now(UTC))
        authority.issue(place, names=["tokens.example"], now=datetime.now(UTC))
        self.key = ECKey.import_key((place / "server.key").read_bytes())
        certificate = x509.load_pem_x509_certificate((place / "server.pem").read_bytes())
        self.chain = [base64.b64encode(certificate.public_bytes(Encoding.DER)).decode()]
        self.bundle = place / "ca.pem"

    def sign(self, scope: str) -> str:
        kind, name, actions = scope.split(":")
        now = int(time.time())
        claims = {
            "iss": "tokens",
            "aud": "registry",
            "sub": registry.USER[0],
            "iat": now - 5,
            "nbf": now - 5,
            "exp": now + 300,
            "jti": fresh(),
            "access": [{"type": kind, "name": name, "actions": actions.split(",")}],
        }
        header = {"alg": "ES256", "typ": "JWT", "x5c": self.chain}
        return jwt.encode(header, claims, self.key, algorithms=["ES256"])

    async def answer(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.headers.get("authorization") != PROOF:
            await depots.status(401)(asked, writer)
            return
        scope = dict(urllib.parse.parse_qsl(asked.query))["scope"]
        await depots.document(json.dumps({"token": self.sign(scope)}))(asked, writer)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> TokenService:
    return TokenService(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
async def tokens(service: TokenService) -> AsyncIterator[Depot]:
    async with depots.listening() as depot:
        depot.answers["/token"] = service.answer
        yield depot


@pytest.fixture(scope="module")
async def with_tokens(
    tmp_path_factory: pytest.TempPathFactory, service: TokenService, tokens: Depot
) -> AsyncIterator[str]:
    auth = {
        "token": {
            "realm": f"{tokens.url}/token",
            "service": "registry",
            "issuer": "tokens",
            "rootcertbundle": str(service.bundle),
        }
    }
    async with registry.running(tmp_path_factory.mktemp("registry"), auth) as url:
        yield url


async def test_a_blob_is_fetched_with_a_token_that_may_pull_alone(
    site: Site, tenant: Tenant, service: TokenService, tokens: Depot, with_tokens: str
) -> None:
    pushing = service.sign(f"repository:{REPOSITORY}:pull,push")
    digest = await registry.push(
        with_tokens, REPOSITORY, CONTENT, authorization=f"Bearer {pushing}"
    )
    source = await make_source(
        tenant, url=with_tokens, token_url=f"{tokens.url}/token", credential=GOOD
    )

    assert await fetched(site, tenant, source, digest) == CONTENT
    assert tokens.asked[-1].query == f"service=registry&scope=repository:{REPOSITORY}:pull"


async def test_a_token_service_that_the_owner_did_not_name_gets_no_password(
    site: Site, tenant: Tenant, tokens: Depot, with_tokens: str
) -> None:
    source = await make_source(tenant, url=with_tokens, credential=GOOD)
    before = len(tokens.asked)

    with pytest.raises(rules.SourceRefused, match="token_url"):
        await fetched(site, tenant, source, orders.digest_of(CONTENT))
    assert len(tokens.asked) == before


async def test_a_wrong_password_gets_no_token(
    site: Site, tenant: Tenant, tokens: Depot, with_tokens: str
) -> None:
    source = await make_source(
        tenant, url=with_tokens, token_url=f"{tokens.url}/token", credential=BAD
    )

    with pytest.raises(rules.SourceRefused, match="gave no token"):
        await fetched(site, tenant, source, orders.digest_of(CONTENT))
