"""What goes wrong between the platform and its hosts. Each ends in a stated state."""

import hashlib
import re

import httpx2
import pytest

from moorage_lab import Host
from tests.e2e import work, world
from tests.e2e.callers import Caller, wait_until
from tests.e2e.site import Site
from tests.e2e.work import Session
from tests.e2e.world import Member, Tenant

pytestmark = pytest.mark.lab

GIB = 1 << 30
AGENT = "moorage-agent"
STATE = "/var/lib/moorage-agent"


@pytest.fixture
def session(site: Site, acme: Tenant, held: tuple[Member, str]) -> Session:
    """Work on the machine that faults happen to."""
    return work.open_session(site, acme, held[1])


@pytest.fixture
def member(held: tuple[Member, str]) -> Member:
    return held[0]


# --- who may be a node ---------------------------------------------------------------------------


def test_a_forged_line_installs_nothing(admin: Caller, spare: Host, fleet: str) -> None:
    node = world.make_node(admin, "forged")
    line = world.line_for(admin, node["id"])
    forged = re.sub(r"moor_enr_[\w-]+", "moor_enr_" + "x" * 43, line)

    said = spare.run("sh", stdin=forged.encode(), check=False, timeout=60)

    assert said.code != 0
    assert "refuses" in said.stderr
    assert spare.run(f"systemctl cat {AGENT}", check=False).code != 0
    assert admin.get(f"/v1/nodes/{node['id']}")["status"] == "enrolling"


def test_a_line_works_once(admin: Caller, members: list[Member], spare: Host) -> None:
    node = world.make_node(admin, "twice")
    line = world.line_for(admin, node["id"])
    world.paste(spare, line)
    admin.until(f"/v1/nodes/{node['id']}", lambda found: found["status"] == "available")
    other = members[0].host
    before = other.get(f"{STATE}/identity.json")

    said = other.run("sh", stdin=f"MOORAGE_REENROL=1 {line}".encode(), check=False, timeout=60)

    assert said.code != 0
    assert "refuses" in said.stderr
    assert other.get(f"{STATE}/identity.json") == before
    assert admin.get(f"/v1/nodes/{node['id']}")["status"] == "available"
    admin.post(f"/v1/nodes/{node['id']}/retire", {"reason": "The test is over."})


def test_a_cloned_identity_is_found_out_and_the_node_quarantined(
    admin: Caller, members: list[Member], spare: Host
) -> None:
    node = world.make_node(admin, "original")
    world.paste(spare, f"MOORAGE_REENROL=1 {world.line_for(admin, node['id'])}")
    path = f"/v1/nodes/{node['id']}"
    admin.until(path, lambda found: found["status"] == "available")
    thief = members[0].host
    stolen = {name: spare.get(f"{STATE}/{name}") for name in ("identity.json", "key.pem", "ca.pem")}

    thief.run(f"systemctl stop {AGENT}; cp -a {STATE} {STATE}.own")
    try:
        for name, content in stolen.items():
            thief.put(content, f"{STATE}/{name}", mode=0o600)
        thief.run(f"systemctl start {AGENT}")
        spare.run(f"systemctl restart {AGENT}")  # it proves itself once more
        found = admin.until(path, lambda found: found["status"] == "quarantined")
    finally:
        thief.run(f"systemctl stop {AGENT}; rm -rf {STATE}; mv {STATE}.own {STATE}")
        thief.run(f"systemctl start {AGENT}")

    assert "identity" in found["status_reason"]
    told = f"journalctl -u {AGENT} --no-pager"
    wait_until(lambda: "identity_conflict" in spare.run(told).stdout)


# --- time, power, network ------------------------------------------------------------------------


def test_a_clock_that_is_wrong_by_minutes_changes_nothing(
    session: Session, member: Member, admin: Caller
) -> None:
    member.host.skew_clock(600, AGENT)
    try:
        found = session.done(session.shell("echo still here"))
    finally:
        member.host.mend_clock()

    assert session.output(found["id"]) == b"still here\n"
    assert admin.get(f"/v1/nodes/{member.node}")["reachable"]


def test_a_task_outlives_the_agent_that_started_it(session: Session, member: Member) -> None:
    task = session.shell("echo one >>/var/tmp/times; sleep 3; echo done")
    session.until(task, "running")
    wait_until(lambda: member.host.run("cat /var/tmp/times", check=False).stdout)

    member.host.run(f"systemctl kill -s KILL {AGENT}")

    assert session.output(session.done(task)["id"]) == b"done\n"
    assert member.host.get("/var/tmp/times") == b"one\n"
    member.host.run("rm /var/tmp/times")


def test_a_task_whose_host_lost_power_ends_unknown(session: Session, member: Member) -> None:
    task = session.shell("touch /var/tmp/began; sleep 600")
    session.until(task, "running")

    member.host.crash()
    member.host.power_on()

    found = session.ended(task)
    assert found["status"] == "unknown"
    assert session.done(session.shell("true"))


def test_a_restart_of_the_platform_is_not_noticed_by_a_task(
    site: Site, session: Session, member: Member, admin: Caller
) -> None:
    task = session.shell("for i in 1 2 3 4 5 6; do echo $i; sleep 1; done")
    session.until(task, "running")

    site.stop()
    site.start()

    assert session.output(session.done(task)["id"]) == b"1\n2\n3\n4\n5\n6\n"
    assert admin.get(f"/v1/nodes/{member.node}")["reachable"]


def test_server_processes_killed_in_the_middle_of_polls_are_replaced(
    site: Site, session: Session
) -> None:
    task = session.shell("sleep 2; echo done")
    session.until(task, "running")

    site.kill_workers()

    wait_until(lambda: _answers(session, task))
    assert session.output(session.done(task)["id"]) == b"done\n"


def test_a_host_that_is_cut_off_is_unreachable_within_half_a_minute_and_comes_back(
    session: Session, member: Member, admin: Caller
) -> None:
    path = f"/v1/nodes/{member.node}"
    running = session.shell("sleep 5; echo done")
    session.until(running, "running")

    member.host.cut()
    try:
        silent = admin.until(path, lambda found: not found["reachable"], seconds=30)
        queued = session.shell("echo late")
    finally:
        member.host.mend_network()

    assert silent["unreachable_since"]
    assert silent["status"] == "allocated"
    assert session.output(session.done(queued)["id"]) == b"late\n"
    assert session.output(session.done(running)["id"]) == b"done\n"
    back = admin.until(path, lambda found: found["reachable"])
    assert back["unreachable_since"] is None


# --- tasks that misbehave ------------------------------------------------------------------------


def test_what_a_task_leaves_running_ends_with_it(session: Session, member: Member) -> None:
    task = session.shell("setsid -f sleep 4321; nohup sleep 4322 >/dev/null 2>&1 & echo gone")

    session.done(task, seconds=20)

    assert member.host.run("pgrep -f 'sleep 432[12]'", check=False).code == 1


def test_cancelling_ends_the_whole_tree(session: Session, member: Member) -> None:
    task = session.shell("setsid -f sleep 5431; trap '' TERM; sleep 5432; sleep 5433")
    session.until(task, "running")
    wait_until(lambda: member.host.run("pgrep -f 'sleep 543[2]'", check=False).code == 0)

    session.holder.post(f"/v1/tasks/{task}/cancel")

    assert session.ended(task, seconds=20)["status"] == "cancelled"
    assert member.host.run("pgrep -f 'sleep 543[123]'", check=False).code == 1


def test_a_task_that_takes_too_long_is_ended(session: Session, member: Member) -> None:
    task = session.shell("sleep 6543", timeout=2)

    assert session.ended(task, seconds=20)["status"] == "timed_out"
    assert member.host.run("pgrep -f 'sleep 654[3]'", check=False).code == 1


def test_a_gibibyte_of_output_is_cut_to_its_limit_and_fills_nothing(
    session: Session, member: Member
) -> None:
    limit = 1 << 20
    task = session.shell(f"head -c {GIB} /dev/zero; echo >&2 end", output_limit=limit)

    found = session.done(task, seconds=90)

    assert found["stdout_bytes"] == limit
    assert found["result"]["dropped"]["stdout"] == GIB - limit
    assert session.output(task) == bytes(limit)
    assert session.output(task, "stderr") == b"end\n"
    used = int(member.host.run(f"du -sb {STATE}").stdout.split()[0])
    assert used < 32 << 20
    peak = member.host.run(f"systemctl show -p MainPID --value {AGENT}").stdout.strip()
    status = member.host.run(f"grep VmHWM /proc/{peak}/status").stdout
    assert int(status.split()[1]) < 100 << 10


def test_a_full_disk_is_said_and_leaves_nothing_half_written(
    session: Session, member: Member
) -> None:
    content = b"x" * 400_000
    # What the agent keeps of ended tasks it lets go of at its next poll: that would be room again.
    wait_until(lambda: member.host.run(f"ls -A {STATE}/tasks").stdout == "")
    member.host.fill_disk()
    try:
        put = session.ended(session.put("/srv/large", content))
    finally:
        member.host.mend_disk()

    assert put["status"] == "failed"
    assert put["error_code"] == "disk_full"
    assert member.host.run("ls /srv").stdout == ""
    again = session.done(session.put("/srv/large", content))
    assert again["result"]["digest"].endswith(hashlib.sha256(content).hexdigest())
    member.host.run("rm /srv/large")


def test_a_put_follows_no_link_that_somebody_laid(session: Session, member: Member) -> None:
    member.host.run(
        "useradd -m eve; ln -s /etc/shadow /home/eve/config; ln -s /etc /home/eve/folder; "
        "chown -h eve: /home/eve/config /home/eve/folder; cp /etc/shadow /root/shadow.before"
    )

    tasks = [
        session.ended(session.put(path, b"trap"))
        for path in ("/home/eve/config", "/home/eve/folder/shadow")
    ]

    assert [task["status"] for task in tasks] == ["failed", "failed"]
    assert {task["error_code"] for task in tasks} == {"path_is_symlink"}
    member.host.run(
        "cmp /etc/shadow /root/shadow.before && rm /root/shadow.before && userdel -r eve"
    )


def _answers(session: Session, task: str) -> bool:
    try:
        return bool(session.get(task))
    except httpx2.TransportError:
        return False
