"""The database's roles and their passwords.

Passwords are derived from one key file, so nothing else is stored and a restored key file fits
a restored database. They reach the server only as SCRAM verifiers, computed here: neither a log
nor a statement ever holds one.
"""

import base64
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from psycopg import sql

from moorage_core.embedded import folder as folders
from moorage_core.embedded.errors import OperatorError

SUPER = "moorage_super"
OWNER = "moorage_owner"
APP = "moorage_app"
SYSTEM = "moorage_system"
# Only these three are made; the superuser comes with the cluster.
MADE = (OWNER, APP, SYSTEM)
KEY_BYTES = 32
# One lock for everybody who makes roles: two at once would trip over each other's rows.
LOCK = 0x6D6F6F72


class KeyUnusable(OperatorError):
    """The key file behind the database passwords is missing or damaged."""


def load_key(path: Path, *, make: bool) -> bytes:
    """The key behind the passwords; made at the first start and only then."""
    if make and not path.exists():
        folders.write_private(path, secrets.token_bytes(KEY_BYTES))
    try:
        key = path.read_bytes()
    except FileNotFoundError as err:
        raise KeyUnusable(
            f"{path} is missing, and the database beside it does not open without it. "
            "Put the file back from a backup."
        ) from err
    if len(key) != KEY_BYTES:
        raise KeyUnusable(
            f"{path} has {len(key)} bytes, not {KEY_BYTES}. Restore it from a backup."
        )
    return key


def password(key: bytes, *, role: str) -> str:
    """A role's password: 256 bits that only the key file can produce again."""
    label = f"moorage postgres password {role}".encode()
    derived = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=label).derive(key)
    return base64.urlsafe_b64encode(derived).decode().rstrip("=")


def url(*, role: str, secret: str, sockets: Path, database: str) -> str:
    """A libpq URL for `role` over the server's socket."""
    place = urlencode({"host": str(sockets)}, quote_via=quote, safe="")
    return f"postgresql://{role}:{secret}@/{quote(database, safe='')}?{place}"


def bootstrap_roles(
    super_url: str, passwords: Mapping[str, str], *, database: str = "moorage"
) -> None:
    """Make the three roles and the database; where they exist, bring them to what they must be."""
    with psycopg.connect(super_url, dbname="postgres", autocommit=True) as db:
        db.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        for role in MADE:
            _ensure_role(db, role=role, secret=passwords[role])
        _ensure_database(db, name=database)


def _ensure_role(db: psycopg.Connection, *, role: str, secret: str) -> None:
    exists = db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    verifier = db.pgconn.encrypt_password(secret.encode(), role.encode(), b"scram-sha-256")
    db.execute(
        sql.SQL(
            "{verb} ROLE {role} WITH LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE"
            " NOREPLICATION PASSWORD {verifier}"
        ).format(
            verb=sql.SQL("ALTER" if exists else "CREATE"),
            role=sql.Identifier(role),
            verifier=sql.Literal(verifier.decode()),
        )
    )


def _ensure_database(db: psycopg.Connection, *, name: str) -> None:
    if db.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
        return
    target = sql.Identifier(name)
    db.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(target, sql.Identifier(OWNER)))
    db.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(target))
    for role in (APP, SYSTEM):
        grant = sql.SQL("GRANT CONNECT ON DATABASE {} TO {}")
        db.execute(grant.format(target, sql.Identifier(role)))
