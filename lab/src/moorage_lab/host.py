"""One host of a lab, as tests and the command line see it."""

import shlex
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from moorage_lab import containers, daemons, faults, files, locks, network, roots, shell, ssh
from moorage_lab import state as states
from moorage_lab.errors import BadRequest, NotFound, NotRunning
from moorage_lab.layout import HostLayout
from moorage_lab.ssh import Completed
from moorage_lab.state import State

BOOT_WITHIN = 90
_CLOCK = "moorage-lab-clock.conf"


@dataclass(frozen=True)
class Host:
    """A Debian machine with systemd, an address and a root shell."""

    layout: HostLayout
    state: State

    @property
    def name(self) -> str:
        return self.layout.name

    @property
    def address(self) -> IPv4Address:
        return self.layout.address

    @property
    def is_running(self) -> bool:
        return containers.is_running(self.layout)

    # --- work ----------------------------------------------------------------------------------

    def run(
        self,
        command: str | Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float = 60,
        check: bool = True,
    ) -> Completed:
        """Run a command as root: a line for the shell, or words.

        Raises `CommandFailed` if it ends with an error (unless `check` is false), `Unreachable` if
        the host does not answer or is not done in time. Exit code 255 is ssh's own, and reads as
        an unreachable host.
        """
        self._check_running()
        return ssh.run(self.layout, command, stdin=stdin, seconds=timeout, check=check)

    def command(self, command: str | Sequence[str] | None = None) -> list[str]:
        """The words to run a command on the host in your own way; without one, to log in."""
        return ssh.command(self.layout, command)

    def put(self, source: Path | bytes, place: str, *, mode: int = 0o644) -> None:
        """Write a file on the host, whole or not at all, with the folders above it."""
        content = source if isinstance(source, bytes) else source.read_bytes()
        target = shlex.quote(place)
        self.run(
            f'set -e; mkdir -p -- "$(dirname -- {target})"; new=$(mktemp -- {target}.XXXXXX); '
            f'cat >"$new"; chmod {mode:o} "$new"; mv -- "$new" {target}',
            stdin=content,
        )

    def get(self, place: str) -> bytes:
        """Read a file from the host's disk, also while it is off or cut."""
        return shell.output("chroot", self.layout.root, "cat", "--", place)

    # --- power ---------------------------------------------------------------------------------

    def power_on(self) -> None:
        """Start the host and wait until it has booted. One that runs is left as it is."""
        with self._locked():
            self._start()

    def power_off(self) -> None:
        """Shut the host down in order."""
        with self._locked():
            ssh.forget(self.layout)
            containers.stop(self.layout)

    def reboot(self) -> None:
        """Let the host reboot by itself, as an administrator there would, and wait for it."""
        self._check_running()
        with self._locked():
            booting = containers.listen_again(self.layout)
            self.run("systemd-run --quiet --no-block systemctl reboot")
            daemons.wait_until_ready([booting], seconds=BOOT_WITHIN)
            ssh.forget(self.layout)

    def crash(self) -> None:
        """Take its power away. Its peers hear nothing: no connection is closed."""
        with self._locked():
            self._crash()

    def reimage(self) -> None:
        """A new machine at the same address: nothing of the old one is left, nor are its keys."""
        with self._locked():
            self._crash()
            roots.remove(self.layout)
            everybody = self.layout.lab.hosts(self.state.hosts)
            roots.ensure(self.layout, self.state, everybody)
            ssh.write(self.layout.lab, everybody)
            self._start()

    def _start(self) -> None:
        if containers.is_running(self.layout) and containers.is_supervised(self.layout):
            return
        containers.kill(self.layout)
        daemons.wait_until_ready([containers.start(self.layout)], seconds=BOOT_WITHIN)

    def _crash(self) -> None:
        # A dying kernel says goodbye to nobody; a killed container would, so the cable goes first.
        network.unplug(self.layout)
        containers.kill(self.layout)
        ssh.forget(self.layout)
        network.plug(self.layout)

    # --- hardware ------------------------------------------------------------------------------

    def add_gpus(self, count: int, *, model: str = "Simulated H200") -> None:
        """Give the host GPUs that are none: device files, and an `nvidia-smi` that lists them.

        Whoever looks sees from the model that they are simulated. They outlive a reboot.
        """
        devices = "".join(f"c /dev/nvidia{n} 0666 root root - 195:{n}\n" for n in range(count))
        self.put(devices.encode(), "/etc/tmpfiles.d/gpus.conf")
        self.put(files.smi(count, model).encode(), "/usr/local/bin/nvidia-smi", mode=0o755)
        self.run(["systemd-tmpfiles", "--create", "/etc/tmpfiles.d/gpus.conf"])

    # --- faults --------------------------------------------------------------------------------

    def cut(self) -> None:
        """Let nothing pass to or from the host. It still sees a carrier."""
        with self._locked():
            faults.cut(self.layout)

    def slow(self, *, delay: float = 0, loss: float = 0) -> None:
        """Delay every frame by so many seconds each way, and lose this share of them."""
        with self._locked():
            faults.slow(self.layout, delay=delay, loss=loss)

    def mend_network(self) -> None:
        """Undo `cut` and `slow`."""
        with self._locked():
            faults.mend(self.layout)

    def fill_disk(self) -> None:
        """Leave no space on the host's disk: every write ends with "No space left on device"."""
        with self._locked():
            roots.fill_disk(self.layout)

    def mend_disk(self) -> None:
        """Undo `fill_disk`."""
        with self._locked():
            roots.free_disk(self.layout, self.state)

    def break_dns(self) -> None:
        """Name a server in resolv.conf that never answers."""
        with self._locked():
            roots.set_resolver(self.layout, self.state, dead=True)

    def mend_dns(self) -> None:
        """Undo `break_dns`: name no server at all."""
        with self._locked():
            roots.set_resolver(self.layout, self.state, dead=False)

    def skew_clock(self, seconds: int, *services: str) -> None:
        """Give services a clock that is wrong by so many seconds, and start them anew with it.

        A container shares the clock of its machine, so this is libfaketime in front of the C
        library: it reaches the services named and their children, not the kernel (file times), not
        programs without a C library, not the rest of the host.
        """
        if not services:
            raise BadRequest("Name the services whose clock is to be wrong.")
        for service in services:
            self.put(files.clock(seconds).encode(), _drop_in(service))
        self._restart(services)

    def mend_clock(self) -> None:
        """Undo `skew_clock` for every service."""
        found = self.run(f"ls {_drop_in('*')}", check=False).stdout.split()
        if found:
            self.run(["rm", "--", *found])
            self._restart([Path(place).parent.name.removesuffix(".d") for place in found])

    def mend(self) -> None:
        """Undo every fault of network, disk, names and clock. Power is another matter."""
        self.mend_network()
        self.mend_disk()
        self.mend_dns()
        if self.is_running:
            self.mend_clock()

    def faults(self) -> list[str]:
        """What is wrong with the host on purpose, as far as it can be seen from outside."""
        if not roots.is_mounted(self.layout):
            return []
        found = [faults.of(self.layout)]
        found += ["disk full" if roots.is_full(self.layout, self.state) else None]
        found += ["dead DNS" if roots.has_dead_resolver(self.layout) else None]
        found += ["wrong clock" if roots.has(self.layout, _drop_in("*")) else None]
        return [fault for fault in found if fault]

    def _check_running(self) -> None:
        if not self.is_running:
            raise NotRunning(f"{self.name} is off: `moor lab power-on {self.name}` starts it.")

    def _restart(self, services: Sequence[str]) -> None:
        self.run("systemctl daemon-reload")
        self.run(["systemctl", "try-restart", "--", *services])

    @contextmanager
    def _locked(self) -> Generator[None]:
        """Alone with the lab, which may have been taken down since this host was looked up."""
        lab = self.layout.lab
        lock = lab.places.lock(lab.name)
        with locks.hold(lock):
            if states.find(lab.places, lab.name) is None:
                lock.unlink(missing_ok=True)
                raise NotFound(f"{self.name} is gone, and lab {lab.name!r} with it.")
            yield


def _drop_in(service: str) -> str:
    name = service if "." in service else f"{service}.service"
    return f"/etc/systemd/system/{name}.d/{_CLOCK}"
