"""Runs one of our SQL files inside Alembic's transaction."""

from pathlib import Path
from typing import cast

import psycopg
from alembic import op

VERSIONS = Path(__file__).parent / "versions"


def run(name: str) -> None:
    driver = cast(psycopg.Connection, op.get_bind().connection.driver_connection)
    driver.execute((VERSIONS / name).read_bytes())
