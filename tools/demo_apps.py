"""The demo's app: echo, from its folder to real machines, through its whole life and off again.

Everything is a `moor` command, but for two that are the app team's own: cutting a release, and
starting the controller.
"""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from tools.demo_terminal import Walk

PUBLISHER = "acme/widgets"
FIRST, SECOND = "0.1.0", "0.2.0"
INSTANCE = "acme/research/demo"
ADA = ("--profile", "ada")
STOPPING = 30
PUBLISHING = (
    "catalog.app.create",
    "catalog.app.read",
    "catalog.artifact.create",
    "catalog.artifact.read",
    "catalog.artifact.sign",
    "catalog.family.read",
    "catalog.publisher_key.read",
    "catalog.version.create",
    "catalog.version.promote",
    "catalog.version.publish",
)


def walk(terminal: Walk, allocations: list[str]) -> None:
    """Publish, run a controller, live a whole life on the first project's machines."""
    _publish(terminal)
    with controller(terminal, "echo", "-m", "moorage", "run", "moorage_echo.controller:app"):
        _deploy(terminal, allocations)
        _grow_and_shrink(terminal, allocations)
        _change(terminal)
        _take_down(terminal)
        terminal.step("Ada keeps one machine and gives the others back. They are wiped.")
        release(terminal, allocations[1:])
        _second_project(terminal)


def _publish(terminal: Walk) -> None:
    step, moor = terminal.step, terminal.moor
    step("The app team cuts two releases of echo, and its pipeline publishes them.")
    for number, more in ((FIRST, ("--create", "--app-project", PUBLISHER)), (SECOND, ())):
        folder = f"echo-{number}"
        python(terminal, "-m", "moorage_echo.release", number, folder)
        moor("app", "publish", folder, *more, "--key", "release.pem", "--profile", "pipeline")
    moor("app", "promote", "echo", FIRST, "prod", "--profile", "pipeline", lines=2)
    moor("app", "update", "echo", "--visibility", "org", *ADA, lines=2)

    register(terminal, "echo")

    step("Ada reads what echo asks for, accepts it, and research may use it.")
    moor("entitlements", "create", "acme/research", "echo", "--yes", *ADA, lines=6)


def pipeline(terminal: Walk) -> None:
    """A service account with the keys that publishing takes, signed in as `pipeline`."""
    keys = [f"--permission={key}" for key in PUBLISHING]
    making = ("service-accounts", "create", "acme/widgets", "pipeline", *keys)
    terminal.moor(*making, "--profile", "ada")
    place = ("pipeline", "--project", "acme/widgets")
    adding = ("service-accounts", "keys", "add", *place, "--generate", "pipeline.key")
    terminal.moor(*adding, "--profile", "ada")
    account = terminal.ask("service-accounts", "get", *place, "--profile", "ada")["id"]
    known = terminal.ask("service-accounts", "keys", "list", *place, "--profile", "ada")
    proof = ("--key", known["items"][0]["id"], "--private-key", "pipeline.key")
    terminal.login("--service-account", account, *proof, "--profile", "pipeline")


def register(terminal: Walk, app: str) -> None:
    """An operator for an app."""
    terminal.step("An operator for it: an account that may claim operations, and nothing else.")
    moor, account = terminal.moor, f"{app}-operator"
    claiming = ("--permission", "apps.operation.claim")
    moor("service-accounts", "create", PUBLISHER, account, *claiming, *ADA, lines=2)
    adding = ("service-accounts", "keys", "add", account, "--project", PUBLISHER)
    moor(*adding, "--generate", f"{account}.key", *ADA, lines=2)
    acting = ("--account", account, "--name", "Widgets")
    moor("operators", "register", PUBLISHER, app, *acting, *ADA, lines=2)


@contextmanager
def controller(terminal: Walk, app: str, *words: str) -> Generator[None]:
    """The app team's process: it reaches the platform, and no machine."""
    terminal.step("The app team starts its controller. It holds one key, and claims.")
    place = (f"{app}-operator", "--project", PUBLISHER, *ADA)
    account = terminal.ask("service-accounts", "get", *place)["id"]
    key = terminal.ask("service-accounts", "keys", "list", *place)["items"][0]["id"]
    settings = {
        "MOORAGE_URL": terminal.url,
        "MOORAGE_SERVICE_ACCOUNT": account,
        "MOORAGE_KEY": key,
        "MOORAGE_KEY_FILE": str(terminal.home / f"{app}-operator.key"),
    }
    if terminal.ca:
        settings["MOORAGE_CA"] = str(terminal.ca)
    print(f"   $ python {shlex.join(words)}", flush=True)
    with (terminal.home / f"{app}-controller.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *words],
            env=_clean() | settings,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STOPPING)


def _deploy(terminal: Walk, allocations: list[str]) -> None:
    step, moor = terminal.step, terminal.moor
    leader, *replicas = allocations[:3]
    step("Plan and deploy on three machines. What is shown is what is applied.")
    placing = (f"--component=leader={leader}", f"--component=replica={','.join(replicas)}")
    deploying = ("deploy", "acme/research", "echo", "--name", "demo", "--channel", "prod")
    moor(*deploying, *placing, "--yes", *ADA)
    moor("instances", "get", INSTANCE, *ADA)
    moor("members", "list", INSTANCE, *ADA)

    step("An action is the app's own verb: here it writes a key.")
    given = ("--input", "key=greeting", "--input", "value=hello")
    moor("actions", "run", INSTANCE, "echo.put", *given, *ADA)


def _grow_and_shrink(terminal: Walk, allocations: list[str]) -> None:
    step, moor = terminal.step, terminal.moor
    step("Two more replicas by one request: prepared once, joined side by side, finished once.")
    moor("members", "add", INSTANCE, "replica", *allocations[3:5], *ADA)

    step("One is drained, then removed. What it carried is gone from its machine.")
    moor("members", "drain", INSTANCE, "replica-1", "--reason", "new memory", *ADA)
    moor("members", "remove", INSTANCE, "replica-1", "--reason", "not needed", *ADA)
    moor("members", "list", INSTANCE, "--removed", *ADA)

    step("A view is what the app publishes: here, who has how many keys.")
    moor("views", "get", INSTANCE, "echo.keys", *ADA)


def _change(terminal: Walk) -> None:
    step, moor = terminal.step, terminal.moor
    step("Upgrade to the second release, and back: the plan says first what changes.")
    moor("instances", "upgrade", INSTANCE, "--to", SECOND, "--yes", *ADA)
    moor("members", "list", INSTANCE, *ADA)
    moor("instances", "rollback", INSTANCE, "--yes", *ADA)
    moor("instances", "revisions", INSTANCE, *ADA)
    moor("views", "get", INSTANCE, "echo.keys", *ADA)


def _take_down(terminal: Walk) -> None:
    terminal.step(
        "Decommission: everything is taken off, and every machine is searched afterwards."
    )
    said = terminal.moor("instances", "decommission", INSTANCE, "--yes", *ADA)
    if "Residue: none" not in said:
        sys.exit("Something was left behind: the demo stops here.")


def release(terminal: Walk, allocations: list[str]) -> None:
    """Give machines back."""
    for allocation in allocations:
        terminal.moor("allocations", "release", allocation, "--yes", *ADA, lines=1)
    for allocation in allocations:
        terminal.until(("allocations", "get", allocation, *ADA), "released")


def _second_project(terminal: Walk) -> None:
    step, moor = terminal.step, terminal.moor
    step("Another project deploys echo, machines included, with no shell step by anybody.")
    moor("projects", "create", "acme", "analysis", "--name", "Analysis", *ADA, lines=2)
    moor("entitlements", "create", "acme/analysis", "echo", "--yes", *ADA, lines=2)
    placing = ("--component", "leader=1:host:lab", "--component", "replica=1:host:lab")
    moor("deploy", "acme/analysis", "echo", "--name", "second", *placing, "--yes", *ADA)
    moor("members", "list", "acme/analysis/second", *ADA)
    moor("instances", "decommission", "acme/analysis/second", "--yes", *ADA)


def python(terminal: Walk, *words: str) -> None:
    print(f"   $ python {shlex.join(words)}", flush=True)
    subprocess.run([sys.executable, *words], cwd=terminal.home, env=_clean(), check=True)


def _clean() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("MOOR_", "MOORAGE_"))}
