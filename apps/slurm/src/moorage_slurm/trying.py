"""After a change: whether a job still runs."""

import moorage
from moorage_slurm import cluster, host
from moorage_slurm.joining import scheduler

BUSY = "No worker took a job of the platform's own at once, so none was tried."


async def try_a_job(op: moorage.InstanceOperation) -> None:
    """Have one worker that has room run a job. Where none has, nobody waits: that is said."""
    names = [each.name for each in cluster.workers_of(op.instance) if each.reachable]
    machine = op.machine(scheduler(op))
    if await op.step("run a job", host.try_a_job, machine, names) is None:
        op.message(BUSY)
