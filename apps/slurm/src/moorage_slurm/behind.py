"""Workers of another release: those that were missing when the version was changed."""

import moorage
from moorage_slurm import cluster, exchange, host, render
from moorage_slurm.joining import scheduler
from moorage_slurm.onhost import versions


def worker_of(
    op: moorage.Operation, member: moorage.Member, controller: moorage.Member
) -> exchange.Worker:
    wanted = cluster.worker(member, op.instance.config)
    unit = render.unit_slurmd(wanted, controller=cluster.address(controller))
    alone = member.allocation_id != controller.allocation_id
    return exchange.Worker(op.machine(member), unit, alone)


async def catch_up(op: moorage.InstanceOperation) -> None:
    """Bring workers along that were missing when the version was changed.

    It comes before they are mended otherwise: the scheduler may not even listen to their release.
    """
    controller = scheduler(op)
    machine = op.machine(controller)

    async def change_all() -> dict[str, str]:
        try:
            known = (await host.ask(machine, "nodes.list"))["nodes"]
        except moorage.Fail:  # whoever mends the scheduler says what is wrong with it
            return {}
        aside = {each["node"] for each in known if versions.REASON in each["reason"]}
        workers = [
            worker_of(op, each, controller)
            for each in cluster.workers_of(op.instance)
            if each.name in aside and each in op.concerned and each.reachable
        ]

        async def do(worker: exchange.Worker) -> None:
            await exchange.change_worker(worker)
            await exchange.start_worker(machine, worker)
            await exchange.take_back(machine, worker.name)

        return await exchange.on_workers(workers, do)

    for name, why in (await op.step("bring workers to the release", change_all)).items():
        op.message(f"{name} still runs another release: {why}")
