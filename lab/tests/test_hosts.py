"""Hosts are real machines, each its own."""

import pytest

from moorage_lab import Host, Lab, containers
from moorage_lab.errors import CommandFailed, NotRunning
from moorage_lab.layout import EXPORT

pytestmark = pytest.mark.lab


def test_every_host_has_booted_whole_and_has_an_identity_of_its_own(lab: Lab) -> None:
    question = "systemctl is-system-running; hostname; cat /etc/machine-id"

    answers = [host.run(question).stdout.split() for host in lab.hosts]

    assert [answer[:2] for answer in answers] == [["running", host.name] for host in lab.hosts]
    keys = {host.get("/etc/ssh/ssh_host_ed25519_key.pub") for host in lab.hosts}
    assert len({answer[2] for answer in answers}) == len(keys) == len(lab.hosts)


def test_hosts_find_each_other_and_this_machine_by_name(lab: Lab, peer: Host, host: Host) -> None:
    answer = peer.run(f"ping -c1 -q {host.name} && ping -c1 -q lab-machine").stdout

    assert f"({host.address})" in answer
    assert f"({lab.layout.address})" in answer


def test_hosts_share_the_export_of_their_site(peer: Host, host: Host) -> None:
    peer.put(b"for all", f"{EXPORT}/notice")

    assert host.run(["cat", f"{EXPORT}/notice"]).stdout == "for all"


def test_gpus_can_be_simulated_and_say_so(host: Host) -> None:
    host.add_gpus(2)

    listed = host.run("ls /dev/nvidia0 /dev/nvidia1; nvidia-smi").stdout.splitlines()

    assert listed[:2] == ["/dev/nvidia0", "/dev/nvidia1"]
    assert all("Simulated" in line for line in listed[2:])


def test_a_host_has_no_way_out_of_the_lab(peer: Host) -> None:
    answer = peer.run("ip route get 192.0.2.1", check=False)

    assert answer.code != 0
    assert "unreachable" in answer.stderr


def test_a_host_has_the_python_and_the_tools_that_agents_need(peer: Host) -> None:
    modules = "asyncio, ctypes, hmac, http.client, shutil, ssl, urllib.request, uuid, zipfile"

    peer.run(f"python3 -c 'import {modules}' && openssl version && sudo -n true && curl --version")

    assert peer.get("/etc/os-release").startswith(b'PRETTY_NAME="Debian GNU/Linux 13')


def test_killing_a_service_on_one_host_leaves_its_namesake_on_another(
    peer: Host, host: Host
) -> None:
    for each in (peer, host):
        each.run("systemd-run --quiet --unit=twin sleep infinity")

    host.run("echo 1 >/sys/fs/cgroup/system.slice/twin.service/cgroup.kill")

    assert peer.run("systemctl is-active twin").stdout.strip() == "active"
    peer.run("systemctl stop twin")


def test_a_host_can_kill_a_services_whole_tree_through_its_own_cgroup(host: Host) -> None:
    host.run("systemd-run --quiet --unit=tree -p KillMode=none sh -c 'setsid sleep 4242 & wait'")

    host.run("echo 1 >/sys/fs/cgroup/system.slice/tree.service/cgroup.kill")

    assert host.run("systemctl is-active tree", check=False).stdout.strip() != "active"
    assert host.run("pgrep -f 'sleep 424[2]'", check=False).code == 1


def test_a_file_that_is_put_can_be_read_there_and_here(host: Host) -> None:
    content = bytes(range(256)) * 5000

    host.put(content, "/srv/a folder/file", mode=0o640)

    assert host.get("/srv/a folder/file") == content
    assert host.run(["stat", "-c", "%a", "/srv/a folder/file"]).stdout == "640\n"


def test_a_command_that_fails_says_what_it_said(host: Host) -> None:
    with pytest.raises(CommandFailed, match="no such thing") as failed:
        host.run("echo no such thing >&2; exit 7")

    assert failed.value.code == 7


def test_a_host_that_is_off_says_how_to_start_it(host: Host) -> None:
    host.power_off()

    with pytest.raises(NotRunning, match=f"moor lab power-on {host.name}"):
        host.run("true")


def test_up_again_leaves_what_runs_alone(lab: Lab) -> None:
    before = [containers.supervisors(host.layout) for host in lab.hosts]

    again = Lab.up(lab.name, hosts=1)

    assert [containers.supervisors(host.layout) for host in again.hosts] == before
