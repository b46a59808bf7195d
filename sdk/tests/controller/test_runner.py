"""A controller against a real platform: claims, work on machines, cancels, crashes, watches."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

import moorage
from moorage import Client
from moorage.models import OperationRead, ProjectRead
from moorage_core.embedded import folder, postgres
from sdk.tests import running
from sdk.tests.conftest import new_slug
from sdk.tests.controller import deployed
from sdk.tests.controller.deployed import Site
from sdk.tests.running import Platform
from sdk.tests.scripted_node import ScriptedNode
from sdk.tests.wire import LoseAnswer, Seen, Wire

MANIFEST = """
contract: 1
slug: @slug@
version: "1.0.0"
name: Sample
summary: It works.
modes:
  - {operating_mode: dedicated, scope: project}
components:
  worker: {max: 5, verbs: [add, drain, resume, remove]}
touches:
  instance.restart: [worker]
permissions:
  - {key: @slug@.word.say, description: Say a word., grants: [project_admin, project_member]}
tasks: {kinds: [exec, probe], run_as: [root]}
actions:
  - name: @slug@.say
    title: Say
    permission: @slug@.word.say
    output: {type: object, required: [said]}
timeouts: {member.drain: 1h}
"""


def sample(slug: str) -> moorage.App:
    app = moorage.App.from_text(MANIFEST.replace("@slug@", slug))

    @app.instance.deploy
    async def finish(op: moorage.InstanceOperation) -> None:
        op.report_instance(endpoints={"members": len(op.members)})

    @app.member("worker").add
    async def join(op: moorage.MemberOperation) -> None:
        said = await op.step("greet", greet, op.node, undo=part)
        await op.step("hang", hang)
        op.report_member(health="healthy", adapter_detail={"said": said})

    @app.member("worker").drain
    async def drain(op: moorage.MemberOperation) -> None:
        await op.step("greet", greet, op.node, undo=part)
        await op.step("wait for ever", never)

    @app.member("worker").resume
    @app.member("worker").remove
    async def leave(op: moorage.MemberOperation) -> None:
        await op.step("part", part, op.node)

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        for machine in op.machines():
            await op.step(f"greet {machine.name}", greet, machine)

    @app.action(f"{slug}.say")
    async def say(op: moorage.ActionOperation) -> dict[str, Any]:
        return {"said": op.input.get("word", "nothing")}

    @app.watch(every=60)
    async def look(instance: moorage.WatchedInstance) -> moorage.Observed:
        return moorage.Observed(health="healthy", reasons=[f"{len(instance.members)} members"])

    return app


async def greet(machine: moorage.Machine) -> str:
    return (await machine.exec("echo", "hello", repeatable=True)).stdout.strip()


async def part(machine: moorage.Machine) -> None:
    await machine.exec("echo", "bye", repeatable=True)


async def hang() -> None:
    """Goes on once the file that the environment names is gone."""
    name = os.environ.get("SAMPLE_HANGS")
    while name is not None and await asyncio.to_thread(Path(name).exists):
        await asyncio.sleep(0.05)


async def never() -> None:
    raise moorage.Wait("it never ends", recheck=600)


@pytest.fixture
def database(platform: Platform) -> Iterator[psycopg.Connection[Any]]:
    found = postgres.find_running(folder.prepare(platform.folder / "data"))
    assert found is not None
    with psycopg.connect(found.super_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def machine(
    platform: Platform, database: psycopg.Connection[Any], project: ProjectRead
) -> Iterator[ScriptedNode]:
    place = {"id": project.id, "org_id": project.org_id}
    with ScriptedNode(platform.url, database, place, new_slug()) as node:
        yield node


@pytest.fixture
async def site(admin: Client, project: ProjectRead) -> Site:
    return await deployed.build(admin, project, MANIFEST.replace("@slug@", new_slug()))


@pytest.fixture
async def app(site: Site) -> moorage.App:
    return sample(site.app.slug)


async def until(is_so: Callable[[], Awaitable[bool]], seconds: float = 40) -> None:
    """Look again and again until it is so."""
    async with asyncio.timeout(seconds):
        while not await is_so():
            await asyncio.sleep(0.05)


async def ended(client: Client, operation: str, *, seconds: float = 40) -> OperationRead:
    """The operation at its end. One that waits for a person is shown instead."""

    async def settled() -> bool:
        found = await client.operations.get(operation)
        assert found.status != "blocked", found.error
        return found.ended_at is not None

    try:
        await until(settled, seconds)
    except TimeoutError:
        below = await client.operations.children(operation).all()
        pytest.fail(f"it never ended: {await client.operations.get(operation)}, {below}")
    return await client.operations.get(operation)


@pytest.fixture
async def instance(site: Site, machine: ScriptedNode, app: moorage.App) -> AsyncIterator[str]:
    """One that runs, and its controller with it."""
    async with site.controller(app):
        made = await site.deploy("one", worker=[machine.id])
        assert made.last_operation is not None
        done = await ended(site.admin, made.last_operation.id)
        assert done.status == "succeeded", done
        yield made.id


async def test_a_deployment_runs_steps_on_machines_and_comes_up(site: Site, instance: str) -> None:
    found = await site.admin.instances.get(instance)

    (member,) = await site.admin.members.list(instance).all()
    assert (found.status, found.endpoints) == ("running", {"members": 1})
    assert (member.status, member.health) == ("ready", "healthy")
    assert member.adapter_detail == {"said": "hello"}


async def test_a_watch_says_how_the_instance_is(site: Site, instance: str) -> None:
    async def seen() -> bool:
        found = await site.admin.instances.get(instance)
        return found.health == "healthy" and found.health_reasons == ["1 members"]

    await until(seen)


async def test_a_cancelled_drain_is_taken_back(site: Site, instance: str) -> None:
    (member,) = await site.admin.members.list(instance).all()
    drain = await site.admin.members.drain(instance, members=[member], reason="a test asks for it")

    async def waits() -> bool:
        (child,) = await site.admin.operations.children(drain).all()
        return child.status == "waiting"

    await until(waits)
    await site.admin.operations.cancel(drain.id, reason="a test has had enough of it")
    done = await ended(site.admin, drain.id)

    (child,) = await site.admin.operations.children(drain).all()
    steps = [(s.name, s.status) for s in await site.admin.operations.steps(child).all()]
    assert (done.status, child.status) == ("cancelled", "cancelled")
    assert steps[0] == ("greet", "undone")
    assert (await site.admin.members.get(member)).status == "ready"


async def test_a_restart_touches_every_member(site: Site, instance: str) -> None:
    asked = await site.admin.instances.restart(instance, reason="a test asks for it")

    done = await ended(site.admin, asked.id)

    assert done.status == "succeeded"


async def test_answers_that_are_lost_cost_nothing_but_time(
    site: Site, machine: ScriptedNode, app: moorage.App, bad: Wire
) -> None:
    def protocol(seen: Seen) -> bool:
        return seen.path.startswith(("/v1/controller/", "/v1/operations/"))

    bad.applies = protocol
    bad.faults = [LoseAnswer() for _ in range(6)]
    async with site.controller(app, url=bad.url):
        made = await site.deploy("lossy", worker=[machine.id])
        assert made.last_operation is not None
        done = await ended(site.admin, made.last_operation.id)

    assert done.status == "succeeded"
    assert bad.faults == []


@pytest.mark.rule("OP-16")
async def test_a_replica_that_leaves_hands_its_work_over_at_once(
    site: Site, instance: str, app: moorage.App
) -> None:
    async with site.controller(app) as second:
        (member,) = await site.admin.members.list(instance).all()
        removal = await site.admin.members.remove(
            instance, members=[member], reason="a test asks for it"
        )
        done = await ended(site.admin, removal.id)

    assert done.status == "succeeded"
    assert second.state()[1]["operations"] == 0


@pytest.mark.rule("OP-16")
async def test_a_replica_that_never_heard_what_it_got_hands_it_over_too(
    site: Site, machine: ScriptedNode, app: moorage.App, bad: Wire
) -> None:
    def is_claim(seen: Seen) -> bool:
        return seen.path == "/v1/controller/claims" and json.loads(seen.body)["capacity"] > 0

    bad.applies = is_claim
    bad.faults = [LoseAnswer() for _ in range(100)]
    made = await site.deploy("unheard", worker=[machine.id])
    assert made.last_operation is not None
    asked = made.last_operation.id

    async def is_held() -> bool:
        return (await site.admin.operations.get(asked)).status == "running"

    async with site.controller(app, url=bad.url):
        await until(is_held)

    assert (await site.admin.operations.get(asked)).status == "ready"


@asynccontextmanager
async def process(site: Site, folder: Path, **more: str) -> AsyncGenerator[Process]:
    """A replica as a process of its own."""
    (folder / "given.py").write_text(
        f"from sdk.tests.controller.test_runner import sample\n\napp = sample({site.app.slug!r})\n"
    )
    key = folder / "operator.pem"
    key.write_bytes(site.private_key.pem)
    started = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "moorage", "run", "given:app"),
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
            "MOORAGE_URL": site.admin.url,
            "MOORAGE_SERVICE_ACCOUNT": site.account,
            "MOORAGE_KEY": site.key,
            "MOORAGE_KEY_FILE": str(key),
            **more,
        },
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
            await started.communicate()


async def test_a_process_works_until_it_is_told_to_stop(
    site: Site, machine: ScriptedNode, tmp_path: Path
) -> None:
    port = running.free_port()
    async with process(site, tmp_path, MOORAGE_HEALTH_PORT=str(port)) as replica:
        made = await site.deploy("process", worker=[machine.id])
        assert made.last_operation is not None
        done = await ended(site.admin, made.last_operation.id)
        async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:
            page = await http.get(f"http://127.0.0.1:{port}/healthz")
        replica.send_signal(signal.SIGTERM)
        _, said = await replica.communicate()

    lines = [json.loads(line) for line in said.decode().splitlines()]
    about = {line.get("correlation_id") for line in lines if line["message"].startswith("Begun")}
    assert done.status == "succeeded"
    assert (page.status_code, page.json()["status"]) == (200, "ok")
    assert replica.returncode == 0
    assert about == {made.correlation_id}
    assert lines[-1]["message"] == "Left."


@pytest.mark.slow
async def test_what_a_killed_process_was_at_is_taken_up_where_it_was(
    site: Site, machine: ScriptedNode, app: moorage.App, tmp_path: Path
) -> None:
    hangs = tmp_path / "hangs"
    hangs.touch()
    async with process(site, tmp_path, SAMPLE_HANGS=str(hangs)) as replica:
        made = await site.deploy("killed", worker=[machine.id])
        assert made.last_operation is not None
        parent = made.last_operation.id

        async def is_hanging() -> bool:
            children = await site.admin.operations.children(parent).all()
            steps = await site.admin.operations.steps(children[0]).all()
            return [(s.name, s.status) for s in steps[-1:]] == [("hang", "running")]

        await until(is_hanging)
        replica.kill()
        await replica.communicate()
    async with site.controller(app):
        done = await ended(site.admin, parent, seconds=120)

    (child,) = await site.admin.operations.children(parent).all()
    steps = [(s.name, s.status, s.attempt) for s in await site.admin.operations.steps(child).all()]
    tasks = [task.key async for task in site.admin.tasks.all(child.id)]
    assert done.status == "succeeded"
    assert child.fence == 2
    assert steps == [("greet", "succeeded", 1), ("hang", "succeeded", 1)]
    assert len(tasks) == 1
