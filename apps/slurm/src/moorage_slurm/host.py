"""Verbs on a host of a cluster. Each is safe to run twice; none decides anything."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import moorage
from moorage_slurm import archive, cluster, render
from moorage_slurm.onhost import main, nodes, state

Json = dict[str, Any]
PYTHON = "/usr/bin/python3"
AT_ONCE = 50
"""Hosts that are worked on at the same time."""
RETRYABLE = frozenset({"scheduler_silent", "daemon_silent", "accounting_refused"})
COMES_WITHIN = 30
"""Seconds for which a worker knocks at a scheduler before it is asked how the controller fares."""


async def ask(
    machine: moorage.Machine,
    verb: str,
    given: Json | None = None,
    *,
    within: int = 120,
    secrets: Sequence[moorage.Secret] = (),
) -> Json:
    """What the program on the host answers. Raises where it refuses."""
    done = await machine.exec(
        PYTHON,
        archive.PATH,
        verb,
        stdin=json.dumps(given or {}),
        secret_files=secrets,
        timeout=within,
        repeatable=True,
        check=False,
    )
    if done.exit_code == 0:
        return json.loads(done.stdout)
    if done.exit_code == main.REFUSED:
        said = json.loads(done.stdout)
        recovery = "retryable" if said["code"] in RETRYABLE else "operator"
        raise moorage.Fail(
            said["code"], f"{machine.name}: {said['message']}", recovery=recovery, log=said["log"]
        )
    raise moorage.Fail(
        "program_broken",
        f"{machine.name}: `tool.pyz {verb}` ended with {done.exit_code}.",
        recovery="repairable",
        log=done.stderr.splitlines()[-20:],
    )


# --- many hosts ----------------------------------------------------------------------------------

OnHost = Callable[[moorage.Machine], Awaitable[object]]


async def everywhere(
    machines: Sequence[moorage.Machine],
    do: OnHost,
    *,
    seen: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, str]:
    """Do something on every host, side by side. Why it came to nothing, by name.

    A host that does not answer the platform is not tried: nobody waits for it.
    """
    gate, failed, done = asyncio.Semaphore(AT_ONCE), dict[str, str](), 0

    async def one(machine: moorage.Machine) -> None:
        nonlocal done
        async with gate:
            try:
                if not machine.member.reachable:
                    raise moorage.Fail("host_silent", "Its host does not answer.")
                await do(machine)
            except (moorage.Fail, moorage.Retry) as err:
                failed[machine.name] = err.message
        done += 1
        seen(done, len(machines))

    await asyncio.gather(*map(one, machines))
    return dict(sorted(failed.items()))


async def must_everywhere(machines: Sequence[moorage.Machine], do: OnHost) -> None:
    """The same, where it has to come to an end on every host."""
    failed = await everywhere(machines, do)
    if failed:
        raise moorage.Fail("hosts_failed", by_host(failed), recovery="retryable")


def by_host(why: Mapping[str, str]) -> str:
    return " ".join(f"{name}: {words}" for name, words in why.items())


# --- a host for a role ---------------------------------------------------------------------------


async def look(machine: moorage.Machine, role: str, mounts: str = "") -> Json:
    """Bring the program, and see what the host is and has, and whether it can mount a kind."""
    await machine.put(archive.PATH, archive.make(), mode="0755", parents=True)
    given = {"packages": [*cluster.PACKAGES[role]], "mounts": mounts}
    return await ask(machine, "look.look", given)


async def unlook(machine: moorage.Machine, role: str, mounts: str = "") -> None:
    """Undo that: the program goes, where no role needs it."""
    await scan(machine, role, [])


async def install(machine: moorage.Machine, role: str, series: str, there: Json) -> bool:
    """Have the packages of a role; nothing starts by itself. Whether anything was changed."""
    given = {"role": role, "stay": machine.member.allocation_id}
    await ask(machine, "setup.begin", given)
    if cluster.has_packages(there, role, series):
        return False
    done = await machine.packages(artifact=f"{role}.tar", start=False)
    # A file of a package goes with it: replaced by ours, a wipe of the host would put it back.
    given = {"packages": sorted(done.versions), "less": [f"{render.CONFIG}/plugstack.conf"]}
    await ask(machine, "versions.brought", given)
    return done.changed


async def put_key(machine: moorage.Machine, key: moorage.Secret, auth: str) -> bool:
    """The cluster's key, and who checks it; whether the host had another."""
    return (await ask(machine, "keys.put", {"auth": auth}, secrets=[key]))["changed"]


async def write(machine: moorage.Machine, files: Mapping[str, str]) -> list[str]:
    """Files that everybody may read; which of them were others before."""
    paths = sorted(files)
    done = await asyncio.gather(
        *(machine.put(path, files[path], mode="0644", parents=True) for path in paths)
    )
    return [path for path, changed in zip(paths, done, strict=True) if changed]


async def await_people(machine: moorage.Machine, people: Mapping[str, int]) -> list[str]:
    """Until everybody has an account on the host who can have one; why the others cannot."""
    found = await ask(machine, "look.people", {"people": people})
    missing = found["missing"]
    if missing:
        few = ", ".join(missing[:5])
        raise moorage.Wait(f"{few} {'is' if len(missing) == 1 else 'are'} not there yet", recheck=1)
    return [*found["clashes"].values()]


async def mount_homes(machine: moorage.Machine, unit: str) -> None:
    """Have homes from elsewhere. Those that went stale are mounted anew."""
    done = await machine.service("home.mount", content=unit)
    anew = done.is_active and (done.changed or (await ask(machine, "homes.stale"))["stale"])
    await machine.service("home.mount", "restarted" if anew else "started", enabled=False)


async def unmount_homes(machine: moorage.Machine, unit: str) -> None:
    """Undo the mount of homes."""
    await machine.service("home.mount", "stopped", enabled=False)


async def prove_homes(controller: moorage.Machine, machine: moorage.Machine, word: str) -> None:
    """What the controller's host writes into /home, another host reads there."""
    mark = {"folder": "/home", "name": machine.name}
    await ask(controller, "setup.mark", {**mark, "word": word})
    seen = await ask(machine, "setup.mark", mark)
    await ask(controller, "setup.unmark", mark)
    if seen["word"] != word:
        why = seen.get("why") or f"it reads {seen['word']!r}"
        raise moorage.Fail(
            "homes_differ",
            f"/home of {machine.name} is not the /home of {controller.name}: a word that one wrote"
            f" is not there on the other ({why}). Check the export in the configuration's `home`.",
        )


# --- the controller's host -----------------------------------------------------------------------


def helpers() -> dict[str, str]:
    """Files of the controller's host that are the same in every cluster, by path."""
    return {**render.placed(render.controller_units()), **render.helper_units(archive.PATH)}


async def start_database(machine: moorage.Machine) -> None:
    """Have the database run. It may run already, as somebody else has set it up."""
    await write(machine, {render.DATABASE_FILE: render.DATABASE_CONF})
    await machine.service("mariadb.service", "restarted", enabled=False)
    await ask(machine, "setup.database")


async def start_accounting(machine: moorage.Machine, conf: str, address: str) -> None:
    await machine.put(render.ACCOUNTING, conf, mode="0600", owner="slurm", group="slurm")
    unit = render.unit_slurmdbd()
    await machine.service("slurmdbd.service", "started", content=unit, enabled=False)
    given = {"address": address, "port": render.DATABASE_PORT, "unit": "slurmdbd"}
    await ask(machine, "setup.await", given)


async def start_scheduler(machine: moorage.Machine) -> None:
    unit = render.unit_slurmctld()
    await machine.service("slurmctld.service", "started", content=unit, enabled=False)
    await ask(machine, "accounting.await")


async def start_lookout(machine: moorage.Machine) -> None:
    """Let probes see how the cluster is."""
    await machine.service(f"{render.LOOKOUT}.socket", "started", enabled=False)


async def mend_files(machine: moorage.Machine, files: Mapping[str, str], accounting: str) -> None:
    """Have the files of the controller's host as they should be, and daemons that read them."""
    await machine.put(archive.PATH, archive.make(), mode="0755", parents=True)
    units = render.controller_units()
    found = await ask(machine, "config.mend", {"files": files, "units": [*units]})
    stale: set[str] = {*found["overridden"]}
    if await machine.put(render.ACCOUNTING, accounting, mode="0600", owner="slurm", group="slurm"):
        stale.add("slurmdbd.service")
    for unit, text in units.items():
        if (await machine.service(unit, content=text)).changed:
            stale.add(unit)
    for unit in sorted(stale, reverse=True):
        await machine.service(unit, "restarted", enabled=False)


async def start_copies(machine: moorage.Machine) -> None:
    """Have workers keep what the cluster knows, for the day on which this host dies."""
    await machine.service(f"{render.COPY}.timer", "started", enabled=False)


async def start_keeper(machine: moorage.Machine) -> None:
    """Let a worker keep copies of what the cluster knows."""
    await machine.service(f"{render.KEEP}.service", content=render.unit_keep(archive.PATH))
    unit = render.socket_keep(state.KEEP_PORT)
    await machine.service(f"{render.KEEP}.socket", "started", content=unit, enabled=False)


async def mend_scheduler(machine: moorage.Machine, home: str | None, auth: str) -> None:
    """Have the scheduler answer. One that runs and says nothing is started anew."""
    await machine.put(archive.PATH, archive.make(), mode="0755", parents=True)
    await write(machine, render.helper_units(archive.PATH))
    if home is not None:
        await mount_homes(machine, home)
    if auth == "munge":
        await ask(machine, "keys.start")
    await machine.service("slurmctld.service", "started")
    try:
        await ask(machine, "accounting.await")
    except moorage.Fail:
        await machine.service("slurmctld.service", "restarted")
        await ask(machine, "accounting.await")
    await start_lookout(machine)
    await machine.service(f"{render.PEOPLE}.path", "started")
    await start_copies(machine)


async def mend_accounting(machine: moorage.Machine, address: str, settings: Json) -> None:
    """Have accounting answer, its database behind it, and everybody in the books."""
    await machine.service("mariadb.service", "started")
    await machine.service("slurmdbd.service", "started")
    given = {"address": address, "port": render.DATABASE_PORT, "unit": "slurmdbd", "seconds": 20}
    try:
        await ask(machine, "setup.await", given)
        await open_books(machine, settings)
    except moorage.Fail:
        await machine.service("slurmdbd.service", "restarted")
        await ask(machine, "setup.await", given)
        await open_books(machine, settings)


async def stop_controller(machine: moorage.Machine) -> None:
    aside = (f"{render.COPY}.timer", f"{render.PEOPLE}.path")
    for unit in (*aside, "slurmctld.service", "slurmdbd.service", "mariadb.service"):
        await machine.service(unit, "stopped")


async def restart_controller(machine: moorage.Machine) -> None:
    for unit in ("slurmdbd.service", "slurmctld.service"):
        await machine.service(unit, "restarted")
    await ask(machine, "accounting.await")


async def reconfigure(machine: moorage.Machine) -> None:
    await machine.exec("scontrol", "reconfigure", repeatable=True)


async def version(machine: moorage.Machine) -> str:
    """The version of the scheduler that runs, as it says itself."""
    return (await ask(machine, "scheduler.version"))["version"]


async def open_books(machine: moorage.Machine, settings: Json) -> Json:
    """The account of the project, the people, and what keeps them the same as on the host."""
    text = json.dumps(settings, indent=2, sort_keys=True) + "\n"
    await machine.put("/etc/moorage-slurm/accounting.json", text, mode="0644", parents=True)
    given = {name: settings[name] for name in ("account", "cluster", "title")}
    found, _ = await asyncio.gather(
        ask(machine, "accounting.ensure", given),
        machine.service(f"{render.PEOPLE}.path", "started", enabled=False),
    )
    return found


# --- a worker's host -----------------------------------------------------------------------------


async def write_worker(machine: moorage.Machine, unit: str) -> bool:
    """The unit of a worker, which begins when its scheduler answers; whether it was another."""
    return (await machine.service("slurmd.service", content=unit, enabled=False)).changed


async def start_worker(machine: moorage.Machine, unit: str) -> None:
    state = "restarted" if await write_worker(machine, unit) else "started"
    await machine.service("slurmd.service", state, enabled=False)


async def stop_worker(machine: moorage.Machine, unit: str) -> None:
    """Undo the start of a worker."""
    await machine.service("slurmd.service", "stopped", enabled=False)


async def restart_worker(machine: moorage.Machine) -> None:
    await machine.service("slurmd.service", "restarted")


async def mend_workers(
    controller: moorage.Machine,
    machines: Sequence[moorage.Machine],
    wanted: Mapping[str, Json],
    key: moorage.Secret,
    auth: str,
) -> None:
    """Have workers run and the scheduler use them, side by side.

    Raises:
        Fail: some stay away; it says which, and what keeps each of them.
    """

    async def one(machine: moorage.Machine) -> None:
        await _mend_worker(controller, machine, wanted[machine.name], key, auth)

    ill = await everywhere(machines, one)
    if ill:
        raise moorage.Fail(
            "workers_ill",
            f"{by_host(ill)} Mend that, or remove or replace the member.",
            recovery="reconcilable",  # a repair must not stand in the way of who removes it
        )


async def _mend_worker(
    controller: moorage.Machine,
    machine: moorage.Machine,
    wanted: Json,
    key: moorage.Secret,
    auth: str,
) -> None:
    """Bring a worker back, or say what keeps it."""
    await machine.put(archive.PATH, archive.make(), mode="0755", parents=True)
    if wanted["home"] is not None:
        await mount_homes(machine, wanted["home"])
    changed = await put_key(machine, key, auth)
    found = await ask(machine, "config.mend", {"files": {}, "units": ["slurmd.service"]})
    await start_keeper(machine)
    await start_worker(machine, wanted["unit"])
    known = (await ask(controller, "nodes.mend", {"node": machine.name}))["known"]
    # A worker makes itself known when it starts, and not again.
    if changed or found["overridden"] or not known:
        await restart_worker(machine)
    found = await ask(controller, "nodes.await", {"node": machine.name, "seconds": 15})
    if found["registered"]:
        await canary(controller, machine.name)
        return
    given = {"address": controller.address, "port": render.PORT}
    why = (await ask(machine, "nodes.why", given))["why"]
    raise moorage.Fail("worker_silent", " ".join(why))


async def await_registered(controller: moorage.Machine, name: str) -> Json:
    """Until the scheduler would give the worker a job."""
    found = await ask(controller, "nodes.await", {"node": name, "seconds": 10})
    if found["registered"]:
        return found["node"]
    node = found["node"]
    said = "it has not heard of it" if node is None else f"{'+'.join(node['states'])}"
    why = f", {node['reason']}" if node is not None and node["reason"] else ""
    raise moorage.Retry(f"the scheduler would not use {name}: {said}{why}", after=5)


async def await_scheduler(machine: moorage.Machine, address: str, status: str) -> None:
    """Until a worker can reach the scheduler, which comes into being beside it in a deployment."""
    if status in cluster.SETTLED:
        return
    if status == "failed":
        raise moorage.Fail(
            "controller_failed",
            "The controller could not join. Retry or replace it, then resume this operation.",
        )
    given = {"address": address, "port": render.PORT, "seconds": COMES_WITHIN}
    if not (await ask(machine, "scheduler.reach", given))["reached"]:
        raise moorage.Wait(f"no scheduler answers at {address} yet", recheck=1)


async def begin_worker(machine: moorage.Machine, unit: str, address: str, last: bool) -> None:
    """Start a worker, which asks the scheduler for its configuration first."""
    try:
        await machine.service("slurmd.service", "restarted", content=unit, enabled=False)
    except moorage.Fail as err:
        await _give_reason(machine, address, f"slurmd does not start on {machine.name}", last, err)


async def end_worker(machine: moorage.Machine, unit: str, address: str, last: bool) -> None:
    """Undo the start of a worker."""
    await stop_worker(machine, unit)


async def join(
    controller: moorage.Machine, machine: moorage.Machine, address: str, last: bool
) -> Json:
    """Until the scheduler would give the worker a job; at last, say what keeps it from that."""
    try:
        return await await_registered(controller, machine.name)
    except moorage.Retry as err:
        return await _give_reason(machine, address, err.message, last, err)


async def _give_reason(
    machine: moorage.Machine, address: str, what: str, last: bool, err: Exception
) -> Json:
    """Try again, or stop and say what keeps a worker from being heard, and the ways out.

    Where its host does not even reach the scheduler, another try says nothing new.
    """
    found = await ask(machine, "nodes.why", {"address": address, "port": render.PORT})
    if found["reaches"] and not last:
        raise moorage.Retry(what, after=5) from err
    raise moorage.Fail(
        "worker_silent",
        f"{what[0].upper()}{what[1:]}. {' '.join(found['why'])} Mend that and resume this"
        " operation; or cancel it, and the host is left as it was.",
        log=found["log"],
    ) from err


async def unjoin(
    controller: moorage.Machine, machine: moorage.Machine, address: str, last: bool
) -> None:
    """Undo the registration of a worker: one that still tries would come back by itself."""
    await stop_worker(machine, "")
    await forget(controller, machine.name)


async def forget(controller: moorage.Machine, name: str) -> None:
    """Let the scheduler forget a worker that has no jobs."""
    await ask(controller, "nodes.delete", {"node": name})


async def canary(controller: moorage.Machine, name: str) -> None:
    """A first job, of the platform's own."""
    await ask(controller, "nodes.canary", {"node": name})


async def try_a_job(controller: moorage.Machine, names: Sequence[str]) -> str | None:
    """The same on one of these workers that has room; on which, if there is one."""
    await controller.put(archive.PATH, archive.make(), mode="0755", parents=True)
    return (await ask(controller, "nodes.try", {"nodes": [*names]}))["node"]


async def close(controller: moorage.Machine, name: str, reason: str) -> Json:
    """Start no more jobs on a worker: since when, and the reason of a drain that is not ours."""
    given = {"node": name, "owner": nodes.MEMBER, "reason": reason}
    found = await ask(controller, "nodes.close", given)
    theirs = found["reason"] if found["drained_by_another"] else None
    return {"since": datetime.now(UTC).isoformat(), "theirs": theirs}


async def unclose(controller: moorage.Machine, name: str, reason: str) -> None:
    """Undo a drain of ours."""
    await ask(controller, "nodes.release", {"node": name, "owner": nodes.MEMBER})


async def reopen(controller: moorage.Machine, name: str) -> None:
    await ask(controller, "nodes.reopen", {"node": name, "owner": nodes.MEMBER})


async def wait_for_jobs(controller: moorage.Machine, name: str, force: bool) -> list[int]:
    """Until nothing runs on a worker; what was taken off it."""
    cut: list[int] = []
    if force:
        cut = (await ask(controller, "nodes.evict", {"node": name}))["jobs"]
    jobs = (await ask(controller, "nodes.now", {"node": name}))["jobs"]
    if not jobs:
        return cut
    raise moorage.Wait(f"waiting for {some_jobs(jobs)} on {name}", recheck=1 if force else 5)


def some_jobs(jobs: Sequence[int]) -> str:
    few = ", ".join(map(str, jobs[:5]))
    return f"job{'s' if len(jobs) > 1 else ''} {few}{' and more' if len(jobs) > 5 else ''}"


async def forget_lost(controller: moorage.Machine, name: str) -> list[int]:
    """Let the scheduler forget a worker whose host is gone; the jobs that ran there."""
    found = await ask(controller, "nodes.forget_lost", {"node": name})
    if not found["gone"]:
        raise moorage.Retry(f"the scheduler still counts {some_jobs(found['jobs'])} on {name}")
    return found["jobs"]


async def retire(machine: moorage.Machine) -> None:
    """Stop a worker so that nothing starts it again, and take the key away."""
    await machine.put(archive.PATH, archive.make(), mode="0755", parents=True)
    await ask(machine, "leave.retire")


async def know_gpus(controller: moorage.Machine, lines: Mapping[str, Sequence[str]]) -> bool:
    """Which GPUs workers have, before their daemons say so. Whether anything had to be read."""
    found = await ask(controller, "gres.know", {"nodes": lines})
    return found["reconfigured"]


async def end_jobs(controller: moorage.Machine, policy: str) -> None:
    """Until no job is left: they are cancelled, or awaited.

    Where they are not awaited, a scheduler that does not answer keeps nobody: they end with their
    workers.
    """
    try:
        left = (await ask(controller, "queue.end", {"policy": policy}))["jobs"]
    except moorage.Fail as err:
        if policy == "cancel" and err.code == "scheduler_silent":
            return
        raise
    if left:
        raise moorage.Wait(
            f"waiting for {some_jobs(left)}", recheck=1 if policy == "cancel" else 10
        )


# --- leaving -------------------------------------------------------------------------------------


async def take_off(machine: moorage.Machine, role: str, series: str, there: Json) -> None:
    """Undo an installation."""
    await clear(machine, role)


async def clear(machine: moorage.Machine, role: str) -> list[str]:
    """Take everything of a role off the host; what of the kind was there before, and is again."""
    await machine.put(archive.PATH, archive.make(), mode="0755", parents=True)
    return (await ask(machine, "leave.clear", {"role": role}, within=600))["theirs"]


async def scan(machine: moorage.Machine, role: str, theirs: list[str]) -> list[str]:
    """What is still there of a role, and not theirs; the program itself goes with the last one."""
    await machine.put(archive.PATH, archive.make(), mode="0755", parents=True)
    found = await ask(machine, "leave.scan", {"role": role, "theirs": theirs})
    if not found["others"]:
        await machine.exec("rm", "-rf", archive.FOLDER, repeatable=True)
    return found["left"]
