"""Use cases of pulls: a credential for one artifact and one holder, and the bytes it is good for.

Policy is asked when a credential is issued, and again whenever it is used: what was allowed four
minutes ago may have been revoked three minutes ago.
"""

import base64
import hmac
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from moorage_core.artifacts import commands as artifacts
from moorage_core.artifacts.models import Artifact
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.catalog.models import UsedArtifact, Version
from moorage_core.context import Context, Trace
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import tokens
from moorage_core.kit.ids import PullId
from moorage_core.platform import Platform
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted
from moorage_core.pulls import rules, store
from moorage_core.pulls.models import Pull
from moorage_core.pulls.schemas import PullCreate
from moorage_core.tenancy import commands as tenancy

KEY = Permission.CATALOG_ARTIFACT_PULL


@dataclass(frozen=True)
class Opened:
    """Bytes that may be given out, as far as they were asked for."""

    artifact: Artifact
    span: rules.Span
    chunks: AsyncGenerator[bytes]


async def issue(ctx: Context, project: str, new: PullCreate) -> dict[str, Any]:
    """A credential with its secret, where policy allows the pull."""
    where = await tenancy.get_project(ctx, project, key=KEY)
    rules.check_one(version=new.version, channel=new.channel)
    decision = await policy.require(
        ctx,
        Wanted(
            project,
            new.app,
            "artifact.pull",
            version=new.version,
            channel=new.channel,
            artifact=new.artifact,
        ),
        key=KEY,
    )
    # What is allowed is one artifact of one version of an app, by an entitlement.
    assert decision.app is not None
    assert decision.entitlement is not None
    assert decision.version is not None
    (used,) = decision.artifacts
    pull = Pull(
        id=PullId.new(),
        org_id=where.org_id,
        project_id=project,
        entitlement_id=decision.entitlement.id,
        app_id=decision.app.id,
        version_id=decision.version.id,
        artifact_id=used.artifact_id,
        artifact_name=used.name,
        channel=new.channel,
        holder=ctx.principal.id,
        created_at=ctx.now,
        expires_at=ctx.now + rules.LIFETIME,
    )
    secret = tokens.new(tokens.PULL)
    await store.add(ctx.db, pull, secret_hash=tokens.digest(secret))
    _record(ctx, pull, used, version=decision.version, app=decision.app.slug)
    return {
        **pull.__dict__,
        "version": decision.version.number,
        "artifact": used.name,
        "digest": used.digest,
        "size": used.size,
        "media_type": used.media_type,
        "signatures": await _signatures(ctx, used.artifact_id),
        "url": f"{ctx.platform.settings.url}/v1/pulls/{pull.id}/content",
        "secret": secret,
    }


async def _signatures(ctx: Context, artifact: str) -> list[dict[str, Any]]:
    return [
        {
            "key_id": found.key_id,
            "public_key": found.public_key,
            "signature": base64.urlsafe_b64encode(found.signature).decode().rstrip("="),
        }
        for found in await artifacts.signatures_of(ctx.db, artifact)
    ]


async def open_content(
    at: Platform,
    who: Principal,
    id: str,
    *,
    secret: str | None,
    wanted: str | None,
    if_range: str | None,
    trace: Trace,
) -> Opened:
    """The bytes that a credential is good for. Judged in a transaction that is over by then."""
    async with at.database.transaction(who.scope, read_only=True) as db:
        ctx = Context(principal=who, db=db, clock=at.clock, trace=trace, platform=at)
        pull, artifact = await _allowed(ctx, id, secret=secret)
    span = rules.span(wanted, size=artifact.size, etag=etag_of(artifact), if_range=if_range)
    chunks = _seated(at, pull, artifact, span)
    # Begun: a refusal is an answer now, and whoever drops it ends it.
    await anext(chunks)
    return Opened(artifact, span, chunks)


async def _allowed(ctx: Context, id: str, *, secret: str | None) -> tuple[Pull, Artifact]:
    """A pull that this caller holds and that policy still allows, and its artifact."""
    orgs = sorted(ctx.principal.scope.orgs)
    pull = await store.find(ctx.db, id, orgs=orgs, holder=ctx.principal.id)
    if pull is None:
        raise hidden("pull", id)
    authorize(ctx, KEY, Resource("pull", id, pull.org_id, pull.project_id))
    expected = await store.get_secret_hash(ctx.db, id, org=pull.org_id)
    if secret is None or not hmac.compare_digest(expected, tokens.digest(secret)):
        raise rules.SecretWrong(
            "Send the secret that the pull was issued with in the header Moorage-Pull.",
            org=pull.org_id,
            project=pull.project_id,
        )
    rules.check_live(pull, now=ctx.now)
    again = Wanted(
        pull.project_id,
        pull.app_id,
        "artifact.pull",
        version=pull.version_id,
        channel=pull.channel,
        artifact=pull.artifact_name,
    )
    await policy.require(ctx, again, key=KEY)
    artifact = await artifacts.find_any(ctx.db, pull.artifact_id)
    if artifact is None:
        raise hidden("pull", id)
    return pull, artifact


async def _seated(
    at: Platform, pull: Pull, artifact: Artifact, span: rules.Span
) -> AsyncGenerator[bytes]:
    """Nothing, when the first piece is there, and then the bytes of the span.

    One seat from before anything is opened until all is closed.
    """
    with at.transfers.seat(pull.holder, org=pull.org_id):
        rest = await artifacts.open_content(at, artifact, offset=span.start)
        async with aclosing(cast(AsyncGenerator[bytes], rest)):
            left = span.end - span.start
            chunk = (await anext(rest, b""))[:left]
            yield b""
            while chunk:
                left -= len(chunk)
                yield chunk
                chunk = (await anext(rest))[:left] if left else b""


def etag_of(artifact: Artifact) -> str:
    return f'"{artifact.digest}"'


def _record(ctx: Context, pull: Pull, used: UsedArtifact, *, version: Version, app: str) -> None:
    org, project = pull.org_id, pull.project_id
    details = {
        "artifact": used.artifact_id,
        "name": used.name,
        "digest": used.digest,
        "version": version.number,
    }
    audit.record(ctx, KEY, pull.id, org=org, project=project, app=app, details=details)
    data = registry.Pull(
        id=pull.id, artifact_id=used.artifact_id, digest=used.digest, holder=pull.holder
    )
    events.publish(
        ctx,
        registry.PULL_ISSUED,
        data,
        subject=pull.id,
        version=1,
        org=org,
        project=project,
        app=app,
    )
