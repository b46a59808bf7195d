"""Service accounts with Ed25519 keys, and the assertions that they sign."""

import uuid
import warnings
from dataclasses import dataclass
from typing import Any

import httpx2
from joserfc import jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import OKPKey

from core.tests.factories.tenants import Bearer, Tenant
from core.tests.site import Site


@dataclass(frozen=True)
class Robot:
    """A program that holds the private half of one of a service account's keys."""

    site: Site
    account: str
    key: str
    pair: OKPKey

    def claims(self, **changes: Any) -> dict[str, Any]:
        now = int(self.site.platform.clock.now().timestamp())
        url = self.site.platform.settings.url
        right = {
            "iss": self.account,
            "sub": self.account,
            "aud": url,
            "iat": now,
            "exp": now + 60,
            "jti": uuid.uuid4().hex,
        }
        return {name: value for name, value in (right | changes).items() if value is not None}

    def assertion(self, *, alg: str = "EdDSA", pair: OKPKey | None = None, **claims: Any) -> str:
        with warnings.catch_warnings():
            # The older name of the algorithm, which most client libraries still write.
            warnings.simplefilter("ignore", SecurityWarning)
            return jwt.encode(
                {"alg": alg}, self.claims(**claims), pair or self.pair, algorithms=[alg]
            )

    async def prove(self, assertion: str) -> httpx2.Response:
        return await self.site.client.post(
            "/v1/auth/token",
            json={
                "service_account": self.account,
                "key": self.key,
                "client_assertion": assertion,
            },
        )

    async def caller(self) -> Bearer:
        answer = await self.prove(self.assertion())
        assert answer.status_code == 200, answer.text
        return Bearer(self.site.client, answer.json()["access_token"])


async def make_robot(tenant: Tenant, **key: Any) -> Robot:
    """A further key for the tenant's service account, in a robot's hands."""
    pair = OKPKey.generate_key("Ed25519")
    public = pair.as_dict(private=False)
    account = await tenant.id("account")
    answer = await tenant.admin.post(
        f"/v1/service-accounts/{account}/keys",
        {"public_key": {name: public[name] for name in ("kty", "crv", "x")}, **key},
    )
    assert answer.status_code == 201, answer.text
    assert answer.json()["secret"] is None
    return Robot(tenant.site, account, answer.json()["id"], pair)
