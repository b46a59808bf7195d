"""Reading what publishers send: work for the processor, on text that nobody vouches for.

Done in a thread, before the transaction of the request begins. A manifest with faults is not
refused here: whoever may not publish at all is told that first.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

import moorage_manifest
from moorage_core.authz.principals import Principal
from moorage_core.catalog.schemas import VersionWrite
from moorage_core.families import commands as families
from moorage_core.platform import Platform


@dataclass(frozen=True)
class Read:
    """A manifest as it was read, and what is kept of it."""

    manifest: moorage_manifest.Manifest | None
    faults: list[moorage_manifest.Fault]
    kept: dict[str, Any]


async def read(
    platform: Platform, principal: Principal, body: bytes, path: Mapping[str, str]
) -> Read | None:
    """Read the manifest in a request's body, judged by the families that the platform has.

    None where the body has another shape, which the route refuses.
    """
    try:
        given = VersionWrite.model_validate_json(body)
    except ValidationError:
        return None
    async with platform.database.transaction(principal.scope, read_only=True) as db:
        known = await families.known(db)
    return await asyncio.to_thread(_read, given, known)


def _read(given: VersionWrite, known: Mapping[str, moorage_manifest.Family]) -> Read:
    reading = moorage_manifest.read(given.manifest, families=known)
    if reading.manifest is None:
        return Read(None, reading.faults, {})
    asked = moorage_manifest.declaration(reading.manifest)
    return Read(
        reading.manifest,
        [],
        {
            "manifest_text": given.manifest,
            "manifest_digest": f"sha256:{hashlib.sha256(given.manifest.encode()).hexdigest()}",
            "manifest": reading.manifest.model_dump(mode="json"),
            "declaration": asked.model_dump(mode="json"),
            "declaration_digest": asked.digest,
            "runbook": given.runbook,
        },
    )
