"""Bytes of artifacts on their way to hosts without agent."""

import os
from pathlib import Path
from typing import Any

from core.tests.credentials import places
from core.tests.factories import artifacts
from core.tests.tasks.workplaces import Workplace


async def put_by_digest(place: Workplace, path: Path, content: bytes) -> tuple[str, dict[str, Any]]:
    """Ask for a file that is an artifact of the project; the task and the artifact."""
    artifact = await artifacts.upload(place.tenant.admin, place.tenant.project.id, content)
    given = {"path": str(path), "digest": artifact["digest"], "size": len(content)}
    (task,) = await place.ask({"key": "step/put", "kind": "put", "input": given})
    return task["id"], artifact


async def test_a_file_that_is_an_artifact_comes_whole(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    content = os.urandom(1_000_003)
    task, artifact = await put_by_digest(place, tmp_path / "file", content)

    await places.work(place)

    row = await place.row(task)
    assert (row["status"], row["changed"], row["error_message"]) == ("succeeded", True, None)
    assert row["result"]["digest"] == artifact["digest"]
    assert (tmp_path / "file").read_bytes() == content
    assert place.site.platform.transfers.under_way == 0


async def test_an_artifact_that_was_revoked_meanwhile_comes_nowhere(
    place: Workplace, credential: dict[str, Any], tmp_path: Path
) -> None:
    task, artifact = await put_by_digest(place, tmp_path / "file", os.urandom(1000))
    revoked = await place.tenant.admin.post(
        f"/v1/artifacts/{artifact['id']}/revoke", {"reason": "It does harm to whoever runs it."}
    )
    assert revoked.is_success, revoked.text

    await places.work(place)

    row = await place.row(task)
    assert (row["status"], row["error_code"]) == ("failed", "content_mismatch")
    assert not (tmp_path / "file").exists()
