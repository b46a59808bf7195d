"""A shop: an app with one signed artifact, and a project that is entitled to it."""

import uuid
from dataclasses import dataclass
from pathlib import Path

from moorage import Client, PrivateKey, signatures
from moorage.models import AppRead, ArtifactRead, ProjectRead


@dataclass(frozen=True)
class Shop:
    project: ProjectRead
    app: AppRead
    artifact: ArtifactRead
    key: PrivateKey


async def open_shop(client: Client, project: ProjectRead, file: Path) -> Shop:
    """Upload, sign, publish, entitle: all in one project, by somebody who may."""
    key = PrivateKey.generate()
    held = await client.publisher_keys.create(project, name="release", key=key)
    artifact = await client.artifacts.upload(project, file)
    signature = signatures.sign(artifact.digest, key)
    artifact = await client.artifacts.sign(artifact, key=held, signature=signature)
    app = await client.apps.create(
        project, slug=f"t{uuid.uuid4().hex[:12]}", name="Example", summary="It works."
    )
    draft = await client.apps.create_version(app, manifest=_manifest(app, artifact))
    await client.apps.publish_version(draft)
    offer = await client.entitlements.offer(project, app)
    await client.entitlements.create(project, app=app, consent=offer.consent)
    return Shop(project, app, artifact, key)


def _manifest(app: AppRead, artifact: ArtifactRead) -> str:
    return (
        f"contract: 1\nslug: {app.slug}\nversion: '1.0.0'\nname: Example\nsummary: It works.\n"
        "modes:\n  - {operating_mode: standard, scope: project}\n"
        f"artifacts:\n  - {{name: {artifact.name}, digest: '{artifact.digest}',"
        f" size: {artifact.size}, media_type: {artifact.media_type}}}\n"
    )
