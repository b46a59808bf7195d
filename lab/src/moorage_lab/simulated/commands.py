"""`moor lab agents`: a crowd of simulated agents from the command line."""

import asyncio
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from moorage_lab.errors import BadRequest, LabError
from moorage_lab.simulated.crowd import Crowd
from moorage_lab.simulated.http1 import Server
from moorage_lab.simulated.inventory import GIB, Machine
from moorage_lab.simulated.script import Behaviour

SAY_EVERY = 5


def agents(
    url: Annotated[str, typer.Option(help="The platform's address.")],
    token_file: Annotated[Path, typer.Option(help="Enrolment tokens, one in each line.")],
    ca: Annotated[Path | None, typer.Option(help="The platform's authority, PEM.")] = None,
    cpus: Annotated[int, typer.Option(help="CPUs of each host.")] = 8,
    memory: Annotated[int, typer.Option(help="Memory of each host, in GiB.")] = 32,
    gpus: Annotated[int, typer.Option(help="GPUs of each host.")] = 0,
    gpu_model: Annotated[str, typer.Option(help="What the GPUs are.")] = Machine.gpu_model,
    delay: Annotated[int, typer.Option(help="Milliseconds that each task takes.")] = 0,
    failing: Annotated[float, typer.Option(help="Percent of tasks that fail.")] = 0.0,
    seconds: Annotated[float, typer.Option(help="How long to run; 0: until Ctrl-C.")] = 0,
) -> None:
    """Run simulated agents against a platform, one for each token. Needs no root and no hosts."""
    try:
        server = Server(url, _trust(ca))
        machine = Machine(cpus=cpus, memory=memory * GIB, gpus=gpus, gpu_model=gpu_model)
        behaviour = Behaviour(delay=delay / 1000, failing=failing / 100)
        asyncio.run(
            _run(Crowd(server, read(token_file), machine=machine, behaviour=behaviour), seconds)
        )
    except LabError as err:
        typer.echo(f"moor: {err}", err=True)
        raise typer.Exit(err.exit_code) from err
    except KeyboardInterrupt:
        pass


def read(file: Path) -> Sequence[str]:
    """The tokens of a file."""
    try:
        tokens = [line.strip() for line in file.read_text().splitlines() if line.strip()]
    except OSError as err:
        raise BadRequest(f"{file} cannot be read: {err.strerror}.") from err
    if not tokens:
        raise BadRequest(f"{file} holds no enrolment token: one in each line.")
    return tokens


def _trust(ca: Path | None) -> ssl.SSLContext | None:
    try:
        return ssl.create_default_context(cafile=str(ca)) if ca else None
    except (OSError, ssl.SSLError) as err:
        raise BadRequest(f"{ca} holds no certificates: {err}.") from err


async def _run(crowd: Crowd, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    ends = loop.time() + seconds if seconds else None
    async with crowd:
        while ends is None or loop.time() < ends:
            left = SAY_EVERY if ends is None else min(SAY_EVERY, ends - loop.time())
            await asyncio.sleep(max(left, 0))
            typer.echo(line(crowd))


def line(crowd: Crowd) -> str:
    """How the crowd is."""
    states = ", ".join(f"{count} {state}" for state, count in sorted(crowd.states().items()))
    tally = crowd.tally
    ends = ", ".join(f"{count} {state}" for state, count in sorted(tally.ends.items()))
    refusals = ", ".join(f"{count} {code}" for code, count in sorted(tally.refusals.items()))
    words = [states, f"{tally.polls} polls", f"tasks: {ends or 'none'}"]
    return "; ".join([*words, f"refused: {refusals}"] if refusals else words)
