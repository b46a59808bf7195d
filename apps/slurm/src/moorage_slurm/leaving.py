"""Going away: drains, members that leave, and the end of a cluster."""

from datetime import UTC, datetime, timedelta
from typing import Any

import moorage
from moorage_slurm import cluster, host
from moorage_slurm.app import app
from moorage_slurm.joining import scheduler

Json = dict[str, Any]


@app.member("worker").drain
async def drain(op: moorage.MemberOperation) -> None:
    await _drain(op)


@app.member("worker").resume
async def resume(op: moorage.MemberOperation) -> None:
    machine, name = op.machine(scheduler(op)), op.member.name
    await op.step("let jobs start here again", host.reopen, machine, name)


@app.member("worker").remove
async def remove_worker(op: moorage.MemberOperation) -> None:
    """Close it, wait for its jobs, take the daemon and the key away, let the scheduler forget it."""
    if op.input.get("lost"):
        await _give_up(op)
        return
    alone = op.instance.status == "deleting"  # then nobody schedules for much longer
    if not alone:
        await _drain(op)
    await op.step("stop the worker", host.stop_worker, op.node, "", no_return=True)
    if not alone:
        machine = op.machine(scheduler(op))
        await op.step("let the scheduler forget it", host.forget, machine, op.member.name)
    await _clear(op)


@app.member("controller").remove
async def remove_controller(op: moorage.MemberOperation) -> None:
    if op.input.get("lost"):
        op.residue("everything of Slurm", op.member.name, "The host is gone, and nobody looked.")
        return
    await _clear(op)


@app.instance.decommission.prepare
async def end_jobs(op: moorage.InstanceOperation) -> None:
    """Jobs end before their hosts do: at once, or in their own time."""
    controller = cluster.controller_of(op.instance)
    if controller is None or not controller.reachable:
        return
    policy = op.instance.config["jobs_at_the_end"]
    await op.step("end the jobs", host.end_jobs, op.machine(controller), policy)


@app.instance.decommission
async def say_goodbye(op: moorage.InstanceOperation) -> None:
    """The members took everything off their hosts; the instance has nothing besides."""
    op.message("Every member is gone.")


async def _drain(op: moorage.MemberOperation) -> None:
    """Close the worker first, then look what runs: nothing comes in between."""
    machine, name = op.machine(scheduler(op)), op.member.name
    reason = op.reason or "no reason given"
    since: str = await op.step("start no more jobs", host.close, machine, name, reason)
    policy, seconds = op.input.get("policy", "wait"), op.input.get("deadline_seconds") or 0
    overdue = datetime.now(UTC) >= datetime.fromisoformat(since) + timedelta(seconds=seconds)
    force = policy == "force" or (policy == "deadline" and overdue)
    cut: list[int] = await op.step("wait for jobs", host.wait_for_jobs, machine, name, force)
    if cut:
        op.message(f"Jobs that were taken off: {', '.join(map(str, cut))}.")


async def _give_up(op: moorage.MemberOperation) -> None:
    """Nothing is done on a host that is gone. Its key opens nothing any more."""
    machine = op.machine(scheduler(op))
    await op.step("let the scheduler forget it", host.forget_lost, machine, op.member.name)
    op.residue("everything of Slurm", op.member.name, "The host is gone, and nobody looked.")


async def _clear(op: moorage.MemberOperation) -> None:
    """Leave the host as it was, and look whether it is."""
    role = op.member.component
    await op.step("take everything off", host.clear, op.node, role, no_return=True)
    for what in await op.step("look what is left", host.scan, op.node, role):
        op.residue(what, op.member.name, "It was still there after everything was taken off.")
