"""Reading what publishers send: work for the processor, on text that nobody vouches for.

Done in a thread, one at a time, before the transaction of the request begins; a text made for it
can take seconds. So nothing is read for somebody who may not draft versions of the app, and no org
has more than its share of the queue. A manifest with faults is not refused here: whoever may not
publish this app is told that first.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

import moorage_manifest
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.catalog import rules, store
from moorage_core.catalog.schemas import VersionWrite
from moorage_core.families import commands as families
from moorage_core.kit.workshop import Workshop
from moorage_core.platform import Platform

_workshop = Workshop(
    "manifests",
    hands=1,
    at_once=24,
    share=6,
    busy="Too many manifests are being read right now. Try again shortly.",
)


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

    None where the body has another shape, or the app is not the caller's to publish: the route
    refuses both.
    """
    scope = rules.sight(principal, Permission.CATALOG_VERSION_CREATE)
    if not scope.orgs:
        return None
    try:
        given = VersionWrite.model_validate_json(body)
    except ValidationError:
        return None
    async with platform.database.transaction(principal.scope, read_only=True) as db:
        org = await store.find_publisher(
            db, app=path.get("app"), version=path.get("version"), scope=scope
        )
        if org is None:
            return None
        known = await families.known(db)
    return await _workshop.do(lambda: _read(given, known), whose=org)


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
