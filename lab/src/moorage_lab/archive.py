"""Where Debian's packages come from: what the machine's own apt says. Nothing here names a host."""

from dataclasses import dataclass
from pathlib import Path

from moorage_lab import shell
from moorage_lab.errors import MachineLacks

# How apt fetches. Everything else of its configuration is about this machine's own packages.
_CARRIED = (
    "Acquire::Check-Valid-Until",
    "Acquire::ForceIPv4",
    "Acquire::ForceIPv6",
    "Acquire::Retries",
    "Acquire::http",
    "Acquire::https",
)
_FORMAT = "$(ORIGIN)|$(LABEL)|$(REPO_URI)"


@dataclass(frozen=True)
class Archive:
    """A mirror of Debian."""

    main: str
    security: str | None = None

    def sources(self, suite: str) -> str:
        """The lines of a `sources.list`."""
        lines = [f"deb {self.main} {suite} main", f"deb {self.main} {suite}-updates main"]
        if self.security:
            lines.append(f"deb {self.security} {suite}-security main")
        return "\n".join([*lines, ""])


def of_this_machine() -> Archive:
    """The mirror that this machine installs its own packages from."""
    return parse(shell.call("apt-get", "indextargets", "--format", _FORMAT))


def parse(listing: str) -> Archive:
    """The mirror in what `apt-get indextargets` lists.

    Before the first `apt-get update` no index says whose it is; then the address has to.
    """
    main: list[str] = []
    security: list[str] = []
    for line in listing.splitlines():
        origin, label, address = line.split("|", 2)
        tail = address.rstrip("/").rpartition("/")[2]
        if label == "Debian-Security" or (not origin and tail == "debian-security"):
            security.append(address)
        elif (origin, label) == ("Debian", "Debian") or (not origin and tail == "debian"):
            main.append(address)
    if not main:
        raise MachineLacks(
            "apt on this machine knows no Debian archive, and the base image is made of Debian's "
            "packages. Add one to /etc/apt/sources.list.d and run `apt-get update`."
        )
    return Archive(main[0], security[0] if security else None)


def apt_options() -> str:
    """How apt on this machine fetches (proxies and the like), as lines of an `apt.conf`."""
    lines = shell.call("apt-config", "dump").splitlines()
    return "\n".join([*(line for line in lines if _is_carried(line)), ""])


def _is_carried(line: str) -> bool:
    name, _, value = line.partition(" ")
    return value != '"";' and any(
        name == carried or name.startswith(f"{carried}::") for carried in _CARRIED
    )


def write(folder: Path, *, suite: str) -> tuple[Path, Path]:
    """Write the sources and the options into a private folder, for the programs that read files."""
    sources, options = folder / "sources.list", folder / "apt.conf"
    sources.write_text(of_this_machine().sources(suite))
    options.write_text(apt_options())
    return sources, options
