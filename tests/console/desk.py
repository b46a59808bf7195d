"""A desk in the lab: a network that holds a browser and a cable to the lab, and nothing else.

A browser drops what it is doing whenever an interface of its machine comes or goes. Hosts of labs
come and go all the time, beside these tests too: here it sees none of that.
"""

import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from moorage_lab import Lab

NUMBER = 253
"""Of its address in the lab: hosts are counted from the other end."""


@contextmanager
def in_lab(lab: Lab, place: Path) -> Iterator[Path]:
    """What starts a browser there."""
    layout = lab.layout
    name, near = f"desk-{layout.name}", f"mdesk{layout.subnet}"
    address = layout.address + (NUMBER - int(layout.address) % 256)
    _ip(f"netns add {name}")
    try:
        _ip(f"link add {near} type veth peer name desk netns {name}")
        _ip(f"link set {near} master {layout.bridge} up")
        _ip(f"-n {name} address add {address}/24 dev desk")
        for link in ("lo", "desk"):
            _ip(f"-n {name} link set {link} up")
        _ip(f"-n {name} route add default via {layout.address}")
        yield _starter(place / "chromium", name)
    finally:
        _ip(f"netns delete {name}")  # the cable goes with it


def _starter(file: Path, name: str) -> Path:
    browser = shlex.quote(shutil.which("chromium") or "chromium")
    file.write_text(f'#!/bin/sh\nexec nsenter --net=/run/netns/{name} -- {browser} "$@"\n')
    file.chmod(0o755)
    return file


def _ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True, capture_output=True, text=True)
