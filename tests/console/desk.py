"""A desk in the lab: a network that holds a browser and a cable to the lab, and nothing else.

A browser drops what it is doing whenever an interface of its machine comes or goes. Hosts of labs
come and go all the time, beside these tests too: here it sees none of that.
"""

import contextlib
import ctypes
import os
import shlex
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from moorage_lab import Lab

NUMBER = 253
"""Of its address in the lab: hosts are counted from the other end."""


@contextmanager
def in_lab(lab: Lab, place: Path) -> Iterator[Path]:
    """What starts a browser there."""
    layout = lab.layout
    name, near = name_in(lab), f"mdesk{layout.subnet}"
    address = layout.address + (NUMBER - int(layout.address) % 256)
    _ip(f"netns add {name}")
    try:
        _ip(f"link add {near} type veth peer name desk netns {name}")
        _ip(f"link set {near} master {layout.bridge} up")
        _ip(f"-n {name} address add {address}/24 dev desk")
        _ip(f"-n {name} link set desk addrgenmode none")  # an address of its own comes later
        for link in ("lo", "desk"):
            _ip(f"-n {name} link set {link} up")
        _ip(f"-n {name} route add default via {layout.address}")
        yield _starter(place / "chromium", name)
    finally:
        _ip(f"netns delete {name}")  # the cable goes with it


def name_in(lab: Lab) -> str:
    return f"desk-{lab.layout.name}"


@contextmanager
def reaching(lab: Lab, port: int) -> Iterator[None]:
    """Let what this machine has at a port of its loopback be at that of the desk, too."""
    with ThreadPoolExecutor(1) as apart:
        listener = apart.submit(_listen_in, name_in(lab), port).result()
    with listener:
        threading.Thread(target=_pass_on, args=(listener, port), daemon=True).start()
        yield
        listener.shutdown(socket.SHUT_RDWR)


def _listen_in(name: str, port: int) -> socket.socket:
    """A socket belongs to the network in which the thread is that makes it."""
    with open(f"/run/netns/{name}") as network:
        if ctypes.CDLL(None, use_errno=True).setns(network.fileno(), 0):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return socket.create_server(("127.0.0.1", port))


def _pass_on(listener: socket.socket, port: int) -> None:
    with contextlib.suppress(OSError):  # it was shut
        while True:
            near, _ = listener.accept()
            threading.Thread(target=_join, args=(near, port), daemon=True).start()


def _join(near: socket.socket, port: int) -> None:
    with near, socket.create_connection(("127.0.0.1", port)) as far:
        back = threading.Thread(target=_copy, args=(far, near), daemon=True)
        back.start()
        _copy(near, far)
        back.join()


def _copy(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):  # either end may go first
        while chunk := one.recv(65_536):
            other.sendall(chunk)
        other.shutdown(socket.SHUT_WR)


def _starter(file: Path, name: str) -> Path:
    browser = shlex.quote(shutil.which("chromium") or "chromium")
    file.write_text(f'#!/bin/sh\nexec nsenter --net=/run/netns/{name} -- {browser} "$@"\n')
    file.chmod(0o755)
    return file


def _ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True, capture_output=True, text=True)
