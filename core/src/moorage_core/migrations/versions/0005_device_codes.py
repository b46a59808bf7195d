"""Signing in on a machine by a code that a person approves in the console."""

from moorage_core.migrations import script

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    script.run("0005_device_codes.sql")
