"""What somebody was told when a request of theirs was refused."""

from moorage_core.migrations import script

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    script.run("0006_refusals.sql")
