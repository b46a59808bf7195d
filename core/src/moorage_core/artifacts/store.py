"""Every SQL statement of artifacts, publisher keys and signatures."""

from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.artifacts.models import Artifact, PublisherKey, Signature, Usage
from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest

ARTIFACT: LiteralString = """
    id, org_id, project_id, name, kind, digest, size, media_type, source_id, location, lifecycle,
    trust, trust_reason, version, created_at, updated_at
"""
KEY: LiteralString = (
    "id, org_id, project_id, name, public_key, version, created_at, updated_at, revoked_at"
)
SIGNATURE: LiteralString = "artifact_id, key_id, signature, public_key, created_at, revoked_at"

# Artifacts


async def add(db: Db, new: Artifact) -> Artifact | None:
    """None where the project has this content already.

    Tenant-less: `new` has org and project.
    """
    return await db.find(
        Artifact,
        f"""
        INSERT INTO artifacts (id, org_id, project_id, name, kind, digest, size, media_type,
            source_id, location, lifecycle, trust, created_at, updated_at)
        VALUES (%(id)s, %(org_id)s, %(project_id)s, %(name)s, %(kind)s, %(digest)s, %(size)s,
            %(media_type)s, %(source_id)s, %(location)s, %(lifecycle)s, %(trust)s, %(created_at)s,
            %(updated_at)s)
        ON CONFLICT (project_id, digest) WHERE deleted_at IS NULL DO NOTHING
        RETURNING {ARTIFACT}
        """,
        new.__dict__,
    )


async def lock_usage(db: Db, *, org: str, project: str, deleted_since: datetime) -> Usage:
    """What the project uses. Nobody else announces anything there until the transaction ends."""
    await db.run(
        "SELECT pg_advisory_xact_lock(hashtextextended('artifacts of ' || %s, 0))", (project,)
    )
    # A deleted artifact's bytes are on the disk for as long as a sweep leaves them there.
    return await db.get(
        Usage,
        """
        SELECT coalesce(sum(size) FILTER (WHERE source_id IS NULL), 0)::bigint AS bytes,
            count(*) FILTER (WHERE lifecycle = 'uploading') AS uploads
        FROM artifacts WHERE org_id = %s AND project_id = %s
            AND (deleted_at IS NULL OR (lifecycle <> 'uploading' AND deleted_at >= %s))
        """,
        (org, project, deleted_since),
    )


async def find(
    db: Db, id: str, *, orgs: list[str], lock: bool = False, project_deleted: bool = False
) -> Artifact | None:
    """An artifact of a live project; with `project_deleted`, of any."""
    sql: LiteralString = f"""
        SELECT {ARTIFACT} FROM artifacts a
        WHERE id = %s AND org_id = ANY (%s) AND deleted_at IS NULL AND (%s OR EXISTS (
            SELECT FROM projects p WHERE p.id = a.project_id AND p.deleted_at IS NULL))
        """
    params = (id, orgs, project_deleted)
    return await db.find(Artifact, sql + (" FOR UPDATE" if lock else ""), params)


async def find_any(db: Db, id: str) -> Artifact | None:
    """Tenant-less: whoever may use an app may see what its versions are made of."""
    sql: LiteralString = f"SELECT {ARTIFACT} FROM artifacts WHERE id = %s AND deleted_at IS NULL"
    return await db.find(Artifact, sql, (id,))


async def find_owner(db: Db, id: str) -> tuple[str, str] | None:
    """Org and project of an artifact.

    Tenant-less: for those who run the platform; the function checks that the caller does.
    """
    row = await db.row("SELECT * FROM artifact_owner(%s)", (id,))
    return None if row is None else (row["org_id"], row["project_id"])


async def list_by_digest(db: Db, *, org: str, project: str, digests: list[str]) -> list[Artifact]:
    """Locked against removal until the transaction ends. What the platform revoked is revoked."""
    return await db.all(
        Artifact,
        """
        SELECT a.id, a.org_id, a.project_id, a.name, a.kind, a.digest, a.size, a.media_type,
            a.source_id, a.location, a.lifecycle, a.version, a.created_at, a.updated_at,
            CASE WHEN r.digest IS NULL THEN a.trust ELSE 'revoked' END AS trust,
            coalesce(r.reason, a.trust_reason) AS trust_reason
        FROM artifacts a LEFT JOIN revoked_digests r ON r.digest = a.digest
        WHERE a.org_id = %s AND a.project_id = %s AND a.digest = ANY (%s) AND a.deleted_at IS NULL
        ORDER BY a.id FOR SHARE OF a
        """,
        (org, project, digests),
    )


async def list_in_project(
    db: Db, page: PageRequest, *, project: str, digest: str | None, trust: str | None
) -> list[Artifact]:
    return await db.all(
        Artifact,
        f"""
        SELECT {ARTIFACT} FROM artifacts
        WHERE project_id = %(project)s AND deleted_at IS NULL AND id > %(after)s
            AND (%(digest)s::text IS NULL OR digest = %(digest)s)
            AND (%(trust)s::text IS NULL OR trust = %(trust)s)
        ORDER BY id LIMIT %(limit)s
        """,
        {
            "project": project,
            "after": page.after,
            "digest": digest,
            "trust": trust,
            "limit": page.fetch,
        },
    )


async def set_lifecycle(db: Db, id: str, *, org: str, lifecycle: str, now: datetime) -> Artifact:
    return await db.get(
        Artifact,
        f"""
        UPDATE artifacts SET lifecycle = %s, version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {ARTIFACT}
        """,
        (lifecycle, now, org, id),
    )


async def promote(
    db: Db, ids: list[str], *, org: str, project: str, now: datetime
) -> list[Artifact]:
    """Those among them that were published only."""
    return await db.all(
        Artifact,
        f"""
        UPDATE artifacts SET lifecycle = 'promoted', version = version + 1, updated_at = %s
        WHERE org_id = %s AND project_id = %s AND id = ANY (%s) AND lifecycle = 'published'
            AND deleted_at IS NULL
        RETURNING {ARTIFACT}
        """,
        (now, org, project, sorted(ids)),
    )


async def set_trust(
    db: Db, id: str, *, org: str, trust: str, reason: str | None, now: datetime
) -> Artifact:
    return await db.get(
        Artifact,
        f"""
        UPDATE artifacts SET trust = %s, trust_reason = %s, version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {ARTIFACT}
        """,
        (trust, reason, now, org, id),
    )


async def is_used(db: Db, id: str, *, org: str) -> bool:
    """Whether a published version is made of it."""
    return await db.value(
        "SELECT EXISTS (SELECT FROM version_artifacts WHERE org_id = %s AND artifact_id = %s)",
        (org, id),
    )


async def delete(db: Db, id: str, *, org: str, now: datetime) -> Artifact:
    return await db.get(
        Artifact,
        f"""
        UPDATE artifacts SET deleted_at = %s, updated_at = %s, version = version + 1
        WHERE org_id = %s AND id = %s RETURNING {ARTIFACT}
        """,
        (now, now, org, id),
    )


# Bytes that the platform has revoked


async def revoke_digest(db: Db, digest: str, *, reason: str, by: str, now: datetime) -> bool:
    """False where it is revoked already.

    Tenant-less: by those who run the platform, for all.
    """
    added = await db.run(
        """
        INSERT INTO revoked_digests (digest, reason, at, by) VALUES (%s, %s, %s, %s)
        ON CONFLICT DO NOTHING
        """,
        (digest, reason, now, by),
    )
    return added == 1


async def find_revocation(db: Db, digest: str) -> str | None:
    """Why the platform has revoked these bytes; None where it has not.

    Tenant-less: it holds for all.
    """
    row = await db.row("SELECT reason FROM revoked_digests WHERE digest = %s", (digest,))
    return None if row is None else row["reason"]


async def list_alike(db: Db, digest: str) -> list[tuple[str, str]]:
    """Id and org of artifacts with these bytes that are not revoked: the first hundred.

    Tenant-less: for those who run the platform; the function checks that the caller does.
    """
    rows = await db.rows("SELECT * FROM artifacts_alike(%s)", (digest,))
    return [(row["id"], row["org_id"]) for row in rows]


async def revoke_all(
    db: Db, ids: list[str], *, orgs: list[str], reason: str, now: datetime
) -> list[Artifact]:
    return await db.all(
        Artifact,
        f"""
        UPDATE artifacts SET trust = 'revoked', trust_reason = %(reason)s, version = version + 1,
            updated_at = %(now)s
        WHERE id IN (SELECT id FROM artifacts WHERE org_id = ANY (%(orgs)s) AND id = ANY (%(ids)s)
            AND trust <> 'revoked' ORDER BY id FOR UPDATE)
        RETURNING {ARTIFACT}
        """,
        {"ids": ids, "orgs": orgs, "reason": reason, "now": now},
    )


# Publisher keys


async def add_key(db: Db, new: PublisherKey) -> PublisherKey | None:
    """None where the project has had this key already.

    Tenant-less: `new` has org and project.
    """
    return await db.find(
        PublisherKey,
        f"""
        INSERT INTO publisher_keys (id, org_id, project_id, name, public_key, created_at,
            updated_at)
        VALUES (%(id)s, %(org_id)s, %(project_id)s, %(name)s, %(public_key)s, %(created_at)s,
            %(updated_at)s)
        ON CONFLICT (project_id, (public_key ->> 'x')) DO NOTHING
        RETURNING {KEY}
        """,
        {**new.__dict__, "public_key": Jsonb(new.public_key)},
    )


async def lock_key(db: Db, id: str, *, orgs: list[str]) -> PublisherKey | None:
    """Of a deleted project too: what it has signed may still be in use."""
    sql: LiteralString = f"""
        SELECT {KEY} FROM publisher_keys WHERE id = %s AND org_id = ANY (%s) FOR UPDATE
        """
    return await db.find(PublisherKey, sql, (id, orgs))


async def share_key(db: Db, id: str, *, org: str, project: str) -> PublisherKey | None:
    """A key of that project, kept from being revoked until the transaction ends."""
    sql: LiteralString = f"""
        SELECT {KEY} FROM publisher_keys WHERE id = %s AND org_id = %s AND project_id = %s FOR SHARE
        """
    return await db.find(PublisherKey, sql, (id, org, project))


async def list_keys(db: Db, page: PageRequest, *, project: str) -> list[PublisherKey]:
    return await db.all(
        PublisherKey,
        f"""
        SELECT {KEY} FROM publisher_keys WHERE project_id = %s AND id > %s ORDER BY id LIMIT %s
        """,
        (project, page.after, page.fetch),
    )


async def lock_signed(db: Db, *, org: str, key: str) -> None:
    """What a key has signed, until the transaction ends.

    Its own statement: what looks at the signatures afterwards sees those that others revoked.
    """
    await db.run(
        """
        SELECT FROM artifacts WHERE org_id = %(org)s
            AND id IN (SELECT artifact_id FROM artifact_signatures WHERE key_id = %(key)s)
        ORDER BY id FOR UPDATE
        """,
        {"org": org, "key": key},
    )


async def revoke_key(db: Db, id: str, *, org: str, now: datetime) -> PublisherKey:
    """The key and every signature it made."""
    await db.run(
        "UPDATE artifact_signatures SET revoked_at = %s WHERE org_id = %s AND key_id = %s",
        (now, org, id),
    )
    return await db.get(
        PublisherKey,
        f"""
        UPDATE publisher_keys SET revoked_at = %s, updated_at = %s, version = version + 1
        WHERE org_id = %s AND id = %s RETURNING {KEY}
        """,
        (now, now, org, id),
    )


async def fail_unsigned(
    db: Db, *, org: str, key: str, reason: str, now: datetime
) -> list[Artifact]:
    """Take the trust of what this key has signed and no live one has."""
    return await db.all(
        Artifact,
        f"""
        UPDATE artifacts SET trust = 'failed', trust_reason = %(reason)s, version = version + 1,
            updated_at = %(now)s
        WHERE org_id = %(org)s AND trust = 'verified'
            AND id IN (SELECT artifact_id FROM artifact_signatures WHERE key_id = %(key)s)
            AND NOT EXISTS (SELECT FROM artifact_signatures s
                WHERE s.artifact_id = artifacts.id AND s.revoked_at IS NULL)
        RETURNING {ARTIFACT}
        """,
        {"org": org, "key": key, "reason": reason, "now": now},
    )


# Signatures


async def add_signature(db: Db, new: Signature, *, org: str, project: str) -> bool:
    """False where the key has signed it already."""
    row: dict[str, Any] = {
        **new.__dict__,
        "public_key": Jsonb(new.public_key),
        "org": org,
        "project": project,
    }
    added = await db.run(
        """
        INSERT INTO artifact_signatures (artifact_id, key_id, org_id, project_id, signature,
            public_key, created_at)
        VALUES (%(artifact_id)s, %(key_id)s, %(org)s, %(project)s, %(signature)s, %(public_key)s,
            %(created_at)s)
        ON CONFLICT DO NOTHING
        """,
        row,
    )
    return added == 1


async def list_signatures(db: Db, page: PageRequest, *, org: str, artifact: str) -> list[Signature]:
    return await db.all(
        Signature,
        f"""
        SELECT {SIGNATURE} FROM artifact_signatures
        WHERE org_id = %s AND artifact_id = %s AND key_id > %s ORDER BY key_id LIMIT %s
        """,
        (org, artifact, page.after, page.fetch),
    )


async def list_live_signatures(db: Db, artifact: str) -> list[Signature]:
    """Tenant-less: whoever may use an artifact may check it."""
    return await db.all(
        Signature,
        f"""
        SELECT {SIGNATURE} FROM artifact_signatures
        WHERE artifact_id = %s AND revoked_at IS NULL ORDER BY key_id LIMIT 100
        """,
        (artifact,),
    )


# Sweeps, as moorage_system


async def list_old_uploads(
    db: Db, *, before: datetime, after: str, limit: int
) -> list[dict[str, Any]]:
    """Announced before then and not completed since.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.rows(
        """
        SELECT id, org_id FROM artifacts
        WHERE lifecycle = 'uploading' AND deleted_at IS NULL AND updated_at < %s AND id > %s
        ORDER BY id LIMIT %s
        """,
        (before, after, limit),
    )


async def list_open_uploads(db: Db, ids: list[str]) -> set[str]:
    """Those among the ids whose bytes may still come.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT id FROM artifacts
        WHERE id = ANY (%s) AND lifecycle = 'uploading' AND deleted_at IS NULL
        """,
        (ids,),
    )
    return {row["id"] for row in rows}


async def list_kept_digests(db: Db, digests: list[str], *, deleted_before: datetime) -> set[str]:
    """Those among the digests that a row names, or named until lately.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT DISTINCT digest FROM artifacts WHERE digest = ANY (%s) AND source_id IS NULL
            AND (deleted_at IS NULL OR deleted_at >= %s)
        """,
        (digests, deleted_before),
    )
    return {row["digest"] for row in rows}
