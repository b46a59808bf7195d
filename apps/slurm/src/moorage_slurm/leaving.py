"""Going away: drains, members that leave, and the end of a cluster."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import moorage
from moorage_slurm import cluster, exchange, exports, homes, host, keys, render, succession
from moorage_slurm.app import KEY, app
from moorage_slurm.joining import know_gpus, scheduler
from moorage_slurm.onhost import state

Json = dict[str, Any]
CONF = f"{render.CONFIG}/slurm.conf"
GONE = "The host is gone, and nobody looked."


@app.member("worker").drain
async def drain(op: moorage.MemberOperation) -> None:
    await _drain(op)


@app.member("worker").resume
async def resume(op: moorage.MemberOperation) -> None:
    machine, name = op.machine(scheduler(op)), op.member.name
    await op.step("let jobs start here again", host.reopen, machine, name)


@app.member("worker").replace.prepare
async def prepare_successor(op: moorage.BatchOperation) -> None:
    old, new = ([each for each in op.batch if each.id == op.input[key]] for key in ("old", "new"))
    if op.input["lost"]:
        for each in old:
            cluster.check_outlived(op.instance, each)
    await know_gpus(op, new)


@app.member("worker").remove
async def remove_worker(op: moorage.MemberOperation) -> None:
    """Close it, let its jobs end, take daemon and key away, let the scheduler forget it."""
    if op.input.get("lost"):
        await _give_up(op)
        return
    alone = op.instance.status == "deleting"  # then nobody schedules for much longer
    if not alone:
        await _drain(op)
    await op.step("stop the worker", host.retire, op.node, no_return=True)
    if not alone:
        machine, name = op.machine(scheduler(op)), op.member.name
        await op.step("let the scheduler forget it", host.forget, machine, name)
        await _forget_gpus(op, machine)
    await _clear(op)
    if not alone:
        await _deny_homes(op)


@app.member("controller").remove
async def remove_controller(op: moorage.MemberOperation) -> None:
    """Before it goes for another, that one has everything that it knows."""
    if op.input.get("lost"):
        await _outlive(op)
        op.residue("everything of Slurm", op.member.name, GONE)
        return
    if op.input.get("replaced_by"):
        await _hand_over(op)
    if exports.wish(op.instance) is not None:
        is_last = not op.input.get("replaced_by")
        await op.step("let go of the export", exports.leave, op.node, is_last, no_return=True)
    await _clear(op)


async def _hand_over(op: moorage.MemberOperation) -> None:
    """Jobs go on meanwhile; nobody can submit until the new one runs."""
    new, name = succession.successor(op), render.cluster_name(op.instance.id)
    op.message(succession.promise(op.instance.config["home"]))
    series, undo = cluster.series(op.instance.app_version), succession.unprepare
    await op.step("prepare the next host", succession.prepare, new, series, undo=undo)
    units, back = [*exchange.CONTROLLER_UNITS], exchange.start_units
    await op.step("stop the scheduler", exchange.stop_units, op.node, units, undo=back)
    await op.step("copy its state", exchange.keep_copy, op.node, op.id, state.MOVED, name)
    await op.step("hand it over", succession.hand_over, op.node, new, op.secret(KEY), op.id)


async def _outlive(op: moorage.MemberOperation) -> None:
    """Workers wait for the new controller with a key that the dead host has not.

    Not before somebody has agreed to what is lost: beforehand, by `force`, or once it is told.
    What is on an export is not lost.
    """
    left = succession.workers_left(op.instance, op.member.allocation_id)
    workers = [op.machine(each) for each in left]
    found: Json = await op.step("look what is lost", succession.foresee, workers, op.attempt)
    asks = op.input.get("policy") != "force" and exports.wish(op.instance) is None
    if asks and op.attempt == found["attempt"]:
        raise moorage.Fail("losses_to_accept", succession.losses(found, now=time.time()))
    await keys.make_new_key(op, no_return=True)
    auth = op.instance.config["auth"]
    late: dict[str, str] = await op.step(
        "prepare workers", succession.silence, workers, op.secret(KEY), auth
    )
    for name in sorted(late):
        op.residue("the key of before", name, f"{late[name]} {keys.LATE}")


@app.instance.decommission.prepare
async def end_jobs(op: moorage.InstanceOperation) -> None:
    """Jobs end before their hosts do: at once, or in their own time. No new one comes meanwhile."""
    controller = cluster.controller_of(op.instance)
    if controller is None or not controller.reachable or controller.status not in cluster.SETTLED:
        return  # no scheduler has any: a deployment that came to nothing goes like any other
    machine, policy = op.machine(controller), op.instance.config["jobs_at_the_end"]
    whole = cluster.cluster(op.instance, controller)
    closed, usual = (
        {CONF: render.slurm_conf(each)} for each in (replace(whole, closed=True), whole)
    )
    undo = exchange.open_queue
    await op.step("take no more jobs", exchange.close_queue, machine, closed, usual, undo=undo)
    await op.step("end the jobs", host.end_jobs, machine, policy)


@app.instance.decommission
async def say_goodbye(op: moorage.InstanceOperation) -> None:
    """The members took everything off their hosts; the instance has nothing besides."""
    op.message("Every member is gone.")


async def _drain(op: moorage.MemberOperation) -> None:
    """Close the worker first, then look what runs: nothing comes in between.

    A worker that was drained before stays so when this is taken back.
    """
    machine, name = op.machine(scheduler(op)), op.member.name
    undo = None if op.input.get("drained") else host.unclose
    closed: Json = await op.step(
        "start no more jobs", host.close, machine, name, _reason(op), undo=undo
    )
    if closed["theirs"] is not None:
        op.message(f"It is drained in Slurm already, and stays so: {closed['theirs']}.")
    since = datetime.fromisoformat(closed["since"])
    overdue = cluster.is_overdue(op.input, since=since, now=datetime.now(UTC))
    cut: list[int] = await op.step("wait for jobs", host.wait_for_jobs, machine, name, overdue)
    if cut:
        op.message(f"Jobs that were taken off: {', '.join(map(str, cut))}.")


def _reason(op: moorage.MemberOperation) -> str:
    """Why, and who wants it: whoever looks at Slurm alone sees both."""
    who = None if op.requested_by is None else op.requested_by.name or op.requested_by.kind
    why = op.input.get("reason") or op.reason or op.kind
    return why if who is None else f"{why} ({who})"


async def _give_up(op: moorage.MemberOperation) -> None:
    """Nothing is done on a host that is gone. If it comes back, its key opens nothing any more."""
    cluster.check_outlived(op.instance, op.member)
    machine = op.machine(scheduler(op))
    cut: list[int] = await op.step(
        "let the scheduler forget it", host.forget_lost, machine, op.member.name
    )
    if cut:
        op.message(f"Jobs that ran there wait again, or ended: {', '.join(map(str, cut))}.")
    await _forget_gpus(op, machine)
    await _deny_homes(op)
    await keys.change_key(op)
    op.residue("everything of Slurm", op.member.name, GONE)


async def _forget_gpus(op: moorage.MemberOperation, controller: moorage.Machine) -> None:
    """No line stays for a worker that is gone. Nobody has to read the file anew for that."""
    member = op.member
    none: dict[str, list[str]] = {member.name: []}
    if render.gpus_of(member.inventory, op.instance.config["gpu_types"]):
        await op.step("forget its GPUs", host.know_gpus, controller, none)


async def _deny_homes(op: moorage.MemberOperation) -> None:
    """The controller's host gives its homes to nobody who left."""
    address = op.member.host_address
    if op.instance.config["home"]["mode"] == "controller" and address is not None:
        machine = op.machine(scheduler(op))
        await op.step("serve it no homes", homes.unshare, machine, [address])


async def _clear(op: moorage.MemberOperation) -> None:
    """Leave the host as it was, and look whether it is."""
    role = op.member.component
    node = op.node
    theirs: list[str] = await op.step("take everything off", host.clear, node, role, no_return=True)
    for what in await op.step("look what is left", host.scan, node, role, theirs):
        op.residue(what, op.member.name, "It was still there after everything was taken off.")
