"""A deployed app's life from the command line, with a controller at work and a real platform."""

import asyncio
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import moorage
from cli.tests.conftest import Moor
from moorage import Client
from sdk.tests import running
from sdk.tests.controller import deployed
from sdk.tests.running import MOOR, Platform

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
config:
  schema:
    type: object
    properties:
      port: {type: integer, title: Port, default: 7000}
    additionalProperties: false
  effects: {port: restart}
permissions:
  - {key: @slug@.word.say, description: Say a word., grants: [project_admin]}
actions:
  - name: @slug@.say
    title: Say
    permission: @slug@.word.say
    input: {type: object, properties: {word: {type: string}}, additionalProperties: false}
views:
  - name: @slug@.members
    title: Members
    columns:
      - {name: member, title: Member}
      - {name: works, title: Works, type: boolean}
    key: member
    permission: @slug@.word.say
"""


def sample(slug: str) -> moorage.App:
    """An app that needs no machine: its steps are words."""
    app = moorage.App.from_text(MANIFEST.replace("@slug@", slug))

    @app.instance.deploy
    @app.instance.configure
    @app.instance.decommission
    async def look_at_all(op: moorage.InstanceOperation) -> None:
        await op.step("look at the whole", nothing)

    @app.member("worker").add
    @app.member("worker").drain
    @app.member("worker").resume
    @app.member("worker").remove
    async def work(op: moorage.MemberOperation) -> None:
        await op.step("work on it", nothing)

    @app.action(f"{slug}.say")
    async def say(op: moorage.ActionOperation) -> dict[str, Any]:
        await op.step("think", think, op.input.get("word", ""))
        return {"said": op.input.get("word", "nothing")}

    @app.watch(every=60)
    async def look(instance: moorage.WatchedInstance) -> moorage.Observed:
        return moorage.Observed(health="healthy")

    return app


async def nothing() -> None:
    """Done before it is begun."""


async def think(word: str) -> None:
    if word == "never":
        raise moorage.Wait("thinking about it", recheck=600)
    if word == "rude":
        raise moorage.Fail("rude", "That is no word to say.", recovery="terminal")


@dataclass(frozen=True)
class Shop:
    """A project with machines, and an app that somebody operates."""

    project: str
    slug: str

    @property
    def instance(self) -> str:
        return f"{self.project}/{self.slug}"

    def deploy(self, *machines: str) -> tuple[str, ...]:
        where = f"--component=worker={','.join(machines)}"
        return ("deploy", self.project, self.slug, "--name", self.slug, where)


@pytest.fixture
def shop(platform: Platform, token: str, admin: Moor) -> Iterator[Shop]:
    word = f"s{running.free_port()}"
    admin("orgs", "create", word, "--name", "Acme", "--admin", running.ADMIN)
    project = admin("projects", "create", word, "alpha", "--name", "A", "-o", "json").json()["id"]
    admin("regions", "create", word, "--name", "Region")
    size = ("--cpus", "4", "--memory", "1", "--price", "1.00", "--currency", "EUR")
    admin("skus", "create", word, "--name", "Class", *size)
    for number in (1, 2, 3):
        where = ("--region", word, "--sku", word, "--reach", "ssh")
        admin("nodes", "create", f"{word}-{number}", *where, "--address", f"198.18.0.{number}")
    holding = ("--sku", word, "--region", word, "--count", "3", "--name", "box")
    held = admin("allocations", "create", project, *holding)
    assert held.code == 0, held.err

    async def build() -> deployed.Site:
        async with Client(platform.url, auth=moorage.AccessToken(token)) as client:
            where = await client.projects.get(project)
            return await deployed.build(client, where, MANIFEST.replace("@slug@", word))

    site = asyncio.run(build())
    stop = threading.Event()

    async def serve() -> None:
        async with site.controller(sample(word)):
            await asyncio.to_thread(stop.wait)

    controller = threading.Thread(target=lambda: asyncio.run(serve()))
    controller.start()
    yield Shop(f"{word}/alpha", word)
    stop.set()
    controller.join(timeout=30)


@pytest.fixture
def deployed_shop(admin: Moor, shop: Shop) -> Shop:
    done = admin(*shop.deploy("box-1"), "--yes")
    assert done.code == 0, done.err
    return shop


def test_a_deployment_shows_its_plan_its_steps_and_its_end(admin: Moor, shop: Shop) -> None:
    only = admin(*shop.deploy("box-1", "box-2"), "--plan-only")
    asked = admin(*shop.deploy("box-1", "box-2"))
    done = admin(*shop.deploy("box-1", "box-2"), "--config", "port=7001", "--yes")
    shown = admin("instances", "get", shop.instance)
    listed = admin("members", "list", shop.instance, "-o", "json").json()["items"]

    assert "worker-1 (worker)" in only.out
    assert "Cost: 2.00 EUR an hour" in only.out
    assert asked.code != 0
    assert "Say --yes" in asked.err
    assert done.code == 0, done.err
    assert "look at the whole: succeeded" in done.out
    assert re.search(r"instance\.deploy \(opn_\w+\) succeeded after", done.out)
    assert "worker  2        2        2" in shown.out
    assert [member["status"] for member in listed] == ["ready", "ready"]


def test_an_instance_grows_shrinks_and_goes_without_residue(
    admin: Moor, deployed_shop: Shop
) -> None:
    shop = deployed_shop
    grown = admin("members", "add", shop.instance, "worker", "box-2", "box-3")
    drained = admin("members", "drain", shop.instance, "worker-2", "--reason", "new memory")
    resumed = admin("members", "resume", shop.instance, "worker-2", "--reason", "it is in")
    removed = admin("members", "remove", shop.instance, "worker-3", "--reason", "enough")
    gone = admin("members", "list", shop.instance, "--removed", "-o", "json").json()["items"]
    down = admin("instances", "decommission", shop.instance, "--yes")
    left = admin("instances", "list", "--project", shop.project, "-o", "json").json()["items"]

    for ran in (grown, drained, resumed, removed, down):
        assert ran.code == 0, ran.out + ran.err
    assert "2 of 2 done" in grown.out
    assert [member["status"] for member in gone] == ["ready", "ready", "removed"]
    assert "Residue: none" in down.out
    assert left == []


def test_a_configuration_is_planned_and_exactly_that_plan_is_applied(
    admin: Moor, deployed_shop: Shop
) -> None:
    change = ("--config", "port=7002")
    plan = admin("plan", deployed_shop.instance, "configure", *change, "-o", "json").json()
    configuring = ("instances", "configure", deployed_shop.instance, *change)
    applied = admin(*configuring, "--plan", plan["id"])
    again = admin(*configuring, "--plan", plan["id"])
    revisions = admin("instances", "revisions", deployed_shop.instance, "-o", "json").json()

    assert plan["effect"] == "restart"
    assert applied.code == 0, applied.err
    assert again.code == 5
    assert [each["number"] for each in revisions["items"]] == [2, 1]
    assert revisions["items"][0]["config"] == {"port": 7002}


def test_a_failure_names_its_cause_and_triage_tells_the_story(
    admin: Moor, deployed_shop: Shop
) -> None:
    saying = ("actions", "run", deployed_shop.instance, f"{deployed_shop.slug}.say", "--input")
    said = admin(*saying, "word=hello")
    failed = admin(*saying, "word=rude")
    (correlation,) = re.findall(r"moor triage (\S+)", failed.out)
    story = admin("triage", correlation)

    assert "Result:\n  said: hello\n" in said.out
    assert failed.code == 5
    assert "Cause: That is no word to say. [rude]" in failed.out
    assert "Cause: That is no word to say. [rude]" in story.out.splitlines()[1]
    assert "step" in story.out


def test_a_name_is_enough_where_only_one_instance_has_it(admin: Moor, deployed_shop: Shop) -> None:
    found = admin("instances", "get", deployed_shop.slug, "-o", "json")
    missing = admin("instances", "get", "nothing-of-the-kind")

    assert found.json()["name"] == deployed_shop.slug
    assert "There is no instance nothing-of-the-kind" in missing.err


def test_a_view_is_listed_before_anything_is_in_it(admin: Moor, deployed_shop: Shop) -> None:
    name = f"{deployed_shop.slug}.members"

    listed = admin("views", "list", deployed_shop.instance, "-o", "json").json()["items"]
    shown = admin("views", "get", deployed_shop.instance, name)

    assert [view["name"] for view in listed] == [name]
    assert shown.out.splitlines()[0].split() == ["MEMBER", "WORKS"]
    assert "published nothing yet" in shown.out


def test_ctrl_c_stops_the_showing_and_says_how_to_go_on(admin: Moor, deployed_shop: Shop) -> None:
    saying = ("actions", "run", deployed_shop.instance, f"{deployed_shop.slug}.say")
    asked = admin(*saying, "--input", "word=never", "--detach", "-o", "json").json()
    # Whoever runs the tests in the background ignores Ctrl-C, and so would what they start.
    obeying = ["env", "--default-signal=INT"]
    command = [*obeying, *MOOR, "operations", "watch", asked["id"]]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as watching:
        assert watching.stdout is not None
        while "thinking about it" not in watching.stdout.readline():
            assert watching.poll() is None

        watching.send_signal(signal.SIGINT)
        _, said = watching.communicate(timeout=30)

    stopped = admin("operations", "cancel", asked["id"], "--reason", "nobody waits", "--yes")
    ended = admin("operations", "watch", asked["id"], "-o", "json")

    assert watching.returncode == 130
    assert f"moor operations watch {asked['id']}" in said
    assert "cancelled after" in stopped.out
    assert '"status": "cancelled"' in ended.out
