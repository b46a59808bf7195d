"""Reading the events of one instance."""

from moorage_core.migrations import script

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    script.run("0006_events_of_an_instance.sql")
