"""Runs the OpenID Connect provider of `provider.mjs` for as long as a test needs it.

Node comes with the virtual environment, the provider with `npm ci`; `make setup` does both.
Where one is absent, `why_not()` is the sentence a skipped test shows.
"""

import asyncio
import contextlib
import json
import pathlib
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass

HERE = pathlib.Path(__file__).parent
NODE = pathlib.Path(sys.prefix, "bin", "node")
READY_WITHIN = 60.0


@dataclass(frozen=True)
class Account:
    """Somebody who can log in there. `login` is the `sub` of the tokens."""

    login: str
    password: str
    email: str
    name: str
    email_verified: bool = True


@dataclass(frozen=True)
class Client:
    """The relying party: the control plane under test."""

    id: str
    secret: str
    redirect_uris: Sequence[str]


def why_not() -> str | None:
    """What keeps the provider from starting here; None where nothing does."""
    if not NODE.exists():
        return f"{NODE} is not there; run `make setup`"
    if not (HERE / "node_modules").is_dir():
        return f"{HERE}/node_modules is not there; run `make setup`"
    return None


@contextlib.asynccontextmanager
async def running(
    client: Client,
    *,
    accounts: Sequence[Account],
    port: int = 0,
    id_token_claims: bool = True,
) -> AsyncIterator[str]:
    """Start the provider, yield its issuer URL, and end it with the block."""
    process = await asyncio.create_subprocess_exec(
        NODE, HERE / "provider.mjs", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        settings = {
            "port": port,
            "client": asdict(client),
            "accounts": [asdict(account) for account in accounts],
            "id_token_claims": id_token_claims,
        }
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        async with asyncio.timeout(READY_WITHIN):
            issuer = await _issuer(process.stdout)
        yield issuer
    finally:
        process.stdin.close()
        await process.wait()


async def _issuer(output: asyncio.StreamReader) -> str:
    async for line in output:
        word, _, rest = line.decode().strip().partition(" ")
        if word == "ready":
            return rest
    raise RuntimeError("The OIDC provider ended before it was ready; its error output says why.")
