"""Measures the catalog. `bench.run` calls this and keeps the results in bench/results/catalog.json.

An artifact goes up and comes back through the API, against the same bytes hashed and copied with
fsync on the same disk. Explaining a decision is measured on an app with few versions and on one
with many: what it costs should grow with neither.
"""

import asyncio
import hashlib
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import moorage
from bench import load
from bench.platform import CLIENTS, PORT, WORKERS, server, tenant
from moorage import Client
from moorage_core.embedded import folder, postgres

SIZE = 256 << 20
PIECE = 1 << 20
FEW, MANY = 2, 200

Report = Callable[..., None]


def measure(data: Path, seconds: float, report: Report) -> None:
    with server(data, workers=WORKERS):
        running = postgres.find_running(folder.prepare(data))
        assert running is not None
        org, _, token = tenant(running.super_url)
        asyncio.run(_measure(org, token, data.parent, seconds, report))


async def _measure(org: str, token: str, place: Path, seconds: float, report: Report) -> None:
    auth = moorage.AccessToken(token)
    async with Client(f"http://127.0.0.1:{PORT}", auth=auth) as client:
        project = await client.projects.create(org, slug="catalog", name="Catalog")
        await _transfers(client, project.id, place, report)
        await _explanations(client, project.id, token, seconds, report)


async def _transfers(client: Client, project: str, place: Path, report: Report) -> None:
    file, back = place / "artifact.img", place / "back.img"
    digest = _make(file)
    before = _copy_rate(file, place)
    started = time.perf_counter()
    artifact = await client.artifacts.upload(project, file, name="image")
    uploaded = time.perf_counter() - started
    assert artifact.digest == digest
    app = await _publish(client, project, "large", ["1.0.0"], artifact=digest)
    key = moorage.PrivateKey.generate()
    known = await client.publisher_keys.create(project, name="bench", key=key)
    signature = moorage.signatures.sign(digest, key)
    await client.artifacts.sign(artifact, key=known, signature=signature)
    await _entitle(client, project, app)
    started = time.perf_counter()
    await client.pulls.fetch(project, app=app, artifact="image", to=back)
    pulled = time.perf_counter() - started
    baseline = statistics.mean((before, _copy_rate(file, place)))
    mib = SIZE / (1 << 20)
    report("hash and copy of 256 MiB, fsync", baseline, "MiB/s")
    report("upload of 256 MiB", mib / uploaded, "MiB/s")
    report("upload: ratio", mib / uploaded / baseline, "")
    report("pull of 256 MiB", mib / pulled, "MiB/s")
    report("pull: ratio", mib / pulled / baseline, "")


async def _explanations(
    client: Client, project: str, token: str, seconds: float, report: Report
) -> None:
    rates: dict[int, float] = {}
    for count in (FEW, MANY):
        numbers = [f"1.{minor}.0" for minor in range(count)]
        app = await _publish(client, project, f"app-{count}", numbers)
        await _entitle(client, project, app)
        request = _explain_request(token, project, app)
        await load.closed_loop(PORT, request, clients=CLIENTS, seconds=min(1.0, seconds))
        outcome = await load.closed_loop(PORT, request, clients=CLIENTS, seconds=seconds)
        assert set(outcome.statuses) == {200}, outcome.statuses
        rates[count] = outcome.rate
        report(f"explain, app with {count} versions", outcome.rate, "per s")
    report(f"explain: {MANY} versions against {FEW}", rates[MANY] / rates[FEW], "")


def _make(file: Path) -> str:
    seen = hashlib.sha256()
    with file.open("wb") as made:
        for _ in range(SIZE // PIECE):
            piece = os.urandom(PIECE)
            seen.update(piece)
            made.write(piece)
    return f"sha256:{seen.hexdigest()}"


def _copy_rate(file: Path, place: Path) -> float:
    """MiB a second: read, hash, write, fsync."""
    started, seen = time.perf_counter(), hashlib.sha256()
    with file.open("rb") as given, (place / "copy.img").open("wb") as made:
        while piece := given.read(PIECE):
            seen.update(piece)
            made.write(piece)
        made.flush()
        os.fsync(made.fileno())
    return SIZE / (1 << 20) / (time.perf_counter() - started)


async def _publish(
    client: Client, project: str, slug: str, numbers: list[str], *, artifact: str | None = None
) -> str:
    app = await client.apps.create(project, slug=slug, name="Bench", summary="Is measured.")
    for number in numbers:
        manifest = _manifest(slug, number, artifact)
        draft = await client.apps.create_version(app, manifest=manifest)
        await client.apps.publish_version(draft)
    return app.id


def _manifest(slug: str, number: str, artifact: str | None) -> str:
    document: dict[str, Any] = {
        "contract": 1,
        "slug": slug,
        "version": number,
        "name": "Bench",
        "summary": "Is measured.",
        "modes": [{"operating_mode": "dedicated", "scope": "project"}],
    }
    if artifact is not None:
        document["artifacts"] = [
            {
                "name": "image",
                "digest": artifact,
                "size": SIZE,
                "media_type": "application/octet-stream",
            }
        ]
    return json.dumps(document)


async def _entitle(client: Client, project: str, app: str) -> None:
    offer = await client.entitlements.offer(project, app)
    await client.entitlements.create(project, app=app, consent=offer.consent)


def _explain_request(token: str, project: str, app: str) -> Callable[[], bytes]:
    wanted = {"project": project, "app": app, "operation": "instance.deploy"}
    body = json.dumps(wanted).encode()
    head = (
        "POST /v1/policy/explain HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        f"authorization: Bearer {token}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    request = head.encode() + body
    return lambda: request
