"""Coming into being: the deployment, and members that join."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import moorage
from moorage_slurm import cluster, homes, host, render, succession
from moorage_slurm.app import KEY, app

Json = dict[str, Any]
KEY_BYTES = 128
TRIES = 2
"""Times that a worker may try to be heard before a person has to look."""


@app.instance.deploy.prepare
async def prepare(op: moorage.InstanceOperation) -> None:
    """The key. Everything else all members do side by side; workers wait for the scheduler."""
    await op.put_secret(KEY, generate=KEY_BYTES)


@app.instance.deploy
async def conclude(op: moorage.InstanceOperation) -> None:
    """Every member is there: say what the cluster is."""
    controller = scheduler(op)
    if cluster.has_local_homes(op.instance):
        op.message(cluster.LOCAL_HOMES)
    op.report_instance(
        endpoints=cluster.endpoints(controller),
        topology_mode=cluster.topology(op.instance),
        runtime_version=controller.runtime_version,
    )


@app.member("controller").add
async def add_controller(op: moorage.MemberOperation) -> None:
    member, config = op.member, op.instance.config
    mounts = cluster.kind_of_homes(config["home"], cluster.CONTROLLER)
    look = await _look(op, mounts)
    legacy = await _find_legacy(op)
    processes = cluster.choose_processes(config["process_tracking"], look)
    if legacy is not None and legacy.copy is not None:
        processes = legacy.copy["processes"]
    check(member, look, processes=processes, config=config, mounts=mounts)
    await _install(op, look)
    database = op.beside("start the database", host.start_database, op.node)
    await op.step("put the key", host.put_key, op.node, op.secret(KEY), config["auth"])
    await _have_homes(op)
    whole = render.Cluster(
        name=render.cluster_name(op.instance.id),
        hostname=look["hostname"],
        address=cluster.address(member),
        config=config,
        processes=processes,
        first_job=1 if legacy is None else legacy.first_job,
        closed=legacy is not None and legacy.is_old,
    )
    files = {**render.config_files(whole, _workers(op)), **host.helpers()}
    await op.step("write the configuration", host.write, op.node, files)
    clashes = await _await_people(op)
    await database
    if legacy is not None:
        await _take_over(op, legacy)
    conf = render.slurmdbd_conf(whole)
    await op.step("start accounting", host.start_accounting, op.node, conf, whole.address)
    # Before the scheduler: it finds everybody in the books when it starts.
    settings = books(op.instance, await people_of(op))
    await op.step("open the books", host.open_books, op.node, settings)
    await op.step("start the scheduler", host.start_scheduler, op.node)
    if legacy is not None:
        await _gather_workers(op, legacy)
        whole = replace(whole, closed=False)
        files = render.config_files(whole, _workers(op))
        await op.step("let jobs start", succession.open_queue, op.node, files)
    await op.step("let it be looked at", host.start_lookout, op.node)
    await op.step("have workers keep copies", host.start_copies, op.node)
    version = await op.step("ask for its version", host.version, op.node)
    op.report_member(
        health="healthy",
        runtime_version=version,
        adapter_detail={
            "hostname": look["hostname"],
            "processes": processes,
            "first_job": whole.first_job,
            "warnings": [*_warnings(look), *clashes],
        },
    )


async def _find_legacy(op: moorage.MemberOperation) -> succession.Legacy | None:
    """What a controller that takes another's place begins with; None for the first one."""
    if op.member.replaces_id is None:
        return None
    workers = [op.machine(each) for each in cluster.workers_of(op.instance)]
    found = await op.step("look what there is", succession.look, op.node, workers)
    return succession.Legacy(**found)


async def _take_over(op: moorage.MemberOperation, legacy: succession.Legacy) -> None:
    if legacy.keeper is not None:
        keeper = op.machine(legacy.keeper)
        await op.step("fetch what a worker kept", succession.fetch, op.node, keeper)
    if legacy.copy is not None:
        await op.step("take over", succession.take_over, op.node, op.id)


async def _gather_workers(op: moorage.MemberOperation, legacy: succession.Legacy) -> None:
    """Workers follow the new controller, and their jobs go on; nothing runs twice."""
    units = succession.units(op, op.member)
    machines = [op.machine(each) for each in cluster.workers_of(op.instance)]
    said: list[str] = []
    if legacy.is_old:
        jobs: Json = await op.step("settle the jobs", succession.settle, op.node, machines)
        said += succession.words(jobs, empty=legacy.copy is None)
        op.result({"jobs": jobs, "first_job": legacy.first_job})
    home = op.instance.config["home"]
    unit = render.mount_home(home, controller=cluster.address(op.member))
    if unit is not None and home["mode"] == "controller":
        bare = await op.step("let workers have homes", homes.follow, op.node, machines, unit)
        said += [f"{name} has no homes yet: {why}" for name, why in bare.items()]
    left = await op.step("let workers follow", succession.follow, op.node, machines, units)
    said += [f"{name} does not follow yet: {why}" for name, why in left.items()]
    if said:
        op.message(" ".join(said))
    op.report_instance(endpoints=cluster.endpoints(op.member))
    await op.step("forget the copy", succession.drop, op.node)


@app.member("worker").add.prepare
async def prepare_workers(op: moorage.BatchOperation) -> None:
    """What all of them need of the controller's host, once."""
    await know_gpus(op, op.batch)


@app.member("worker").add
async def add_worker(op: moorage.MemberOperation) -> None:
    member, config = op.member, op.instance.config
    controller = scheduler(op)
    whole = cluster.cluster(op.instance, controller)
    beside = member.allocation_id == controller.allocation_id
    mounts = cluster.kind_of_homes(config["home"], cluster.WORKER, beside=beside)
    look = await _look(op, mounts)
    check(member, look, processes=whole.processes, config=config, mounts=mounts)
    await _install(op, look)
    await op.step("put the key", host.put_key, op.node, op.secret(KEY), config["auth"])
    await op.step("let it keep copies", host.start_keeper, op.node)
    address, status = whole.address, controller.status
    unit = render.unit_slurmd(cluster.worker(member, config), controller=address)
    await op.step("write its unit", host.write_worker, op.node, unit)
    clashes = await _await_people(op)
    await op.step("wait for the scheduler", host.await_scheduler, op.node, address, status)
    if not beside:
        await _bring_homes(op, controller)
    machine = op.machine(controller)
    await know_gpus(op, [member])
    last = op.attempt >= TRIES
    await op.step(
        "start the worker", host.begin_worker, op.node, unit, address, last, undo=host.end_worker
    )
    node: Json = await op.step(
        "wait until the scheduler knows it",
        host.join,
        machine,
        op.node,
        address,
        last,
        undo=host.unjoin,
    )
    await op.step("run a first job", host.canary, machine, member.name)
    said = [*clashes, *cluster.local_homes(op.instance, member)]
    if said:
        op.message(" ".join(said))
    op.report_member(
        health="healthy",
        runtime_version=node["version"],
        adapter_detail={"node": member.name, "warnings": [*_warnings(look), *said]},
    )


def check(
    member: moorage.Member,
    look: Mapping[str, Any],
    *,
    processes: render.Processes,
    config: Mapping[str, Any],
    mounts: str,
) -> None:
    """Refuse a host that cannot carry its member, and say everything that is against it."""
    found = cluster.objections(look, processes=processes, mounts=mounts)
    if member.component == cluster.WORKER:
        gpus = render.gpus_of(member.inventory, config["gpu_types"])
        found += cluster.missing_gpus(gpus, look["devices"])
    if found:
        raise moorage.Fail("host_unfit", f"The host of {member.name} is unfit: {' '.join(found)}")


async def _look(op: moorage.MemberOperation, mounts: str) -> Json:
    role, undo = op.member.component, host.unlook
    return await op.step("look at the host", host.look, op.node, role, mounts, undo=undo)


async def _install(op: moorage.MemberOperation, look: Mapping[str, Any]) -> None:
    series = cluster.series(op.instance.app_version)
    role, there = op.member.component, look["packages"]
    await op.step(
        "install packages", host.install, op.node, role, series, there, undo=host.take_off
    )


async def _await_people(op: moorage.MemberOperation) -> list[str]:
    """The platform puts people on hosts; nobody's first job comes before them.

    Those who cannot be there keep nobody else from it. They are returned, with what is so.
    """

    async def look_for_people() -> list[str]:
        return await host.await_people(op.node, await people_of(op))

    clashes = await op.step("wait for the people", look_for_people)
    if clashes:
        op.message(" ".join(clashes))
    return clashes


async def know_gpus(op: moorage.Operation, members: Sequence[moorage.Member]) -> None:
    """The scheduler knows the GPUs of workers before their daemons name them."""
    names = op.instance.config["gpu_types"]
    lines = {
        each.name: found
        for each in members
        if (found := render.gres_lines(each.name, render.gpus_of(each.inventory, names)))
    }
    if lines:
        await op.step("make GPUs known", host.know_gpus, op.machine(scheduler(op)), lines)


async def _have_homes(op: moorage.MemberOperation) -> None:
    """Homes on the controller's host: from where they come, or for workers to have."""
    home = op.instance.config["home"]
    await _install_for_homes(op)
    unit = render.mount_home(home, controller=None)
    if unit is not None:
        await op.step("mount homes", host.mount_homes, op.node, unit, undo=host.unmount_homes)
    if home["mode"] == "controller":
        conf = cluster.homes_conf(op.instance, op.member)
        await op.step("serve homes", homes.serve, op.node, conf, undo=homes.unserve)


async def _bring_homes(op: moorage.MemberOperation, controller: moorage.Member) -> None:
    """Homes from where they come, and the proof: what one host writes there, another reads."""
    home, address = op.instance.config["home"], cluster.address(controller)
    unit = render.mount_home(home, controller=address)
    if unit is None:
        return
    await _install_for_homes(op)
    machine = op.machine(controller)
    if home["mode"] == "controller":
        own = [cluster.address(op.member)]
        await op.step("let it have homes", homes.share, machine, own, undo=homes.unshare)
        await op.step("wait for homes", homes.await_served, op.node, address)
    await op.step("mount homes", host.mount_homes, op.node, unit, undo=host.unmount_homes)
    await op.step("prove that homes are shared", host.prove_homes, machine, op.node, op.id)


async def _install_for_homes(op: moorage.MemberOperation) -> None:
    """What homes need is brought only where they need it, and taken off with the rest."""
    name = homes.bundle_for(op.instance.config["home"], op.member.component)
    if name is not None:
        await op.step("install what homes need", homes.install, op.node, name)


def scheduler(op: moorage.Operation) -> moorage.Member:
    """The member that schedules."""
    found = cluster.controller_of(op.instance)
    if found is None:
        raise moorage.Fail(
            "controller_missing",
            "The cluster has no controller. Replace it, then try again.",
            recovery="retryable",
        )
    return found


async def people_of(op: moorage.Operation) -> dict[str, int]:
    """Everybody who may be on the cluster by the platform's word: their numbers, by login."""
    return {person["login"]: person["uid"] for person in await op.principals()}


def books(instance: moorage.Instance, people: Mapping[str, int]) -> Json:
    """What the host needs to keep Slurm's books."""
    return {
        "account": cluster.account(instance),
        "cluster": render.cluster_name(instance.id),
        "title": instance.name,
        "people": dict(people),
        "newcomers": [*cluster.NEWCOMERS],
        "programs": sorted({*instance.config["service_accounts"].values()}),
        "limits": instance.config["limits"],
    }


def _workers(op: moorage.Operation) -> list[render.Worker]:
    """Workers with a host, those that are about to join among them."""
    known = [each for each in op.instance.of(cluster.WORKER) if each.host_address is not None]
    return [cluster.worker(each, op.instance.config) for each in known]


def _warnings(look: Mapping[str, Any]) -> list[str]:
    return cluster.warnings(look, now=time.time())
