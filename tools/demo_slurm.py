"""The demo's cluster: Slurm from the catalog to four machines, used, grown, upgraded, taken down.

Everything is a `moor` command, but for two that are the app team's own: cutting a release, and
starting the controller.
"""

import sys
import threading
import time
from typing import Any

from tools import demo_apps
from tools.demo_apps import ADA, PUBLISHER
from tools.demo_terminal import PATIENCE, Walk

FIRST, SECOND = "1.0.0", "2.0.0"
INSTANCE = "acme/research/batch"
HOSTS = 4
GRACE = ("--profile", "grace")
NOT_FOUND = 4


def walk(terminal: Walk) -> None:
    """Publish, run the controller, live a whole life on four machines."""
    publish(terminal)
    with demo_apps.controller(terminal, "slurm", "-m", "moorage_slurm"):
        machines = _hold(terminal)
        _deploy(terminal, machines)
        _use(terminal, machines[0])
        job = _long_job(terminal)
        _grow_and_shrink(terminal, machines, job)
        _upgrade(terminal, job)
        _take_down(terminal)
        terminal.step("The machines go back, wiped, and are there for whoever asks next.")
        demo_apps.release(terminal, machines)


def publish(terminal: Walk) -> None:
    """Both releases, for research to use, with an operator to be."""
    step, moor = terminal.step, terminal.moor
    step("Slurm: two releases, each with the packages that hosts without internet need.")
    for number, more in ((FIRST, ("--create", "--app-project", PUBLISHER)), (SECOND, ())):
        folder = f"slurm-{number}"
        demo_apps.python(terminal, "-m", "moorage_slurm.release", number, folder)
        moor("app", "publish", folder, *more, "--key", "release.pem", "--profile", "pipeline")
    moor("app", "update", "slurm", "--visibility", "platform", *ADA, lines=2)

    step("Those who run the platform let it use the keys that all schedulers share.")
    moor("families", "admit", "scheduler", "slurm", "--all-keys", lines=3)
    demo_apps.register(terminal, "slurm")

    step("Ada entitles research to it, and Grace joins the project.")
    moor("entitlements", "create", "acme/research", "slurm", "--yes", *ADA, lines=8)
    grace = "grace@acme.example"
    joining = ("--project", "acme/research", "--role", "project_member")
    moor("memberships", "add", grace, *joining, *ADA, lines=2)
    terminal.sign_in("grace", grace)


def _hold(terminal: Walk) -> list[str]:
    terminal.step("Four machines.")
    asking = ("allocations", "create", "acme/research", "--sku", "host", "--region", "lab")
    before = _allocations(terminal)
    terminal.moor(*asking, "--count", str(HOSTS), *ADA, lines=HOSTS + 2)
    names = [name for name in _allocations(terminal) if name not in before]
    for name in names:
        terminal.until(("allocations", "get", name, *ADA), "active")
    return names


def _allocations(terminal: Walk) -> list[str]:
    listed = terminal.ask("allocations", "list", "acme/research", *ADA)["items"]
    return [each["id"] for each in listed if each["status"] not in ("released", "failed")]


def _deploy(terminal: Walk, machines: list[str]) -> None:
    step, moor = terminal.step, terminal.moor
    step("One request: a controller and two workers. Each step is shown as it is taken.")
    placing = (
        f"--component=controller={machines[0]}",
        f"--component=worker={','.join(machines[1:3])}",
    )
    deploying = ("deploy", "acme/research", "slurm", "--name", "batch", "--version", FIRST)
    moor(*deploying, *placing, "--yes", *ADA)
    moor("instances", "get", INSTANCE, *ADA)
    moor("members", "list", INSTANCE, *ADA)


def _use(terminal: Walk, login: str) -> None:
    step, moor = terminal.step, terminal.moor
    step("Grace is an ordinary member. She logs in, and runs on both workers.")
    moor("access", "grant", login, "--user", "grace@acme.example", *ADA, lines=2)
    moor("ssh", *GRACE, login, "--", "srun --nodes=2 sh -c 'echo $(id -un) on $(hostname)'")


def _long_job(terminal: Walk) -> int:
    step, moor = terminal.step, terminal.moor
    step("The same queue through the API, as Grace. Rob, of another tenant, finds no such thing.")
    script = "sleep 600; srun echo still here"
    submit = ("actions", "run", INSTANCE, "slurm.submit", "--input", "name=long")
    moor(*submit, "--input", f"script={script}", *GRACE)
    _until_listed(terminal, "long")
    moor("views", "get", INSTANCE, "slurm.queue", *GRACE)
    instance = terminal.ask("instances", "get", INSTANCE, *ADA)["id"]
    rob = ("actions", "run", instance, "slurm.submit", "--input", "script=true", "--profile", "rob")
    moor(*rob, expect=NOT_FOUND)
    rows = _rows(terminal, "slurm.queue")
    return next(int(row["job"]) for row in rows if row["name"] == "long")


def _rows(terminal: Walk, view: str) -> list[dict[str, Any]]:
    return [each["data"] for each in terminal.ask("views", "get", INSTANCE, view, *ADA)["items"]]


def _until_listed(terminal: Walk, name: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not any(row["name"] == name for row in _rows(terminal, "slurm.queue")):
        if time.monotonic() > deadline:
            sys.exit("The job is not in the queue: the demo stops here.")
        threading.Event().wait(0.5)


def _grow_and_shrink(terminal: Walk, machines: list[str], job: int) -> None:
    step, moor = terminal.step, terminal.moor
    step("A third worker joins while the job runs. The scheduler is not restarted for it.")
    moor("members", "add", INSTANCE, "worker", machines[3], *ADA)
    _still_runs(terminal, job)

    step("The worker without the job is drained and removed; Slurm's own list is looked at.")
    idle = _idle_worker(terminal)
    moor("members", "drain", INSTANCE, idle, "--reason", "new memory", *ADA)
    moor("members", "remove", INSTANCE, idle, "--reason", "not needed", *ADA)
    moor("views", "get", INSTANCE, "slurm.nodes", *ADA)


def _idle_worker(terminal: Walk) -> str:
    busy = {str(row["nodes"]) for row in _rows(terminal, "slurm.queue")}
    known = terminal.ask("members", "list", INSTANCE, *ADA)["items"]
    names = sorted(each["name"] for each in known if each["component"] == "worker")
    return next(name for name in names if name not in busy)


def _upgrade(terminal: Walk, job: int) -> None:
    terminal.step("From Slurm 24.11 to 26.05 with the job running: both versions are shown.")
    terminal.moor("instances", "upgrade", INSTANCE, "--to", SECOND, "--yes", *ADA)
    terminal.moor("members", "list", INSTANCE, *ADA)
    _still_runs(terminal, job)


def _still_runs(terminal: Walk, job: int) -> None:
    asked = ("actions", "run", INSTANCE, "slurm.inspect", "--input", f"job={job}", *GRACE)
    if "RUNNING" not in terminal.moor(*asked):
        sys.exit(f"Job {job} does not run any more: the demo stops here.")


def _take_down(terminal: Walk) -> None:
    terminal.step("Decommission: jobs end, everything goes, and every machine is searched.")
    said = terminal.moor("instances", "decommission", INSTANCE, "--yes", *ADA)
    if "Residue: none" not in said:
        sys.exit("Something was left behind: the demo stops here.")
