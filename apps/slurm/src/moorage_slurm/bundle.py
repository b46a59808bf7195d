"""Package bundles: all that a bare Debian 13 host needs for Slurm, as tars of .deb files.

Hosts reach no archive, so what they install is made here once and published as an artifact. The
packages come from wherever this machine's own apt takes Debian's, and apt checks their signatures.
What a bare host already has is worked out by apt as well, so that nothing here needs a root, a
chroot or root's rights.

Two tars are the same, byte for byte, if the same packages are in them. Builds are kept: the second
one of a release copies the first, until somebody asks for a fresh one.

    python -m moorage_slurm.bundle build 24.11 --to DIR
"""

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Generator, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

CACHE = Path("/var/cache/moorage-slurm")
LISTING = "bundle.json"
_ABOUT = "Makes package bundles of Slurm for hosts that reach no archive."
_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
_INDEX = "$(ORIGIN)|$(LABEL)|$(REPO_URI)"
_INSTALLED = re.compile(r"(?m)^Inst (\S+) (?:\[\S+\] )?\((\S+)")
_REMOVED = re.compile(r"(?m)^Remv (\S+)")

BASE = (
    *("?essential", "?priority(required)", "apt", "iproute2", "openssh-server", "procps"),
    *("python3", "systemd-sysv"),
)
"""What every Debian 13 host has that the platform can work on."""
_WORKER = ("slurmd", "slurm-client")
_CONTROLLER = ("slurmctld", "slurmdbd", *_WORKER)
ADDED: dict[str, tuple[str, tuple[str, ...]]] = {
    "homes-server": ("controller", ("nfs-ganesha", "nfs-ganesha-vfs")),
    "homes-client": ("worker", ("nfs-common",)),
}
"""Bundles for some hosts only: upon which other one each comes, and what is asked for."""


class NotBuilt(Exception):
    """There is no bundle; the message says what this machine or the archive lacks."""


@dataclass(frozen=True)
class Release:
    """A release of Slurm, and where in Debian it is."""

    name: str
    suite: str

    @property
    def wanted(self) -> dict[str, tuple[str, ...]]:
        """What is asked of apt for each bundle; the rest is what these depend on.

        Of a later suite come Slurm itself and the libraries that it cannot do without. MariaDB's
        library is named so that it stays with its server: the later one expects another socket.
        """
        later = "" if self.suite == STABLE else f"/{self.suite}"
        return {
            "controller": (
                *(f"{name}{later}" for name in _CONTROLLER),
                *("munge", "mariadb-server", f"libmariadb3/{STABLE}"),
            ),
            "worker": (*(f"{name}{later}" for name in _WORKER), "munge"),
        }

    @property
    def digest(self) -> str:
        """Names a build in the cache: another recipe is another build."""
        recipe = json.dumps([asdict(self), self.wanted, ADDED, BASE])
        return hashlib.sha256(recipe.encode()).hexdigest()[:16]


STABLE = "trixie"
RELEASES = {
    release.name: release for release in (Release("24.11", STABLE), Release("26.05", "unstable"))
}


@dataclass(frozen=True)
class Archive:
    """A mirror of Debian."""

    main: str
    security: str | None = None


@dataclass(frozen=True, order=True)
class Package:
    """A package in one version."""

    name: str
    version: str


def parse_archive(listing: str) -> Archive:
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
        raise NotBuilt(
            "apt on this machine knows no Debian archive, and a bundle is made of Debian's "
            "packages. Add one to /etc/apt/sources.list.d and run `apt-get update`."
        )
    return Archive(main[0], security[0] if security else None)


def render_sources(archive: Archive, release: Release, *, keys: Path | None) -> str:
    """The lines of a `sources.list`: Debian 13, and the suite that has the release."""
    trust = f"[signed-by={keys}] " if keys else ""
    lines = [f"deb {trust}{archive.main} {suite} main" for suite in (STABLE, f"{STABLE}-updates")]
    if archive.security:
        lines.append(f"deb {trust}{archive.security} {STABLE}-security main")
    if release.suite != STABLE:
        lines.append(f"deb {trust}{archive.main} {release.suite} main")
    return "".join(f"{line}\n" for line in lines)


def render_preferences(release: Release) -> str:
    """From a later suite apt takes nothing but what is asked for by name, and what that needs."""
    if release.suite == STABLE:
        return ""
    return f"Package: *\nPin: release a={release.suite}\nPin-Priority: 100\n"


def parse_plan(said: str) -> list[Package]:
    """What apt would install, from what `apt-get install --simulate` says."""
    removed = sorted(_REMOVED.findall(said))
    if removed:
        raise NotBuilt(f"apt would remove {', '.join(removed)} from a bare host.")
    return sorted(Package(name, version) for name, version in _INSTALLED.findall(said))


def beyond(base: Sequence[Package], whole: Sequence[Package]) -> list[Package]:
    """What a plan has that another lacks, which must be a part of it as it is."""
    others = sorted({each.name for each in set(base) - set(whole)})
    if others:
        raise NotBuilt(f"What comes upon a bundle would change {', '.join(others)} of it.")
    return sorted(set(whole) - set(base))


def render_installed(records: str) -> str:
    """Records of an archive as dpkg's own of packages that are installed."""
    return re.sub(r"(?m)^Package: .*$", r"\g<0>\nStatus: install ok installed", records)


def check_version(release: Release, packages: Iterable[Package]) -> None:
    """Raise unless Slurm is of the release: what a suite offers moves on."""
    offered = {package.name: package.version for package in packages}["slurmd"]
    if not offered.startswith(f"{release.name}."):
        raise NotBuilt(
            f"Debian {release.suite} now offers Slurm {offered} and no longer {release.name}."
        )


def pack(files: Sequence[Path], to: Path) -> None:
    """A tar that depends on nothing but the files' names and bytes."""
    with tarfile.open(to, "w", format=tarfile.USTAR_FORMAT) as tar:
        for file in sorted(files, key=lambda file: file.name):
            member = tarfile.TarInfo(file.name)
            member.size = file.stat().st_size
            with open(file, "rb") as content:
                tar.addfile(member, content)


def build(release: Release, *, to: Path, cache: Path = CACHE, fresh: bool = False) -> None:
    """Put the release's bundles and their listing into a folder."""
    kept = cache / f"{release.name}-{release.digest}"
    with _alone(kept.with_name(f"{kept.name}.lock")):
        if fresh or not kept.is_dir():
            _keep(release, kept)
        to.mkdir(parents=True, exist_ok=True)
        for file in kept.iterdir():
            shutil.copyfile(file, to / file.name)


@contextlib.contextmanager
def _alone(place: Path) -> Generator[None, None, None]:
    """Whoever wants the same bundles at the same time waits for the one who builds them."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    except PermissionError as error:
        raise NotBuilt(f"{place.parent} is not writable: be root, or name a --cache.") from error
    with open(place, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _keep(release: Release, kept: Path) -> None:
    """Build beside the final place and rename: a folder with a build's name is complete."""
    draft = kept.with_name(f"{kept.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)  # what a build that was cut off has left
    draft.mkdir()
    try:
        with tempfile.TemporaryDirectory(prefix="moorage-slurm-") as work:
            _make(release, draft, work=Path(work))
        shutil.rmtree(kept, ignore_errors=True)
        draft.rename(kept)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _make(release: Release, folder: Path, *, work: Path) -> None:
    apt = _Apt(work, release)
    plans = {bundle: parse_plan(apt.plan(wanted)) for bundle, wanted in release.wanted.items()}
    for packages in plans.values():
        check_version(release, packages)
    asked = dict(release.wanted)
    for bundle, (base, more) in ADDED.items():
        whole = parse_plan(apt.plan((*asked[base], *more)))
        plans[bundle], asked[bundle] = beyond(plans[base], whole), more
    files = apt.download(sorted({package for plan in plans.values() for package in plan}))
    listing: dict[str, object] = {"release": release.name, "suite": release.suite}
    for bundle, packages in plans.items():
        tar = folder / f"{bundle}.tar"
        pack([files[package] for package in packages], tar)
        names = {name.partition("/")[0] for name in asked[bundle]}
        listing[bundle] = {
            "sha256": _digest(tar),
            "size": tar.stat().st_size,
            "wanted": [asdict(package) for package in packages if package.name in names],
            "packages": [{**asdict(one), "sha256": _digest(files[one])} for one in packages],
        }
    (folder / LISTING).write_text(json.dumps(listing, indent=2) + "\n")


def _digest(file: Path) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


class _Apt:
    """This machine's apt, with Debian 13's lists and a bare host's packages instead of its own."""

    def __init__(self, folder: Path, release: Release) -> None:
        for name in ("lists/partial", "cache/archives/partial", "debs", "parts"):
            (folder / name).mkdir(parents=True)
        keys = _KEYS if _KEYS.is_file() else None
        archive = parse_archive(_run("apt-get", "indextargets", "--format", _INDEX))
        sources = render_sources(archive, release, keys=keys)
        (folder / "sources.list").write_text(sources)
        (folder / "preferences").write_text(render_preferences(release))
        self._status = folder / "status"
        self._status.touch()
        self._debs = folder / "debs"
        places = {
            "Dir::Etc::SourceList": folder / "sources.list",
            "Dir::Etc::SourceParts": folder / "parts",
            "Dir::Etc::Preferences": folder / "preferences",
            "Dir::Etc::PreferencesParts": folder / "parts",
            "Dir::State::Lists": folder / "lists",
            "Dir::State::Extended_States": folder / "extended_states",
            "Dir::State::Status": self._status,
            "Dir::Cache": folder / "cache",
            "Acquire::Check-Valid-Until": "false",
            "Acquire::Languages": "none",
            "Acquire::Retries": "3",
            "APT::Default-Release": "",
            "APT::Get::AllowUnauthenticated": "false",
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "root",
            "APT::Update::Error-Mode": "any",
        }
        self._options = [
            part for name, value in places.items() for part in ("-o", f"{name}={value}")
        ]
        self._get("update")
        base = parse_plan(self.plan(BASE))
        records = _run("apt-cache", *self._options, "show", *map(_exact, base))
        self._status.write_text(render_installed(records))

    def plan(self, wanted: Sequence[str]) -> str:
        return self._get("install", "--simulate", "--", *wanted)

    def download(self, packages: Sequence[Package]) -> dict[Package, Path]:
        """The files of packages; apt holds them against the archive's signed lists."""
        self._get("download", "--", *map(_exact, packages), cwd=self._debs)
        return {package: self._find(package) for package in packages}

    def _find(self, package: Package) -> Path:
        version = package.version.replace(":", "%3a")
        name = package.name.partition(":")[0]
        (found,) = self._debs.glob(f"{name}_{version}_*.deb")
        return found

    def _get(self, verb: str, *words: str, cwd: Path | None = None) -> str:
        return _run("apt-get", "--quiet", "--quiet", *self._options, verb, *words, cwd=cwd)


def _exact(package: Package) -> str:
    return f"{package.name}={package.version}"


def _run(*argv: str, cwd: Path | None = None) -> str:
    environment = {**os.environ, **_ENVIRONMENT}
    try:
        ended = subprocess.run(
            argv, cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise NotBuilt(
            f"This machine has no {argv[0]}: bundles are built on Debian, or with its apt."
        ) from error
    if ended.returncode != 0:
        said = "\n".join(ended.stderr.strip().splitlines()[-15:])
        raise NotBuilt(f"{argv[0]} ended with {ended.returncode}:\n{said}")
    return ended.stdout


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="moorage_slurm.bundle", description=_ABOUT)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("build", help="Put a release's bundles and their listing in a folder.")
    verb.add_argument("release", choices=sorted(RELEASES))
    verb.add_argument("--to", type=Path, required=True, help="The folder; made if it is not there.")
    verb.add_argument("--cache", type=Path, default=CACHE, help="The folder that keeps builds.")
    verb.add_argument("--fresh", action="store_true", help="Build anew: packages get updates.")
    wish = parser.parse_args(argv)
    try:
        build(RELEASES[wish.release], to=wish.to, cache=wish.cache, fresh=wish.fresh)
    except NotBuilt as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{wish.to / LISTING}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
