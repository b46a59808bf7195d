"""The public half of the signing keys."""

from typing import Any

from moorage_core.http.routing import PUBLIC, PlatformDep, Routes
from moorage_core.kit.wire import Output
from moorage_core.signing import commands

routes = Routes(tag="service accounts")


class PublicKeyRead(Output):
    kty: str
    crv: str
    x: str
    kid: str
    alg: str
    use: str


class KeySetRead(Output):
    keys: list[PublicKeyRead]


@routes.read(
    "/.well-known/jwks.json",
    key=PUBLIC,
    why_public="public keys are for everybody",
    response_model=KeySetRead,
    waits=True,
)
async def get_jwks(platform: PlatformDep) -> dict[str, list[dict[str, Any]]]:
    """The keys that sign the platform's tokens (JWKS), the next one included."""
    return {"keys": await commands.published(platform)}
