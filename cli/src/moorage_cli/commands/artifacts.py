"""`moor artifacts`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from moorage import PrivateKey, signatures
from moorage.models import ArtifactRead, PublisherKeyRead
from moorage_cli import consent, names, progress
from moorage_cli.connection import Session
from moorage_cli.failures import Missing, Refused
from moorage_cli.names import InProject, ProjectName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Artifacts: bytes by digest, with a lifecycle and a trust.")

Artifact = Annotated[
    str,
    typer.Argument(
        metavar="ARTIFACT", help="The artifact's id; with --project, its digest or its name."
    ),
]
KeyFile = Annotated[
    Path, typer.Option("--key", metavar="FILE", help="The private half of a publisher key.")
]
Reason = Annotated[
    str,
    typer.Option(help="Why, in at least 8 characters; shown to whoever meets the refusal."),
]
MediaType = Annotated[str, typer.Option(help="What kind of bytes.")]
BYTES = "application/octet-stream"


@verb(app, "upload")
async def upload_artifact(
    at: Session,
    project: ProjectName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to upload.")],
    name: Annotated[str | None, typer.Option(help="What it is called; the file's name.")] = None,
    media_type: MediaType = BYTES,
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Sign it with the private half of a publisher key."),
    ] = None,
) -> Record:
    """Upload a file and publish it. Run it again after a failure: it goes on where it stopped."""
    where = await names.project_id(at.client, project)
    private = None if key is None else _load(key)
    try:
        artifact = await at.client.artifacts.upload(
            where,
            file,
            name=name,
            media_type=media_type,
            progress=progress.line(name or file.name),
        )
    except OSError as err:
        raise Refused(f"{file} cannot be read: {err.strerror}.") from err
    if private is not None and artifact.trust != "verified":
        artifact = await _sign(at, artifact, private)
    return Record(artifact, hidden=("received",))


@verb(app, "register")
async def register_artifact(
    at: Session,
    project: ProjectName,
    name: Annotated[str, typer.Argument(help="What it is called.")],
    source: Annotated[str, typer.Option(help="The source's id, or what policy calls it.")],
    location: Annotated[
        str, typer.Option(help="The path below the source's address, or the OCI repository.")
    ],
    digest: Annotated[str, typer.Option(help="sha256: and the hash of the bytes in hex.")],
    size: Annotated[int, typer.Option(min=0, help="How many bytes.")],
    media_type: MediaType = BYTES,
) -> Record:
    """Register bytes that lie at a source; the platform reads them there once, to compare."""
    where = await names.project_id(at.client, project)
    found = await names.get_source(at.client, source)
    kind: Literal["oci", "blob"] = "oci" if found.kind == "oci" else "blob"
    registered = at.client.artifacts.register(
        where,
        name=name,
        digest=digest,
        size=size,
        media_type=media_type,
        kind=kind,
        source=found,
        location=location,
    )
    return Record(await registered, hidden=("received",))


@verb(app, "list")
async def list_artifacts(
    at: Session,
    project: ProjectName,
    digest: Annotated[str | None, typer.Option(help="Only the one with these bytes.")] = None,
    trust: Annotated[
        str | None, typer.Option(help="Only those: unverified, verified, failed or revoked.")
    ] = None,
    limit: Limit = None,
) -> Rows:
    """The artifacts of a project."""
    where = await names.project_id(at.client, project)
    artifacts = at.client.artifacts.list(where, digest=digest, trust=trust)
    return Rows(artifacts, ("id", "name", "size", "lifecycle", "trust", "digest"), limit)


@verb(app, "get")
async def get_artifact(at: Session, artifact: Artifact, project: InProject = None) -> Record:
    """One artifact, and who has signed it."""
    found = await at.client.artifacts.get(await _find(at, artifact, project))
    signed = at.client.artifacts.list_signatures(found)
    return Record(found, details=Rows(signed, ("key_id", "created_at", "revoked_at")))


@verb(app, "signatures")
async def list_signatures(
    at: Session, artifact: Artifact, project: InProject = None, limit: Limit = None
) -> Rows:
    """The signatures of an artifact, each with the public key to check it with."""
    found = await _find(at, artifact, project)
    signed = at.client.artifacts.list_signatures(found)
    return Rows(signed, ("key_id", "signature", "created_at", "revoked_at"), limit)


@verb(app, "sign")
async def sign_artifact(
    at: Session, artifact: Artifact, key: KeyFile, project: InProject = None
) -> Record:
    """Sign an artifact's digest here, with a key that never leaves this machine."""
    private = _load(key)
    found = await _find(at, artifact, project)
    return Record(await _sign(at, found, private), hidden=("received",))


@verb(app, "deprecate")
async def deprecate_artifact(at: Session, artifact: Artifact, project: InProject = None) -> Record:
    """Say that an artifact should not be used for anything new."""
    return await _move(at, artifact, project, "deprecated")


@verb(app, "restore")
async def restore_artifact(at: Session, artifact: Artifact, project: InProject = None) -> Record:
    """Take a deprecation back."""
    return await _move(at, artifact, project, "published")


@verb(app, "retire")
async def retire_artifact(
    at: Session, artifact: Artifact, project: InProject = None, yes: Yes = False
) -> Record:
    """End an artifact's life: it is not pulled any more. That is final."""
    consent.ask(f"Retire {artifact}? That is final.", yes=yes)
    return await _move(at, artifact, project, "retired")


@verb(app, "revoke")
async def revoke_artifact(
    at: Session,
    artifact: Artifact,
    reason: Reason,
    project: InProject = None,
    yes: Yes = False,
    as_platform: Annotated[
        bool,
        typer.Option(
            "--as-platform", help="Break-glass: of any tenant, by its id. The tenant sees it."
        ),
    ] = False,
) -> Record:
    """Stop every new use of an artifact, at once and for good."""
    consent.ask(f"Revoke {artifact}? That is final.", yes=yes)
    if as_platform:
        revoked = await at.client.artifacts.revoke_as_platform(artifact, reason=reason)
    else:
        found = await _find(at, artifact, project)
        revoked = await at.client.artifacts.revoke(found, reason=reason)
    return Record(revoked, hidden=("received",))


@verb(app, "delete")
async def delete_artifact(
    at: Session, artifact: Artifact, project: InProject = None, yes: Yes = False
) -> Done:
    """Remove an artifact that no published version is made of, or an upload of one."""
    found = await _find(at, artifact, project)
    consent.ask(f"Delete the artifact {found.name} ({found.id})?", yes=yes)
    await at.client.artifacts.delete(found)
    return Done(f"The artifact {found.name} is deleted.", {"id": found.id, "deleted": True})


async def _find(at: Session, name: str, project: str | None) -> ArtifactRead:
    return await names.get_artifact(at.client, name, project=project)


async def _move(
    at: Session,
    name: str,
    project: str | None,
    lifecycle: Literal["published", "deprecated", "retired"],
) -> Record:
    found = await _find(at, name, project)
    changed = await at.client.artifacts.update(found, lifecycle=lifecycle)
    return Record(changed, hidden=("received",))


def _load(file: Path) -> PrivateKey:
    try:
        return PrivateKey.load(file)
    except OSError as err:
        raise Refused(f"{file} cannot be read: {err.strerror}.") from err


async def _sign(at: Session, artifact: ArtifactRead, private: PrivateKey) -> ArtifactRead:
    registered = await _registered(at, artifact, private)
    signature = signatures.sign(artifact.digest, private)
    return await at.client.artifacts.sign(artifact, key=registered, signature=signature)


async def _registered(at: Session, artifact: ArtifactRead, private: PrivateKey) -> PublisherKeyRead:
    """The project's publisher key that this is the private half of."""
    async for key in at.client.publisher_keys.list(artifact.project_id):
        if key.public_key.get("x") == private.public.x:
            return key
    raise Missing(
        "The artifact's project has no publisher key with this public half. "
        "`moor publisher-keys create` registers one."
    )
