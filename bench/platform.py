"""The platform as an operator starts it, with a tenant to measure it by."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from moorage_core.kit import tokens
from moorage_core.kit.ids import AccessTokenId, MembershipId, OrgId, UserId

PORT = 7790
CLIENTS = 8
WORKERS = 2


def tenant(super_url: str) -> tuple[str, str, str]:
    """An org with fifty projects and an admin: (org, person, token)."""
    org, person, token = OrgId.new(), UserId.new(), tokens.new(tokens.ACCESS_TOKEN)
    with psycopg.connect(super_url, autocommit=True) as db:
        db.execute(
            "INSERT INTO orgs (id, slug, name, created_at, updated_at) "
            "VALUES (%s, %s, 'Bench', now(), now())",
            (org, f"bench-{org[-8:]}"),
        )
        db.execute(
            "INSERT INTO users (id, email, name, created_at, updated_at) "
            "VALUES (%s, %s, 'bench', now(), now())",
            (person, f"{person}@example.org"),
        )
        db.execute(
            "INSERT INTO memberships (id, org_id, user_id, role, created_at, updated_at) "
            "VALUES (%s, %s, %s, 'tenant_admin', now(), now())",
            (MembershipId.new(), org, person),
        )
        db.execute(
            "INSERT INTO access_tokens (id, user_id, name, token_hash, created_at, expires_at) "
            "VALUES (%s, %s, 'bench', %s, now(), now() + interval '1 day')",
            (AccessTokenId.new(), person, tokens.digest(token)),
        )
        db.execute(
            "INSERT INTO projects (id, org_id, slug, name, created_at, updated_at) "
            "SELECT 'prj_' || lpad(n::text, 26, '0'), %s, 'p' || n, 'Project ' || n, now(), now() "
            "FROM generate_series(1, 50) n",
            (org,),
        )
    return org, person, token


@contextmanager
def server(data: Path, *, workers: int = 1) -> Iterator[int]:
    """The platform as an operator starts it, with limits that do not stand in the way."""
    environment = os.environ | {
        "MOORAGE_LOG__LEVEL": "warning",
        "MOORAGE_LIMITS__REQUESTS_PER_SECOND": "1000000",
        "MOORAGE_LIMITS__BURST": "1000000",
    }
    command = [str(Path(sys.executable).parent / "moor"), "up", "--data", str(data)]
    process = subprocess.Popen(
        [*command, "--port", str(PORT), "--workers", str(workers)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "ready" in line:
            break
    time.sleep(2)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)
