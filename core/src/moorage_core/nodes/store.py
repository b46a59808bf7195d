"""Every SQL statement of nodes and enrolments."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.nodes.models import Enrolment, Facts, Holder, Identity, Node

BARE: LiteralString = """id, org_id, name, region_id, sku_id,
    (SELECT r.slug FROM regions r WHERE r.id = region_id) AS region,
    (SELECT s.slug FROM skus s WHERE s.id = sku_id) AS sku,
    reach, address, ssh_port, status, status_reason, status_since, cordoned, last_org_id,
    generation, reimage_requested_at, reimage_started_at, conflict_at, enrolled_at, hostname,
    agent_version, boot_id, run_id, trust, inventory_at, last_seen_at, unreachable_since, labels,
    version, created_at, updated_at"""
NODE: LiteralString = f"{BARE}, inventory"
LISTED: LiteralString = f"{BARE}, NULL::jsonb AS inventory"
"""Where there are many, or often: an inventory can be long."""
IN_SHORT: LiteralString = f"""{BARE}, CASE WHEN inventory IS NOT NULL THEN jsonb_build_object(
    'os', inventory -> 'os', 'cpu', inventory -> 'cpu', 'memory_bytes', inventory -> 'memory_bytes',
    'gpus', inventory -> 'gpus') END AS inventory"""
"""As much of it as a list shows."""
ENROLMENT: LiteralString = (
    "id, org_id, node_id, expires_at, created_at, created_by, used_at, revoked_at, "
    "actor_name(created_by) AS created_by_name"
)
HELD: LiteralString = "('provisioning', 'active', 'releasing', 'release_failed')"
"""Not `requested`: until it is imaged anew, the host may be another org's."""
AWAITS_IMAGE: LiteralString = """(n.status = 'enrolling' OR n.status = 'allocated' AND EXISTS (
    SELECT FROM allocations a
    WHERE a.node_id = n.id AND a.status = 'requested' AND a.reimage_from = n.generation))"""
"""Nobody is on it but whoever waits for this very image."""
IDENTITY: LiteralString = (
    "id, name, status, public_key, nonce_hash, used_nonce_hash, used_jti, conflict_at"
)


# Before there is a principal


async def find_principal(db: Db, *, token_hash: bytes, now: datetime) -> dict[str, Any] | None:
    """Tenant-less: before there is a principal."""
    return await db.row("SELECT * FROM node_principal(%s, %s)", (token_hash, now))


async def find_identity(db: Db, id: str, *, org: str, lock: bool = False) -> Identity | None:
    sql: LiteralString = f"SELECT {IDENTITY} FROM nodes WHERE org_id = %s AND id = %s"
    return await db.find(Identity, sql + (" FOR UPDATE" if lock else ""), (org, id))


# Nodes


async def add_many(db: Db, rows: Sequence[Mapping[str, Any]], *, org: str) -> list[Node]:
    """In the order of their ids. Raises UniqueViolation where a name is taken."""
    return await db.all(
        Node,
        f"""
        INSERT INTO nodes (id, org_id, name, region_id, sku_id, reach, address, ssh_port, status,
            status_since, labels, created_at, updated_at)
        SELECT id, %(org)s, name, region_id, sku_id, reach, address, ssh_port, status, at, labels,
            at, at
        FROM jsonb_to_recordset(%(rows)s) AS r(id text, name text, region_id text, sku_id text,
            reach text, address text, ssh_port integer, status text, at timestamptz, labels jsonb)
        RETURNING {NODE}
        """,
        {"org": org, "rows": Jsonb(list(rows))},
    )


async def list_taken(db: Db, names: list[str], *, org: str) -> list[str]:
    """Those of the names that live nodes have."""
    rows = await db.rows(
        """
        SELECT name FROM nodes WHERE org_id = %s AND name = ANY (%s) AND status <> 'retired'
        ORDER BY name
        """,
        (org, names),
    )
    return [row["name"] for row in rows]


async def list_nodes(
    db: Db,
    page: PageRequest,
    *,
    org: str,
    region: str | None,
    sku: str | None,
    status: str | None,
    unreachable: bool | None,
    name: str | None,
) -> list[Node]:
    return await db.all(
        Node,
        f"""
        SELECT {IN_SHORT} FROM nodes WHERE org_id = %(org)s AND id > %(after)s
            AND (%(status)s::text IS NULL OR status = %(status)s)
            AND (%(region)s::text IS NULL
                OR region_id = (SELECT r.id FROM regions r WHERE r.slug = %(region)s))
            AND (%(sku)s::text IS NULL
                OR sku_id = (SELECT s.id FROM skus s WHERE s.slug = %(sku)s))
            AND (%(unreachable)s::boolean IS NULL
                OR (unreachable_since IS NOT NULL) = %(unreachable)s)
            AND (%(name)s::text IS NULL OR name = %(name)s)
        ORDER BY id LIMIT %(limit)s
        """,
        {
            "org": org,
            "after": page.after,
            "limit": page.fetch,
            "region": region,
            "sku": sku,
            "status": status,
            "unreachable": unreachable,
            "name": name,
        },
    )


async def find(db: Db, id: str, *, org: str, lock: bool = False) -> Node | None:
    sql: LiteralString = f"SELECT {NODE} FROM nodes WHERE org_id = %s AND id = %s"
    return await db.find(Node, sql + (" FOR UPDATE" if lock else ""), (org, id))


async def list_holders(db: Db, nodes: list[str]) -> dict[str, Holder]:
    """Which allocations hold them, by node.

    Tenant-less: the platform learns the ids of what tenants hold of it, which org it is, and
    nothing else.
    """
    rows = await db.rows(
        "SELECT node_id, allocation_id, org_id, org_name FROM node_holders(%s)", (nodes,)
    )
    return {row.pop("node_id"): Holder(**row) for row in rows}


async def find_instance(db: Db, node: str) -> str | None:
    """The instance whose members stand on a node.

    Tenant-less: the platform learns the ids of what tenants have there, and nothing else.
    """
    return await db.value("SELECT instance_id FROM node_holders(ARRAY[%s])", (node,))


async def update(db: Db, id: str, *, org: str, change: Mapping[str, Any], now: datetime) -> Node:
    """Raises UniqueViolation where the name is taken."""
    labels = change.get("labels")
    return await db.get(
        Node,
        f"""
        UPDATE nodes SET name = coalesce(%(name)s, name),
            address = coalesce(%(address)s, address), ssh_port = coalesce(%(port)s, ssh_port),
            labels = coalesce(%(labels)s, labels), cordoned = coalesce(%(cordoned)s, cordoned),
            version = version + 1, updated_at = %(now)s
        WHERE org_id = %(org)s AND id = %(id)s RETURNING {NODE}
        """,
        {
            "org": org,
            "id": id,
            "name": change.get("name"),
            "address": change.get("address"),
            "port": change.get("ssh_port"),
            "labels": None if labels is None else Jsonb(labels),
            "cordoned": change.get("cordoned"),
            "now": now,
        },
    )


async def set_status(
    db: Db,
    id: str,
    *,
    org: str,
    status: str,
    reason: str | None,
    now: datetime,
) -> Node:
    return await db.get(
        Node,
        f"""
        UPDATE nodes SET status = %(status)s, status_reason = %(reason)s,
            status_since = CASE WHEN status = %(status)s THEN status_since ELSE %(now)s END,
            version = version + 1, updated_at = %(now)s
        WHERE org_id = %(org)s AND id = %(id)s RETURNING {NODE}
        """,
        {
            "org": org,
            "id": id,
            "status": status,
            "reason": reason,
            "now": now,
        },
    )


async def take(db: Db, ids: list[str], *, org: str, now: datetime) -> list[Node]:
    """Those of the nodes that were free, now held."""
    return await db.all(
        Node,
        f"""
        UPDATE nodes SET status = 'allocated', status_reason = NULL, status_since = %(now)s,
            version = version + 1, updated_at = %(now)s
        WHERE org_id = %(org)s AND id = ANY (%(ids)s) AND status = 'available' RETURNING {LISTED}
        """,
        {"org": org, "ids": ids, "now": now},
    )


async def hand_over(db: Db, ids: list[str], *, org: str, holder: str) -> None:
    await db.run(
        "UPDATE nodes SET last_org_id = %s WHERE org_id = %s AND id = ANY (%s)", (holder, org, ids)
    )


async def clear_conflict(db: Db, id: str, *, org: str) -> None:
    await db.run("UPDATE nodes SET conflict_at = NULL WHERE org_id = %s AND id = %s", (org, id))


async def drop_token(db: Db, id: str, *, org: str) -> None:
    """Whoever holds it is a stranger from now on."""
    await db.run(
        "UPDATE nodes SET token_hash = NULL, token_expires_at = NULL WHERE org_id = %s AND id = %s",
        (org, id),
    )


async def request_reimage(db: Db, id: str, *, org: str, reason: str, now: datetime) -> Node:
    """From the start, also where somebody is at it already."""
    return await db.get(
        Node,
        f"""
        UPDATE nodes SET reimage_requested_at = %s, reimage_started_at = NULL, reimage_reason = %s,
            version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {NODE}
        """,
        (now, reason, now, org, id),
    )


async def start_reimage(db: Db, id: str, *, org: str, now: datetime) -> str | None:
    """Why it is imaged; None where somebody else has started, or it is not wanted any more."""
    return await db.value(
        f"""
        UPDATE nodes n SET reimage_started_at = %s WHERE n.org_id = %s AND n.id = %s
            AND n.reimage_requested_at IS NOT NULL AND n.reimage_started_at IS NULL
            AND {AWAITS_IMAGE}
        RETURNING coalesce(n.reimage_reason, '')
        """,
        (now, org, id),
    )


async def give_up_reimage(db: Db, id: str, *, org: str, started: datetime) -> bool | None:
    """End what was started then; whether the node still waited for it.

    None where it came to its end meanwhile, or was asked for anew.
    """
    return await db.value(
        f"""
        UPDATE nodes n SET reimage_requested_at = NULL, reimage_started_at = NULL,
            reimage_reason = NULL
        WHERE n.org_id = %s AND n.id = %s AND n.reimage_requested_at IS NOT NULL
            AND n.reimage_started_at = %s
        RETURNING {AWAITS_IMAGE}
        """,
        (org, id, started),
    )


async def call_off_reimage(db: Db, id: str, *, org: str) -> Node:
    """What enrols from now on is no new image."""
    return await db.get(
        Node,
        f"""
        UPDATE nodes SET reimage_requested_at = NULL, reimage_started_at = NULL,
            reimage_reason = NULL
        WHERE org_id = %s AND id = %s RETURNING {NODE}
        """,
        (org, id),
    )


# Identity


async def set_identity(
    db: Db,
    id: str,
    *,
    org: str,
    public_key: dict[str, Any],
    nonce_hash: bytes,
    token_hash: bytes,
    token_expires_at: datetime,
) -> None:
    """A host has become the node: whoever was it before is not any more."""
    await db.run(
        """
        UPDATE nodes SET public_key = %s, nonce_hash = %s, used_nonce_hash = NULL, used_jti = NULL,
            token_hash = %s, token_expires_at = %s, conflict_at = NULL
        WHERE org_id = %s AND id = %s
        """,
        (Jsonb(public_key), nonce_hash, token_hash, token_expires_at, org, id),
    )


async def set_enrolled(
    db: Db,
    id: str,
    *,
    org: str,
    status: str,
    reason: str | None,
    reimaged: bool,
    said: Mapping[str, Any],
    now: datetime,
) -> Node:
    return await db.get(
        Node,
        f"""
        UPDATE nodes SET status = %(status)s, status_reason = %(reason)s,
            status_since = CASE WHEN status = %(status)s THEN status_since ELSE %(now)s END,
            enrolled_at = %(now)s, last_seen_at = %(now)s, unreachable_since = NULL,
            generation = generation + %(reimaged)s::boolean::integer,
            last_org_id = CASE WHEN %(reimaged)s THEN NULL ELSE last_org_id END,
            reimage_requested_at = NULL, reimage_started_at = NULL,
            reimage_reason = NULL,
            hostname = %(hostname)s, machine_id = %(machine_id)s, boot_id = %(boot_id)s,
            agent_version = %(agent_version)s, run_id = NULL, trust = NULL,
            inventory = %(inventory)s, inventory_at = %(now)s,
            version = version + 1, updated_at = %(now)s
        WHERE org_id = %(org)s AND id = %(id)s RETURNING {NODE}
        """,
        {
            **said,
            "inventory": Jsonb(said["inventory"]),
            "org": org,
            "id": id,
            "status": status,
            "reason": reason,
            "reimaged": reimaged,
            "now": now,
        },
    )


async def advance(
    db: Db,
    id: str,
    *,
    org: str,
    nonce_hash: bytes,
    used_nonce_hash: bytes,
    used_jti: str,
    token_hash: bytes,
    token_expires_at: datetime,
) -> None:
    """The next nonce and the next token; the ones before end here."""
    await db.run(
        """
        UPDATE nodes SET nonce_hash = %s, used_nonce_hash = %s, used_jti = %s, token_hash = %s,
            token_expires_at = %s
        WHERE org_id = %s AND id = %s
        """,
        (nonce_hash, used_nonce_hash, used_jti, token_hash, token_expires_at, org, id),
    )


async def note_conflict(db: Db, id: str, *, org: str, now: datetime) -> None:
    await db.run(
        """
        UPDATE nodes SET conflict_at = %s, token_hash = NULL, token_expires_at = NULL
        WHERE org_id = %s AND id = %s
        """,
        (now, org, id),
    )


# Enrolments


async def add_enrolments(db: Db, rows: Sequence[Mapping[str, Any]], *, org: str) -> list[Enrolment]:
    return await db.all(
        Enrolment,
        f"""
        INSERT INTO enrolments (id, org_id, node_id, token_hash, expires_at, created_at, created_by)
        SELECT id, %(org)s, node_id, decode(hash, 'hex'), expires_at, at, created_by
        FROM jsonb_to_recordset(%(rows)s) AS r(id text, node_id text, hash text,
            expires_at timestamptz, at timestamptz, created_by text)
        RETURNING {ENROLMENT}
        """,
        {"org": org, "rows": Jsonb(list(rows))},
    )


async def revoke_open(db: Db, *, org: str, node: str, now: datetime) -> None:
    """A newer line takes the place of those that nobody has used."""
    await db.run(
        """
        UPDATE enrolments SET revoked_at = %s
        WHERE org_id = %s AND node_id = %s AND used_at IS NULL AND revoked_at IS NULL
        """,
        (now, org, node),
    )


async def list_enrolments(db: Db, page: PageRequest, *, org: str, node: str) -> list[Enrolment]:
    return await db.all(
        Enrolment,
        f"""
        SELECT {ENROLMENT} FROM enrolments WHERE org_id = %s AND node_id = %s AND id > %s
        ORDER BY id LIMIT %s
        """,
        (org, node, page.after, page.fetch),
    )


async def find_enrolment(db: Db, id: str, *, org: str, lock: bool = False) -> Enrolment | None:
    sql: LiteralString = f"SELECT {ENROLMENT} FROM enrolments WHERE org_id = %s AND id = %s"
    return await db.find(Enrolment, sql + (" FOR UPDATE" if lock else ""), (org, id))


async def revoke(db: Db, id: str, *, org: str, now: datetime) -> Enrolment:
    return await db.get(
        Enrolment,
        f"""
        UPDATE enrolments SET revoked_at = coalesce(revoked_at, %s) WHERE org_id = %s AND id = %s
        RETURNING {ENROLMENT}
        """,
        (now, org, id),
    )


async def find_by_token(db: Db, *, org: str, token_hash: bytes) -> dict[str, Any] | None:
    """The enrolment behind a token, locked: two hosts with one line come one after the other."""
    return await db.row(
        """
        SELECT id, node_id, expires_at, used_at, thumbprint, revoked_at FROM enrolments
        WHERE org_id = %s AND token_hash = %s FOR UPDATE
        """,
        (org, token_hash),
    )


async def use(db: Db, id: str, *, org: str, thumbprint: str, now: datetime) -> None:
    await db.run(
        """
        UPDATE enrolments SET used_at = coalesce(used_at, %s), thumbprint = %s
        WHERE org_id = %s AND id = %s
        """,
        (now, thumbprint, org, id),
    )


# What polls say


async def note_facts(db: Db, id: str, *, org: str, facts: Facts) -> None:
    """As an agent says them: no version counts them, nobody is told."""
    await db.run(
        """
        UPDATE nodes SET run_id = %s, boot_id = %s, agent_version = %s, trust = %s
        WHERE org_id = %s AND id = %s
        """,
        (facts.run_id, facts.boot_id, facts.agent_version, facts.trust, org, id),
    )


async def note_inventory(
    db: Db, id: str, *, org: str, inventory: dict[str, Any], now: datetime
) -> None:
    await db.run(
        """
        UPDATE nodes SET inventory = %s, inventory_at = %s, hostname = %s
        WHERE org_id = %s AND id = %s
        """,
        (Jsonb(inventory), now, inventory.get("hostname"), org, id),
    )


async def refuse_inventory(db: Db, id: str, *, org: str, size: int, now: datetime) -> None:
    """The one before stays, with a note that another was said."""
    refused = {"refused": {"bytes": size, "at": now.isoformat()}}
    await db.run(
        """
        UPDATE nodes SET inventory = coalesce(inventory, '{}') || %s, inventory_at = %s
        WHERE org_id = %s AND id = %s
        """,
        (Jsonb(refused), now, org, id),
    )


async def list_trust(db: Db, *, org: str) -> list[dict[str, Any]]:
    """Which certificates each enrolled agent says it uses."""
    return await db.rows(
        """
        SELECT name, trust FROM nodes
        WHERE org_id = %s AND reach = 'agent' AND enrolled_at IS NOT NULL AND status <> 'retired'
        ORDER BY name
        """,
        (org,),
    )


async def add_evidence(
    db: Db,
    *,
    org: str,
    node: str,
    items: Sequence[Mapping[str, Any]],
    note: Mapping[str, Any],
    most: int,
    now: datetime,
) -> dict[str, int]:
    """What a host says, filed with whoever holds it now; with the platform where nobody does.

    `org` is the platform's. Said before: nothing is added. Beyond `most` in an hour nothing is
    either, and `note` stands there once.
    """
    found = await db.row(
        f"""
        WITH said AS (
            SELECT r.*, row_number() OVER (ORDER BY r.id) AS number
            FROM jsonb_to_recordset(%(items)s) AS r(id text, kind text, key text, at timestamptz,
                data jsonb)
            WHERE NOT EXISTS (SELECT FROM node_evidence e
                WHERE e.node_id = %(node)s AND e.kind = r.kind AND e.key = r.key)
        ), room AS (
            SELECT %(most)s - count(*) AS left FROM node_evidence
            WHERE node_id = %(node)s AND received_at > %(since)s
        ), kept AS (
            SELECT id, kind, key, at, data FROM said, room WHERE number <= room.left
            UNION ALL
            SELECT n.id, n.kind, n.key, NULL, n.data
            FROM jsonb_to_record(%(note)s) AS n(id text, kind text, key text, data jsonb), room
            WHERE (SELECT count(*) FROM said) > room.left
        ), added AS (
            INSERT INTO node_evidence (id, org_id, project_id, node_id, allocation_id, kind, key,
                said_at, received_at, data)
            SELECT k.id, coalesce(a.org_id, %(org)s), a.project_id, %(node)s, a.id, k.kind, k.key,
                k.at, %(now)s, k.data
            FROM kept k LEFT JOIN allocations a ON a.node_id = %(node)s AND a.status IN {HELD}
            ON CONFLICT (node_id, kind, key) DO NOTHING RETURNING id
        )
        SELECT (SELECT count(*) FROM added WHERE id <> %(note_id)s) AS recorded,
            (SELECT count(*) FROM said, room WHERE number > room.left) AS dropped
        """,
        {
            "org": org,
            "node": node,
            "items": Jsonb(list(items)),
            "note": Jsonb(note),
            "note_id": note["id"],
            "most": most,
            "since": now - timedelta(hours=1),
            "now": now,
        },
    )
    return found or {}


# Sweeps


async def flush_seen(db: Db, heard: Mapping[str, datetime]) -> list[str]:
    """Write down when nodes were last heard of; those that were thought to be silent.

    Tenant-less: the system role writes this column of all nodes.
    """
    rows = await db.rows(
        """
        UPDATE nodes n SET last_seen_at = greatest(n.last_seen_at, h.at)
        FROM unnest(%s::text[], %s::timestamptz[]) h(id, at) WHERE n.id = h.id
        RETURNING n.id, n.unreachable_since IS NOT NULL AS silent
        """,
        ([*heard], [*heard.values()]),
    )
    return [row["id"] for row in rows if row["silent"]]


async def list_silent(db: Db, *, before: datetime, limit: int) -> list[str]:
    """Tenant-less: the system role looks at all nodes."""
    rows = await db.rows(
        """
        SELECT id FROM nodes
        WHERE reach = 'agent' AND unreachable_since IS NULL
            AND status NOT IN ('enrolling', 'retired') AND last_seen_at < %s
        ORDER BY last_seen_at LIMIT %s
        """,
        (before, limit),
    )
    return [row["id"] for row in rows]


async def mark_silent(db: Db, ids: list[str], *, org: str, before: datetime) -> list[Node]:
    """Those of them that are still silent, since they were last heard of."""
    return await db.all(
        Node,
        f"""
        UPDATE nodes SET unreachable_since = last_seen_at, version = version + 1
        WHERE org_id = %s AND id = ANY (%s) AND unreachable_since IS NULL AND last_seen_at < %s
        RETURNING {LISTED}
        """,
        (org, ids, before),
    )


async def mark_heard(db: Db, ids: list[str], *, org: str) -> list[Node]:
    return await db.all(
        Node,
        f"""
        UPDATE nodes SET unreachable_since = NULL, version = version + 1
        WHERE org_id = %s AND id = ANY (%s) AND unreachable_since IS NOT NULL RETURNING {LISTED}
        """,
        (org, ids),
    )


async def list_reimages(db: Db, *, started_before: datetime, limit: int) -> list[dict[str, Any]]:
    """Nodes to be imaged: those that nobody has begun with, and those that take too long.

    With the org that waits for one, if any does.

    Tenant-less: the system role looks at all nodes.
    """
    return await db.rows(
        """
        SELECT n.id, n.reimage_started_at, a.org_id AS holder FROM nodes n
            LEFT JOIN allocations a ON a.node_id = n.id AND a.status = 'requested'
                AND a.reimage_from = n.generation AND n.status = 'allocated'
        WHERE n.reimage_requested_at IS NOT NULL AND (n.reimage_started_at < %s
            OR n.reimage_started_at IS NULL AND (n.status = 'enrolling' OR a.id IS NOT NULL))
        ORDER BY n.reimage_requested_at LIMIT %s
        """,
        (started_before, limit),
    )
