"""`moor lab …`, through the tree of commands that people use."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from moorage_cli import main, tree
from moorage_lab import Host, Lab, commands
from moorage_lab.errors import BadRequest
from tools import gen_cli

MIB = 1024**2


def moor(*words: str) -> Any:
    """Run `moor` with the commands that the packages of this repository bring."""
    root = tree.grow(main.root(), gen_cli.plugins())
    return root.main(list(words), prog_name="moor", standalone_mode=False)


def status(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What `moor lab status` says of each host."""
    capsys.readouterr()
    moor("lab", "status", "-o", "json")
    labs = json.loads(capsys.readouterr().out)["items"]
    return {host["name"]: host for lab in labs for host in lab["hosts"]}


def test_moor_lists_every_verb_of_the_lab(capsys: pytest.CaptureFixture[str]) -> None:
    moor("lab", "--help")

    shown = capsys.readouterr().out
    assert "Make a lab of real Debian hosts" in shown
    assert all(verb in shown for verb in ("up", "down", "status", "cut", "mend", "reimage"))


@pytest.mark.parametrize(
    "words",
    [("up",), ("down",), ("status",), ("cut", "lab-1"), ("crash", "lab-1"), ("image",)],
    ids=lambda words: words[0],
)
def test_without_root_every_verb_says_so_and_ends_with_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    code = moor("lab", *words)

    assert code == 3
    assert "only root can make" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "size"), [("64M", 64 * MIB), ("512M", 512 * MIB), ("4G", 4096 * MIB)]
)
def test_a_size_is_written_with_its_unit(text: str, size: int) -> None:
    assert commands.size(text) == size


@pytest.mark.parametrize("text", ["", "4", "4T", "-1G", "63M", "G", "1.5G"])
def test_a_size_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadRequest, match="at least `64M`"):
        commands.size(text)


@pytest.mark.lab
def test_up_says_where_the_hosts_are_and_down_takes_them_away(
    new_name: Callable[[], str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = new_name()

    moor("lab", "up", "--name", name, "--hosts", "1", "--disk", "256M")
    shown = capsys.readouterr().out
    address = str(Lab.get(name).hosts[0].address)
    described = status(capsys)[f"{name}-1"]
    moor("lab", "down", "--name", name)

    assert f"{name}-1  {address}\n" in shown
    assert (described["power"], described["disk_size"]) == ("running", 256 * MIB)
    assert f"{name}-1" not in status(capsys)


@pytest.mark.lab
def test_status_shows_each_fault_until_mend_undoes_them_all(
    host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    host.put(b"[Service]\nExecStart=sleep infinity\n", "/etc/systemd/system/idle.service")
    moor("lab", "skew-clock", host.name, "60", "--service", "idle")
    for verb in ("fill-disk", "break-dns", "cut"):
        moor("lab", verb, host.name)
    broken = status(capsys)[host.name]["faults"]

    moor("lab", "mend", host.name)

    assert broken == ["cut", "disk full", "dead DNS", "wrong clock"]
    assert status(capsys)[host.name]["faults"] == []


@pytest.mark.lab
def test_power_is_seen_in_the_status(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    moor("lab", "power-off", host.name)
    off = status(capsys)[host.name]["power"]

    moor("lab", "power-on", host.name)

    assert off == "off"
    assert status(capsys)[host.name]["power"] == "running"


@pytest.mark.lab
def test_ssh_runs_a_command_there_and_ends_with_its_code(host: Host) -> None:
    words = ["lab", "ssh", host.name, "--", "hostname; exit 9"]
    program = f"from lab.tests.test_commands import moor; moor(*{words!r})"

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.returncode) == (f"{host.name}\n", 9)


@pytest.mark.lab
def test_a_lab_or_host_that_is_not_there_ends_with_4(
    lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = [moor("lab", "cut", name) for name in (f"{lab.name}-99", "nowhere-1")]

    assert codes == [4, 4]
    assert f"it has {lab.name}-1, {lab.name}-2" in capsys.readouterr().err


def test_a_wish_for_a_new_image_is_read_from_what_the_platform_says() -> None:
    said = '{"node": "nod_1", "name": "lab-1", "address": null, "line": "echo", "reason": "why"}'

    assert commands.read_wish(said) == {"name": "lab-1", "line": "echo"}


@pytest.mark.parametrize("said", ["", "[]", '{"name": "lab-1"}', "not json"])
def test_a_wish_without_a_name_or_a_line_is_refused(said: str) -> None:
    with pytest.raises(BadRequest, match="no document"):
        commands.read_wish(said)
