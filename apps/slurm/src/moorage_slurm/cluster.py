"""What a cluster should be, as far as the platform's words go. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import moorage
from moorage_slurm import render
from moorage_slurm.onhost import homes

Json = dict[str, Any]
CONTROLLER, WORKER = "controller", "worker"
SETTLED = frozenset({"ready", "draining", "drained"})
"""States of members that have daemons: one that is about to have them is another operation's."""
SERIES = {"1": "24.11", "2": "26.05"}
"""The series of Slurm that a version of the app brings, by its first number."""
PACKAGES: dict[str, tuple[str, ...]] = {
    CONTROLLER: ("slurmctld", "slurmdbd", "slurmd", "slurm-client", "munge", "mariadb-server"),
    WORKER: ("slurmd", "slurm-client", "munge"),
}
NEWCOMERS = (200000, 299999)
"""Numbers that the platform gives to people unless it is set otherwise. Whoever comes to the host
with one is let in at once; people with others when the next look finds them missing."""
LEAST_FREE_MB = 1024
MOST_SKEW, LIMIT_OF_SKEW = 60.0, 300.0
"""Seconds between clocks: beyond the second nobody believes the other's credentials."""
SLOW_NAMES = 2.0


def series(version: str) -> str:
    """The series of Slurm of an app's version."""
    found = SERIES.get(version.partition(".")[0])
    if found is None:
        raise moorage.Fail(
            "version_unknown",
            f"This controller does not know which Slurm version {version} of the app brings. "
            "Run the controller of that version.",
        )
    return found


def account(instance: moorage.Instance) -> str:
    """The account of a project's jobs: every row of accounting says whose it is."""
    return instance.project_id.lower()


def has_packages(there: Mapping[str, str], role: str, wanted: str) -> bool:
    """Whether a host has everything of a role, in the wanted series."""
    names = PACKAGES[role]
    own = [there[name] for name in names if name.startswith("slurm") and name in there]
    return all(name in there for name in names) and all(f"{wanted}." in each for each in own)


def controller_of(instance: moorage.Instance) -> moorage.Member | None:
    """The member that schedules: the new one, while another takes its place."""
    found = instance.of(CONTROLLER)
    return next((each for each in found if each.status in SETTLED), found[0] if found else None)


def workers_of(instance: moorage.Instance) -> list[moorage.Member]:
    """Workers that have a daemon."""
    return [each for each in instance.of(WORKER) if each.status in SETTLED]


def address(member: moorage.Member) -> str:
    if member.host_address is None:
        raise moorage.Fail("address_missing", f"The host of {member.name} has no address.")
    return member.host_address


def worker(member: moorage.Member, config: Mapping[str, Any]) -> render.Worker:
    """A worker as its files have it."""
    gpus = render.gpus_of(member.inventory, config["gpu_types"])
    return render.Worker(member.name, address(member), gpus)


def cluster(instance: moorage.Instance, controller: moorage.Member) -> render.Cluster:
    """The whole, as its files have it. What was chosen once is on the controller's member."""
    chosen = controller.adapter_detail
    return render.Cluster(
        name=render.cluster_name(instance.id),
        hostname=chosen.get("hostname", controller.name),
        address=address(controller),
        config=instance.config,
        processes=chosen.get("processes", "linuxproc"),
        first_job=int(chosen.get("first_job", 1)),
    )


def files_of(instance: moorage.Instance, controller: moorage.Member) -> dict[str, str]:
    """What stands in every file of ours on the controller's host, by path."""
    whole = cluster(instance, controller)
    known = [each for each in instance.of(WORKER) if each.host_address is not None]
    serving = instance.config["home"]["mode"] == "controller"
    return {
        **({str(homes.CONF): homes_conf(instance, controller)} if serving else {}),
        **({f"{render.UNITS}/{homes.UNIT}": render.unit_homes()} if serving else {}),
        **render.config_files(whole, [worker(each, instance.config) for each in known]),
        render.ACCOUNTING: render.slurmdbd_conf(whole),
        **render.placed(render.controller_units()),
    }


def homes_conf(instance: moorage.Instance, controller: moorage.Member) -> str:
    """Who gets the homes of the controller's host: every worker that has a host of its own."""
    own = controller.allocation_id
    others = [each for each in instance.of(WORKER) if each.allocation_id != own]
    return render.homes_conf(each.host_address for each in others if each.host_address)


def worker_files(
    instance: moorage.Instance, controller: moorage.Member, member: moorage.Member
) -> dict[str, str]:
    """The same of a worker's host."""
    text = render.unit_slurmd(worker(member, instance.config), controller=address(controller))
    return {f"{render.UNITS}/slurmd.service": text}


def is_settled(instance: moorage.Instance) -> bool:
    """Whether nobody is at work on the instance: until then its files are on their way."""
    return instance.status == "running" and all(m.status in SETTLED for m in instance.members)


CHOSEN_ONCE = {
    "home": "Homes stay where they are: nobody moves the files of people.",
    "process_tracking": "How jobs are tracked was chosen at the deployment, and stays.",
}


def check_change(instance: moorage.Instance, before: Mapping[str, Any]) -> None:
    """Refuse a configuration that a cluster which is there cannot take."""
    config = instance.config
    why = [words for field, words in CHOSEN_ONCE.items() if config[field] != before[field]]
    workers = len(instance.of(WORKER))
    if config["max_nodes"] < workers:
        why.append(f"There are {workers} workers, which is more than {config['max_nodes']}.")
    if why:
        raise moorage.Fail(
            "change_refused", f"{' '.join(why)} Cancel this operation.", recovery="operator"
        )


def is_overdue(given: Mapping[str, Any], *, since: datetime, now: datetime) -> bool:
    """Whether jobs have had the time that the request leaves them."""
    policy, seconds = given.get("policy", "wait"), given.get("deadline_seconds") or 0
    return policy == "force" or (policy == "deadline" and now >= since + timedelta(seconds=seconds))


def choose_processes(wanted: str, look: Mapping[str, Any]) -> render.Processes:
    """How jobs are tracked, for the life of the cluster."""
    if wanted == "auto":
        return "cgroup" if look["cgroups"] else "linuxproc"
    return "cgroup" if wanted == "cgroup" else "linuxproc"


def objections(look: Mapping[str, Any], *, processes: render.Processes, mounts: str) -> list[str]:
    """Why a host cannot carry a role, for which it mounts homes of this kind."""
    found: list[str] = []
    if not look["system"].startswith("debian 13"):
        found.append(f"It runs {look['system']}; the packages are for Debian 13.")
    if processes == "cgroup" and not look["cgroups"]:
        found.append(
            "Jobs of this cluster are tracked by control groups of version 2, which cannot be"
            " written here."
        )
    if look["free_mb"] < LEAST_FREE_MB:
        found.append(f"/var has {look['free_mb']} MB free; {LEAST_FREE_MB} are needed.")
    if mounts and mounts not in look["filesystems"]:
        found.append(f"Its kernel cannot mount {mounts}, from where homes come.")
    return found


def kind_of_homes(home: Mapping[str, Any], role: str, *, beside: bool = False) -> str:
    """From which kind of file system a host has homes; empty where that asks nothing of it.

    Args:
        beside: Whether it is a worker on the controller's host, which has the homes already.
    """
    if home["mode"] == "controller":
        return "nfs4" if role == WORKER and not beside else ""
    return home["type"] if home["mode"] == "mount" and home["type"] != "none" else ""


def missing_gpus(gpus: Sequence[render.Gpus], devices: Sequence[str]) -> list[str]:
    """GPUs that the host was taken for, and that are not there."""
    wanted = [file for kind in gpus for file in kind.files]
    missing = [file for file in wanted if file not in devices]
    if not missing:
        return []
    return [f"It should have {len(wanted)} GPUs, and these are missing: {', '.join(missing)}."]


LOCAL_HOMES = "Homes are local to each host: what a job writes stays on its worker."


def local_homes(instance: moorage.Instance, member: moorage.Member) -> list[str]:
    """What people should know of a worker whose homes are others than those where they log in."""
    controller = controller_of(instance)
    beside = controller is not None and controller.allocation_id == member.allocation_id
    return [LOCAL_HOMES] if instance.config["home"]["mode"] == "local" and not beside else []


def has_local_homes(instance: moorage.Instance) -> bool:
    """Whether people have another home on each of several hosts."""
    hosts = {each.allocation_id for each in instance.members}
    return instance.config["home"]["mode"] == "local" and len(hosts) > 1


def warnings(look: Mapping[str, Any], *, now: float) -> list[str]:
    """What is odd about a host, and no reason to refuse it."""
    found = name_troubles(look)
    if abs(look["clock"] - now) > MOST_SKEW:
        found.append(f"Its clock is {look['clock'] - now:+.0f} s from ours.")
    return found


def name_troubles(look: Mapping[str, Any]) -> list[str]:
    """What is wrong with how a host looks up names."""
    found: list[str] = []
    if look["resolves_in"] > SLOW_NAMES:
        found.append(
            f"Looking up names takes it {look['resolves_in']:.0f} s or more: daemons start slowly "
            "and answer late. Check /etc/resolv.conf."
        )
    if look["misnamed"]:
        found.append(
            f"Its own name leads to {look['misnamed']}, which is not its address. Check /etc/hosts."
        )
    return found


def topology(instance: moorage.Instance) -> str:
    """A label for people: one host for everything, or a controller of its own."""
    controller = controller_of(instance)
    hosts = {each.allocation_id for each in instance.of(WORKER)}
    alone = controller is not None and hosts == {controller.allocation_id}
    return "single_node" if alone else "split"


def endpoints(controller: moorage.Member) -> Json:
    """Where the cluster is used."""
    return {
        "login_member": controller.name,
        "login_address": address(controller),
        "login_allocation": controller.allocation_id,
    }


def names(members: Sequence[moorage.Member]) -> str:
    return ", ".join(sorted(member.name for member in members))
