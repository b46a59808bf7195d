"""How a cluster is, over and over."""

import json
from typing import Any

import moorage
from moorage_slurm import cluster, health, views
from moorage_slurm.app import app

Json = dict[str, Any]
EVERY = 8.0
"""Seconds: a dead scheduler is seen within ten."""


@app.watch(every=EVERY)
async def look(instance: moorage.WatchedInstance) -> moorage.Observed:
    """Ask the controller's host about everything, publish what it says, and judge."""
    controller = cluster.controller_of(instance)
    said = None if controller is None else await _probe(instance, controller)
    if said is not None and said["up"]:
        await _publish(instance, said)
    found = health.judge(said, instance)
    if found.mend and instance.status == "running":
        await instance.request_repair(found.mend)
    return found.observed


async def _publish(instance: moorage.WatchedInstance, said: Json) -> None:
    await instance.publish("slurm.queue", views.queue(said, instance), total=said["queued"])
    await instance.publish("slurm.nodes", views.nodes(said, instance))
    await instance.publish("slurm.partitions", views.partitions(said))
    await instance.publish("slurm.usage", views.usage(said, instance))
    await instance.report_usage(views.metered(said))


async def _probe(instance: moorage.WatchedInstance, controller: moorage.Member) -> Json | None:
    """What the controller's host says of the cluster, or None where it says nothing."""
    try:
        done = await instance.probe("slurm.status", controller.name)
    except moorage.Fail:
        return None
    return json.loads(done.stdout) if done.ok else None
