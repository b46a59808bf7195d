"""`moor` against a real platform, with a home of its own for each test."""

import json
import logging
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from moorage_cli import main
from sdk.tests import running
from sdk.tests.running import MOOR, Platform


@dataclass(frozen=True)
class Ran:
    """What one command line came to."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    def problem(self) -> dict[str, Any]:
        """The one JSON document on standard error."""
        return json.loads(self.err)


Moor = Callable[..., Ran]
log = logging.getLogger(__name__)
"""Shown beside a test that fails: why a command came to nothing that the test does not look at."""


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    with running.running() as started:
        yield started


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; nothing of the caller's own environment reaches `moor`."""
    for name in [name for name in os.environ if name.startswith("MOOR")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def moor(home: Path, capfd: pytest.CaptureFixture[str]) -> Moor:
    """Run a command line in this process."""

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        code = main.run(list(arguments))
        captured = capfd.readouterr()
        if code != 0:
            log.warning("moor %s: %s", " ".join(arguments), captured.err)
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def process(home: Path) -> Moor:
    """Run a command line as a process of its own, with something on its standard input."""

    def run(*arguments: str, stdin: str = "") -> Ran:
        done = subprocess.run(
            [*MOOR, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            text=True,
            timeout=60,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def token(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A token of the first admin, got as people get it."""
    home = tmp_path_factory.mktemp("admin")
    subprocess.run(
        [*MOOR, "login", platform.url, "--email", running.ADMIN, "--password-stdin"],
        input=platform.password,
        text=True,
        check=True,
        env=os.environ | {"XDG_CONFIG_HOME": str(home)},
    )
    kept = json.loads((home / "moorage/credentials.json").read_text())
    return kept["profiles"]["default"]["token"]


@pytest.fixture
def admin(moor: Moor, platform: Platform, token: str, monkeypatch: pytest.MonkeyPatch) -> Moor:
    """`moor` as the first admin, as automation runs it."""
    monkeypatch.setenv("MOOR_URL", platform.url)
    monkeypatch.setenv("MOOR_TOKEN", token)
    return moor
