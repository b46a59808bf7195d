"""A small app for tests of the engine: a keeper and its workers."""

from typing import Any

import moorage

MANIFEST = """
contract: 1
slug: sample
version: "2.0.0"
name: Sample
summary: Keeps a word on hosts.
modes:
  - {operating_mode: dedicated, scope: project}
components:
  keeper: {min: 1, max: 1, verbs: [replace], may_share_host_with: [worker]}
  worker: {max: 3, verbs: [add, drain, resume, remove, replace]}
touches:
  instance.deploy: [keeper, worker]
  instance.configure: [keeper, worker]
  instance.upgrade: [keeper, worker]
  instance.rollback: [keeper, worker]
  member.add: [keeper]
  member.remove: [keeper]
config:
  schema:
    type: object
    properties:
      word: {type: string, default: hello}
    additionalProperties: false
artifacts:
  - {name: tool, digest: "sha256:@digest@", size: 3, media_type: application/octet-stream}
permissions:
  - {key: sample.word.say, description: Say a word., grants: [project_admin]}
tasks:
  kinds: [exec, put, get, packages, service, probe]
  run_as: [root]
actions:
  - name: sample.say
    title: Say
    permission: sample.word.say
    input: {type: object}
    output:
      type: object
      required: [said]
      properties: {said: {type: string}}
views:
  - name: sample.words
    title: Words
    key: host
    permission: sample.word.say
    columns:
      - {name: host, title: Host}
      - {name: word, title: Word}
probes:
  - {name: sample.alive, component: worker, command: [alive]}
meters:
  - {name: sample.words_said, unit: words, description: Words.}
secrets: [cluster_key]
timeouts:
  member.drain: 10m
rollback: {supported: true}
""".replace("@digest@", "ab" * 32)

app = moorage.App.from_text(MANIFEST)


@app.instance.deploy.prepare
async def make_key(op: moorage.InstanceOperation) -> None:
    await op.put_secret("key", generate=32)
    op.message("the key is made")


@app.instance.deploy
async def open_doors(op: moorage.InstanceOperation) -> None:
    hosts = await op.step("list hosts", names, op.machines())
    op.report_instance(endpoints={"hosts": hosts}, topology_mode="star")


@app.instance.configure
@app.instance.rollback
@app.instance.upgrade
async def change(op: moorage.InstanceOperation) -> None:
    word = op.instance.config.get("word", "hello")
    for machine in op.machines():
        await op.step(f"write word on {machine.name}", write_word, machine, word)


@app.instance.decommission
async def nothing_left(op: moorage.InstanceOperation) -> dict[str, Any]:
    return {"members": len(op.members)}


@app.member("keeper").add
@app.member("worker").add
async def join(op: moorage.MemberOperation) -> None:
    op.progress(0, 3)
    word = str(op.instance.config.get("word", "hello"))
    await op.step("install", install, op.node, undo=uninstall)
    await op.step("write word", write_word, op.node, word, undo=erase_word)
    await op.step("start", start, op.node, op.secret("key"), undo=stop)
    op.report_member(health="healthy", runtime_version="1.0", adapter_detail={"word": word})


@app.member("worker").add.prepare
async def make_room(op: moorage.BatchOperation) -> None:
    (keeper,) = op.machines("keeper")
    await op.step("announce", announce, keeper, [member.name for member in op.batch])


@app.member("worker").add.finish
async def count(op: moorage.BatchOperation) -> dict[str, Any]:
    return {"joined": op.children.succeeded, "failed": op.children.failed}


@app.member("worker").drain
async def drain(op: moorage.MemberOperation) -> None:
    await op.step("wait until idle", wait_idle, op.node)


@app.member("worker").resume
async def resume(op: moorage.MemberOperation) -> None:
    await op.step("resume", run_resume, op.node)


@app.member("keeper").remove
@app.member("worker").remove
async def leave(op: moorage.MemberOperation) -> None:
    await op.step("stop", stop, op.node, op.secret("key"), no_return=True)
    await op.step("erase word", erase_word, op.node, "")
    await op.step("uninstall", uninstall, op.node)


@app.action("sample.say")
async def say(op: moorage.ActionOperation) -> dict[str, Any]:
    if "bug" in op.input:
        raise KeyError(op.input["bug"])
    if "fail" in op.input:
        raise moorage.Fail("mute", "It says nothing.", recovery=op.input["fail"])
    return {"said": op.input["word"]} if "word" in op.input else {}


@app.watch(every=5)
async def look(instance: moorage.WatchedInstance) -> moorage.Observed:
    workers = instance.of("worker")
    seen = {}
    for worker in workers:
        probed = await instance.probe("sample.alive", worker)
        health = "healthy" if probed.ok else "unhealthy"
        seen[worker.id] = moorage.MemberSeen(health=health)
    rows = [{"host": m.name, "word": m.adapter_detail.get("word", "")} for m in workers]
    await instance.publish("sample.words", rows)
    well = all(member.health == "healthy" for member in seen.values())
    if not well:
        await instance.request_repair("a worker is not alive")
    return moorage.Observed(health="healthy" if well else "degraded", members=seen)


# Steps


async def names(machines: list[moorage.Machine]) -> list[str]:
    return [machine.name for machine in machines]


async def install(machine: moorage.Machine) -> str:
    return (await machine.packages("tool=1.0")).versions["tool"]


async def uninstall(machine: moorage.Machine) -> None:
    await machine.packages(absent=["tool"])


async def write_word(machine: moorage.Machine, word: str) -> bool:
    return await machine.put("/etc/word", word, mode="0640")


async def erase_word(machine: moorage.Machine, word: str) -> None:
    await machine.exec("rm", "-f", "/etc/word", repeatable=True)


async def start(machine: moorage.Machine, key: moorage.Secret) -> None:
    await machine.put("/etc/key", key)
    await machine.service("word.service", "started", enabled=True, content="[Service]\n")


async def stop(machine: moorage.Machine, key: moorage.Secret) -> None:
    await machine.service("word.service", "stopped", enabled=False, content="[Service]\n")
    await machine.exec("rm", "-f", "/etc/key", repeatable=True)


async def announce(machine: moorage.Machine, members: list[str]) -> None:
    await machine.exec("announce", *members)


async def wait_idle(machine: moorage.Machine) -> None:
    jobs = int((await machine.exec("jobs", repeatable=True)).stdout)
    if jobs:
        raise moorage.Wait(f"waiting for {jobs} jobs to finish", recheck=30)


async def run_resume(machine: moorage.Machine) -> None:
    done = await machine.exec("resume", check=False)
    if done.exit_code == 9:
        raise moorage.Fail("worn_out", f"{machine.name} is worn out.", recovery="terminal")
    if not done.ok:
        raise moorage.Fail("exit_nonzero", "…", recovery="retryable", log=[done.stderr])
