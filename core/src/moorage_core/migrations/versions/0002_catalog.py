"""The catalog: families, sources, artifacts, apps, entitlements, overlays, pulls."""

from moorage_core.migrations import script

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    script.run("0002_catalog.sql")
