"""Machines: regions, SKUs, nodes, allocations, operations and tasks, access, credentials."""

from moorage_core.migrations import script

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    script.run("0003_machines.sql")
