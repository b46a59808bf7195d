"""Changes of a cluster that runs: its configuration, its keys, its daemons."""

import moorage
from moorage_slurm import cluster, host, render
from moorage_slurm.app import KEY, app
from moorage_slurm.joining import books, scheduler
from moorage_slurm.repairing import repair


@app.instance.configure
async def configure(op: moorage.InstanceOperation) -> None:
    """The files, and the least that makes them count."""
    controller = scheduler(op)
    machine = op.machine(controller)
    whole = cluster.cluster(op.instance, controller)
    workers = [cluster.worker(each, op.instance.config) for each in cluster.workers_of(op.instance)]
    files = render.config_files(whole, workers)
    await op.step("write the configuration", host.write, machine, files)
    await op.step("let it count", host.reconfigure, machine)
    await op.step("open the books", host.open_books, machine, books(op.instance))


@app.instance.stop
async def stop(op: moorage.InstanceOperation) -> None:
    for member in cluster.workers_of(op.instance):
        await op.step(f"{member.name}: stop", host.stop_worker, op.machine(member), "")
    await op.step("stop the controller", host.stop_controller, op.machine(scheduler(op)))


@app.instance.start
async def start(op: moorage.InstanceOperation) -> None:
    await repair(op)


@app.instance.restart
async def restart(op: moorage.InstanceOperation) -> None:
    await op.step("restart the controller", host.restart_controller, op.machine(scheduler(op)))
    for member in cluster.workers_of(op.instance):
        await op.step(f"{member.name}: restart", host.restart_worker, op.machine(member))


@app.rotate
async def rotate(op: moorage.InstanceOperation) -> None:
    """A new key for everybody."""

    async def make_new_key() -> None:
        await op.put_secret(KEY, generate=128, rotate=True)

    await op.step("make a new key", make_new_key, no_return=True)
    for machine in op.machines():
        await op.step(
            f"{machine.name}: put the key",
            host.put_key,
            machine,
            op.secret(KEY),
            op.instance.config["auth"],
        )
