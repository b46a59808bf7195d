"""A file on the host: put there whole, or not at all, or not again."""

import contextlib
import grp
import hashlib
import os
import pwd
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from moorage_agent import changes, inputs, paths
from moorage_agent.paths import Place
from moorage_agent.tasks import Failed, Outcome, Task, Work

DRAFT = ".moorage-"
"""How the names begin of files that are not yet in place."""
_NOTE = "beside"
"""In the task's own folder: the path beside which its draft is."""
_CHUNK = 256 * 1024
_SECRET = 0o600
"""Whoever puts a secret and says no mode means its owner alone, whatever was there."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Wish:
    """The file as it is to be. What is None stays as it is on the host."""

    path: str
    digest: str
    size: Optional[int]
    mode: Optional[int] = None
    uid: Optional[int] = None
    gid: Optional[int] = None
    parents: bool = False


def run(task: Task, work: Work, *, root: Path = Path("/")) -> Outcome:
    """Make the file be as the input says."""
    content = inputs.find_content(task, work)
    digest = inputs.find_digest(task.input)
    if (content is None) == (digest is None):
        raise inputs.invalid("content", "given, or a digest of an artifact, and not both")
    if content is not None:
        wish = _wish(task, digest=inputs.hexdigest(content), size=len(content))
        changed = place(task, work, wish, [content], root=root)
    else:
        size = inputs.find_number(task.input, "size")
        wish = _wish(task, digest=digest or "", size=size)
        changed = place(task, work, wish, work.content(), root=root)
    # The digest of a short secret gives it away to whoever can guess.
    told = None if inputs.is_secret(task) else f"sha256:{wish.digest}"
    return Outcome(changed=changed, result={"changed": changed, "digest": told})


def _wish(task: Task, *, digest: str, size: Optional[int]) -> Wish:
    uid, gid = _owner(task.input)
    mode = inputs.find_mode(task.input)
    if mode is None and inputs.is_secret(task):
        mode = _SECRET
    return Wish(
        path=inputs.get_text(task.input, "path"),
        digest=digest,
        size=size,
        mode=mode,
        uid=uid,
        gid=gid,
        parents=inputs.find_flag(task.input, "parents") or False,
    )


def _owner(given: "dict[str, Any]") -> tuple[Optional[int], Optional[int]]:
    owner, group = inputs.find_text(given, "owner"), inputs.find_text(given, "group")
    uid = gid = None
    if owner is not None:
        try:
            entry = pwd.getpwuid(int(owner)) if owner.isdecimal() else pwd.getpwnam(owner)
        except KeyError as error:
            raise Failed("owner_missing", f"The host has no user {owner!r}.") from error
        uid, gid = entry.pw_uid, entry.pw_gid
    if group is not None:
        try:
            gid = int(group) if group.isdecimal() else grp.getgrnam(group).gr_gid
        except KeyError as error:
            raise Failed("owner_missing", f"The host has no group {group!r}.") from error
    return uid, gid


def place(
    task: Task, work: Work, wish: Wish, content: Iterable[bytes], *, root: Path = Path("/")
) -> bool:
    """Make the file be as wished; whether anything had to be done. For other kinds as well."""

    def made(folder: str) -> None:
        changes.record(work.state, task, what="folder", name=folder)

    try:
        with paths.reach(wish.path, root=root, make=made if wish.parents else None) as target:
            return _ensure(task, work, wish, content, target)
    except OSError as error:
        raise paths.refusal(error, wish.path) from error


def tidy(task: Task, work: Work, *, root: Path = Path("/")) -> None:
    """Remove what an agent that was killed has left beside the place. Nobody else would: whoever
    asks again does so with another task."""
    with contextlib.suppress(OSError, Failed):
        with paths.reach((work.folder / _NOTE).read_text(), root=root) as target:
            os.unlink(_draft(task), dir_fd=target.folder)


def _ensure(task: Task, work: Work, wish: Wish, content: Iterable[bytes], target: Place) -> bool:
    seen = target.stat()
    if seen is not None:
        paths.check_regular(seen, wish.path)
        wish = _settled(wish, seen)
        if _is_same(wish, seen) and _digest_of(target) == wish.digest:
            return False
    # On record first: whatever a crash leaves beside the place is then found by a wipe.
    _record(task, work, target, seen)
    draft = _write_draft(work, wish, content, target, task=task)
    try:
        os.rename(draft, target.name, src_dir_fd=target.folder, dst_dir_fd=target.folder)
    except BaseException:
        os.unlink(draft, dir_fd=target.folder)
        raise
    os.fsync(target.folder)
    return True


def _settled(wish: Wish, seen: os.stat_result) -> Wish:
    """What the wish leaves open is as it was."""
    return Wish(
        path=wish.path,
        digest=wish.digest,
        size=wish.size,
        mode=stat.S_IMODE(seen.st_mode) if wish.mode is None else wish.mode,
        uid=seen.st_uid if wish.uid is None else wish.uid,
        gid=seen.st_gid if wish.gid is None else wish.gid,
        parents=wish.parents,
    )


def _is_same(wish: Wish, seen: os.stat_result) -> bool:
    is_size = wish.size is None or seen.st_size == wish.size
    is_mode = stat.S_IMODE(seen.st_mode) == wish.mode
    return is_size and is_mode and (seen.st_uid, seen.st_gid) == (wish.uid, wish.gid)


def _digest_of(target: Place) -> str:
    digest = hashlib.sha256()
    for chunk in read(target):
        digest.update(chunk)
    return digest.hexdigest()


def read(target: Place) -> Iterator[bytes]:
    """A regular file's content, in pieces."""
    with open(paths.open_regular(target), "rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _write_draft(
    work: Work, wish: Wish, content: Iterable[bytes], target: Place, *, task: Task
) -> str:
    """Write the file beside its place under another name, with its owner and mode; that name."""
    draft = _draft(task)
    (work.folder / _NOTE).write_text(wish.path)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=target.folder)  # of this very task, before a crash
    descriptor = os.open(draft, _NEW, 0o600, dir_fd=target.folder)
    try:
        with open(descriptor, "wb") as file:
            _check(wish, *_copy(content, file.write, work))
            file.flush()
            uid = -1 if wish.uid is None else wish.uid
            gid = -1 if wish.gid is None else wish.gid
            os.fchown(descriptor, uid, gid)
            os.fchmod(descriptor, 0o644 if wish.mode is None else wish.mode)
            os.fsync(descriptor)
    except BaseException:
        os.unlink(draft, dir_fd=target.folder)
        raise
    return draft


def _draft(task: Task) -> str:
    return f"{DRAFT}{task.id}"


def _copy(content: Iterable[bytes], write: Any, work: Work) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    for chunk in content:
        if work.cancelled.is_set():
            raise Failed("cancelled", "The task was stopped before the file was complete.")
        write(chunk)
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def _check(wish: Wish, digest: str, size: int) -> None:
    if digest != wish.digest or (wish.size is not None and size != wish.size):
        raise Failed(
            "content_mismatch",
            f"The content for {wish.path} is not what its digest says: {size} bytes came.",
        )


def _record(task: Task, work: Work, target: Place, seen: Optional[os.stat_result]) -> None:
    if changes.is_recorded(work.state, task, what="file", name=target.path):
        return
    if seen is None:
        changes.record(work.state, task, what="file", name=target.path)
        return
    small = seen.st_size <= changes.MOST_KEPT
    content = b"".join(read(target)) if small else None
    before = {
        "digest": _digest_of(target) if content is None else inputs.hexdigest(content),
        "mode": stat.S_IMODE(seen.st_mode),
        "uid": seen.st_uid,
        "gid": seen.st_gid,
        "kept": small,
    }
    changes.record(work.state, task, what="file", name=target.path, before=before, original=content)
