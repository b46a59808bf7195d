"""A platform that is ready to be used: machines, Slurm in the catalog, its controller at work.

Everything that comes before a tenant's own work is done, by the same commands as in the walk. The
rest is for whoever sits at the terminal: the tutorials begin here.
"""

import os
import shlex
import sys
import threading
from pathlib import Path

from moorage_lab import Lab
from tools import demo_apps, demo_machines, demo_slurm
from tools.demo_apps import ADA
from tools.demo_terminal import MOOR, Walk


def stay(terminal: Walk, *, password: str, lab: Lab | None, env: Path) -> None:
    """Make ready, say how to begin, and stay until Ctrl-C."""
    if lab is None:
        sys.exit("There is nothing to be ready for without machines: see above what they need.")
    _tenant(terminal, password)
    demo_machines.enrol(terminal, lab)
    demo_slurm.publish(terminal)
    with demo_apps.controller(terminal, "slurm", "-m", "moorage_slurm"):
        _write(env, terminal)
        try:
            print(_greeting(terminal, password, env), flush=True)
            threading.Event().wait()
        except KeyboardInterrupt:
            print("Stopping.")
        finally:
            env.unlink(missing_ok=True)


def _tenant(terminal: Walk, password: str) -> None:
    moor, step = terminal.moor, terminal.step
    step("A tenant with an admin, Ada, and two projects: one uses apps, one publishes them.")
    terminal.login("--email", "admin@localhost", "--password-stdin", given=password)
    moor("orgs", "create", "acme", "--name", "Acme Labs", "--admin", "ada@acme.example", lines=2)
    terminal.sign_in("ada", "ada@acme.example")
    for slug in ("research", "widgets"):
        moor("projects", "create", "acme", slug, "--name", slug.title(), *ADA, lines=2)
    demo_apps.pipeline(terminal)
    signing = ("publisher-keys", "create", "acme/widgets", "release", "--generate", "release.pem")
    moor(*signing, *ADA, lines=2)


def _write(env: Path, terminal: Walk) -> None:
    """What a terminal needs to be Ada's, in a file that only its owner can read."""
    known = {
        "XDG_CONFIG_HOME": str(terminal.home),
        "MOOR_PROFILE": "ada",
        "MOORAGE_URL": terminal.url,
        "MOORAGE_CA": str(terminal.ca),
    }
    lines = [f"export {name}={shlex.quote(value)}" for name, value in known.items()]
    lines.append(f"export PATH={shlex.quote(str(MOOR.parent))}:$PATH")
    env.parent.mkdir(parents=True, exist_ok=True)
    env.unlink(missing_ok=True)
    with os.fdopen(os.open(env, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write("\n".join([*lines, ""]))


def _greeting(terminal: Walk, password: str, env: Path) -> str:
    return f"""
Ready. The platform stays up until you press Ctrl-C. What is in it is thrown away then.

  In another terminal    . {env}      you are Ada, who runs acme/research
  In a browser           {terminal.url}
                         ada@acme.example       (password: ada has a long password)
                         admin@localhost        (password: {password})
"""
