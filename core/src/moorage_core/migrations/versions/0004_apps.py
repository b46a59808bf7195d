"""Apps that run: instances, members, their operations with steps, controllers, views and plans."""

from moorage_core.migrations import script

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    script.run("0004_apps.sql")
