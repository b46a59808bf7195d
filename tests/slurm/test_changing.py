"""A cluster is changed while jobs run: its configuration, its key, its daemons."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from moorage_slurm import trying
from tests.e2e.callers import Caller, wait_until
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, Held, People

pytestmark = pytest.mark.lab

CONF = "/etc/slurm/slurm.conf"
UNIT = "/etc/systemd/system/slurmd.service"
MUNGE, SLURM = "/etc/munge/munge.key", "/etc/slurm/slurm.jwks"
TOOL = ("python3", "/opt/moorage-slurm/tool.pyz")
AGENT = "moorage-agent.service"
WHY = {"reason": "somebody has looked at it"}
STRAY = """systemctl stop slurmd; cd /etc/systemd/system
    sed -n 's/^ExecStart=\\(.*\\)--systemd/exec \\1-D/p' slurmd.service >/run/stray
    systemd-run --quiet --collect --unit=stray sh /run/stray
    until ss -Hltn | grep -q :6818; do systemctl -q is-active stray || exit 1; sleep 0.05; done
"""
"""A worker of which systemd does not know."""
REBOOTED = """systemctl stop slurmd; cd /etc/systemd/system
    sed -n 's/^ExecStart=\\(.*\\)--systemd/exec \\1-b -D/p' slurmd.service >/run/rebooted
    systemd-run --quiet --collect --unit=rebooted sh /run/rebooted
"""
"""A worker that tells the scheduler that its host has just started."""
RENEWED = """for pause in 0.002 0.006 0.010 0.014 0.020 0.030 0.045; do
        kill -HUP $(systemctl show --property=MainPID --value $unit)
        sleep $pause
        timeout 20 systemctl restart $unit || exit
        systemctl show --property=Result --value $unit
    done
"""
"""A daemon is told to start anew while it gives its place to another process, as one does that
reads another configuration."""
THEIRS = """systemctl start mariadb
    mariadb -e 'create database slurm_acct_db; create table slurm_acct_db.jobs (id int);
        create user slurm@localhost identified via unix_socket;
        grant all on slurm_acct_db.* to slurm@localhost'
    systemctl stop mariadb
"""
"""Books of a cluster that the site had before."""
GRANTS = """ls /etc/mysql/mariadb.conf.d; systemctl start mariadb
    mariadb -NBe 'show databases; show grants for slurm@localhost'
    mariadb -e 'drop database slurm_acct_db; drop user slurm@localhost'; systemctl stop mariadb
"""


@pytest.fixture(scope="module")
def held(admin: Caller, acme: Tenant, stocked: list[Member]) -> Iterator[list[Held]]:
    with clusters.holding(admin, acme, stocked[:3]) as found:
        yield found


@pytest.fixture(scope="module")
def cluster(acme: Tenant, slurm: Shop, people: People, held: list[Held]) -> Iterator[Cluster]:
    machines = {"controller": held[:1], "worker": held[1:]}
    held[0][0].host.run(THEIRS)
    found = clusters.deploy(acme, slurm, "changing", machines, config={"extra": {"KillWait": "45"}})
    yield found
    ended = found.ask("decommission", {"reason": "the test is over"})
    left = held[0][0].host.run(GRANTS).stdout
    assert ended["residue"] == []
    assert ("slurm_acct_db" in left, "moorage" in left) == (True, False)
    assert "GRANT ALL PRIVILEGES ON `slurm_acct_db`" in left


def submit(cluster: Cluster, people: People, line: str, *more: str) -> int:
    words = ("sbatch", "--parsable", "--chdir=/tmp", *more, "--wrap", line)
    job = int(cluster.run(*words, user=people.ada.login))
    if not more:
        wait_until(lambda: state(cluster, job) == "RUNNING")
    return job


def state(cluster: Cluster, job: int) -> str:
    return cluster.run("squeue", "-h", "-t", "all", "-j", str(job), "-o", "%T").strip()


def booked(cluster: Cluster, job: int) -> str:
    return cluster.run("sacct", "-n", "-X", "-P", "-j", str(job), "-o", "State").strip()


def has_tried(cluster: Cluster, *, after: int) -> bool:
    """Whether a job of the platform's own has run after another one was submitted."""
    words = ("-a", "-X", "-n", "-P", "--name=moorage-canary", "-o", "JobID,State")
    rows = [line.split("|") for line in cluster.run("sacct", *words).splitlines()]
    return any(int(job) > after and state == "COMPLETED" for job, state in rows)


def is_calm(cluster: Cluster) -> bool:
    """Whether it is well and nobody is at work on it: a repair of before mends what comes next."""
    listed = cluster.admin.get(f"/v1/operations?instance={cluster.id}&limit=200")["items"]
    return cluster.read()["health"] == "healthy" and all(each["ended_at"] for each in listed)


def cancel(cluster: Cluster, operation: dict[str, Any]) -> None:
    cluster.admin.post(f"/v1/operations/{operation['id']}/cancel", WHY)
    cluster.reach(operation, "cancelled")


def starts(cluster: Cluster) -> dict[str, str]:
    """When systemd started the daemons of each host."""
    words = ["systemctl", "show", "-p", "ActiveEnterTimestampMonotonic"]
    units = {"controller-1": ["slurmctld", "slurmdbd"]}
    return {
        name: host.run([*words, *units.get(name, ["slurmd"])]).stdout
        for name, host in cluster.hosts.items()
    }


def keys(cluster: Cluster, path: str) -> set[str]:
    """The digests of a file, of all hosts."""
    return {host.run(["sha256sum", path]).stdout.split()[0] for host in cluster.hosts.values()}


def setting(cluster: Cluster, name: str) -> str:
    lines = cluster.run("scontrol", "show", "config").splitlines()
    return next(line.partition("=")[2].strip() for line in lines if line.startswith(f"{name} "))


# --- configuration -------------------------------------------------------------------------------


def test_a_plan_says_what_each_field_does_to_daemons(cluster: Cluster) -> None:
    before = cluster.read()["config"]
    config = {**before, "max_nodes": 64, "auth": "slurm", "limits": {"jobs": 9, "submitted": 9}}

    plan = cluster.admin.post(
        f"{cluster.path}/plans", {"kind": "instance.configure", "config": config}
    )

    effects = {each["field"].split("/")[1]: each["effect"] for each in plan["changes"]}
    assert effects == {"max_nodes": "reconfigure", "auth": "restart", "limits": "none"}
    assert plan["effect"] == "restart"


def test_a_partition_comes_without_a_start_of_any_daemon(cluster: Cluster, people: People) -> None:
    job = submit(cluster, people, "sleep 900")
    began = starts(cluster)

    main = {"name": "main", "features": [], "max_minutes": 0}
    short = {"name": "short", "features": [], "max_minutes": 5}
    cluster.wait(cluster.configure(partitions=[main, short], max_nodes=64))

    assert cluster.run("sinfo", "-h", "-o", "%R %l").split("\n")[:2] == [
        "main infinite",
        "short 5:00",
    ]
    assert (setting(cluster, "MaxNodeCount"), setting(cluster, "KillWait")) == ("64", "45 sec")
    assert starts(cluster) == began
    assert state(cluster, job) == "RUNNING"
    wait_until(lambda: has_tried(cluster, after=job))
    cluster.run("scancel", str(job))


def test_limits_reach_people_and_no_daemon(cluster: Cluster, people: People) -> None:
    files = cluster.run("stat", "-c", "%Y %n", CONF)
    pids = cluster.run("pidof", "slurmctld")

    cluster.wait(cluster.configure(limits={"jobs": 3, "submitted": 5}))

    form = ("-n", "-P", "format=maxjobs,maxsubmit")
    who = f"user={people.ada.login}"
    assert cluster.run("sacctmgr", "show", "assoc", who, *form).strip() == "3|5"
    assert cluster.run("stat", "-c", "%Y %n", CONF) == files
    assert cluster.run("pidof", "slurmctld") == pids


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ({"KillWait": "forty"}, "KillWait"),
        ({"PriorityType": "priority/none_such"}, "priority/none_such"),
    ],
)
def test_what_slurm_would_refuse_replaces_nothing(
    cluster: Cluster, extra: dict[str, str], why: str
) -> None:
    before = cluster.run("cat", CONF)

    blocked = cluster.reach(asked := cluster.configure(extra=extra), "blocked")
    after = cluster.run("cat", CONF)
    cancel(cluster, asked)

    assert blocked["error"]["code"] == "configuration_refused"
    assert why in blocked["error"]["message"]
    assert after == before
    assert cluster.read()["config"]["extra"] == {"KillWait": "45"}


def test_files_that_the_scheduler_does_not_survive_are_put_back(cluster: Cluster) -> None:
    before = cluster.run("cat", CONF)
    broken = f"{before}PriorityType=priority/none_such\n"
    given = {"files": {CONF: broken}, "before": {CONF: before}}

    said = cluster.run(*TOOL, "config.change", stdin=json.dumps(given).encode(), check=False)

    assert json.loads(said)["code"] == "configuration_refused"
    assert cluster.run("cat", CONF) == before
    assert "is UP" in cluster.run("scontrol", "ping")


def test_what_was_chosen_once_is_refused_by_name(cluster: Cluster) -> None:
    blocked = cluster.reach(asked := cluster.configure(process_tracking="linuxproc"), "blocked")
    cancel(cluster, asked)

    assert blocked["error"]["code"] == "change_refused"
    assert cluster.read()["status"] == "running"


# --- drift ---------------------------------------------------------------------------------------


def test_what_somebody_changes_by_hand_is_shown_and_mended(cluster: Cluster) -> None:
    wait_until(lambda: is_calm(cluster), seconds=120)
    before = cluster.run("cat", CONF)
    own = f"{UNIT}.d/own.conf"
    worker = cluster.hosts["worker-1"]
    secret = "printf '[Service]\\nEnvironment=DB_PASSWORD=hunter2\\n'"

    cluster.run("sh", "-c", f"echo KillWait=99 >> {CONF}; scontrol reconfigure")
    worker.run(["sh", "-c", f"mkdir -p {UNIT}.d; {secret} > {own}"])

    shown: dict[str, str] = {}

    def is_shown() -> bool:
        rows = [each["data"] for each in cluster.view("slurm.drift")]
        shown.update({each["file"]: each["change"] for each in rows})
        return {CONF, own} <= shown.keys()

    wait_until(is_shown, seconds=60)
    wait_until(lambda: not cluster.view("slurm.drift"), seconds=150)
    assert shown[CONF].splitlines()[-1] == "+KillWait=99"
    assert "hunter2" not in shown[own]
    assert cluster.run("cat", CONF) == before
    assert setting(cluster, "KillWait") == "45 sec"
    assert worker.run(["test", "-e", own], check=False).code == 1


# --- nodes that are down -------------------------------------------------------------------------


def until_said(cluster: Cluster, words: str) -> None:
    """Until health says this of a member."""
    cluster.admin.until(cluster.path, lambda found: words in " ".join(found["health_reasons"]))


def test_what_slurm_marks_down_is_mended_and_what_an_admin_took_down_stays(
    cluster: Cluster,
) -> None:
    wait_until(lambda: is_calm(cluster), seconds=120)
    cluster.run("scontrol", "update", "nodename=worker-1", "state=down", "reason=bad memory")
    until_said(cluster, "worker-1: root set it DOWN in Slurm: bad memory.")
    cluster.hosts["worker-2"].run(REBOOTED)
    until_said(cluster, "worker-2: Slurm says DOWN: Node unexpectedly rebooted.")

    shown = ("sinfo", "-h", "-N", "-p", "main", "-o", "%T")
    wait_until(lambda: cluster.run(*shown).split() == ["down", "idle"], seconds=120)
    cluster.run(*TOOL, "nodes.mend", stdin=b'{"node": "worker-1"}')

    # The other may run the job by which the repair has tried it.
    assert cluster.run(*shown).split()[0] == "down"
    cluster.run("scontrol", "update", "nodename=worker-1", "state=resume")
    wait_until(lambda: is_calm(cluster), seconds=120)


# --- keys ----------------------------------------------------------------------------------------


def test_the_key_changes_under_a_running_job(cluster: Cluster, people: People) -> None:
    line = "while test ! -e /tmp/rotated; do sleep 0.2; done; srun hostname"
    job = submit(cluster, people, line, "--nodes=2", "--exclusive")
    wait_until(lambda: state(cluster, job) == "RUNNING")
    (before,) = keys(cluster, MUNGE)

    ended = cluster.ask("rotate", WHY)

    (after,) = keys(cluster, MUNGE)
    assert after != before
    assert ended["result"] == {"late": []}
    assert ended["message"] == trying.BUSY
    for host in cluster.hosts.values():
        host.run(["touch", "/tmp/rotated"])
    wait_until(lambda: booked(cluster, job) == "COMPLETED")


def test_who_missed_the_key_is_drained_and_gets_it_by_a_repair(
    cluster: Cluster, admin: Caller, held: list[Held]
) -> None:
    node, worker = held[2][0], cluster.hosts["worker-2"]
    worker.run(["systemctl", "stop", AGENT])
    path = f"/v1/nodes/{node.node}"
    admin.until(path, lambda found: found["reachable"] is False, seconds=90)

    ended = cluster.ask("rotate", WHY)
    drained = cluster.run("sinfo", "-h", "-n", "worker-2", "-o", "%E")
    worker.run(["systemctl", "start", AGENT])

    assert ended["result"] == {"late": ["worker-2"]}
    assert [each["where"] for each in ended["residue"]] == ["worker-2"]
    assert drained.startswith("moorage key: ")
    wait_until(lambda: len(keys(cluster, MUNGE)) == 1, seconds=120)
    idle = ("sinfo", "-h", "-n", "worker-2", "-o", "%T")
    wait_until(lambda: cluster.run(*idle).strip() == "idle", seconds=60)


def test_another_way_to_authenticate_waits_for_jobs_and_is_taken_back(
    cluster: Cluster, people: People
) -> None:
    job = submit(cluster, people, "sleep 900")

    waiting = cluster.reach(asked := cluster.configure(auth="slurm"), "waiting")
    closed = cluster.run("sinfo", "-h", "-o", "%a").split()
    cancel(cluster, asked)

    assert waiting["message"] == f"waiting for job {job}"
    assert set(closed) == {"inactive"}
    assert set(cluster.run("sinfo", "-h", "-o", "%a").split()) == {"up"}
    assert state(cluster, job) == "RUNNING"
    cluster.run("scancel", str(job))


def test_slurms_own_keys_are_known_before_they_are_used(cluster: Cluster, people: People) -> None:
    cluster.wait(cluster.configure(auth="slurm"))
    job = submit(cluster, people, "while test ! -e /tmp/again; do sleep 0.2; done; srun hostname")
    (before,), began = keys(cluster, SLURM), starts(cluster)["worker-1"]

    ended = cluster.ask("rotate", WHY)

    (after,) = keys(cluster, SLURM)
    assert after != before
    assert ended["result"] == {"late": []}
    assert cluster.run("systemctl", "is-active", "munge", check=False).strip() == "inactive"
    assert starts(cluster)["worker-1"] == began
    for host in cluster.hosts.values():
        host.run(["touch", "/tmp/again"])
    wait_until(lambda: booked(cluster, job) == "COMPLETED")


# --- daemons -------------------------------------------------------------------------------------


def test_jobs_survive_a_restart_and_a_stop(cluster: Cluster, people: People) -> None:
    job = submit(cluster, people, "while test ! -e /tmp/started; do sleep 0.2; done; srun hostname")
    waits = submit(cluster, people, "true", "--begin=now+1hour")
    cluster.hosts["worker-2"].run(STRAY)

    cluster.ask("restart")
    wait_until(lambda: has_tried(cluster, after=waits))
    restarted = (state(cluster, job), state(cluster, waits))
    stopped = cluster.ask("stop", WHY)
    left = [
        host.run(["pgrep", "-x", "slurmd|slurmctld"], check=False).stdout
        for host in cluster.hosts.values()
    ]
    cluster.ask("start")

    assert restarted == ("RUNNING", "PENDING")
    assert str(job) in stopped["message"]
    assert left == ["", "", ""]
    assert (state(cluster, job), state(cluster, waits)) == ("RUNNING", "PENDING")
    for host in cluster.hosts.values():
        host.run(["touch", "/tmp/started"])
    wait_until(lambda: booked(cluster, job) == "COMPLETED")


@pytest.mark.parametrize("member", ["controller-1", "worker-1"])
def test_a_daemon_that_is_giving_its_place_to_another_process_starts_anew(
    cluster: Cluster, people: People, member: str
) -> None:
    unit = "slurmctld" if member == "controller-1" else "slurmd"
    job = submit(cluster, people, "while test ! -e /tmp/anew; do sleep 0.2; done")

    said = cluster.hosts[member].run(f"unit={unit}; {RENEWED}", timeout=150).stdout

    assert said.split() == ["success"] * 7
    wait_until(lambda: state(cluster, job) == "RUNNING")
    for host in cluster.hosts.values():
        host.run(["touch", "/tmp/anew"])
    wait_until(lambda: booked(cluster, job) == "COMPLETED")
    for host in cluster.hosts.values():
        host.run(["rm", "/tmp/anew"])


def test_nothing_starts_with_a_host(cluster: Cluster) -> None:
    units = ["munge", "mariadb", "slurmdbd", "slurmctld", "slurmd"]
    said = [
        host.run(["systemctl", "is-enabled", *units], check=False).stdout.split()
        for host in cluster.hosts.values()
    ]

    assert not {"enabled", "enabled-runtime"} & {word for words in said for word in words}
