"""At a real terminal: passwords are asked for unseen, and what cannot be undone is asked about."""

import os
import pty
import select
import subprocess
import termios
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from cli.tests.conftest import Moor
from sdk.tests import running
from sdk.tests.running import MOOR, Platform


@dataclass
class Terminal:
    """What somebody sees and types."""

    process: subprocess.Popen[bytes]
    screen: int
    shown: str = ""

    def wait_for(self, words: str) -> None:
        while words not in self.shown:
            more = self._read()
            assert more, f"ended without {words!r}: {self.shown}"

    def type(self, line: str) -> None:
        os.write(self.screen, f"{line}\n".encode())

    def end(self) -> int:
        while self._read():
            pass
        return self.process.wait(60)

    def wait_until_unseen(self) -> None:
        """What is typed before the terminal is told not to show it is thrown away."""
        running.wait_until(lambda: not termios.tcgetattr(self.screen)[3] & termios.ECHO)

    def _read(self) -> bool:
        ready, _, _ = select.select([self.screen], [], [], running.WITHIN)
        assert ready, f"nothing more to see: {self.shown}"
        try:
            chunk = os.read(self.screen, 65_536)
        except OSError:  # the last writer has gone
            return False
        self.shown += chunk.decode()
        return bool(chunk)


@contextmanager
def terminal(*arguments: str) -> Generator[Terminal]:
    screen, other = pty.openpty()
    with subprocess.Popen(
        [*MOOR, *arguments], stdin=other, stdout=other, stderr=other, start_new_session=True
    ) as process:
        os.close(other)
        try:
            yield Terminal(process, screen)
        finally:
            process.kill()
            os.close(screen)


def test_a_password_is_typed_unseen(home: object, platform: Platform, process: Moor) -> None:
    with terminal("login", platform.url, "--password") as at:
        at.wait_for("E-mail")
        at.type(running.ADMIN)
        at.wait_for("Password")
        at.wait_until_unseen()
        at.type(platform.password)
        code = at.end()

    assert code == 0, at.shown
    assert platform.password not in at.shown
    assert process("whoami").code == 0


def test_a_deletion_is_asked_about(admin: Moor) -> None:
    slug = f"d{running.free_port()}"
    admin("orgs", "create", slug, "--name", "Doomed", "--admin", running.ADMIN)

    with terminal("orgs", "delete", slug) as at:
        at.wait_for(f"Delete the org {slug} (Doomed)?")
        at.type("n")
        kept = at.end()
    with terminal("orgs", "delete", slug) as at:
        at.wait_for("Delete the org")
        at.type("y")
        gone = at.end()

    assert (kept, gone) == (1, 0)
    assert admin("orgs", "get", slug).code == 4


def test_a_table_fits_the_terminal_and_keeps_its_ids_whole(admin: Moor) -> None:
    with terminal("users", "list") as at:
        code = at.end()

    assert code == 0
    assert running.ADMIN[:5] in at.shown
