"""How a cluster is, over and over."""

import json
from typing import Any

import moorage
from moorage_slurm import cluster, health
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
        await instance.publish("slurm.queue", said["jobs"])
        await instance.publish("slurm.nodes", health.node_rows(said, instance))
        await instance.publish("slurm.partitions", health.partition_rows(said))
    found = health.judge(said, instance)
    if found.mend and instance.status == "running":
        await instance.request_repair(found.mend)
    return found.observed


async def _probe(instance: moorage.WatchedInstance, controller: moorage.Member) -> Json | None:
    """What the controller's host says of the cluster, or None where it says nothing."""
    try:
        done = await instance.probe("slurm.status", controller.name)
    except moorage.Fail:
        return None
    return json.loads(done.stdout) if done.ok else None
