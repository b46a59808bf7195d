"""How a cluster is, over and over."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import moorage
from moorage_slurm import cluster, drift, health, views
from moorage_slurm.app import app
from moorage_slurm.health import Answer
from moorage_slurm.onhost import status
from moorage_slurm.patience import Patience

Json = dict[str, Any]
EVERY = 5.0
"""Seconds: a dead scheduler is seen within ten."""
ANSWERING = 20.0
"""Seconds that a host has to answer: what is told of the others must not grow old meanwhile."""
PEOPLE_EVERY = 6
"""Looks from one count of people to the next: whoever comes is on the hosts by then."""
LONGEST = 500
"""Letters of a reason."""


@dataclass
class Memory:
    """What is known of a cluster from one look to the next. Whoever forgets it asks anew."""

    ill: dict[str, Answer] = field(default_factory=dict[str, Answer])
    """Workers that were not well when they were asked last, with what they said."""
    patience: Patience = field(default_factory=Patience)
    turn: int = 0
    looks: int = 0
    changed: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """Files that somebody changed, by member and path."""
    strays: health.Strays = field(default_factory=health.Strays)
    """As they were when people were counted last."""
    lasting: health.Strays = field(default_factory=health.Strays)
    """Those of them who were so the time before."""


_memories: dict[str, Memory] = {}


@app.watch(every=EVERY)
async def look(instance: moorage.WatchedInstance) -> moorage.Observed:
    """Ask the controller's host about everything, publish what it says, and judge."""
    known = health.before_a_look(instance)
    controller = cluster.controller_of(instance)
    if known is not None or controller is None:
        _memories.pop(instance.id, None)
        return known or moorage.Observed(health="unknown")
    memory = _memories.setdefault(instance.id, Memory())
    answer = await _ask(instance, "slurm.status", controller)
    workers: dict[str, Answer] = {}
    if answer.said is not None and answer.said["up"]:
        workers = await _ask_workers(instance, answer.said["nodes"], memory)
    changed = _compare(instance, controller, {**workers, controller.name: answer}, memory)
    strays = await _count_people(instance, answer, memory)
    found = health.judge(instance, answer, workers, changed=changed, strays=strays)
    more = await _request_repair(instance, found, memory)
    if answer.said is not None and answer.said["up"]:
        try:
            await _publish(instance, answer.said)
            await instance.publish("slurm.drift", drift.rows(changed))
        except moorage.Fail as err:
            if err.code != "view_unknown":  # an earlier version has no readers of it
                more.append(f"What there is cannot be shown: {err.message}")
    observed = found.observed
    return observed.model_copy(update={"reasons": [*observed.reasons, *more]})


async def _count_people(
    instance: moorage.WatchedInstance, answer: Answer, memory: Memory
) -> health.Strays:
    """Now and then, whether those are in the books who may be on the cluster."""
    if answer.said is not None and memory.looks % PEOPLE_EVERY == 0:
        programs = instance.config["service_accounts"].values()
        now = health.strays(answer.said, await instance.principals(), programs)
        memory.lasting, memory.strays = now.lasting(memory.strays), now
    memory.looks += 1
    return memory.lasting


def _compare(
    instance: moorage.Instance,
    controller: moorage.Member,
    answers: Mapping[str, Answer],
    memory: Memory,
) -> dict[str, dict[str, str]]:
    """Which files are not what they should be; of who was not asked, as it was the last time."""
    if not cluster.is_settled(instance):
        memory.changed = {}
        return {}
    members = {controller.name: cluster.files_of(instance, controller)}
    for each in cluster.workers_of(instance):
        members[each.name] = cluster.worker_files(instance, controller, each)
    found = {name: files for name, files in memory.changed.items() if name in members}
    for name, wanted in members.items():
        answer = answers.get(name)
        if answer is not None and answer.said is not None and "files" in answer.said:
            found[name] = drift.differences(wanted, answer.said["files"])
    memory.changed = {name: files for name, files in found.items() if files}
    return memory.changed


async def _ask(instance: moorage.WatchedInstance, probe: str, member: moorage.Member) -> Answer:
    """What a member's host says, or why it says nothing."""
    if not member.reachable:
        return Answer(why="Its host does not answer the platform.", lost=True)
    sent = time.time()
    try:
        async with asyncio.timeout(ANSWERING):
            done = await instance.probe(probe, member)
    except TimeoutError:
        return Answer(why=f"Its host gave no answer within {ANSWERING:.0f} s.", lost=True)
    except moorage.Fail as err:
        return Answer(why=f"Its host cannot be asked: {err.message}", lost=True)
    if done.ok and not done.stdout:
        # What a program says is kept on the host's disk until the platform has it.
        return Answer(why="Nothing that it says arrives: is there space left on /var?", lost=True)
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return Answer(why=f"The program on it ended with {done.exit_code} and said nothing.")
    if not done.ok:
        return Answer(why=said["message"])
    if said.get("edition") != status.EDITION:
        return Answer(why="The program on it is of another release of the app.")
    return Answer(said, skew=health.skew(said["now"], sent=sent, received=time.time()))


async def _ask_workers(
    instance: moorage.WatchedInstance, nodes: list[Json], memory: Memory
) -> dict[str, Answer]:
    """Ask those that seem ill, and a few others in turn; what is known of them, by name."""
    workers = cluster.workers_of(instance)
    names = {each.name for each in workers}
    known = {name: said for name, said in memory.ill.items() if name in names}
    asked = health.whom_to_ask(nodes, workers, ill=set(known), turn=memory.turn)
    said = await asyncio.gather(*(_ask(instance, "slurm.worker", each) for each in asked))
    answers = known | {each.name: answer for each, answer in zip(asked, said, strict=True)}
    memory.turn += 1
    memory.ill = {name: each for name, each in answers.items() if not health.is_well(each)}
    return answers


async def _request_repair(
    instance: moorage.WatchedInstance, found: health.Judgement, memory: Memory
) -> list[str]:
    """Ask for a repair of what it can help, as often as makes sense; what is to be said of that."""
    if instance.status != "running":
        return []
    now, patience = time.time(), memory.patience
    ill = {f"{name} ({part})": name for name, parts in found.mend.items() for part in parts}
    due = patience.due(ill, now=now)
    if due:
        # The same words for the same trouble: then it is the same repair, as long as it lasts.
        reason = f"Not well: {', '.join(due)}"[:LONGEST]
        members = [each for each in instance.members if each.name in {ill[key] for key in due}]
        try:
            await instance.request_repair(reason, members)
        except moorage.Fail as err:
            return [f"No repair: {err.message}"]
        patience.asked(due, now=now)
    said = {key: patience.words(key, now=now) for key in ill}
    return [f"{key}: {words}" for key, words in said.items() if words]


async def _publish(instance: moorage.WatchedInstance, said: Json) -> None:
    await instance.publish("slurm.queue", views.queue(said, instance), total=said["queued"])
    await instance.publish("slurm.nodes", views.nodes(said, instance))
    await instance.publish("slurm.partitions", views.partitions(said))
    if "usage" in said:
        await instance.publish("slurm.usage", views.usage(said, instance))
        await instance.report_usage(views.metered(said))
