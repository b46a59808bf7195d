"""A real sshd on loopback, whose sessions see folders of their own in place of the machine's."""

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh
import pytest

SSHD = "/usr/sbin/sshd"
WITHIN = 30


@dataclass
class Daemon:
    """A host: what it is reached by, and what it keeps."""

    port: int
    place: Path
    process: subprocess.Popen[bytes]

    @property
    def fingerprint(self) -> str:
        key = asyncssh.read_public_key(self.place / "host_key.pub")
        return key.get_fingerprint("sha256")

    def admit(self, *public_keys: str) -> None:
        """Let these keys in, and no others."""
        (self.place / "authorized_keys").write_text("".join(f"{key}\n" for key in public_keys))

    def files(self) -> list[str]:
        """What lies where agents keep things."""
        folder = self.place / "lib" / "moorage-agent" / "ssh"
        return sorted(path.name for path in folder.glob("*"))

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def hold(self) -> None:
        """From now on tasks take until `go_on`."""
        (self.place / "held").touch()

    def go_on(self) -> None:
        (self.place / "held").unlink()

    def hide_programs(self) -> None:
        """From now on sessions find no program by its name."""
        (self.place / "bare").touch()

    def freeze(self) -> None:
        """It takes connections, and says nothing."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def signal_connections(self, sent: signal.Signals) -> None:
        """To those who serve the connections that are open."""
        listed = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=True
        )
        for pid in listed.stdout.split():
            os.kill(int(pid), sent)

    def replace_python(self, script: str) -> None:
        """From now on the host's python3 is this, in words of the shell."""
        (self.place / "bin").mkdir()
        program = self.place / "bin" / "python3"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    def change_host_key(self, kind: str = "ssh-ed25519", **size: Any) -> None:
        """A new machine in the place of the old one."""
        self.stop()
        _make_host_key(self.place, kind, **size)
        self.process = _start(self.place, self.port)


def check_possible() -> None:
    """Skip, with the reason, where no such host can be had."""
    if not Path(SSHD).exists():
        pytest.skip("there is no sshd here: `make setup` as root installs openssh-server")
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a host on loopback needs root and unshare")
    tried = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("mount namespaces are not to be had on this machine")


@contextmanager
def running(place: Path) -> Generator[Daemon]:
    check_possible()
    for folder in ("lib", "run"):
        (place / folder).mkdir()
    _make_host_key(place)
    (place / "session").write_text(
        f"#!/bin/sh\nexport PATH={place}/bin:$PATH\n"
        'case "$SSH_ORIGINAL_COMMAND" in *" task") '
        f"while [ -e {place}/held ]; do sleep 0.05; done;; esac\n"
        "exec unshare -m --propagation private sh -c '"
        f"mount --bind {place}/lib /var/lib && mount --bind {place}/run /run && "
        f"if [ -e {place}/bare ]; then PATH=/nowhere; fi; "
        'exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\'\n'
    )
    (place / "session").chmod(0o755)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    daemon = Daemon(port, place, _start(place, port))
    daemon.admit()
    try:
        yield daemon
    finally:
        daemon.stop()


def _make_host_key(place: Path, kind: str = "ssh-ed25519", **size: Any) -> None:
    for name in ("host_key", "host_key.pub"):
        (place / name).unlink(missing_ok=True)
    key = asyncssh.generate_private_key(kind, **size)
    key.write_private_key(place / "host_key")
    (place / "host_key").chmod(0o600)
    key.write_public_key(place / "host_key.pub")


def _start(place: Path, port: int) -> subprocess.Popen[bytes]:
    Path("/run/sshd").mkdir(exist_ok=True)
    (place / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {place}/host_key\n"
        f"AuthorizedKeysFile {place}/authorized_keys\nForceCommand {place}/session\n"
        "PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
        "KbdInteractiveAuthentication no\nPermitRootLogin yes\n"
    )
    process = subprocess.Popen(
        [SSHD, "-D", "-e", "-f", str(place / "sshd_config")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline, pause = time.monotonic() + WITHIN, threading.Event()
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline, "sshd did not start"
            pause.wait(0.05)
        else:
            return process
