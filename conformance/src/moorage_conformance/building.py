"""Commands of an app's that write a folder: the one that is judged, and each version of it."""

import asyncio
import contextlib
import shlex
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path

from moorage_conformance import plan, replica
from moorage_conformance.findings import CannotRun
from moorage_conformance.plan import Plan

SHOWN = 5
"""Lines that are told of what a command wrote last."""


@contextlib.asynccontextmanager
async def opened(path: Path, tell: Callable[[str], None]) -> AsyncGenerator[Plan]:
    """An app that is to be judged. Where a build writes its folder, that is done first.

    What was built is gone when the block ends.

    Raises:
        CannotRun: something of the app is not as it should be, or nothing was built.
    """
    build = plan.find_build(path)
    if build is None:
        yield plan.read(path)
        return
    with tempfile.TemporaryDirectory(prefix="conformance-") as place:
        built = Path(place) / "app"
        words = filled(build, {"folder": str(built)})
        tell(f"The app's folder is built: `{shlex.join(words)}`.")
        await write(words, within=path)
        yield _read(built, words)


def filled(argv: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """The words of a command, with what is known in the place of `{name}`."""
    words = list(argv)
    for name, value in known.items():
        words = [word.replace(f"{{{name}}}", value) for word in words]
    return words


async def write(words: Sequence[str], *, within: Path) -> None:
    """Run a command in the app's folder. What it writes is told where it does not do its work.

    Raises:
        CannotRun: it cannot be started, or ended with an error.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=within,
            env=replica.environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    except OSError as err:
        raise CannotRun(
            f"`{shlex.join(words)}` cannot be started in {within}: {err.strerror}. "
            f"{plan.FILE} names it: is what it needs installed?"
        ) from err
    try:
        said, _ = await process.communicate()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    if process.returncode != 0:
        last = said.decode(errors="replace").strip().splitlines()[-SHOWN:]
        raise CannotRun(
            f"`{shlex.join(words)}` ended with {process.returncode}, so there is nothing to judge. "
            f"Run it in {within} until it ends with 0. It wrote last: "
            f"{' | '.join(last) or 'nothing'}"
        )


def _read(built: Path, words: Sequence[str]) -> Plan:
    try:
        return plan.read(built)
    except CannotRun as err:
        raise CannotRun(f"What `{shlex.join(words)}` wrote cannot be judged: {err}") from err
