"""The spine: tenants, identities, secrets, evidence."""

from moorage_core.migrations import script

revision = "0001"
down_revision = None


def upgrade() -> None:
    script.run("0001_spine.sql")
