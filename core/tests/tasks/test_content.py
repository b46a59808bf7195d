"""Bytes of artifacts on their way to nodes."""

import pytest

from core.tests.factories import artifacts
from core.tests.site import Site, fresh
from core.tests.tasks.workplaces import Workplace, make_workplace
from moorage_core.authz.authorize import Hidden
from moorage_core.tasks import commands
from moorage_core.tasks.acceptance import ArtifactMissing


@pytest.fixture
async def place(site: Site) -> Workplace:
    return await make_workplace(site)


async def put_task(place: Workplace, content: bytes) -> tuple[str, str]:
    """A task that names an artifact of the project; the task and the artifact."""
    project = place.tenant.project.id
    artifact = await artifacts.upload(place.tenant.admin, project, content)
    wish = {"path": "/opt/thing", "digest": artifact["digest"], "size": len(content)}
    (task,) = await place.ask({"key": f"put/{fresh()}", "kind": "put", "input": wish})
    await place.poll()
    return task["id"], artifact["id"]


async def test_a_node_gets_the_bytes_that_its_task_names(place: Workplace) -> None:
    wanted = fresh().encode() * 1000
    task, _ = await put_task(place, wanted)

    content = await commands.open_content(place.site.platform, place.node, task)

    got = b"".join([chunk async for chunk in content.chunks])
    assert got == wanted
    assert content.size == len(wanted)
    assert place.site.platform.transfers.under_way == 0


async def test_bytes_that_were_revoked_meanwhile_go_nowhere(place: Workplace) -> None:
    task, artifact = await put_task(place, fresh().encode())
    revoked = await place.tenant.admin.post(
        f"/v1/artifacts/{artifact}/revoke", {"reason": "It does harm to whoever runs it."}
    )
    assert revoked.is_success, revoked.text

    with pytest.raises(ArtifactMissing):
        await commands.open_content(place.site.platform, place.node, task)


async def test_another_node_gets_nothing(site: Site, place: Workplace) -> None:
    task, _ = await put_task(place, fresh().encode())
    other = await make_workplace(site, place.tenant)

    with pytest.raises(Hidden):
        await commands.open_content(site.platform, other.node, task)


async def test_nothing_more_is_given_out_once_the_task_has_ended(place: Workplace) -> None:
    task, _ = await put_task(place, fresh().encode())
    await place.say(task, "succeeded")

    with pytest.raises(Hidden):
        await commands.open_content(place.site.platform, place.node, task)


async def test_artifacts_of_others_are_not_there(site: Site, place: Workplace) -> None:
    stranger = await make_workplace(site)
    content = fresh().encode()
    foreign = await artifacts.upload(stranger.tenant.admin, stranger.tenant.project.id, content)
    wish = {"path": "/opt/thing", "digest": foreign["digest"], "size": len(content)}

    answer = await place.holder.post(
        f"/v1/operations/{place.operation}/tasks",
        {"tasks": [{"key": "a", "kind": "put", "allocation": place.allocation, "input": wish}]},
    )

    assert answer.json()["code"] == "artifact_missing"
