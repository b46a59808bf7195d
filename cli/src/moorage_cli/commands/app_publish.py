"""`moor app publish`: from a folder to a published version, in steps that can be repeated.

Each step looks first at what is there. So a run that was cut off is gone on with by running it
again, and a run that has nothing left to do changes nothing.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import moorage
from moorage import Client, PrivateKey, manifest, signatures
from moorage.manifest import Family, FamilyKey, Manifest
from moorage.models import (
    AppRead,
    ArtifactRead,
    PublisherKeyRead,
    VersionDetail,
    VersionRead,
)
from moorage_cli import names, progress
from moorage_cli.commands import app_folder
from moorage_cli.connection import Session
from moorage_cli.failures import Missing, Refused, Taken
from moorage_cli.output import Done
from moorage_cli.verbs import verb

verbs = typer.Typer()


@dataclass(frozen=True)
class Signer:
    """A private key here, and its public half at the platform."""

    private: PrivateKey
    registered: PublisherKeyRead


@dataclass(frozen=True)
class Ready:
    """An artifact that is at the platform, and whether this run signed it."""

    artifact: ArtifactRead
    signed: bool = False


@verb(verbs, "publish")
async def publish_app(
    at: Session,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The app's folder.")] = Path(),
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The private half of a publisher key, to sign the artifacts with.",
        ),
    ] = None,
    draft: Annotated[bool, typer.Option("--draft", help="Stop before publishing.")] = False,
    create: Annotated[
        bool, typer.Option("--create", help="Register the app if nobody has its slug.")
    ] = False,
    app_project: Annotated[
        str | None,
        typer.Option(help="Where --create registers it: the project's id, or ORG/PROJECT."),
    ] = None,
) -> Done:
    """Validate a folder, upload and sign its artifacts, draft the version and publish it.

    Run it again after a failure: it goes on where it stopped. What is published never changes.
    """
    found, said = await _load(at.client, folder)
    app = await _app(at.client, said, create=create, project=app_project)
    there = await at.client.apps.find_version(app, said.version)
    if there is not None and there.status != "draft":
        await _check_same(at.client, app, there, found)
    signer = None if key is None else await _signer(at.client, app, key)
    ready = [await _artifact(at, app, item, found, signer) for item in said.artifacts]
    if there is not None and there.status != "draft":
        return _done(app, there, ready, f"is {there.status} already")
    drafted = await _draft(at.client, app, there, found)
    if draft:
        return _done(app, drafted, ready, "is a draft")
    digest = drafted.manifest_digest
    published = await at.client.apps.publish_version(drafted, manifest_digest=digest)
    return _done(app, published, ready, "is published")


async def _load(client: Client, folder: Path) -> tuple[manifest.folder.Folder, Manifest]:
    found = manifest.folder.load(folder, families=await _families(client))
    if found.manifest is None or found.faults:
        raise app_folder.unsound(folder, found.faults)
    return found, found.manifest


async def _families(client: Client) -> Mapping[str, Family] | None:
    """Those of the platform; those of the contract where the caller may not look."""
    try:
        rows = await client.families.list().all()
    except moorage.Forbidden:
        return None
    return {
        row.name: Family(
            name=row.name,
            description=row.description,
            keys=[
                FamilyKey(key=each.key, description=each.description, means=each.means)
                for each in row.keys
            ],
        )
        for row in rows
    }


async def _app(client: Client, said: Manifest, *, create: bool, project: str | None) -> AppRead:
    found = await client.apps.find(said.slug)
    if found is not None:
        return found
    if not create:
        raise Missing(
            f"There is no app {said.slug} that you can see. "
            "With --create --app-project ORG/PROJECT it is registered first."
        )
    if project is None:
        raise Refused("--create needs --app-project: the project that publishes the app.")
    where = await names.project_id(client, project)
    return await client.apps.create(where, slug=said.slug, name=said.name, summary=said.summary)


async def _check_same(
    client: Client, app: AppRead, version: VersionRead, found: manifest.folder.Folder
) -> None:
    """A version that was published is fine if it is this one."""
    there = await client.apps.get_version(version)
    if not _is_same(there, found):
        raise Taken(
            f"{app.slug} {version.number} is {version.status} with another manifest or runbook, "
            "and never changes. Give the manifest another version."
        )


def _is_same(version: VersionDetail, found: manifest.folder.Folder) -> bool:
    digest = f"sha256:{hashlib.sha256(found.text.encode()).hexdigest()}"
    return (version.manifest_digest, version.runbook) == (digest, found.runbook or "")


async def _signer(client: Client, app: AppRead, file: Path) -> Signer:
    try:
        private = PrivateKey.load(file)
    except OSError as err:
        raise Refused(f"{file} cannot be read: {err.strerror}.") from err
    async for registered in client.publisher_keys.list(app.project_id):
        if registered.public_key.get("x") == private.public.x and registered.revoked_at is None:
            return Signer(private, registered)
    raise Refused(
        f"The public half of {file} is no live publisher key of the app's project. "
        "`moor publisher-keys create` registers one."
    )


async def _artifact(
    at: Session,
    app: AppRead,
    item: manifest.Artifact,
    found: manifest.folder.Folder,
    signer: Signer | None,
) -> Ready:
    """The artifact that the manifest names: there, complete, and signed if there is a key."""
    artifacts, project = at.client.artifacts, app.project_id
    there = next(iter(await artifacts.list(project, digest=item.digest).all()), None)
    if there is None or there.lifecycle == "uploading":
        there = await _upload(at.client, project, item, found)
    if there.digest != item.digest:
        raise Refused(
            f"The platform answers with another digest than the manifest's for the artifact "
            f"{item.name}: {there.digest}. Nothing was signed. Ask those who run the platform."
        )
    if there.trust == "revoked":
        raise Refused(f"The artifact {item.name} ({there.id}) is revoked, which is final.")
    if signer is None or there.trust == "verified":
        return Ready(there)
    signature = signatures.sign(item.digest, signer.private)
    there = await artifacts.sign(there, key=signer.registered, signature=signature)
    return Ready(there, signed=True)


async def _upload(
    client: Client, project: str, item: manifest.Artifact, found: manifest.folder.Folder
) -> ArtifactRead:
    file = found.files.get(item.name)
    if file is None:
        raise Missing(
            f"The artifact {item.name} has no file here, and the app's project has none with its "
            "digest. Register it at its source first."
        )
    sent = await client.artifacts.upload(
        project, file, name=item.name, media_type=item.media_type, progress=progress.line(item.name)
    )
    if sent.digest != item.digest:
        raise Refused(f"{file} changed while it was published. Validate the folder again.")
    return sent


async def _draft(
    client: Client, app: AppRead, there: VersionRead | None, found: manifest.folder.Folder
) -> VersionDetail:
    text, runbook = found.text, found.runbook
    if there is None:
        return await client.apps.create_version(app, manifest=text, runbook=runbook)
    drafted = await client.apps.get_version(there)
    if _is_same(drafted, found):
        return drafted
    return await client.apps.replace_version(drafted, manifest=text, runbook=runbook)


def _done(
    app: AppRead,
    version: VersionDetail | VersionRead,
    ready: list[Ready],
    what: str,
) -> Done:
    artifacts = [each.artifact for each in ready]
    signed = [each.artifact.name for each in ready if each.signed]
    unsigned = [each.name for each in artifacts if each.trust != "verified"]
    said = f"{app.slug} {version.number} {what}."
    if signed:
        said += f" Signed now: {', '.join(signed)}."
    if unsigned:
        said += f" Not signed, so no project can deploy or pull it yet: {', '.join(unsigned)}."
        said += " Run this again with --key."
    fields: dict[str, Any] = {
        "app": app.slug,
        "app_id": app.id,
        "number": version.number,
        "version_id": version.id,
        "status": version.status,
        "manifest_digest": version.manifest_digest,
        "artifacts": [
            {"name": each.name, "id": each.id, "digest": each.digest, "trust": each.trust}
            for each in artifacts
        ],
        "signed": signed,
    }
    return Done(said, fields)
