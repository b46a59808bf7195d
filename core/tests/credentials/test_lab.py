"""The worker on a real host with systemd: commands, their output, their ends, and faults."""

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.tests import debs
from core.tests.credentials import places
from core.tests.factories import artifacts
from core.tests.site import Site
from core.tests.tasks.workplaces import Workplace
from moorage_core.access.sweeps import SyncAccess
from moorage_core.allocations.sweeps import DriveAllocations
from moorage_core.credentials.sweeps import RunSshTasks
from moorage_lab import Host, Lab, needs
from moorage_lab import lab as labs

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, [*needs.TO_RUN, *needs.TO_BUILD])),
        reason="needs root, systemd-container and mmdebstrap: `make setup` as root installs them",
    ),
]
WITHIN = 30
ENDS_WITHIN = 50
"""Seconds after which nothing runs on a host that was cut off: 30 of silence, and an end."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    name = f"w{os.getpid()}"
    try:
        yield Lab.up(name, hosts=1)
    finally:
        labs.down(name)


@pytest.fixture
def host(lab: Lab) -> Iterator[Host]:
    yield lab.hosts[0]
    lab.hosts[0].mend()


@pytest.fixture
async def place(site: Site, host: Host) -> Workplace:
    """A machine of a project, confirmed, with its key on the host."""
    place = await places.make_place(site, str(host.address), 22)
    made = await places.make_credential(place)
    await asyncio.to_thread(
        host.run,
        "mkdir -p /root/.ssh && cat >>/root/.ssh/authorized_keys",
        stdin=f"{made['public_key']}\n".encode(),
    )
    fingerprint = await places.prepare(place, made["id"])
    shown = await asyncio.to_thread(
        host.run,
        "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub || ssh-keygen -lf /etc/ssh/*.pub",
    )
    assert fingerprint in shown.stdout
    place.tenant.ids["credential"] = made["id"]
    return place


async def run(place: Workplace, *argv: str, **changes: Any) -> dict[str, Any]:
    """A command, from wish to end."""
    task = await ask(place, *argv, **changes)
    await places.work(place)
    return await place.row(task)


async def ask(place: Workplace, *argv: str, **changes: Any) -> str:
    wish = {"key": "step/exec", "kind": "exec", "input": {"argv": list(argv)}} | changes
    (task,) = await place.ask(wish)
    return task["id"]


async def until_running(place: Workplace, task: str) -> None:
    async with asyncio.timeout(WITHIN):
        while (await place.row(task))["status"] != "running":
            await asyncio.sleep(0.05)


async def processes(host: Host, words: str) -> str:
    found = await asyncio.to_thread(host.run, ["pgrep", "-f", words], check=False)
    return found.stdout


async def test_a_command_runs_and_its_output_comes_back(place: Workplace) -> None:
    row = await run(place, "sh", "-c", "id -u; hostname; echo oh >&2; exit 3")

    out = (await places.output(place, row["id"], "stdout")).decode().split()
    assert (row["status"], row["error_code"]) == ("failed", "exit_nonzero")
    assert row["result"]["exit_code"] == 3
    assert out[0] == "0"
    assert await places.output(place, row["id"], "stderr") == b"oh\n"


async def test_output_beyond_the_limit_is_counted_and_dropped(place: Workplace) -> None:
    row = await run(place, "sh", "-c", "head -c 3000000 /dev/zero", output_limit=65_536)

    assert row["status"] == "succeeded"
    assert row["stdout_bytes"] == 65_536
    assert row["result"]["dropped"]["stdout"] == 3_000_000 - 65_536


async def test_a_cancelled_command_ends_with_all_it_started(place: Workplace, host: Host) -> None:
    task = await ask(place, "sh", "-c", "sleep 4711 & sleep 4711", timeout=600)
    sweep = asyncio.create_task(places.work(place))
    await until_running(place, task)

    answer = await place.tenant.admin.post(f"/v1/tasks/{task}/cancel")
    await sweep

    row = await place.row(task)
    assert answer.status_code < 300, answer.text
    assert row["status"] == "cancelled"
    assert await processes(host, "sleep 4711") == ""


async def test_a_command_beyond_its_time_is_ended(place: Workplace, host: Host) -> None:
    row = await run(place, "sleep", "4712", timeout=1)

    assert row["status"] == "timed_out"
    assert await processes(host, "sleep 4712") == ""


async def test_a_process_of_ours_that_dies_takes_the_command_with_it(
    place: Workplace, host: Host
) -> None:
    task = await ask(place, "sleep", "4713", timeout=600)
    sweep = asyncio.create_task(RunSshTasks(place.site.platform).activate())
    await until_running(place, task)

    sweep.cancel()
    await asyncio.gather(sweep, return_exceptions=True)
    async with asyncio.timeout(WITHIN):
        while await processes(host, "sleep 4713"):
            await asyncio.sleep(0.2)
    await places.work(place)

    row = await place.row(task)
    assert (row["status"], row["error_code"]) == ("unknown", "lost_on_node")


async def test_a_host_that_is_cut_off_leaves_a_task_unknown_and_ends_it(
    place: Workplace, host: Host
) -> None:
    task = await ask(place, "sh", "-c", "sleep 4714 & yes", timeout=600)
    sweep = asyncio.create_task(places.work(place))
    async with asyncio.timeout(WITHIN):
        while not await processes(host, "sleep 4714"):
            await asyncio.sleep(0.2)
    # Nobody can ask a host that is cut off: it notes by itself when the command is gone.
    note = "while pgrep -f 'sleep 471[4]' || pgrep -x yes; do sleep 0.5; done; touch /root/over"
    await asyncio.to_thread(host.run, ["systemd-run", "--quiet", "sh", "-c", note])

    await asyncio.to_thread(host.cut)
    cut_at = time.time()
    async with asyncio.timeout(60):
        await sweep
    row = await place.row(task)
    await asyncio.sleep(max(cut_at + ENDS_WITHIN - time.time(), 0))
    mended_at = time.time()
    await asyncio.to_thread(host.mend_network)

    over = await asyncio.to_thread(host.run, ["stat", "-c", "%Y", "/root/over"])
    assert (row["status"], row["error_code"]) == ("unknown", "connection_lost")
    assert cut_at < int(over.stdout) < mended_at


async def test_a_command_runs_for_longer_than_silence_is_borne(place: Workplace) -> None:
    row = await run(place, "sleep", "40", timeout=600)

    assert row["status"] == "succeeded"


async def test_revoking_the_credential_breaks_off_what_runs(place: Workplace, host: Host) -> None:
    task = await ask(place, "sleep", "4715", timeout=600)
    sweep = asyncio.create_task(places.work(place))
    await until_running(place, task)

    path = f"/v1/access-credentials/{place.tenant.ids['credential']}/revoke"
    await place.tenant.admin.post(path)
    async with asyncio.timeout(WITHIN):
        await sweep
        while await processes(host, "sleep 4715"):
            await asyncio.sleep(0.2)

    row = await place.row(task)
    assert (row["status"], row["error_code"]) == ("unknown", "lost_on_node")


@pytest.fixture
def account(host: Host) -> Iterator[str]:
    """A person's account on the host, which may not do anything yet."""
    host.run("useradd --create-home --shell /bin/sh deploy")
    yield "deploy"
    host.run(
        "rm -f /etc/sudoers.d/deploy; userdel -rf deploy;"
        " test ! -e /usr/bin/sudo.aside || mv /usr/bin/sudo.aside /usr/bin/sudo",
        check=False,
    )


@pytest.fixture
async def by_account(site: Site, host: Host, account: str) -> Workplace:
    """A machine of a project that is entered by that account."""
    place = await places.make_place(site, str(host.address), 22)
    made = await places.make_credential(place, username=account)
    await asyncio.to_thread(
        host.run,
        "install -d -o deploy -m 700 ~deploy/.ssh && cat >~deploy/.ssh/authorized_keys",
        stdin=f"{made['public_key']}\n".encode(),
    )
    await places.prepare(place, made["id"])
    return place


ALLOW = "echo 'deploy ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/deploy"


async def test_an_account_with_sudo_does_what_root_does(by_account: Workplace, host: Host) -> None:
    await asyncio.to_thread(host.run, ALLOW)

    row = await run(by_account, "id", "-u")

    assert (row["status"], row["error_message"]) == ("succeeded", None)
    assert await places.output(by_account, row["id"], "stdout") == b"0\n"


@pytest.mark.parametrize("wrong", ["true", "mv /usr/bin/sudo /usr/bin/sudo.aside"])
async def test_an_account_without_sudo_is_told_so(
    by_account: Workplace, host: Host, wrong: str
) -> None:
    await asyncio.to_thread(host.run, wrong)

    row = await run(by_account, "id", "-u")

    assert (row["status"], row["error_code"]) == ("failed", "not_root")
    assert "sudo" in row["error_message"]


async def test_packages_come_as_an_artifact(place: Workplace, host: Host, tmp_path: Path) -> None:
    bundle = debs.bundle(tiny=debs.build(tmp_path, "tiny-app"))
    artifact = await artifacts.upload(place.tenant.admin, place.tenant.project.id, bundle)
    given = {"present": ["tiny-app"], "digest": artifact["digest"], "size": len(bundle)}
    (task,) = await place.ask({"key": "step/deb", "kind": "packages", "input": given})

    await places.work(place)

    row = await place.row(task["id"])
    shown = await asyncio.to_thread(host.run, "cat /usr/share/tiny-app/version", check=False)
    await asyncio.to_thread(host.run, "dpkg --purge tiny-app", check=False)
    assert (row["status"], row["changed"], row["error_message"]) == ("succeeded", True, None)
    assert row["result"]["installed"] == {"tiny-app": "1.0"}
    assert shown.stdout == "1.0"


async def test_what_is_probed_is_the_host(place: Workplace, host: Host) -> None:
    (task,) = await place.ask(
        {"key": "step/probe", "kind": "probe", "input": {"parts": ["inventory"]}}
    )

    await places.work(place)

    row = await place.row(task["id"])
    assert row["status"] == "succeeded", row["error_message"]
    assert row["result"]["inventory"]["hostname"] == host.name


async def test_tasks_one_after_the_other_use_one_connection(place: Workplace) -> None:
    task = await ask(place, "true", key="step/0")
    sweep = asyncio.create_task(
        RunSshTasks(place.site.platform, linger=timedelta(seconds=3)).activate()
    )
    for n in range(1, 4):
        async with asyncio.timeout(WITHIN):
            while (await place.row(task))["ended_at"] is None:
                await asyncio.sleep(0.05)
        task = await ask(place, "true", key=f"step/{n}")

    assert await sweep == {"done": 1}
    assert (await place.row(task))["status"] == "succeeded"


async def test_people_are_put_on_the_host_and_taken_off_again(place: Workplace, host: Host) -> None:
    granted = await place.tenant.admin.post(
        f"/v1/allocations/{place.allocation}/grants",
        {"reason": "to look at its logs", "expires_in": 3600},
    )
    assert granted.status_code == 201, granted.text
    grant = granted.json()

    await SyncAccess(place.site.platform).activate()
    await places.work(place)
    there = await asyncio.to_thread(host.run, ["id", "-u", grant["login"]], check=False)
    await place.tenant.admin.call("DELETE", f"/v1/grants/{grant['id']}")
    await SyncAccess(place.site.platform).activate()
    await places.work(place)

    let_in = await asyncio.to_thread(host.run, "ls /etc/ssh/moorage/principals", check=False)
    after = (await place.tenant.admin.get(f"/v1/grants/{grant['id']}")).json()
    assert there.stdout.strip() == str(grant["uid"])
    assert grant["login"] not in let_in.stdout.split()
    assert (after["carried_out"], after["problem"]) == (True, None)


async def test_a_machine_is_wiped_and_given_back(place: Workplace, host: Host) -> None:
    # As if nobody had been there before: other tests have added their keys since.
    await asyncio.to_thread(host.run, "rm -rf /var/lib/moorage-agent")
    given = {"path": "/opt/tool/setting", "content": "aGVsbG8=", "parents": True}
    await place.ask({"key": "step/put", "kind": "put", "input": given})
    await places.work(place)

    after = await release(place)

    assert (after["status"], after["dirty"]) == ("released", []), after["message"]
    assert (await asyncio.to_thread(host.run, "ls /opt/tool", check=False)).code != 0


async def test_what_a_wipe_cannot_take_back_is_named(place: Workplace, host: Host) -> None:
    await run(place, "useradd", "somebody")

    after = await release(place)

    assert after["status"] == "release_failed"
    assert "somebody" in after["message"]
    await asyncio.to_thread(host.run, "userdel -r somebody", check=False)


async def release(place: Workplace) -> dict[str, Any]:
    """Give the machine back; what is said of it then."""
    path = f"/v1/allocations/{place.allocation}"
    released = await place.tenant.admin.post(f"{path}/release", {"reason": "the work is done"})
    assert released.status_code < 300, released.text
    for _ in range(4):
        await DriveAllocations(place.site.platform).activate()
        await places.work(place)
    await DriveAllocations(place.site.platform).activate()
    return (await place.tenant.admin.get(path)).json()


async def test_a_database_that_drops_its_connections_costs_no_task(
    place: Workplace, host: Host
) -> None:
    task = await ask(place, "sh", "-c", "echo one; sleep 3; echo two")
    sweep = asyncio.create_task(places.work(place))
    await until_running(place, task)

    await place.site.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE usename = 'moorage_app' AND datname = current_database()"
    )
    await sweep

    row = await place.row(task)
    assert (row["status"], row["error_code"]) == ("succeeded", None)
    assert await places.output(place, task, "stdout") == b"one\ntwo\n"
