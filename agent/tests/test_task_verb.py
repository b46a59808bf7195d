"""One task over a pipe, as the platform does it over SSH on hosts without agent."""

import base64
import hashlib
import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from moorage_agent import archive
from moorage_lab import Host, Lab

pytestmark = pytest.mark.lab

AGENT = "/tmp/agent.pyz"


@pytest.fixture(scope="module", autouse=True)
def there(lab: Lab) -> Iterator[None]:
    """The archive is on the host, and nothing else of the agent."""
    lab.hosts[0].put(archive.build(), AGENT)
    yield
    lab.hosts[0].run(f"rm -rf {AGENT} /var/lib/moorage-agent /run/moorage-agent")


class Line:
    """A connection to the host with the verb at its other end."""

    def __init__(self, host: Host) -> None:
        self.process = subprocess.Popen(
            host.command(["python3", "-I", AGENT, "task"]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def say(self, line: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def hear_report(self) -> tuple[dict[str, Any], bytes]:
        """The report, and the output before it."""
        output = b""
        while "report" not in (said := self.hear()):
            output += base64.b64decode(said["output"]["data"])
        return said["report"], output

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def line(host: Host) -> Iterator[Line]:
    line = Line(host)
    yield line
    line.close()


def task(kind: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
    basis = {"id": "tsk_1", "kind": kind, "timeout": 60, "output_limit": 1000, "input": given}
    return {**basis, **more}


def test_a_command_is_run_with_its_secrets_and_its_output_comes(line: Line) -> None:
    given = {"argv": ["sh", "-c", "cat; seq 1000; exit 3"], "stdin": {"$secret": "KEY"}}
    line.say(task("exec", given, secrets={"KEY": base64.b64encode(b"sesame\n").decode()}))

    report, output = line.hear_report()

    assert (report["state"], report["result"]["exit_code"]) == ("failed", 3)
    assert report["result"]["dropped"]["stdout"] == 3893 + 7 - 1000
    assert output.startswith(b"sesame\n1\n2\n")
    assert line.process.wait(10) == 0


@pytest.mark.parametrize("how", ["closed", "cancelled"])
def test_a_command_ends_when_the_connection_dies_or_says_so(
    how: str, line: Line, host: Host
) -> None:
    line.say(task("exec", {"argv": ["sh", "-c", "echo on; setsid sleep 4010 & sleep 4011"]}))
    assert "output" in line.hear()

    if how == "closed":
        assert line.process.stdin is not None
        line.process.stdin.close()
    else:
        line.say({"cancel": True})

    report, _ = line.hear_report()
    assert report["state"] == "cancelled"
    assert host.run("pgrep -fx 'sleep 401[01]'", check=False).stdout == ""


def test_a_command_that_takes_too_long_is_ended(line: Line) -> None:
    line.say(task("exec", {"argv": ["sleep", "4012"]}, timeout=0.5))

    assert line.hear_report()[0]["state"] == "timed_out"


def test_an_artifact_comes_in_pieces(line: Line, host: Host) -> None:
    data = bytes(range(256)) * 8192
    digest = hashlib.sha256(data).hexdigest()
    line.say(task("put", {"path": "/root/artifact", "digest": digest, "size": len(data)}))

    for start in range(0, len(data), 262144):
        piece = base64.b64encode(data[start : start + 262144]).decode()
        line.say({"content": piece})
    line.say({"content": None})

    report, _ = line.hear_report()
    assert (report["state"], report["changed"]) == ("succeeded", True)
    assert host.get("/root/artifact") == data


def test_what_is_no_task_is_refused(line: Line) -> None:
    line.say({"hello": "there"})

    assert "error" in line.hear()
    assert line.process.wait(10) == 2


def test_nothing_of_a_task_stays_on_the_host(line: Line, host: Host) -> None:
    line.say(task("exec", {"argv": ["true"]}))
    line.hear_report()
    line.process.wait(10)

    left = "find /run/moorage-agent /var/lib/moorage-agent/single -mindepth 1; "
    left += "systemctl list-units --all --no-legend 'moorage-task-*'"
    assert host.run(left, check=False).stdout == ""


def test_what_a_killed_process_left_ends_with_the_next_task(line: Line, host: Host) -> None:
    line.say(task("exec", {"argv": ["sh", "-c", "echo on; sleep 4013"]}, id="tsk_killed"))
    assert "output" in line.hear()
    host.run("systemd-run --quiet --unit=moorage-task-of-an-agent sleep 4014")
    host.run("pkill -KILL -f 'agent.pyz tas[k]'")
    assert host.run("pgrep -fx 'sleep 4013'", check=False).stdout != "", "it outlives its process"

    another = Line(host)
    another.say(task("exec", {"argv": ["true"]}, id="tsk_next"))
    report, _ = another.hear_report()
    another.close()

    agents = host.run(["pgrep", "-f", "sleep 4014"], check=False).stdout
    host.run("systemctl stop moorage-task-of-an-agent")
    assert report["state"] == "succeeded"
    assert host.run("pgrep -fx 'sleep 4013'", check=False).stdout == ""
    assert host.run("ls /run/moorage-agent /var/lib/moorage-agent/single").stdout.split() == [
        "/run/moorage-agent:",
        "/var/lib/moorage-agent/single:",
    ]
    assert agents != "", "what a polling agent runs goes on"
