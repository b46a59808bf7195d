"""The queue through the platform: everybody as themselves, and nothing twice."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import shop, terminal
from tests.e2e.callers import Caller, Refused, wait_until
from tests.e2e.site import Site
from tests.e2e.world import Tenant
from tests.slurm.clusters import Cluster, People, make_person
from tests.slurm.replicas import Replica
from tests.slurm.working.conftest import ROBOT, empty

pytestmark = pytest.mark.lab

ROBOT_UID = 5001
SEEN_WITHIN = 60.0
"""A look is made every few seconds; a busy machine may take longer."""
PLANT = """
import json, pathlib, time
file = pathlib.Path("/var/lib/slurm/slurmctld/moorage-usage.json")
state = json.loads(file.read_text())
state["hours"][time.strftime("%Y-%m-%dT%H", time.gmtime(time.time() - 7200))] = [60, 0]
file.write_text(json.dumps(state))
"""
LATER = "#!/bin/sh\n#SBATCH --begin=now+1hour\ntrue\n"
SLOW_SBATCH = """\
#!/bin/sh
/usr/bin/sbatch "$@"
status=$?
touch /tmp/submitted
while [ ! -e /tmp/go ]; do sleep 0.1; done
exit $status
"""


@pytest.fixture(scope="module", autouse=True)
def without_robot(cluster: Cluster) -> Iterator[None]:
    """The login of a program is nobody's of the platform: whoever makes it takes it away."""
    yield
    for host in cluster.hosts.values():
        host.run(["userdel", "--remove", "--force", ROBOT], check=False)


@pytest.fixture(autouse=True)
def undone(cluster: Cluster) -> Iterator[None]:
    """Every test begins with an empty queue and open nodes."""
    yield
    empty(cluster)
    for name in ("worker-1", "worker-2"):
        words = (f"NodeName={name}", "State=RESUME")
        cluster.run("scontrol", "update", *words, check=False)


def submit(cluster: Cluster, by: Caller, script: str = "sleep 300", **more: Any) -> int:
    """The number of a job that somebody submitted through the platform."""
    found = cluster.act("slurm.submit", {"script": script, **more}, by=by)
    assert found["status"] == "succeeded", found
    return found["result"]["job"]


def refusal(found: dict[str, Any]) -> str:
    """Why an action came to nothing, for good."""
    assert (found["status"], found["recovery"]) == ("failed", "terminal"), found
    return found["error"]["code"]


def booked(cluster: Cluster, job: int, *names: str) -> list[str]:
    """What accounting says of a job."""
    words = ("sacct", "-X", "-n", "-P", "-j", str(job), "-o", ",".join(names))
    return cluster.run(*words).strip().split("|")


def state(cluster: Cluster, job: int) -> str:
    return cluster.run("squeue", "-h", "-t", "all", "-j", str(job), "-o", "%T %r").strip()


def rows(cluster: Cluster, view: str, by: Caller) -> dict[str, dict[str, Any]]:
    """What somebody sees of a view, by key."""
    page = by.get(f"{cluster.path}/views/slurm.{view}?limit=200")
    return {row["key"]: row["data"] for row in page["items"]}


def until_seen(cluster: Cluster, view: str, by: Caller, key: str) -> dict[str, Any]:
    wait_until(lambda: key in rows(cluster, view, by), seconds=SEEN_WITHIN)
    return rows(cluster, view, by)[key]


# Who submits, and as whom it runs


def test_a_job_runs_as_whoever_asked_for_it(cluster: Cluster, people: People, acme: Tenant) -> None:
    job = submit(cluster, people.ada.caller, "#!/bin/sh\n#SBATCH --nodes=2\nsrun id -u; sleep 300")

    wait_until(lambda: state(cluster, job).startswith("RUNNING"))
    wait_until(lambda: booked(cluster, job, "UID") != [""])
    who = booked(cluster, job, "UID", "User", "Account", "AllocNodes")
    assert who == [str(people.ada.uid), people.ada.login, acme.project, "2"]


def test_what_was_asked_for_counts_and_a_no_of_slurm_is_one(
    cluster: Cluster, people: People
) -> None:
    given = {"script": "hostname", "account": "root"}

    found = cluster.act("slurm.submit", given, by=people.ada.caller)

    assert refusal(found) == "submit_refused"
    assert "Invalid account" in found["error"]["message"]


def test_a_stranger_does_not_know_the_cluster(cluster: Cluster, people: People) -> None:
    with pytest.raises(Refused) as refused:
        cluster.act("slurm.submit", {"script": "hostname"}, by=people.stranger)

    assert refused.value.status == 404


@pytest.fixture(scope="module")
def neighbour(site: Site, admin: Caller, acme: Tenant) -> Caller:
    """Somebody of another project of the same org."""
    named = {"slug": "next-door", "name": "Next door"}
    project = acme.admin.post(f"/v1/orgs/{acme.org}/projects", named)["id"]
    return make_person(site, admin, Tenant(acme.org, project, acme.admin)).caller


def test_another_project_of_the_org_does_not_know_the_cluster(
    cluster: Cluster, neighbour: Caller
) -> None:
    tried: list[int] = []
    for ask in (
        lambda: rows(cluster, "queue", neighbour),
        lambda: cluster.act("slurm.submit", {"script": "hostname"}, by=neighbour),
        lambda: cluster.act("slurm.list", {}, by=neighbour),
    ):
        with pytest.raises(Refused) as refused:
            ask()
        tried.append(refused.value.status)

    assert tried == [404, 404, 404]


def test_a_program_runs_as_the_login_that_was_declared_or_not_at_all(
    cluster: Cluster, site: Site, acme: Tenant
) -> None:
    keys = ["apps.instance.read", "apps.operation.read", "scheduler.queue.submit"]
    program = shop.make_program(site, acme, keys)
    before = cluster.act("slurm.submit", {"script": "hostname"}, by=program)
    for host in cluster.hosts.values():
        host.run(["useradd", "--create-home", "--uid", str(ROBOT_UID), ROBOT])
    cluster.run("python3", "/opt/moorage-slurm/tool.pyz", "accounting.sync")

    job = submit(cluster, program)

    wait_until(lambda: booked(cluster, job, "UID") != [""])
    assert refusal(before) == "user_missing"
    assert booked(cluster, job, "UID", "User") == [str(ROBOT_UID), ROBOT]


def test_a_controller_that_dies_after_the_submission_submits_nothing_again(
    cluster: Cluster, people: People, controller: Replica
) -> None:
    cluster.controller.put(SLOW_SBATCH.encode(), "/usr/local/bin/sbatch", mode=0o755)
    body = {"input": {"script": "sleep 300", "name": "once"}}
    asked = people.ada.caller.post(f"{cluster.path}/actions/slurm.submit", body)
    wait_until(lambda: cluster.run("ls", "/tmp/submitted", check=False))

    controller.kill()
    cluster.run("touch", "/tmp/go")
    controller.start()
    path = f"/v1/operations/{asked['id']}"
    ended = cluster.admin.until(path, lambda found: found["ended_at"], seconds=180)
    cluster.run("rm", "/usr/local/bin/sbatch", "/tmp/go", "/tmp/submitted")

    queued = cluster.run("squeue", "-h", "-t", "all", "--name=once", "-o", "%A").split()
    assert ended["status"] == "succeeded"
    assert queued == [str(ended["result"]["job"])]


# One's own, and anybody's


def test_a_member_holds_releases_and_cancels_their_own(cluster: Cluster, people: People) -> None:
    caller = people.ada.caller
    job = submit(cluster, caller, LATER)

    held = cluster.act("slurm.hold", {"job": job}, by=caller)["result"]
    released = cluster.act("slurm.release", {"job": job}, by=caller)["result"]
    cancelled = cluster.act("slurm.cancel", {"job": job}, by=caller)["result"]
    late = cluster.act("slurm.hold", {"job": job}, by=caller)

    assert (held["state"], held["reason"]) == ("PENDING", "JobHeldUser")
    assert released["reason"] != "JobHeldUser"
    assert refusal(late) == "job_not_waiting"
    assert cancelled["state"] == "CANCELLED"


def test_the_job_of_another_is_refused_and_an_admin_may(cluster: Cluster, people: People) -> None:
    job = submit(cluster, people.ada.caller)

    tried = [
        cluster.act(f"slurm.{verb}", {"job": job}, by=people.bob.caller)
        for verb in ("cancel", "hold", "release")
    ]
    with pytest.raises(Refused) as refused:
        cluster.act("slurm.operate", {"job": job, "verb": "cancel"}, by=people.bob.caller)
    done = cluster.act("slurm.operate", {"job": job, "verb": "cancel"})

    assert {refusal(each) for each in tried} == {"job_of_another"}
    assert refused.value.status == 403
    assert done["status"] == "succeeded"
    wait_until(lambda: state(cluster, job).startswith("CANCELLED"))


def test_everybody_in_the_project_lists_and_inspects(cluster: Cluster, people: People) -> None:
    job = submit(cluster, people.ada.caller, name="train", array="0-9%2")

    listed = cluster.act("slurm.list", {"user": people.ada.login}, by=people.bob.caller)["result"]
    found = cluster.act("slurm.inspect", {"job": job}, by=people.bob.caller)["result"]["job"]
    missing = cluster.act("slurm.inspect", {"job": 999999}, by=people.bob.caller)

    assert sum(each["tasks"] for each in listed["jobs"]) == 10
    assert (found["job"], found["name"], found["user"]) == (job, "train", people.ada.login)
    assert refusal(missing) == "job_missing"


# Nodes


def test_a_node_stays_shut_until_everybody_who_shut_it_opens_it(cluster: Cluster) -> None:
    cluster.act("slurm.node.cordon", {"reason": "a loose cable"}, member="worker-1")
    cluster.act("slurm.node.drain", {"reason": "heat"}, member="worker-1")

    one = cluster.act("slurm.node.uncordon", {}, member="worker-1")["result"]
    again = cluster.act("slurm.node.uncordon", {}, member="worker-1")
    last = cluster.act("slurm.node.resume", {}, member="worker-1")["result"]

    assert "DRAIN" in one["state"]
    assert one["reason"].startswith("moorage drain: heat (")
    assert refusal(again) == "drained_by_another"
    assert "DRAIN" not in last["state"]


def test_a_drain_that_an_admin_made_in_slurm_is_theirs(cluster: Cluster) -> None:
    words = ("NodeName=worker-1", "State=DRAIN", "Reason=mine")
    cluster.run("scontrol", "update", *words)

    found = cluster.act("slurm.node.resume", {}, member="worker-1")

    assert refusal(found) == "drained_by_another"
    assert "mine" in cluster.run("scontrol", "show", "node", "worker-1")


def test_a_label_brings_a_node_into_the_partitions_that_name_it(
    cluster: Cluster, people: People
) -> None:
    cluster.act("slurm.node.label", {"labels": ["fast"]}, member="worker-2")

    where = cluster.run("srun", "-p", "fast", "printenv", "SLURMD_NODENAME", user=people.ada.login)
    cluster.act("slurm.node.label", {"labels": []}, member="worker-2")

    assert where.split() == ["worker-2"]
    assert cluster.run("sinfo", "-h", "-N", "-p", "fast").split() == []


def test_a_worker_that_the_scheduler_forgot_is_back_after_a_repair(cluster: Cluster) -> None:
    # As it forgets who came in the last seconds before it was killed.
    cluster.run("scontrol", "delete", "NodeName=worker-2")

    cluster.ask("repair", {"reason": "a worker is missing"})

    assert cluster.run("sinfo", "-h", "-n", "worker-2", "-o", "%T").split()[:1] == ["idle"]


def test_nodes_are_the_admins(cluster: Cluster, people: People) -> None:
    with pytest.raises(Refused) as refused:
        cluster.act("slurm.node.drain", {"reason": "x"}, by=people.ada.caller, member="worker-1")

    assert refused.value.status == 403


# Views


def test_views_follow_the_queue(cluster: Cluster, people: People, acme: Tenant) -> None:
    caller = people.bob.caller
    job = submit(cluster, people.ada.caller, name="seen")
    array = submit(cluster, people.ada.caller, array="0-999%1", nodes=2)

    mine = until_seen(cluster, "queue", caller, str(job))
    until_seen(cluster, "queue", caller, str(array))

    assert (mine["name"], mine["user"], mine["account"]) == ("seen", people.ada.login, acme.project)
    wait_until(
        lambda: rows(cluster, "partitions", caller)["main"]["pending"] >= 999, seconds=SEEN_WITHIN
    )
    assert set(rows(cluster, "nodes", caller)) == {"worker-1", "worker-2"}


def test_a_name_with_a_line_break_forges_no_row(cluster: Cluster, people: People) -> None:
    login = people.ada.login
    forged = f"x\n777|777|RUNNING|{people.bob.login}|prj|main|1|N/A|N/A||None|forged"
    cluster.run("sbatch", "--hold", f"--job-name={forged}", "--wrap=true", user=login)
    job = cluster.run("squeue", "-h", "-o", "%A", "--user", login).split()[0]

    until_seen(cluster, "queue", people.ada.caller, job)

    assert "777" not in rows(cluster, "queue", people.ada.caller)


def test_usage_counts_what_ended_and_everything_is_somebodys(
    cluster: Cluster, people: People, acme: Tenant
) -> None:
    cluster.run("srun", "sleep", "1", user=people.bob.login)

    used = until_seen(cluster, "usage", people.ada.caller, people.bob.login)

    words = ("sacct", "-a", "-X", "-n", "-P", "-o", "User,Account")
    owners = {tuple(line.split("|")) for line in cluster.run(*words).split()}
    known = {(login, acme.project) for login in (people.ada.login, people.bob.login, ROBOT)}
    assert used["jobs"] >= 1
    assert used["account"] == acme.project
    assert owners <= known | {("root", "root")}


def test_an_hour_that_is_over_is_reported_once(cluster: Cluster, site: Site) -> None:
    before = reports(site)

    def planted() -> bool:
        """A look that is under way may write over what is planted: once more, then."""
        cluster.run("python3", "-c", PLANT)
        return reports(site) > before

    wait_until(planted, seconds=SEEN_WITHIN)
    for _ in range(2):
        seen = looked(cluster)
        wait_until(lambda last=seen: looked(cluster) > last, seconds=SEEN_WITHIN)

    assert reports(site) == before + 1


def reports(site: Site) -> int:
    """How often usage was reported, and taken."""
    lines = [line for line in site.log.read_text().splitlines() if '"report_usage"' in line]
    return sum('"status": 200' in line for line in lines)


def looked(cluster: Cluster) -> str:
    """When somebody looked at the cluster last."""
    return cluster.admin.get(f"{cluster.path}/views/slurm.usage")["view"]["observed_at"]


def test_the_platforms_own_jobs_are_shown_to_admins_alone(cluster: Cluster, people: People) -> None:
    until_seen(cluster, "usage", cluster.admin, "root/root")

    assert "root/root" not in rows(cluster, "usage", people.ada.caller)


def test_a_stranger_sees_no_view(cluster: Cluster, people: People) -> None:
    with pytest.raises(Refused) as refused:
        rows(cluster, "queue", people.stranger)

    assert refused.value.status == 404


# How people get there


def test_every_command_that_people_are_told_works_for_them(
    cluster: Cluster, people: People
) -> None:
    told = cluster.read()["access"]
    commands = re.findall(r"^ +(/usr/bin/.*)$", told, re.M)

    ended = {line: as_themselves(cluster, people.ada.login, line) for line in commands}

    assert len(commands) > 8
    assert {line: code for line, code in ended.items() if code} == {}


def test_a_member_enters_the_login_host_by_the_lines_that_they_are_told(
    cluster: Cluster, people: People, site: Site, tmp_path: Path
) -> None:
    told = re.findall(r"^ +moor (.*)$", cluster.read()["access"], re.M)
    enter, let_in = (line.split() for line in told)
    ada = people.ada
    let_in = [email(cluster, ada.caller) if word == "YOUR-EMAIL" else word for word in let_in]

    before = terminal.moor(site, ada.caller, tmp_path, *enter)
    granted = terminal.moor(site, cluster.admin, tmp_path, *let_in, "-o", "json")
    entered = terminal.moor(
        site, ada.caller, tmp_path, *enter, typed="id -un; hostname; /usr/bin/scontrol ping"
    )
    cluster.admin.delete(f"/v1/grants/{json.loads(granted.stdout)['id']}")

    assert (before.returncode, "moor access grant" in before.stderr) == (1, True)
    assert entered.returncode == 0, entered.stderr
    who, where, ping = entered.stdout.splitlines()[-3:]
    assert (who, where) == (ada.login, cluster.controller.name)
    assert ping.endswith("is UP")


def email(cluster: Cluster, who: Caller) -> str:
    user, path = who.get("/v1/me")["id"], f"/v1/projects/{cluster.tenant.project}/memberships"
    listed = cluster.admin.get(f"{path}?limit=200")["items"]
    return next(each["email"] for each in listed if each["user_id"] == user)


def as_themselves(cluster: Cluster, login: str, line: str) -> int:
    """How a command ends for somebody who has logged in."""
    words = ["runuser", "--login", login, "--command", line]
    return cluster.controller.run(words, check=False, timeout=60).code
