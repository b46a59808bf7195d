"""Declarations, versions and entitlements as rules see them: no database."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from moorage_core.catalog.models import Version
from moorage_core.entitlements.models import Entitlement
from moorage_manifest.declarations import Declaration

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SMALL = Declaration(keys={"echo.greeting.read": ("project_member", "viewer")})
LARGE = SMALL.model_copy(update={"scopes": ("usage.report",)})
"""What SMALL asks for, and one thing more."""


def version(
    number: str, asks: Declaration = SMALL, *, status: str = "published", id: str | None = None
) -> Version:
    return Version(
        id=id or f"ver_{number}",
        app_id="app_echo",
        org_id="org_publisher",
        project_id="prj_publisher",
        number=number,
        status=status,
        manifest_digest="sha256:" + "0" * 64,
        declaration=asks.model_dump(mode="json"),
        declaration_digest=asks.digest,
        note=None,
        version=1,
        created_at=NOW,
        updated_at=NOW,
        published_at=NOW,
        deprecated_at=None,
        retired_at=None,
    )


def entitlement(accepted: Declaration = SMALL, **fields: Any) -> Entitlement:
    made = Entitlement(
        id="ent_1",
        org_id="org_a",
        project_id="prj_a",
        app_id="app_echo",
        app_slug="echo",
        channel=None,
        versions="*",
        enabled=True,
        accepted=accepted.model_dump(mode="json"),
        accepted_digest=accepted.digest,
        accepted_version_id="ver_1.0.0",
        accepted_by="usr_a",
        accepted_at=NOW,
        version=1,
        created_at=NOW,
        updated_at=NOW,
        admitted=[],
    )
    return replace(made, **fields)
