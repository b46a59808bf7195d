"""What somebody was told when a request of theirs was refused."""

from moorage_core.migrations import script

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    script.run("0008_refusals.sql")
