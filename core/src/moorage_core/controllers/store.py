"""Every SQL statement of replicas and watches.

Claims cut across orgs: they are made as moorage_system, which sees the columns of scheduling alone.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.controllers.models import (
    Hint,
    Operator,
    PersonOnCluster,
    Replica,
    Told,
    Watch,
)
from moorage_core.kit.db import Db

WATCH: LiteralString = "instance_id, org_id, project_id, operator_id, holder, fence, handout"


# Replicas


async def find_operator(db: Db, *, account: str, app: str) -> Operator | None:
    """The operator that an account is for an app, for as long as it can act.

    Tenant-less: the account proved itself, and has no more than one for an app.
    """
    return await db.find(Operator, "SELECT * FROM claiming_operator(%s, %s)", (account, app))


async def listen(
    db: Db,
    *,
    account: str,
    app: str,
    id: str,
    name: str,
    release: str | None,
    since: datetime | None,
    until: datetime,
    now: datetime,
) -> Replica | None:
    """The replica of that name, its lease renewed; None where the account is no operator.

    A claim that looks again gives the end of the lease as it left it, `since`: where the lease ends
    earlier now, the replica has left meanwhile, and there is none either.

    Locked: its claims come one by one. Most claims find that there is nothing, and cost this.
    Tenant-less: a claim, as moorage_system.
    """
    return await db.find(
        Replica,
        """
        INSERT INTO controller_replicas AS r (id, operator_id, org_id, project_id, name, release,
            lease_expires_at, last_seen_at, created_at)
        SELECT %(id)s, o.id, o.org_id, o.project_id, %(name)s, %(release)s, %(until)s, %(now)s,
            %(now)s
        FROM claiming_operator(%(account)s, %(app)s) o
        ON CONFLICT (operator_id, name) DO UPDATE SET
            lease_expires_at = greatest(r.lease_expires_at, excluded.lease_expires_at),
            last_seen_at = excluded.last_seen_at, release = excluded.release
        WHERE %(since)s::timestamptz IS NULL OR r.lease_expires_at >= %(since)s
        RETURNING r.id, r.operator_id, r.handed, r.lease_expires_at,
            EXISTS (SELECT FROM operations o WHERE o.operator_id = r.operator_id
                AND o.status = 'ready') AS has_operations,
            EXISTS (SELECT FROM watches w WHERE w.operator_id = r.operator_id
                AND w.holder IS NULL AND w.ended_at IS NULL) AS has_watches,
            EXISTS (SELECT FROM watches w WHERE w.holder = r.id AND w.hints <> '{}'
                AND w.ended_at IS NULL) AS has_hints,
            EXISTS (SELECT FROM operations o WHERE o.holder = r.id AND o.handout = 0
                AND o.status IN ('running', 'undoing')) AS has_cancels
        """,
        {
            "id": id,
            "account": account,
            "app": app,
            "name": name,
            "release": release,
            "since": since,
            "until": until,
            "now": now,
        },
    )


async def count_handed(db: Db, replica: str, *, handed: int) -> None:
    """Tenant-less: a claim, as moorage_system."""
    await db.run("UPDATE controller_replicas SET handed = %s WHERE id = %s", (handed, replica))


async def put_off(
    db: Db,
    replica: str,
    *,
    operations: Sequence[str],
    cancels: Sequence[str],
    instances: Sequence[str],
) -> None:
    """What could not be told now gets the next numbers, to be told with another answer.

    Tenant-less: a claim, as moorage_system.
    """
    count = len(operations) + len(instances)
    handed = await db.value(
        "UPDATE controller_replicas SET handed = handed + %s WHERE id = %s RETURNING handed",
        (count, replica),
    )
    numbers = list(range(handed - count + 1, handed + 1))
    told, watched = numbers[: len(operations)], numbers[len(operations) :]
    await db.run(
        """
        UPDATE operations o SET handout = n.handout
        FROM unnest(%s::text[], %s::bigint[]) AS n(id, handout)
        WHERE o.id = n.id AND o.holder = %s AND o.status IN ('running', 'undoing')
        """,
        ([*operations, *cancels], [*told, *(0 for _ in cancels)], replica),
    )
    await db.run(
        """
        UPDATE watches w SET handout = n.handout
        FROM unnest(%s::text[], %s::bigint[]) AS n(id, handout)
        WHERE w.instance_id = n.id AND w.holder = %s
        """,
        (list(instances), watched, replica),
    )


async def find_replica(db: Db, id: str, *, account: str, orgs: list[str]) -> str | None:
    """The id of a replica, where the account is its operator."""
    return await db.value(
        """
        SELECT r.id FROM controller_replicas r JOIN app_operators p ON p.id = r.operator_id
        WHERE r.id = %s AND p.service_account_id = %s AND r.org_id = ANY (%s)
        """,
        (id, account, orgs),
    )


async def end_replica(db: Db, id: str, *, now: datetime) -> None:
    """It listens no more: its lease ends, and earlier than whatever a claim has seen of it.

    Tenant-less: a claim, as moorage_system.
    """
    await db.run(
        """
        UPDATE controller_replicas
        SET lease_expires_at = least(lease_expires_at, %s) - interval '1 microsecond' WHERE id = %s
        """,
        (now, id),
    )


async def lock_silent(db: Db, *, now: datetime, limit: int) -> list[str]:
    """Replicas whose lease has ended and which hold watches.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT r.id FROM controller_replicas r WHERE r.lease_expires_at <= %s
            AND EXISTS (SELECT FROM watches w WHERE w.holder = r.id)
        ORDER BY r.lease_expires_at LIMIT %s FOR UPDATE SKIP LOCKED
        """,
        (now, limit),
    )
    return [row["id"] for row in rows]


async def forget_replicas(db: Db, *, before: datetime, limit: int) -> int:
    """Drop replicas that have not been heard of for long.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.run(
        """
        DELETE FROM controller_replicas WHERE id IN (
            SELECT r.id FROM controller_replicas r WHERE r.lease_expires_at < %s
                AND NOT EXISTS (SELECT FROM watches w WHERE w.holder = r.id)
            ORDER BY r.lease_expires_at LIMIT %s FOR UPDATE SKIP LOCKED)
        """,
        (before, limit),
    )


# Operations, as far as a claim tells of them


async def list_told(db: Db, replica: str, *, after: int) -> list[Told]:
    """What a replica holds and has not heard of, as far as is known.

    Tenant-less: a claim, as moorage_system.
    """
    return await db.all(
        Told,
        """
        SELECT id, org_id, handout FROM operations
        WHERE holder = %s AND handout > %s AND status IN ('running', 'undoing')
        ORDER BY handout
        """,
        (replica, after),
    )


async def list_cancels(db: Db, ids: Sequence[str], *, org: str) -> list[dict[str, Any]]:
    """Which of these were asked to stop, and why."""
    return await db.rows(
        """
        SELECT id AS operation, cancel_reason AS reason FROM operations
        WHERE org_id = %s AND id = ANY (%s) AND cancel_requested_at IS NOT NULL ORDER BY id
        """,
        (org, list(ids)),
    )


async def number_cancels(db: Db, replica: str, *, first: int) -> list[Told]:
    """Held operations that were asked to stop since, each with the next number.

    Whoever asks one to stop sets its number to 0.
    Tenant-less: a claim, as moorage_system.
    """
    return await db.all(
        Told,
        """
        UPDATE operations o SET handout = %(first)s + n.number - 1
        FROM (
            SELECT id, row_number() OVER (ORDER BY id) AS number FROM (
                SELECT id FROM operations WHERE holder = %(replica)s AND handout = 0
                    AND status IN ('running', 'undoing')
                ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED) found
        ) n WHERE o.id = n.id RETURNING o.id, o.org_id, o.handout
        """,
        {"replica": replica, "first": first},
    )


async def list_kept(db: Db, replica: str, *, operations: Sequence[str]) -> set[str]:
    """Which of the named operations the replica still holds.

    Tenant-less: a claim, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT id FROM operations
        WHERE id = ANY (%s) AND holder = %s AND status IN ('running', 'undoing')
        """,
        (list(operations), replica),
    )
    return {row["id"] for row in rows}


# Watches


async def find_principal(db: Db, *, token_hash: bytes, now: datetime) -> dict[str, Any] | None:
    """Tenant-less: before there is a principal."""
    return await db.row("SELECT * FROM watch_principal(%s, %s)", (token_hash, now))


async def lock_watch(db: Db, instance: str, *, org: str, replica: str) -> int | None:
    """The fence of the watch that a replica has. It does not change hands meanwhile."""
    return await db.value(
        """
        SELECT fence FROM watches
        WHERE instance_id = %s AND org_id = %s AND holder = %s AND ended_at IS NULL FOR SHARE
        """,
        (instance, org, replica),
    )


async def add_watch(db: Db, *, instance: str, org: str, project: str, operator: str) -> None:
    await db.run(
        """
        INSERT INTO watches (instance_id, org_id, project_id, operator_id) VALUES (%s, %s, %s, %s)
        """,
        (instance, org, project, operator),
    )


async def end_watch(db: Db, instance: str, *, org: str, now: datetime) -> str | None:
    """The operator whose watch it was."""
    return await db.value(
        """
        UPDATE watches SET ended_at = %s, holder = NULL, token_hash = NULL, hints = '{}'
        WHERE instance_id = %s AND org_id = %s AND ended_at IS NULL RETURNING operator_id
        """,
        (now, instance, org),
    )


async def add_hints(
    db: Db, instances: Sequence[str], moved: Sequence[str], *, org: str
) -> list[str]:
    """Note what moved, where somebody watches. The operators of those."""
    rows = await db.rows(
        """
        UPDATE watches SET hints = ARRAY(SELECT DISTINCT unnest(hints || %s::text[]) ORDER BY 1)
        WHERE instance_id = ANY (%s) AND org_id = %s AND holder IS NOT NULL AND ended_at IS NULL
            AND NOT hints @> %s::text[]
        RETURNING operator_id
        """,
        (list(moved), list(instances), org, list(moved)),
    )
    return sorted({row["operator_id"] for row in rows})


async def add_hints_in(db: Db, moved: Sequence[str], *, org: str, project: str | None) -> list[str]:
    """The same for every instance of a project, or of a whole org."""
    rows = await db.rows(
        """
        UPDATE watches SET hints = ARRAY(SELECT DISTINCT unnest(hints || %(moved)s::text[])
            ORDER BY 1)
        WHERE org_id = %(org)s AND (%(project)s::text IS NULL OR project_id = %(project)s)
            AND holder IS NOT NULL AND ended_at IS NULL AND NOT hints @> %(moved)s::text[]
        RETURNING operator_id
        """,
        {"moved": list(moved), "org": org, "project": project},
    )
    return sorted({row["operator_id"] for row in rows})


async def hint_people(db: Db, people: Sequence[str], moved: Sequence[str]) -> list[str]:
    """The same for every instance that one of these people may be on.

    Tenant-less: the function looks at what the caller may concern.
    """
    rows = await db.rows("SELECT operator_id FROM hint_people(%s, %s)", (list(people), list(moved)))
    return sorted({row["operator_id"] for row in rows})


async def hint_nodes(db: Db, nodes: Sequence[str], moved: Sequence[str]) -> list[str]:
    """The same for every instance that stands on nodes, whose org is the platform's.

    Tenant-less: the function looks whether the caller is the platform.
    """
    rows = await db.rows("SELECT operator_id FROM hint_nodes(%s, %s)", (list(nodes), list(moved)))
    return sorted({row["operator_id"] for row in rows})


async def lock_free_watches(db: Db, operator: str, *, limit: int) -> list[Watch]:
    """Instances that nobody of the operator watches.

    Tenant-less: a claim, as moorage_system.
    """
    return await db.all(
        Watch,
        f"""
        SELECT {WATCH} FROM watches
        WHERE operator_id = %s AND holder IS NULL AND ended_at IS NULL
        ORDER BY instance_id LIMIT %s FOR UPDATE SKIP LOCKED
        """,
        (operator, limit),
    )


async def take_watches(
    db: Db, replica: str, free: Sequence[Watch], *, first: int, hashes: Sequence[bytes]
) -> list[Watch]:
    """Give watches to a replica; each gets the next number, and its next fence.

    Tenant-less: a claim, as moorage_system.
    """
    taken = await db.all(
        Watch,
        """
        UPDATE watches w SET holder = %(replica)s, fence = n.fence, handout = n.handout,
            token_hash = n.hash, hints = '{}'
        FROM unnest(%(ids)s::text[], %(fences)s::integer[], %(handouts)s::bigint[],
            %(hashes)s::bytea[]) AS n(id, fence, handout, hash)
        WHERE w.instance_id = n.id
        RETURNING w.instance_id, w.org_id, w.project_id, w.operator_id, w.holder, w.fence, w.handout
        """,
        {
            "replica": replica,
            "ids": [watch.instance_id for watch in free],
            "fences": [watch.fence + 1 for watch in free],
            "handouts": list(range(first, first + len(free))),
            "hashes": list(hashes),
        },
    )
    return sorted(taken, key=lambda watch: watch.handout)


async def take_hints(db: Db, replica: str, *, first: int) -> list[Hint]:
    """What moved where the replica watches, and no longer does.

    The watch gets the next number: where the answer is lost the replica is told of the whole watch
    again.
    Tenant-less: a claim, as moorage_system.
    """
    return await db.all(
        Hint,
        """
        UPDATE watches w SET hints = '{}', handout = %(first)s + n.number - 1
        FROM (
            SELECT instance_id, hints, row_number() OVER (ORDER BY instance_id) AS number FROM (
                SELECT instance_id, hints FROM watches
                WHERE holder = %(replica)s AND hints <> '{}' AND ended_at IS NULL
                ORDER BY instance_id LIMIT 100 FOR UPDATE SKIP LOCKED) found
        ) n WHERE w.instance_id = n.instance_id
        RETURNING w.instance_id, w.org_id, n.hints AS moved
        """,
        {"replica": replica, "first": first},
    )


async def list_told_watches(db: Db, replica: str, *, after: int, limit: int) -> list[Watch]:
    """What a replica watches and has not heard of, as far as is known.

    Tenant-less: a claim, as moorage_system.
    """
    return await db.all(
        Watch,
        f"""
        SELECT {WATCH} FROM watches WHERE holder = %s AND handout > %s AND ended_at IS NULL
        ORDER BY handout LIMIT %s
        """,
        (replica, after, limit),
    )


async def list_kept_watches(db: Db, replica: str, *, instances: Sequence[str]) -> set[str]:
    """Which of the named instances the replica still watches.

    Tenant-less: a claim, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT instance_id FROM watches
        WHERE instance_id = ANY (%s) AND holder = %s AND ended_at IS NULL
        """,
        (list(instances), replica),
    )
    return {row["instance_id"] for row in rows}


async def free_watches(db: Db, replicas: Sequence[str]) -> list[str]:
    """Let others take what these replicas watched. The operators of those.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        """
        UPDATE watches SET holder = NULL, token_hash = NULL, hints = '{}'
        WHERE holder = ANY (%s) RETURNING operator_id
        """,
        (list(replicas),),
    )
    return sorted({row["operator_id"] for row in rows})


# What controllers say and ask of instances


async def list_people(db: Db, *, org: str, project: str, roles: list[str]) -> list[PersonOnCluster]:
    """People with one of these roles in the project or its org, and with a login."""
    return await db.all(
        PersonOnCluster,
        """
        SELECT user_id, name, login, uid, roles, ARRAY[%s] AS projects
        FROM project_people(%s, %s, %s) ORDER BY login
        """,
        (project, org, project, roles),
    )


async def add_usage(
    db: Db, rows: Sequence[dict[str, Any]], *, instance: str, org: str, project: str
) -> int:
    """How many were new."""
    return await db.run(
        """
        INSERT INTO usage_records (id, instance_id, org_id, project_id, meter, key, quantity,
            used_project_id, from_at, until_at, created_at)
        SELECT r.id, %(instance)s, %(org)s, %(project)s, r.meter, r.key, r.quantity,
            %(project)s, r.from_at, r.until_at, r.created_at
        FROM jsonb_to_recordset(%(rows)s) AS r(id text, meter text, key text, quantity numeric,
            from_at timestamptz, until_at timestamptz, created_at timestamptz)
        ON CONFLICT (instance_id, meter, key) DO NOTHING
        """,
        {"instance": instance, "org": org, "project": project, "rows": Jsonb(list(rows))},
    )


async def find_probing(db: Db, instance: str, *, org: str) -> str | None:
    """The session in which probes of the instance ran last."""
    return await db.value(
        "SELECT probe_operation_id FROM instances WHERE id = %s AND org_id = %s", (instance, org)
    )


async def note_probing(db: Db, instance: str, *, org: str, operation: str) -> None:
    await db.run(
        """
        UPDATE instances SET probe_operation_id = %(operation)s
        WHERE id = %(instance)s AND org_id = %(org)s
            AND probe_operation_id IS DISTINCT FROM %(operation)s
        """,
        {"instance": instance, "org": org, "operation": operation},
    )
