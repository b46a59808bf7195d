"""Names beside ids."""

from moorage_core.migrations import script

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    script.run("0007_names.sql")
