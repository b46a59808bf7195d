"""Starts the platform on a folder of its own and walks through it, as somebody at a terminal would.

    make demo                 walk, then stay up and say where to look; Ctrl-C ends it
    make demo ARGS=--once     walk, then stop; exit 0 if every step did what it should

Every step is a `moor` command that you can type yourself.
"""

import argparse
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MOOR = Path(sys.executable).parent / "moor"
NOT_FOUND, NOT_ALLOWED, UNSOUND = 4, 3, 5
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


class Walk:
    """A terminal with credentials of its own, which shows what it runs."""

    def __init__(self, home: Path, url: str) -> None:
        self.home = home
        self.url = url
        self.steps = 0

    def step(self, sentence: str) -> None:
        self.steps += 1
        print(f"\n{self.steps}. {sentence}", flush=True)

    def moor(self, *arguments: str, expect: int = 0, given: str | None = None) -> str:
        """Run a command, show it and its answer, and insist on how it ends."""
        print(f"   $ moor {shlex.join(arguments)}", flush=True)
        done = run(self.home, arguments, given=given)
        for line in (done.stdout + done.stderr).rstrip().splitlines():
            print(f"     {line}", flush=True)
        if done.returncode != expect:
            sys.exit(f"That ended with {done.returncode}, not with {expect}: the demo stops here.")
        if expect:
            print(f"     (refused with exit code {expect}, as it should be)", flush=True)
        return done.stdout

    def ask(self, *arguments: str) -> Any:
        """Run a command for what it knows, without showing it."""
        done = run(self.home, (*arguments, "--output", "json"), given=None)
        if done.returncode:
            sys.exit(done.stderr)
        return json.loads(done.stdout)


def run(
    home: Path, arguments: Sequence[str], *, given: str | None
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MOOR_", "MOORAGE_"))}
    return subprocess.run(
        [MOOR, *arguments],
        input=given,
        env=environment | {"XDG_CONFIG_HOME": str(home), "COLUMNS": "110"},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )


def walk(terminal: Walk, *, data: Path, password: str) -> None:
    moor, step = terminal.moor, terminal.step

    step("The first admin signs in. The password was printed once, at the first start.")
    moor("login", terminal.url, "--email", "admin@localhost", "--password-stdin", given=password)

    step("Two tenants, each with an admin of its own. The platform's admin sees no further.")
    moor("orgs", "create", "acme", "--name", "Acme Labs", "--admin", "ada@acme.example")
    moor("orgs", "create", "rival", "--name", "Rival Works", "--admin", "rob@rival.example")

    step("Ada and Rob set their passwords with one-time codes and sign in.")
    for name, address in (("ada", "ada@acme.example"), ("rob", "rob@rival.example")):
        sign_in(terminal, name, address)

    step("Ada makes a project.")
    moor("projects", "create", "acme", "research", "--name", "Research", "--profile", "ada")

    step("A service account for Ada's automation: one project, exactly these permissions.")
    moor(
        *("service-accounts", "create", "acme/research", "ci", "--profile", "ada"),
        *("--permission", "iam.project.read", "--permission", "events.event.read"),
    )
    adding = ("service-accounts", "keys", "add", "ci", "--project", "acme/research")
    moor(*adding, "--generate", "ci.key", "--profile", "ada")
    account = terminal.ask(
        "service-accounts", "get", "ci", "--project", "acme/research", "--profile", "ada"
    )
    listing = ("service-accounts", "keys", "list", "ci", "--project", "acme/research")
    key = terminal.ask(*listing, "--profile", "ada")["items"][0]["id"]

    step("It proves itself with its own key, gets a token of minutes, and does what it may.")
    proof = ("--service-account", account["id"], "--key", key, "--private-key", "ci.key")
    moor("login", terminal.url, *proof, "--profile", "ci")
    moor("projects", "get", "acme/research", "--profile", "ci")

    step("What it may not, it is refused; the answer names the missing permission.")
    renaming = ("projects", "rename", "acme/research", "Mine", "--profile")
    moor(*renaming, "ci", expect=NOT_ALLOWED)

    step("Rob belongs to another tenant: for him Acme's project does not exist.")
    project = terminal.ask("projects", "get", "acme/research", "--profile", "ada")["id"]
    moor("projects", "get", project, "--profile", "rob", expect=NOT_FOUND)

    publish(terminal)
    use(terminal)

    step("Everything left a trace. Ada reads her own, and nobody else's.")
    moor("audit", "list", "--limit", "12", "--profile", "ada")
    moor("events", "list", "--type", "catalog.*", "--profile", "ada")

    step("The operator checks the whole log: every entry, every seal, every signature.")
    moor("audit", "verify", "--data", str(data))


def publish(terminal: Walk) -> None:
    """From an empty folder to a channel, by the pipeline of the publishing project."""
    moor, step = terminal.moor, terminal.step

    step("An app team has a project of its own. Its pipeline may publish, and nothing else.")
    moor("projects", "create", "acme", "widgets", "--name", "Widgets", "--profile", "ada")
    pipeline(terminal)
    signing = ("publisher-keys", "create", "acme/widgets", "release", "--generate", "release.pem")
    moor(*signing, "--profile", "ada")

    step("A new app: a folder that validates. What is wrong with one, it says with the line.")
    moor("app", "init", "hello", "--name", "Hello")
    moor("app", "validate", "hello")
    manifest = terminal.home / "hello" / "manifest.yaml"
    good = manifest.read_text()
    manifest.write_text(good.replace("key: hello.greeting.read", "key: iam.member.add"))
    moor("app", "validate", "hello", expect=UNSOUND)
    manifest.write_text(good)

    step("The pipeline uploads the artifact, signs it, publishes the version and promotes it.")
    registering = ("--create", "--app-project", "acme/widgets", "--key", "release.pem")
    moor("app", "publish", "hello", *registering, "--profile", "pipeline")
    moor("app", "promote", "hello", "0.1.0", "prod", "--profile", "pipeline")
    moor("app", "promotions", "hello", "--profile", "ada")
    moor("app", "update", "hello", "--visibility", "org", "--profile", "ada")


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
    signing_in = ("login", terminal.url, "--service-account", account, *proof)
    terminal.moor(*signing_in, "--profile", "pipeline")


def use(terminal: Walk) -> None:
    """Entitle one project and not the other; narrow; revoke."""
    moor, step = terminal.moor, terminal.step
    deploying = ("hello", "instance.deploy", "--profile", "ada")
    fetching = ("pulls", "fetch", "acme/research", "hello", "greeting.txt", "--channel", "prod")

    step("Ada sees what the app asks for, accepts it, and research may use it.")
    moor("entitlements", "offer", "acme/research", "hello", "--profile", "ada")
    entitling = ("entitlements", "create", "acme/research", "hello", "--channel", "prod")
    moor(*entitling, "--yes", "--profile", "ada")
    moor("policy", "explain", "acme/research", *deploying)

    step("Widgets itself is not entitled: the explanation names the layer, and who can help.")
    moor("policy", "explain", "acme/widgets", *deploying)

    step("The operator narrows for everybody; nobody below can lift it. First a dry run.")
    narrowing = ("policy", "set", "--platform", "--deny", "artifact_sources=store")
    moor(*narrowing, "--dry-run")
    moor(*narrowing)
    moor("policy", "explain", "acme/research", *deploying)
    moor(*fetching, "--to", "greeting.txt", "--profile", "ada", expect=NOT_ALLOWED)
    moor("policy", "set", "--platform", "--deny", "artifact_sources=")

    step("Now the signed artifact can be pulled. Its digest is checked before the file is there.")
    moor(*fetching, "--to", "greeting.txt", "--profile", "ada")

    step("The publisher revokes it. The next pull is refused, and so is the next deploy.")
    revoking = ("artifacts", "revoke", "greeting.txt", "--project", "acme/widgets")
    moor(*revoking, "--reason", "The greeting was rude.", "--yes", "--profile", "ada")
    moor(*fetching, "--to", "again.txt", "--profile", "ada", expect=NOT_ALLOWED)
    moor("policy", "explain", "acme/research", *deploying)


def sign_in(terminal: Walk, name: str, address: str) -> None:
    terminal.moor("users", "reset-password", address, "--secret-file", f"{name}.code")
    code = (terminal.home / f"{name}.code").read_text().strip()
    chosen = f"{name} has a long password"
    terminal.moor("password", "set", "--url", terminal.url, "--stdin", given=f"{code}\n{chosen}\n")
    terminal.moor(
        *("login", terminal.url, "--email", address, "--password-stdin", "--profile", name),
        given=chosen,
    )


@contextmanager
def platform(data: Path, port: int) -> Generator[tuple[str, str]]:
    """`moor up` in a process of its own: (address, the first admin's password)."""
    command = [str(MOOR), "up", "--data", str(data), "--port", str(port)]
    print(f"   $ moor up --data {data} --port {port}", flush=True)
    process = subprocess.Popen(
        command,
        env=os.environ | {"MOORAGE_LOG__LEVEL": "warning"},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield _until_ready(process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _until_ready(process: subprocess.Popen[str]) -> tuple[str, str]:
    assert process.stdout is not None
    password = ""
    for line in process.stdout:
        print(f"     {line.rstrip()}", flush=True)
        if line.startswith("Password"):
            password = line.split()[1]
        if "ready at" in line:
            return line.split()[-1], password
    sys.exit("The platform did not start; its last lines say why.")


def free_port(wanted: int = 7700) -> int:
    for port in (wanted, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return probe.getsockname()[1]
    sys.exit("No port is free on 127.0.0.1.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--once", action="store_true", help="stop after the walk")
    once = parser.parse_args().once
    with tempfile.TemporaryDirectory(prefix="moorage-demo-") as place:
        Path(place).chmod(0o711)
        home = Path(place) / "home"
        home.mkdir(mode=0o700)
        print("\n0. Start the platform on an empty folder.", flush=True)
        with platform(Path(place) / "data", free_port()) as (url, password):
            walk(Walk(home, url), data=Path(place) / "data", password=password)
            print("\nEvery step did what it should.", flush=True)
            if not once:
                stay(url, password)


def stay(url: str, password: str) -> None:
    print(
        f"""
The platform stays up until you press Ctrl-C. What is in it is thrown away then.

  API        {url}/v1/openapi.json
  Sign in    moor login {url} --email admin@localhost    (password {password})
""",
        flush=True,
    )
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print("Stopping.")


if __name__ == "__main__":
    main()
