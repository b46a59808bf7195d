"""One bounded request to a sign-in provider: so long, so large, to that address and no other.

Redirects are not followed, no proxy is taken from the environment and no cookie is kept. What goes
wrong is told by the host's name alone: addresses, forms and answers can hold codes and tokens.
"""

import asyncio
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import urlsplit

import httpx2

from moorage_core.oidc import rules

SECONDS = 10.0
MAX_BYTES = 512 * 1024


@dataclass(frozen=True)
class Answer:
    """A status and a JSON object; an answer that is none reads as an empty one."""

    status: int
    document: Mapping[str, Any]


async def ask(
    method: Literal["GET", "POST"],
    url: str,
    *,
    tls: ssl.SSLContext,
    form: Mapping[str, str] | None = None,
    authorization: str | None = None,
) -> Answer:
    host = urlsplit(url).netloc
    headers = {"accept": "application/json", "accept-encoding": "identity"}
    if authorization is not None:
        headers["authorization"] = authorization
    try:
        async with (
            asyncio.timeout(SECONDS),
            httpx2.AsyncClient(verify=tls, timeout=SECONDS, trust_env=False) as client,
            client.stream(method, url, data=form, headers=headers) as response,
        ):
            return Answer(response.status_code, _document(await _body(response, host)))
    except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL) as err:
        raise rules.ProviderUnreachable(
            f"The sign-in provider at {host} cannot be reached. Try again shortly.",
            retry_after=5,
        ) from err


async def _body(response: httpx2.Response, host: str) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_BYTES:
            raise rules.ProviderMisconfigured(
                f"The sign-in provider at {host} sent more than {MAX_BYTES} bytes."
            )
    return bytes(body)


def _document(body: bytes) -> Mapping[str, Any]:
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
