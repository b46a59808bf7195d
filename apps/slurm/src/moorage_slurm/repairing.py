"""Bringing back what should run and does not. What runs is left alone."""

import moorage
from moorage_slurm import behind, cluster, exports, homes, host, render
from moorage_slurm.app import KEY, app
from moorage_slurm.joining import books, people_of, scheduler


@app.instance.repair
async def repair(op: moorage.InstanceOperation) -> None:
    """Mend the members that it is about: the scheduler first, accounting last.

    The scheduler runs without accounting, and jobs without either; so what cannot be mended does
    not keep the rest from it.
    """
    controller = scheduler(op)
    machine = op.machine(controller)
    whole = controller in op.concerned
    if whole:
        config = op.instance.config
        await have_export(op, machine)
        home = render.mount_home(config["home"], controller=None)
        files = cluster.files_of(op.instance, controller)
        accounting = files[render.ACCOUNTING]
        shared = {path: text for path, text in files.items() if path in render.SHARED}
        await op.step("mend the files", host.mend_files, machine, shared, accounting)
        await op.step("mend the scheduler", host.mend_scheduler, machine, home, config["auth"])
        if config["home"]["mode"] == "controller":
            conf = cluster.homes_conf(op.instance, controller)
            await op.step("mend homes", homes.serve, machine, conf)
    workers = [
        each for each in cluster.workers_of(op.instance) if each in op.concerned and each.reachable
    ]
    await behind.catch_up(op)
    await mend_workers(op, controller, workers)
    if whole:
        address, settings = cluster.address(controller), books(op.instance, await people_of(op))
        await op.step("mend accounting", host.mend_accounting, machine, address, settings)


async def have_export(op: moorage.InstanceOperation, machine: moorage.Machine) -> None:
    """Nothing is mounted when a host starts."""
    wish = exports.wish(op.instance)
    if wish is not None:
        await op.step("mount the export", exports.bring, machine, wish)


async def mend_workers(
    op: moorage.InstanceOperation, controller: moorage.Member, workers: list[moorage.Member]
) -> None:
    """Bring workers back, side by side. One that stays away is named, with what keeps it."""
    if not workers:
        return
    config, address = op.instance.config, cluster.address(controller)
    home = render.mount_home(config["home"], controller=address)
    wanted = {
        each.name: {
            "unit": render.unit_slurmd(cluster.worker(each, config), controller=address),
            "home": home if each.allocation_id != controller.allocation_id else None,
        }
        for each in workers
    }
    await op.step(
        "mend workers",
        host.mend_workers,
        op.machine(controller),
        [op.machine(each) for each in workers],
        wanted,
        op.secret(KEY),
        config["auth"],
    )
