"""Faults happen as they do at a site, and can be undone."""

import hashlib
import re
import socket

import pytest

from lab.tests.waiting import wait_until
from moorage_lab import Host, Lab
from moorage_lab.errors import BadRequest, Unreachable

pytestmark = pytest.mark.lab

SERVICE = b"""\
[Service]
Type=notify
ExecStart=/usr/bin/python3 -c "import os, time; \\
    open('/srv/clock', 'w').write(str(int(time.time()))); \\
    os.system('systemd-notify --ready'); time.sleep(10**6)"
NotifyAccess=all
"""


def pings(host: Host, target: Host, *, count: int = 3) -> tuple[int, float]:
    """How many of the pings come back, and the quickest round trip in milliseconds."""
    said = host.run(f"ping -q -c{count} -i0.02 -W1 {target.name}", check=False).stdout
    received = re.search(r"(\d+) received", said)
    quickest = re.search(r"= ([\d.]+)/", said)
    assert received, said
    return int(received[1]), float(quickest[1]) if quickest else 0


def clock_of_the_service(host: Host) -> int:
    return int(host.get("/srv/clock"))


def test_a_cut_host_is_reached_by_nobody_until_it_is_mended(peer: Host, host: Host) -> None:
    host.cut()
    while_cut = pings(peer, host)[0]
    shown = host.faults()

    host.mend_network()

    assert (while_cut, shown) == (0, ["cut"])
    wait_until(lambda: pings(peer, host)[0] == 3)  # peers may still wait for an old question
    assert host.faults() == []


LOOK = """\
until [ -e /srv/go ]; do sleep 0.01; done
ip neighbour flush dev host0
ping -q -c1 -W1 lab-machine >/dev/null
echo "ping $? carrier $(cat /sys/class/net/host0/carrier)" >/srv/seen.new
mv /srv/seen.new /srv/seen
"""


def test_a_cut_host_keeps_its_carrier_and_reaches_not_even_this_machine(host: Host) -> None:
    host.put(LOOK.encode(), "/srv/look")
    host.run("systemd-run --quiet --unit=look sh /srv/look")
    host.cut()

    (host.layout.root / "srv/go").touch()
    wait_until((host.layout.root / "srv/seen").exists)

    assert host.get("/srv/seen") == b"ping 1 carrier 1\n"


def test_a_cut_outlives_power_and_a_second_up(lab: Lab, peer: Host, host: Host) -> None:
    host.cut()

    host.crash()
    Lab.up(lab.name, hosts=2)

    assert host.is_running
    assert pings(peer, host)[0] == 0


def test_a_command_on_a_cut_host_ends_in_time(host: Host) -> None:
    host.cut()

    with pytest.raises(Unreachable, match=host.name):
        host.run("true", timeout=0.5)


def test_a_delay_is_felt_in_both_directions(peer: Host, host: Host) -> None:
    host.slow(delay=0.06)

    received, quickest = pings(peer, host)

    assert received == 3
    assert quickest >= 120
    assert host.faults() == ["slow"]


def test_after_mending_the_wire_is_quick_again(peer: Host, host: Host) -> None:
    host.slow(delay=0.06)

    host.mend_network()

    received, quickest = pings(peer, host)
    assert received == 3
    assert quickest < 60


def test_a_lossy_wire_loses_some_frames_and_not_all(peer: Host, host: Host) -> None:
    host.slow(loss=0.3)

    received, _ = pings(peer, host, count=60)

    assert 0 < received < 60


def test_a_slow_wire_carries_large_files_whole(host: Host) -> None:
    content = bytes(range(256)) * 20_000
    host.slow(delay=0.005)

    host.put(content, "/srv/large")

    assert hashlib.sha256(host.get("/srv/large")).digest() == hashlib.sha256(content).digest()


@pytest.mark.parametrize(("delay", "loss"), [(-1, 0), (0, 1.1), (3600, 0)])
def test_a_wire_that_cannot_be_is_refused(host: Host, delay: float, loss: float) -> None:
    with pytest.raises(BadRequest, match="A delay is"):
        host.slow(delay=delay, loss=loss)


def test_what_was_written_is_there_after_power_off_and_on(host: Host) -> None:
    host.put(b"kept", "/srv/kept")

    host.power_off()
    host.power_on()

    assert host.run("cat /srv/kept").stdout == "kept"


def test_a_host_that_crashes_says_nothing_to_its_peers(host: Host) -> None:
    with socket.create_connection((str(host.address), 22), timeout=10) as connection:
        connection.recv(1000)
        connection.settimeout(0.5)

        host.crash()

        with pytest.raises(TimeoutError):  # neither closed nor reset
            connection.recv(1000)
    assert not host.is_running


def test_a_host_that_reboots_itself_comes_back(host: Host) -> None:
    host.run("touch /run/before")

    host.reboot()

    assert host.run("test -e /run/before", check=False).code == 1
    assert host.run("systemctl is-system-running").stdout == "running\n"


def test_a_reimaged_host_has_nothing_of_the_old_one_but_its_address(host: Host) -> None:
    def identity() -> list[bytes]:
        return [host.get("/etc/machine-id"), host.get("/etc/ssh/ssh_host_ed25519_key.pub")]

    host.put(b"secret", "/opt/secret")
    before = identity()

    host.reimage()

    assert all(new != old for new, old in zip(identity(), before, strict=True))
    assert host.run("ls -A /opt; hostname").stdout == f"{host.name}\n"


def test_a_full_disk_refuses_every_write_until_it_is_mended(host: Host) -> None:
    write = "head -c 100000 /dev/zero >/srv/fill"
    host.fill_disk()
    said = host.run(write, check=False).stderr
    shown = host.faults()

    host.mend_disk()

    assert "No space left on device" in said
    assert shown == ["disk full"]
    assert host.run(write).code == 0


def test_a_dead_name_server_makes_look_ups_hang(host: Host) -> None:
    question = "timeout 1 getent ahostsv4 nowhere.example"
    at_first = host.run(question, check=False).code

    host.break_dns()

    assert at_first == 2
    assert host.run(question, check=False).code == 124
    assert host.faults() == ["dead DNS"]


def test_a_service_with_a_wrong_clock_differs_from_its_host_until_it_is_mended(host: Host) -> None:
    host.put(SERVICE, "/etc/systemd/system/clock.service")
    host.run("systemctl daemon-reload && systemctl start clock")
    true = clock_of_the_service(host)

    host.skew_clock(-3600, "clock")
    wrong = clock_of_the_service(host)
    on_the_host = int(host.run("date +%s").stdout)
    shown = host.faults()
    host.mend_clock()

    assert -3600 <= wrong - true < -3500
    assert on_the_host >= true
    assert shown == ["wrong clock"]
    assert clock_of_the_service(host) >= true
