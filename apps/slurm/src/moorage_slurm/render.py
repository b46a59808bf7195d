"""Every file of a cluster, from its configuration. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from moorage_slurm.onhost import homes, nfs, shared, status

Processes = Literal["cgroup", "linuxproc"]
Json = dict[str, Any]

CONFIG = "/etc/slurm"
ACCOUNTING = f"{CONFIG}/slurmdbd.conf"
DATABASE_FILE = "/etc/mysql/mariadb.conf.d/60-moorage-slurm.cnf"
UNITS = "/etc/systemd/system"
PEOPLE, LOOKOUT = "moorage-slurm-people", "moorage-slurm-status"
COPY, KEEP = "moorage-slurm-copy", "moorage-slurm-keep"
"""Our own units, beside Slurm's."""
SHARED = tuple(f"{CONFIG}/{name}.conf" for name in ("slurm", "gres", "cgroup", "plugstack"))
"""What every daemon reads."""
STATE = "/var/lib/slurm/slurmctld"
DATABASE = "moorage_slurm"
MARK = "moorage"
"""The feature of every worker: partitions find dynamic nodes by features."""
PORT, DATABASE_PORT = 6817, 6819
DATABASE_SOCKET = "/run/mysqld/mysqld.sock"
"""Said aloud: client libraries of later releases look for it elsewhere."""
NETWORK = ("nfs", "nfs4")
_HOMES = "moorage-slurm-homes"
HOMES_STATE = f"/var/lib/{_HOMES}"


@dataclass(frozen=True)
class Gpus:
    """GPUs of one kind on a worker."""

    kind: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Worker:
    """A worker, as far as its scheduler has to know."""

    name: str
    address: str
    gpus: tuple[Gpus, ...] = ()


@dataclass(frozen=True)
class Cluster:
    """All that the files of a cluster follow from."""

    name: str
    hostname: str
    """Of the controller's host: daemons look whether they are where they should be."""
    address: str
    config: Mapping[str, Any]
    processes: Processes
    first_job: int = 1
    closed: bool = False
    """Whether partitions take no job and start none, while the whole is changed."""


def cluster_name(instance: str) -> str:
    """Slurm's own name for an instance. Accounting keeps it for ever: it is the instance's id."""
    return re.sub(r"[^a-z0-9]", "", instance.lower())


def slurm_conf(cluster: Cluster) -> str:
    """The one file that every daemon and command reads; workers get it from the scheduler."""
    config = cluster.config
    own: dict[str, str] = {
        "ClusterName": cluster.name,
        "SlurmctldHost": f"{cluster.hostname}({cluster.address})",
        "SlurmUser": "slurm",
        **_auth(config["auth"]),
        "SlurmctldParameters": "enable_configless",
        "StateSaveLocation": STATE,
        "SlurmdSpoolDir": "/var/lib/slurm/slurmd",
        "SlurmctldPidFile": "/run/slurmctld/slurmctld.pid",
        "SlurmdPidFile": "/run/slurm/slurmd.pid",
        "SlurmctldLogFile": "/var/log/slurm/slurmctld.log",
        "SlurmdLogFile": "/var/log/slurm/slurmd.log",
        **_processes(cluster.processes),
        "MpiDefault": "none",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory",
        "DefMemPerCPU": "100",
        "MaxNodeCount": str(config["max_nodes"]),
        "TreeWidth": "65533",
        "ReturnToService": "1",
        "FirstJobId": str(cluster.first_job),
        "GresTypes": "gpu",
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStorageHost": cluster.address,
        "AccountingStorageEnforce": "associations,limits,safe",
        "AccountingStorageTRES": "gres/gpu",
        "AccountingStoreFlags": "job_comment,job_script",
        "MailProg": "/bin/true",
        "DebugFlags": "GLOB_SILENCE",
    }
    if config["scheduler_parameters"]:
        own["SchedulerParameters"] = config["scheduler_parameters"]
    if "DefMemPerNode" in config["extra"]:
        del own["DefMemPerCPU"]  # Slurm takes one of them
    own |= config["extra"]
    lines = [f"{name}={value}" for name, value in own.items()]
    return "\n".join([_HEAD, *lines, *_partitions(config["partitions"], closed=cluster.closed), ""])


_HEAD = "# Written by Moorage: change the instance's configuration. What is changed here is mended."


def _auth(mode: str) -> dict[str, str]:
    if mode == "slurm":
        return {"AuthType": "auth/slurm", "CredType": "auth/slurm"}
    return {"AuthType": "auth/munge", "CredType": "cred/munge"}


def _processes(kind: Processes) -> dict[str, str]:
    if kind == "cgroup":
        return {
            "ProctrackType": "proctrack/cgroup",
            "TaskPlugin": "task/affinity,task/cgroup",
            "JobAcctGatherType": "jobacct_gather/cgroup",
        }
    return {
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "JobAcctGatherType": "jobacct_gather/linux",
    }


def _partitions(partitions: Sequence[Json], *, closed: bool) -> list[str]:
    """Slurm finds nodes that come and go by a set, and a set by one feature alone."""
    state = "INACTIVE" if closed else "UP"
    sets: dict[str, str] = {}
    lines: list[str] = []
    for place, each in enumerate(partitions):
        features: list[str] = each.get("features") or []
        own = {f"{MARK}_{name}": name for name in features} or {MARK: MARK}
        sets |= own
        minutes = each.get("max_minutes") or 0
        lines.append(
            f"PartitionName={each['name']} Nodes={','.join(own)} Default={'NO' if place else 'YES'}"
            f" MaxTime={minutes or 'INFINITE'} State={state}"
        )
    return [*(f"NodeSet={name} Feature={feature}" for name, feature in sets.items()), *lines]


def slurmdbd_conf(cluster: Cluster) -> str:
    """Accounting. The database is on the same host and lets in whom the system knows."""
    return f"""\
{_HEAD}
{"".join(f"{name}={value}{chr(10)}" for name, value in _dbd_auth(cluster.config["auth"]).items())}\
DbdHost={cluster.hostname}
DbdAddr={cluster.address}
DbdPort={DATABASE_PORT}
SlurmUser=slurm
PidFile=/run/slurmdbd/slurmdbd.pid
LogFile=/var/log/slurm/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StorageLoc={DATABASE}
"""


def _dbd_auth(mode: str) -> dict[str, str]:
    return {"AuthType": _auth(mode)["AuthType"]}


def cgroup_conf(processes: Processes) -> str:
    if processes == "linuxproc":
        return f"{_HEAD}\nCgroupPlugin=disabled\n"
    limits = "ConstrainCores=yes\nConstrainRAMSpace=yes\nConstrainDevices=yes\n"
    return f"{_HEAD}\nCgroupPlugin=cgroup/v2\n{limits}"


def gres_conf(workers: Iterable[Worker]) -> str:
    """A line for each kind of GPU on each worker, by name: a line without a name is everybody's.
    Which there are is known from the hosts' inventory; slurmd complains where it looks by itself
    and finds no library of a maker."""
    lines = [
        line
        for worker in sorted(workers, key=lambda each: each.name)
        for line in gres_lines(worker.name, worker.gpus)
    ]
    return "\n".join([_HEAD, "AutoDetect=off", *lines, ""])


def gres_lines(name: str, gpus: Iterable[Gpus]) -> list[str]:
    return [
        f"NodeName={name} Name=gpu Type={each.kind} File={','.join(each.files)}" for each in gpus
    ]


DATABASE_CONF = f"""\
{_HEAD}
[mariadbd]
skip-networking
skip-ssl
innodb_buffer_pool_size=256M
innodb_lock_wait_timeout=900
innodb_snapshot_isolation=OFF

[client]
skip-ssl
"""
"""Slurm writes what others wrote meanwhile, which MariaDB refuses by itself since 11.6. A scheduler
that is refused when it comes makes itself another number, and never starts again after that.

Nobody reaches it but this host's own programs. TLS would be for nobody, and have it make an RSA key
whenever it starts, which takes as long as all the rest of the start, and more. Clients insist on it
by themselves, also those that look after the tables when the server starts."""


def config_files(cluster: Cluster, workers: Iterable[Worker]) -> dict[str, str]:
    """The files of the controller's host that daemons share, by path."""
    return {
        f"{CONFIG}/slurm.conf": slurm_conf(cluster),
        f"{CONFIG}/gres.conf": gres_conf(workers),
        f"{CONFIG}/cgroup.conf": cgroup_conf(cluster.processes),
        f"{CONFIG}/plugstack.conf": f"{_HEAD}\n",
    }


# Units. None starts with the host: the platform starts them once it knows whose the host is.


def unit_slurmctld() -> str:
    # Where its state is on an export, it does not begin anew without.
    mounted = f"AssertPathExists=|!{shared.HERE}\nAssertPathIsMountPoint=|{STATE}\n"
    start = "/usr/sbin/slurmctld --systemd"
    return _unit("Slurm's scheduler", start, "slurmctld", user="slurm", asserts=mounted)


def unit_slurmdbd() -> str:
    return _unit("Slurm's accounting", "/usr/sbin/slurmdbd -D -s", "slurmdbd", user="slurm")


def controller_units() -> dict[str, str]:
    return {"slurmctld.service": unit_slurmctld(), "slurmdbd.service": unit_slurmdbd()}


def unit_slurmd(worker: Worker, *, controller: str) -> str:
    """A worker makes itself known, with what it has. It keeps its jobs when it is restarted."""
    conf = [f"Feature={MARK}", f"NodeAddr={worker.address}"]
    if worker.gpus:
        conf.append("Gres=" + ",".join(f"gpu:{g.kind}:{len(g.files)}" for g in worker.gpus))
    start = (
        f"/usr/sbin/slurmd --systemd -Z -N {worker.name} --conf-server {controller}:{PORT}"
        f' --conf "{" ".join(conf)}"'
    )
    return _unit("Slurm's worker", start, "slurm", user="root", keeps_children=True)


def _unit(
    what: str,
    start: str,
    folder: str,
    *,
    user: str,
    keeps_children: bool = False,
    asserts: str = "",
) -> str:
    renews = "--systemd" in start
    more = "KillMode=process\nDelegate=yes\nTasksMax=infinity\nLimitMEMLOCK=infinity\n"
    return f"""\
[Unit]
Description={what}
After=network-online.target munge.service mariadb.service
Wants=network-online.target
StartLimitIntervalSec=0
{asserts}
[Service]
Type={"notify" if renews else "simple"}
User={user}
Environment=MYSQL_UNIX_PORT={DATABASE_SOCKET}
ExecStart={start}
ExecReload=/bin/kill -HUP $MAINPID
{_ends_all(start.split()[0].rpartition("/")[2], user) if renews else ""}\
RuntimeDirectory={folder}
RuntimeDirectoryMode=0755
LimitNOFILE=65536
TimeoutSec={30 if keeps_children else 60}
Restart=on-failure
RestartSec=1
{more if keeps_children else ""}"""


def _ends_all(name: str, user: str) -> str:
    """A daemon that reads another configuration starts a new process, and leaves its place to it. A
    signal that comes meanwhile ends the old one, which was about to end: systemd takes the new one
    for the daemon, tells it nothing, waits for its end, and kills it. So all that there are of it
    are told, until there are none. What runs its jobs and scripts has another name; what has its
    name and is of somebody else, or in a container of the host, is left alone."""
    tell = f"pkill -x -u {user} --ns $$$$ --nslist pid -r D,R,S,T {name}"
    words = f'timeout 20 sh -c "while {tell}; do sleep 0.02; done"; true'
    return f"ExecStartPre=/bin/sh -c '{words}'\nExecStop=/bin/sh -c '{words}'\n"


def mount_home(home: Mapping[str, Any], *, controller: str | None) -> str | None:
    """The unit that brings the homes, where they come from elsewhere; the controller's host, which
    has no controller beside it, has its own unless it mounts them too."""
    by_controller = home["mode"] == "controller"
    if home["mode"] == "local" or (by_controller and controller is None):
        return None
    what = f"{controller}:/home" if by_controller else home["what"]
    kind = "nfs4" if by_controller else home["type"]
    options = home["options"] or ("bind" if kind == "none" else "")
    # Whoever leaves does not wait for a server that is gone.
    leaving = "ForceUnmount=yes\nLazyUnmount=yes\n" if kind in NETWORK else ""
    return f"""\
[Unit]
Description={homes.MOUNTING}
After=network-online.target
Wants=network-online.target

[Mount]
What={what}
Where=/home
Type={kind}
{f"Options={options}{chr(10)}" if options else ""}{leaving}"""


def homes_conf(addresses: Iterable[str]) -> str:
    """Who gets the homes of the controller's host. Root of another host is nobody there, and only
    root can ask at all: nobody takes the homes of others by saying that they are they."""
    return f"""\
{_HEAD}
NFS_CORE_PARAM {{
    Protocols = 4;
    NFS_Port = {nfs.PORT};
    Enable_NLM = false;
    Enable_RQUOTA = false;
    Enable_UDP = false;
    allow_set_io_flusher_fail = true;
}}
NFS_KRB5 {{
    Active_krb5 = false;
}}
NFSV4 {{
    Only_Numeric_Owners = true;
    RecoveryRoot = {HOMES_STATE};
    Lease_Lifetime = 20;
    Grace_Period = 30;
}}
EXPORT {{
    Export_Id = 1;
    Path = {homes.HOMES};
    Pseudo = {homes.HOMES};
    Access_Type = NONE;
    Squash = Root_Squash;
    SecType = sys;
    PrivilegedPort = true;
    FSAL {{ Name = VFS; }}
    CLIENT {{
        Access_Type = RW;
        Clients = {", ".join(sorted({homes.OWN, *addresses}))};
    }}
}}
"""


def unit_homes() -> str:
    return f"""\
[Unit]
Description=Homes of the Slurm cluster, for its workers
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/bin/ganesha.nfsd -F -L STDOUT -N NIV_WARN -f {homes.CONF} -p /run/{_HOMES}/pid
ExecReload=/bin/kill -HUP $MAINPID
StateDirectory={_HOMES}
RuntimeDirectory={_HOMES}
LimitNOFILE=1048576
TimeoutStopSec=20
Restart=on-failure
RestartSec=1
"""


def gpus_of(inventory: Mapping[str, Any] | None, names: Mapping[str, str]) -> tuple[Gpus, ...]:
    """The GPUs that a host says it has, by kind. A kind is called after its model."""
    kinds: dict[str, list[str]] = {}
    for number, gpu in enumerate((inventory or {}).get("gpus") or []):
        model = str(gpu.get("model") or gpu.get("name") or "gpu")
        file = str(gpu.get("device") or f"/dev/nvidia{gpu.get('index', number)}")
        kinds.setdefault(names.get(model) or gpu_kind(model), []).append(file)
    return tuple(Gpus(kind, tuple(files)) for kind, files in sorted(kinds.items()))


def gpu_kind(model: str) -> str:
    """`NVIDIA H200 141GB HBM3e` is `h200`."""
    words = re.findall(r"[a-z0-9]+", model.lower())
    own = [word for word in words if word not in {"nvidia", "amd", "tesla", "instinct", "geforce"}]
    return (own or words or ["gpu"])[0]


def helper_units(program: str) -> dict[str, str]:
    """What works beside the daemons of the controller's host, by path."""
    units = {
        f"{PEOPLE}.service": unit_people(program),
        f"{PEOPLE}.path": path_people(),
        f"{LOOKOUT}@.service": unit_lookout(program),
        f"{LOOKOUT}.socket": socket_lookout(status.LOOKOUT),
        f"{COPY}.service": unit_copy(program),
        f"{COPY}.timer": timer_copy(),
    }
    return placed(units)


def placed(units: Mapping[str, str]) -> dict[str, str]:
    """Units by the paths of their files."""
    return {f"{UNITS}/{unit}": text for unit, text in units.items()}


def unit_people(program: str) -> str:
    return f"""\
[Unit]
Description=Let Slurm's books follow who is on this host

[Service]
Type=oneshot
ExecStart=/usr/bin/python3 {program} accounting.sync
StandardInput=null
"""


def path_people() -> str:
    return """\
[Unit]
Description=Somebody came to this host, or left it

[Path]
PathChanged=/etc/passwd
"""


def unit_copy(program: str) -> str:
    return f"""\
[Unit]
Description=Have workers keep a copy of what the Slurm cluster knows

[Service]
Type=oneshot
ExecStart=/usr/bin/python3 {program} state.pass
StandardInput=null
StandardOutput=null
Nice=19
IOSchedulingClass=idle
"""


def timer_copy() -> str:
    """Every minute after the one before has ended."""
    return """\
[Unit]
Description=Have workers keep a copy of what the Slurm cluster knows

[Timer]
OnActiveSec=10
OnUnitInactiveSec=60
AccuracySec=1
"""


def unit_keep(program: str) -> str:
    return f"""\
[Unit]
Description=Keep a copy of what the Slurm cluster knows

[Service]
ExecStart=/usr/bin/python3 {program} state.keep
StandardInput=null
StandardOutput=null
RuntimeMaxSec=900
"""


def socket_keep(port: int) -> str:
    return f"""\
[Unit]
Description=Where the controller of the Slurm cluster brings its copies

[Socket]
ListenStream=0.0.0.0:{port}
TriggerLimitBurst=0
"""


def unit_lookout(program: str) -> str:
    """Answers one question about the cluster: a template, one for each that asks."""
    return f"""\
[Unit]
Description=Say how the Slurm cluster is

[Service]
ExecStart=/usr/bin/python3 {program} status.gather
StandardInput=null
StandardOutput=socket
StandardError=journal
RuntimeMaxSec=30
"""


def socket_lookout(address: tuple[str, int]) -> str:
    """Where probes ask, which reach no socket but those of the network."""
    host, port = address
    return f"""\
[Unit]
Description=Where probes ask how the Slurm cluster is

[Socket]
ListenStream={host}:{port}
Accept=yes
MaxConnections=16
TriggerLimitBurst=0
"""
