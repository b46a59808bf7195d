"""Every SQL statement of the audit log."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, LiteralString

from moorage_core.audit.models import Denials, Entry, Seal, Wanted
from moorage_core.authz.principals import Place, Principal
from moorage_core.errors import ApiError
from moorage_core.kit.db import Db, Scope

CONTENT: LiteralString = (
    "id, at, org_id, project_id, actor_kind, actor_id, actor_name, credential, action, target, "
    "outcome, count, break_glass, reason, correlation_id, app_slug, app_instance_id, details"
)
ENTRY: LiteralString = f"seq, {CONTENT}"
# The spelling of `rules.timestamp`, so that what was signed can be rebuilt letter by letter.
SEAL: LiteralString = (
    "number, first_seq, last_seq, entries, root, previous, key_id, signature, "
    """to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') AS at"""
)
FILTERS: dict[str, LiteralString] = {
    "actor": "actor_id = %(actor)s",
    "action": "action = %(action)s",
    "target": "target = %(target)s",
    "outcome": "outcome = %(outcome)s",
    "correlation_id": "correlation_id = %(correlation_id)s",
    "since": "at >= %(since)s",
    "until": "at < %(until)s",
}


NAMED: dict[str, LiteralString] = {
    "alc": "SELECT id, name FROM allocations WHERE id = ANY (%(ids)s)",
    "app": "SELECT id, name FROM apps WHERE id = ANY (%(ids)s)",
    "ins": "SELECT id, name FROM instances WHERE id = ANY (%(ids)s)",
    "mem": "SELECT id, name FROM members WHERE id = ANY (%(ids)s)",
    "nod": "SELECT id, name FROM nodes WHERE id = ANY (%(ids)s)",
    "opr": "SELECT id, name FROM app_operators WHERE id = ANY (%(ids)s)",
    "org": "SELECT id, name FROM orgs WHERE id = ANY (%(ids)s)",
    "prj": "SELECT id, name FROM projects WHERE id = ANY (%(ids)s)",
    "sac": "SELECT id, name FROM service_accounts WHERE id = ANY (%(ids)s)",
    "usr": "SELECT id, name FROM users WHERE id = ANY (%(ids)s)",
}
"""What has a name, by how its ids begin."""

# Entries


async def list_names(db: Db, targets: list[str]) -> dict[str, str]:
    """What things are called, as far as the caller sees them.

    Tenant-less: row-level security leaves those of the caller's.
    """
    kinds = sorted({target.partition("_")[0] for target in targets} & NAMED.keys())
    if not kinds:
        return {}
    asked: LiteralString = " UNION ALL ".join([NAMED[kind] for kind in kinds])
    return {row["id"]: row["name"] for row in await db.rows(asked, {"ids": targets})}


async def list_entries(
    db: Db,
    wanted: Wanted,
    *,
    scope: Sequence[Place],
    after: int | None,
    limit: int,
    upto: int | None = None,
) -> list[Entry]:
    """Entries beyond the number `after`, up to `upto`, in the places that `scope` names.

    Each place is read by itself, through the index that has its numbers in order, so a page costs
    the same in a log of any length.
    """
    given = {name: value for name, value in asdict(wanted).items() if value is not None}
    conditions: list[LiteralString] = [FILTERS[name] for name in FILTERS if name in given]
    order: LiteralString = "seq DESC" if wanted.newest_first else "seq"
    if after is not None:
        conditions.append("seq < %(after)s" if wanted.newest_first else "seq > %(after)s")
    if upto is not None:
        conditions.append("seq >= %(upto)s" if wanted.newest_first else "seq <= %(upto)s")
    some: LiteralString = " AND ".join(["seq IS NOT NULL", *conditions])
    tail: LiteralString = f"{some} ORDER BY {order} LIMIT %(limit)s"
    return await db.all(
        Entry,
        f"""
        SELECT {ENTRY} FROM (
            SELECT e.* FROM unnest(%(orgs)s::text[]) AS o(org) CROSS JOIN LATERAL (
                SELECT {ENTRY} FROM audit_entries WHERE org_id = o.org AND {tail}) e
            UNION ALL
            SELECT e.* FROM unnest(%(in_orgs)s::text[], %(projects)s::text[]) AS p(org, project)
            CROSS JOIN LATERAL (
                SELECT {ENTRY} FROM audit_entries
                WHERE org_id = p.org AND project_id = p.project AND {tail}) e
        ) found ORDER BY {order} LIMIT %(limit)s
        """,
        given | _places(scope) | {"after": after, "upto": upto, "limit": limit},
    )


async def find_edge(
    db: Db, *, scope: Sequence[Place], after: int | None, newest_first: bool, rows: int
) -> int | None:
    """The number up to which no place has more than `rows` entries; None where none has as many."""
    order: LiteralString = "seq DESC" if newest_first else "seq"
    nearest: LiteralString = "max" if newest_first else "min"
    beyond: LiteralString = "seq IS NOT NULL"
    if after is not None:
        beyond += " AND seq < %(after)s" if newest_first else " AND seq > %(after)s"
    tail: LiteralString = f"{beyond} ORDER BY {order} OFFSET %(skipped)s LIMIT 1"
    return await db.value(
        f"""
        SELECT {nearest}(seq) FROM (
            SELECT e.seq FROM unnest(%(orgs)s::text[]) AS o(org) CROSS JOIN LATERAL (
                SELECT seq FROM audit_entries WHERE org_id = o.org AND {tail}) e
            UNION ALL
            SELECT e.seq FROM unnest(%(in_orgs)s::text[], %(projects)s::text[]) AS p(org, project)
            CROSS JOIN LATERAL (
                SELECT seq FROM audit_entries
                WHERE org_id = p.org AND project_id = p.project AND {tail}) e
        ) edges
        """,
        _places(scope) | {"after": after, "skipped": rows - 1},
    )


async def find_span(
    db: Db, *, orgs: Sequence[str], since: datetime | None, until: datetime | None, rows: int
) -> tuple[int, int] | None:
    """The first and last number of a time; None where it has more than `rows` entries of an org.

    Numbers follow time only nearly, so nothing less than all entries of the time tells. (1, 0)
    where it has none.
    """
    row = await db.row(
        """
        SELECT coalesce(min(seq), 1) AS first, coalesce(max(seq), 0) AS last, count(*) AS rows
        FROM unnest(%(orgs)s::text[]) AS o(org) CROSS JOIN LATERAL (
            SELECT seq FROM audit_entries
            WHERE org_id = o.org AND seq IS NOT NULL
                AND at >= coalesce(%(since)s::timestamptz, '-infinity')
                AND at < coalesce(%(until)s::timestamptz, 'infinity')
            LIMIT %(rows)s) e
        """,
        {"orgs": list(orgs), "since": since, "until": until, "rows": rows + 1},
    )
    assert row is not None
    return (row["first"], row["last"]) if row["rows"] <= rows else None


def _places(scope: Sequence[Place]) -> dict[str, list[str]]:
    return {
        "orgs": [place.org for place in scope if place.project is None],
        "in_orgs": [place.org for place in scope if place.project is not None],
        "projects": [place.project for place in scope if place.project is not None],
    }


async def find_entry(db: Db, id: str, *, scope: Scope) -> Entry | None:
    return await db.find(
        Entry,
        f"""
        SELECT {ENTRY} FROM audit_entries WHERE id = %s AND org_id = ANY (%s) AND seq IS NOT NULL
        """,
        (id, sorted(scope.orgs)),
    )


async def add_entries(db: Db, rows: list[dict[str, Any]], *, org: str) -> None:
    """Write entries of one org that no request made."""
    assert all(row["org_id"] == org for row in rows), "entries of one org at a time"
    written = [row | {"leaf": rf"\x{row['leaf']}"} for row in rows]
    await db.run(
        f"""
        INSERT INTO audit_entries ({CONTENT}, leaf)
        SELECT {CONTENT}, leaf FROM jsonb_populate_recordset(NULL::audit_entries, %s::jsonb)
        """,
        (json.dumps(written),),
    )


# Refusals


async def count_denial(
    db: Db,
    *,
    org: str,
    project: str | None,
    principal: Principal,
    route: str,
    permission: str,
    minute: datetime,
    correlation_id: str,
) -> None:
    """One row per principal, route and minute; further refusals raise its count."""
    await db.run(
        """
        INSERT INTO audit_denials (org_id, project_id, principal_kind, principal_id, principal_name,
            route, minute, permission, count, correlation_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 1, %s)
        ON CONFLICT (principal_id, route, minute, org_id, project_id)
        DO UPDATE SET count = audit_denials.count + 1, correlation_id = EXCLUDED.correlation_id
        """,
        (
            org,
            project,
            principal.kind,
            principal.id,
            principal.name,
            route,
            minute,
            permission,
            correlation_id,
        ),
    )


async def add_refusal(
    db: Db,
    *,
    id: str,
    principal: Principal,
    route: str,
    permission: str,
    refusal: ApiError,
    correlation_id: str,
    now: datetime,
    most: int,
) -> None:
    """Unless the same principal has had so many within a minute: nobody reads those one by one.

    Tenant-less: it is of who was refused, wherever that was.
    """
    await db.run(
        """
        INSERT INTO refusals (id, principal, restricted_by, correlation_id, at, route, permission,
            status, code, title, detail, errors)
        SELECT %(id)s, %(principal)s, %(restricted_by)s, %(correlation_id)s, %(now)s, %(route)s,
            %(permission)s, %(status)s, %(code)s, %(title)s, %(detail)s, %(errors)s
        WHERE (SELECT count(*) FROM refusals
            WHERE principal = %(principal)s AND at > %(now)s - interval '1 minute') < %(most)s
        """,
        {
            "id": id,
            "principal": principal.id,
            "restricted_by": principal.restricted_by,
            "correlation_id": correlation_id,
            "now": now,
            "route": route,
            "permission": permission,
            "status": refusal.status,
            "code": refusal.code,
            "title": refusal.title(),
            "detail": refusal.detail,
            "errors": json.dumps([asdict(fault) for fault in refusal.errors]),
            "most": most,
        },
    )


async def list_denied_minutes(
    db: Db, *, before: datetime, limit: int
) -> list[tuple[str, datetime]]:
    """(org, minute) of refusals to be entered.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT DISTINCT org_id, minute FROM audit_denials WHERE minute < %s ORDER BY minute LIMIT %s
        """,
        (before, limit),
    )
    return [(row["org_id"], row["minute"]) for row in rows]


async def take_denials(db: Db, *, org: str, minute: datetime) -> list[Denials]:
    """Remove one minute's refusals of an org and return them."""
    return await db.all(
        Denials,
        """
        DELETE FROM audit_denials WHERE org_id = %s AND minute = %s
        RETURNING org_id, project_id, principal_kind, principal_id, principal_name, route, minute,
            permission, count, correlation_id
        """,
        (org, minute),
    )


# Seals


async def get_last_issued(db: Db) -> int:
    """The last number that an entry was given.

    Tenant-less: a number.
    """
    return await db.value("SELECT last FROM streams WHERE name = 'audit'")


async def list_unsealed(db: Db, *, after: int, upto: int, limit: int) -> list[tuple[int, bytes]]:
    """(number, content hash) of the next entries.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        "SELECT seq, leaf FROM audit_entries WHERE seq > %s AND seq <= %s ORDER BY seq LIMIT %s",
        (after, upto, limit),
    )
    return [(row["seq"], row["leaf"]) for row in rows]


async def list_sealed(db: Db, seal: Seal) -> list[tuple[int, bytes]]:
    """(number, content hash) of all entries of a seal.

    Tenant-less: hashes, for a proof.
    """
    rows = await db.rows(
        "SELECT seq, leaf FROM audit_leaves(%s, %s)", (seal.first_seq, seal.last_seq)
    )
    return [(row["seq"], row["leaf"]) for row in rows]


async def add_seal(db: Db, seal: Seal) -> None:
    """Tenant-less: seals cover the whole log."""
    await db.run(
        """
        INSERT INTO audit_seals (number, first_seq, last_seq, entries, root, previous, at, key_id,
            signature)
        VALUES (%s, %s, %s, %s, %s, %s, %s::timestamptz, %s, %s)
        """,
        (
            seal.number,
            seal.first_seq,
            seal.last_seq,
            seal.entries,
            seal.root,
            seal.previous,
            seal.at,
            seal.key_id,
            seal.signature,
        ),
    )


async def find_last_seal(db: Db) -> Seal | None:
    """Tenant-less: seals cover the whole log."""
    return await db.find(Seal, f"SELECT {SEAL} FROM audit_seals ORDER BY number DESC LIMIT 1")


async def find_seal_of(db: Db, seq: int) -> Seal | None:
    """The seal that covers an entry.

    Tenant-less: seals cover the whole log.
    """
    return await db.find(
        Seal,
        f"""
        SELECT {SEAL} FROM audit_seals WHERE last_seq >= %(seq)s AND first_seq <= %(seq)s
        ORDER BY last_seq LIMIT 1
        """,
        {"seq": seq},
    )


async def list_seals_from(db: Db, number: int, *, limit: int) -> list[Seal]:
    """Seals from this number on, the oldest first.

    Tenant-less: seals cover the whole log.
    """
    return await db.all(
        Seal,
        f"SELECT {SEAL} FROM audit_seals WHERE number >= %s ORDER BY number LIMIT %s",
        (number, limit),
    )


async def list_seals_before(db: Db, number: int | None, *, limit: int) -> list[Seal]:
    """Seals before this number, the newest first.

    Tenant-less: seals cover the whole log.
    """
    return await db.all(
        Seal,
        f"""
        SELECT {SEAL} FROM audit_seals WHERE %(number)s::bigint IS NULL OR number < %(number)s
        ORDER BY number DESC LIMIT %(limit)s
        """,
        {"number": number, "limit": limit},
    )
