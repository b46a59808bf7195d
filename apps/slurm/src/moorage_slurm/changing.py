"""Changes of a cluster that runs: its configuration, its key, its daemons.

Most of a configuration is read anew by daemons that run, and no job notices. Two things every
daemon has to agree on from its start: how it proves who it is, and what its GPUs are called. They
change while nothing runs: the queue is closed, what runs ends in its own time, then daemons are
started anew. A change that is cancelled on the way is taken back whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import moorage
from moorage_slurm import cluster, exchange, host, keys, render
from moorage_slurm.app import app
from moorage_slurm.joining import books, people_of, scheduler
from moorage_slurm.repairing import repair
from moorage_slurm.trying import try_a_job

Json = dict[str, Any]


@app.instance.configure
async def configure(op: moorage.InstanceOperation) -> None:
    """The files, and the least that makes them count."""
    before = op.instance.previous
    if before is None:
        raise moorage.Fail("previous_missing", "Nobody knows the configuration before this one.")
    cluster.check_change(op.instance, before.config)
    controller = scheduler(op)
    machine = op.machine(controller)
    old, new = (_wanted(op, controller, each) for each in (before.config, op.instance.config))
    if new["files"] != old["files"]:
        trial = {**op.instance.config, "auth": before.config["auth"]}
        files = _wanted(op, controller, trial)["files"]
        await op.step("try the configuration", rehearse, machine, files)
    if (new["auth"], new["units"]) != (old["auth"], old["units"]):
        await _change_at_rest(op, machine, old, new)
    elif new["files"] != old["files"]:
        files = (new["files"], old["files"])
        await op.step("change the configuration", change, machine, *files, undo=change_back)
    people = await people_of(op)
    was = books(op.instance.model_copy(update={"config": before.config}), people)
    now = books(op.instance, people)
    if now != was:
        await op.step("change the books", change_books, machine, now, was, undo=change_books_back)
    if new != old:
        await try_a_job(op)


def _wanted(
    op: moorage.InstanceOperation, controller: moorage.Member, config: Mapping[str, Any]
) -> Json:
    """What a configuration makes of the hosts."""
    whole = replace(cluster.cluster(op.instance, controller), config=config)
    members = [each for each in op.instance.of(cluster.WORKER) if each.host_address]
    workers = [cluster.worker(each, config) for each in members]
    settled = {each.name for each in cluster.workers_of(op.instance)}
    return {
        "auth": config["auth"],
        "files": render.config_files(whole, workers),
        "closed": render.config_files(replace(whole, closed=True), workers),
        "accounting": render.slurmdbd_conf(whole),
        "units": {
            each.name: render.unit_slurmd(each, controller=whole.address)
            for each in workers
            if each.name in settled
        },
    }


# --- while jobs run ------------------------------------------------------------------------------


async def rehearse(machine: moorage.Machine, files: Mapping[str, str]) -> None:
    """Refuse what Slurm would refuse, before anything is replaced."""
    await exchange.bring_program(machine)
    await host.ask(machine, "config.rehearse", {"files": files})


async def change(machine: moorage.Machine, files: Json, before: Json) -> None:
    """Have these files count; those of before where the scheduler does not come up with them."""
    await host.ask(machine, "config.change", {"files": files, "before": before})


async def change_back(machine: moorage.Machine, files: Json, before: Json) -> None:
    """Undo that."""
    await change(machine, before, files)


async def change_books(machine: moorage.Machine, settings: Json, before: Json) -> None:
    await host.open_books(machine, settings)


async def change_books_back(machine: moorage.Machine, settings: Json, before: Json) -> None:
    """Undo that."""
    await host.open_books(machine, before)


# --- while nothing runs --------------------------------------------------------------------------


async def _change_at_rest(
    op: moorage.InstanceOperation, machine: moorage.Machine, old: Json, new: Json
) -> None:
    members = cluster.workers_of(op.instance)
    silent = [each for each in members if not each.reachable]
    if silent:
        raise moorage.Fail(
            "members_silent",
            f"Every daemon has to be started anew, and {cluster.names(silent)} cannot be reached."
            " Repair, replace or remove them and resume this operation; or cancel it.",
        )
    workers = [op.machine(each) for each in members]
    await op.step(
        "close the queue",
        exchange.close_queue,
        machine,
        old["closed"],
        old["files"],
        undo=exchange.open_queue,
    )
    await op.step("wait for jobs", wait_for_jobs, machine, workers)
    renamed = [name for name, unit in new["units"].items() if unit != old["units"][name]]
    given = (machine, workers, renamed)
    await op.step("stop everything", stop_all, *given, old, undo=start_all)
    await op.step("start it as it should be", start_all, *given, new, undo=stop_again)


async def wait_for_jobs(controller: moorage.Machine, workers: Sequence[moorage.Machine]) -> None:
    """Until nothing is at work, however long that takes."""
    await exchange.wait_for_jobs(controller, workers, overdue=False)


async def stop_all(
    controller: moorage.Machine,
    workers: Sequence[moorage.Machine],
    renamed: Sequence[str],
    wanted: Json,
) -> None:
    """Workers first: the scheduler is not to miss anybody.

    It forgets those whose GPUs get other names: of one that it knows it takes no others.
    """
    await host.must_everywhere(workers, lambda each: each.service("slurmd.service", "stopped"))
    for name in renamed:
        await host.forget(controller, name)
    for unit in ("slurmctld.service", "slurmdbd.service"):
        await controller.service(unit, "stopped")


async def stop_again(
    controller: moorage.Machine,
    workers: Sequence[moorage.Machine],
    renamed: Sequence[str],
    wanted: Json,
) -> None:
    """Undo a start, for the undo of the stop to start it as it was."""
    if (await controller.service("slurmctld.service")).is_active:
        await stop_all(controller, workers, renamed, wanted)


async def start_all(
    controller: moorage.Machine,
    workers: Sequence[moorage.Machine],
    renamed: Sequence[str],
    wanted: Json,
) -> None:
    """Start every daemon as it is wanted: accounting, the scheduler, workers."""
    auth = {"auth": wanted["auth"]}
    hosts = {each.member.allocation_id: each for each in (*workers, controller)}
    await host.must_everywhere([*hosts.values()], lambda each: host.ask(each, "keys.switch", auth))
    await host.write(controller, wanted["files"])
    await host.start_accounting(controller, wanted["accounting"], controller.address)
    await host.start_scheduler(controller)
    await host.ask(controller, "accounting.await")

    async def start(machine: moorage.Machine) -> None:
        await host.start_worker(machine, wanted["units"][machine.name])
        await host.await_registered(controller, machine.name)

    await host.must_everywhere(workers, start)


# --- the key -------------------------------------------------------------------------------------


@app.rotate
async def rotate(op: moorage.InstanceOperation) -> Json:
    """A new key for everybody."""
    late = await keys.change_key(op)
    await try_a_job(op)
    return {"late": late}


# --- daemons -------------------------------------------------------------------------------------


@app.instance.stop
async def stop(op: moorage.InstanceOperation) -> None:
    """Jobs wait where they are; those that run go on, and are heard again after the start."""
    controller = scheduler(op)
    machine = op.machine(controller)
    running: list[int] = await op.step("look what runs", running_jobs, machine)
    if running:
        op.message(f"Daemons stop; what runs goes on: {host.some_jobs(running)}.")
    members = cluster.workers_of(op.instance)
    workers = [op.machine(each) for each in members if each.reachable]
    for each in members:
        if not each.reachable:
            op.residue("slurmd", each.name, "Its host does not answer, so its daemon may run.")
    await op.step("stop the workers", stop_workers, workers, undo=start_workers)
    await op.step("stop the controller", host.stop_controller, machine, undo=start_controller)


@app.instance.start
async def start(op: moorage.InstanceOperation) -> None:
    """What does not run is mended, and every worker tried; taken back, nothing runs again."""
    machine = op.machine(scheduler(op))
    workers = [op.machine(each) for each in cluster.workers_of(op.instance) if each.reachable]
    await op.step("begin to start", begin_start, machine, workers, undo=end_start)
    await repair(op)


@app.instance.restart
async def restart(op: moorage.InstanceOperation) -> None:
    """The controller's daemons, then workers side by side. Jobs do not notice."""
    machine = op.machine(scheduler(op))
    workers = [op.machine(each) for each in cluster.workers_of(op.instance) if each.reachable]
    await op.step("restart the controller", host.restart_controller, machine)
    await op.step("restart the workers", restart_workers, machine, workers)
    await try_a_job(op)


async def running_jobs(machine: moorage.Machine) -> list[int]:
    return (await host.ask(machine, "versions.active"))["jobs"] or []


async def stop_workers(machines: Sequence[moorage.Machine]) -> None:
    await host.must_everywhere(machines, lambda each: each.service("slurmd.service", "stopped"))


async def start_workers(machines: Sequence[moorage.Machine]) -> None:
    """Undo that."""
    await host.must_everywhere(machines, lambda each: each.service("slurmd.service", "started"))


async def start_controller(machine: moorage.Machine) -> None:
    """Undo a stop: the database first."""
    for unit in ("mariadb.service", "slurmdbd.service", "slurmctld.service"):
        await machine.service(unit, "started")
    for unit in (f"{render.PEOPLE}.path", f"{render.COPY}.timer"):
        await machine.service(unit, "started")


async def begin_start(controller: moorage.Machine, workers: Sequence[moorage.Machine]) -> None:
    """Nothing yet: from here on there is something to stop where this is taken back."""


async def end_start(controller: moorage.Machine, workers: Sequence[moorage.Machine]) -> None:
    """Undo whatever of it runs by now."""
    await stop_workers(workers)
    await host.stop_controller(controller)


async def restart_workers(controller: moorage.Machine, machines: Sequence[moorage.Machine]) -> None:
    async def one(machine: moorage.Machine) -> None:
        await host.restart_worker(machine)
        await host.await_registered(controller, machine.name)

    await host.must_everywhere(machines, one)
