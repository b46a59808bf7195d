"""Packages of the host: there in the version asked for, or not there.

Debian's apt only. A bundle is installed without the network: apt sees that archive and no other.
Services that a package brings start as Debian's packages start them; where they are not to, nothing
of what packages say to systemd reaches it, and it reads their units once, when all are there.
Recommended packages are not installed, changed settings files are kept.
"""

import contextlib
import fcntl
import re
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from moorage_agent import bundles, changes, commands, durable, inputs, programs, snapshot
from moorage_agent.commands import Completed
from moorage_agent.tasks import Failed, Outcome, Task, Work

KNOWN = "bundles"
"""Where it is written what bundles hold that were here."""
_SPEC = re.compile(r"([a-z0-9][a-z0-9+.-]*(?::[a-z0-9-]+)?)(?:=([A-Za-z0-9.+:~-]+))?")
_QUIET = {
    "APT_LISTCHANGES_FRONTEND": "none",
    "NEEDRESTART_MODE": "l",
}
_OPTIONS = (
    *("--yes", "--quiet", "--no-install-recommends", "--allow-downgrades"),
    *("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"),
    *("-o", "Dpkg::Use-Pty=0"),
)
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_MUTE = {
    **dict.fromkeys(("deb-systemd-invoke", "invoke-rc.d", "service"), "#!/bin/sh\n"),
    "systemctl": """\
#!/bin/sh
verb=
for word; do
    shift
    case $word in
        --now) continue ;;
        -*) ;;
        daemon-re*|*start|stop|kill|*reload*) [ -n "$verb" ] || exit 0; verb=$word ;;
        *) verb=$word ;;
    esac
    set -- "$@" "$word"
done
exec /usr/bin/systemctl --no-reload "$@"
""",
}
"""What packages' own scripts find in the place of programs by which they start and stop services,
and have all units of the host read anew: a dozen times for a dozen services, which takes longer
than to unpack them. Questions are answered."""
_HALF = re.compile(r"\((?:half-\w+|unpacked|triggers-\w+)\)$")


@dataclass(frozen=True)
class Wish:
    """Which packages are to be there (None: any version) and which not."""

    present: dict[str, Optional[str]]
    absent: tuple[str, ...]


def run(task: Task, work: Work) -> Outcome:
    """Make the host's packages be as the input says."""
    present = dict(_spec(text) for text in inputs.list_texts(task.input, "present"))
    absent = tuple(name for name, _ in map(_spec, inputs.list_texts(task.input, "absent")))
    digest, size = inputs.find_digest(task.input), inputs.find_number(task.input, "size")
    if not commands.run(["apt-get", "--version"]).ok:
        raise Failed("packages_unsupported", "The host has no apt: packages are not for it.")
    with _alone(work, until=time.monotonic() + task.timeout):
        extra: list[str] = []
        if digest is not None:
            content = present or _find_known(work.state, digest)
            if content is None or not is_met(Wish(content, absent), snapshot.packages(Path("/"))):
                offered, extra = _open_bundle(work, digest, size or 0)
                content = present or offered
                _remember(work.state, digest, offered)
            present = content
        return _apply(task, work, Wish(present, absent), extra)


def _spec(text: str) -> tuple[str, Optional[str]]:
    found = _SPEC.fullmatch(text)
    if not found:
        raise inputs.invalid("present", "names of packages, as `name` or `name=version`")
    return found[1], found[2]


@contextlib.contextmanager
def _alone(work: Work, *, until: float) -> Generator[None, None, None]:
    """One task of this kind at a time: each compares what was there before and after."""
    work.state.mkdir(parents=True, exist_ok=True)
    with open(work.state / "packages.lock", "w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if work.cancelled.wait(0.1) or time.monotonic() > until:
                    raise Failed("packages_busy", "Another task installs packages.") from error
        yield


def _find_known(state: Path, digest: str) -> Optional[dict[str, Optional[str]]]:
    """What a bundle holds, if it was here before: then it need not be fetched to know."""
    try:
        lines = (state / KNOWN / digest).read_text().splitlines()
    except FileNotFoundError:
        return None
    return dict(_spec(line) for line in lines)


def _remember(state: Path, digest: str, offered: Mapping[str, Optional[str]]) -> None:
    words = (name if version is None else f"{name}={version}" for name, version in offered.items())
    text = "".join(f"{word}\n" for word in words)
    durable.write(state / KNOWN / digest, text.encode())


def _open_bundle(work: Work, digest: str, size: int) -> tuple[dict[str, Optional[str]], list[str]]:
    """Fetch the bundle and make an archive of it; what it offers, and how apt is told of it."""
    try:
        bundle = bundles.fetch(work, digest=digest, size=size)
        folder = work.folder / "archive"
        files = bundles.unpack(bundle, folder)
        bundle.unlink()
        offered = bundles.index(files, folder)
        for name in ("lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True)
    except OSError as error:
        raise _refusal(Completed(1, stderr=str(error))) from error
    options = bundles.options(folder)
    read = programs.follow(["apt-get", "--quiet", "update", *options], work)
    if not read.ok:
        raise _refusal(read)
    # Of a package that is there twice apt takes the newer one.
    names = [deb.name for deb in offered]
    versions = {deb.name: None if names.count(deb.name) > 1 else deb.version for deb in offered}
    return versions, options


def is_met(wish: Wish, now: Mapping[str, str]) -> bool:
    """Whether nothing has to be done. Pure."""
    return not (missing(wish, now) or surplus(wish, now))


def missing(wish: Wish, now: Mapping[str, str]) -> list[str]:
    """What apt has to install, as it is written for apt. Pure."""
    return [
        name if version is None else f"{name}={version}"
        for name, version in wish.present.items()
        if _version(now, name) is None or version not in (None, _version(now, name))
    ]


def surplus(wish: Wish, now: Mapping[str, str]) -> list[str]:
    """What apt has to remove. Pure."""
    return [name for name in wish.absent if _version(now, name) is not None]


def _version(now: Mapping[str, str], name: str) -> Optional[str]:
    """The version that is installed and whole; a state in brackets is neither."""
    version = now.get(name) or now.get(name.partition(":")[0])
    return None if version is None or version.endswith(")") else version


def _apply(task: Task, work: Work, wish: Wish, extra: list[str]) -> Outcome:
    before = picture()
    install, remove = missing(wish, before["packages"]), surplus(wish, before["packages"])
    if install or remove:
        change = changes.record(
            work.state, task, what="packages", name=task.id, before={"all": before}
        )
        try:
            _install(task, work, [*install, *(f"{name}-" for name in remove)], extra)
        finally:
            # Also of a run that broke off: what it left is to be undone as well.
            changes.amend(work.state, change, {"changed": difference(before, picture())})
    after = snapshot.packages(Path("/"))
    installed = {name: _version(after, name) for name in wish.present}
    changed = after != before["packages"]
    result: dict[str, Any] = {
        "changed": changed,
        "installed": installed,
        "removed": sorted(remove),
    }
    return Outcome(changed=changed, result=result)


def picture() -> snapshot.Picture:
    """What installing packages changes, besides files: accounts that they make stay behind."""
    root = Path("/")
    return {
        "packages": snapshot.packages(root),
        "users": snapshot.accounts(root / "etc/passwd"),
        "groups": snapshot.accounts(root / "etc/group"),
    }


def difference(
    before: snapshot.Picture, after: snapshot.Picture
) -> dict[str, dict[str, Optional[str]]]:
    """What is new or other than before, each with what was there before. Pure."""
    return {
        what: {
            name: before[what].get(name)
            for name in {**before[what], **after[what]}
            if before[what].get(name) != after[what].get(name)
        }
        for what in before
    }


def _install(task: Task, work: Work, words: list[str], extra: list[str]) -> None:
    if inputs.find_flag(task.input, "start") is not False:
        _run_apt(task, work, words, extra, path=_PATH)
        return
    try:
        _run_apt(task, work, words, extra, path=f"{_mute(work.folder / 'mute')}:{_PATH}")
    finally:
        commands.run(["systemctl", "daemon-reload"])


def _mute(folder: Path) -> Path:
    """The folder with what is found first."""
    folder.mkdir(exist_ok=True)
    for name, script in _MUTE.items():
        (folder / name).write_text(script)
        (folder / name).chmod(0o700)
    return folder


def _run_apt(task: Task, work: Work, words: list[str], extra: list[str], *, path: str) -> None:
    patience = ("-o", f"DPkg::Lock::Timeout={max(1, int(task.timeout))}")
    env = {**_QUIET, "PATH": path}
    if any(_HALF.search(state) for state in snapshot.packages(Path("/")).values()):
        programs.follow(["dpkg", "--configure", "-a", "--force-confold"], work, env=env)
    options = (*_OPTIONS, *patience, "-o", f"DPkg::Path={path}")
    install = ["apt-get", "install", *options, *extra, "--", *words]
    ended = programs.follow(install, work, env=env)
    if not ended.ok and not extra and _refusal(ended).code == "packages_unavailable":
        # The host's own lists are old, or were never read.
        programs.follow(["apt-get", "--quiet", "update", *patience], work, env=env)
        ended = programs.follow(install, work, env=env)
    if not ended.ok:
        raise _refusal(ended)


def _refusal(ended: Completed) -> Failed:
    """What apt's words mean for the task."""
    said = f"{ended.stdout}\n{ended.stderr}"
    errors = [line for line in said.splitlines() if line.startswith("E: ")]
    sentence = errors[0][3:] if errors else ended.words
    if re.search(r"No space left|enough free space|Errno 28", said):
        return Failed("disk_full", f"The host's disk is full: {sentence}")
    if re.search(r"Could not get lock|Unable to acquire the dpkg", said):
        return Failed("packages_busy", f"Another program holds dpkg's lock: {sentence}")
    if re.search(r"Unable to locate|no installation candidate|was not found|unmet dep", said):
        return Failed("packages_unavailable", f"apt cannot find what is wanted: {sentence}")
    return Failed("packages_failed", f"apt did not do it: {sentence}")
