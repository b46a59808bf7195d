"""Starts the platform on a folder of its own and walks through it, as somebody at a terminal would.

    make demo                 walk, then stay up and say where to look; Ctrl-C ends it
    make demo ARGS=--once     walk, then stop; exit 0 if every step did what it should
    make demo ARGS=--ready    make everything ready for a walk of your own, then stay up

Every step is a `moor` command that you can type yourself.
"""

import argparse
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from moorage_lab import Lab
from tools import demo_apps, demo_machines, demo_ready
from tools.demo_terminal import MOOR, Walk

LOOPBACK = "127.0.0.1"
NOT_FOUND, NOT_ALLOWED, UNSOUND = 4, 3, 5


def walk(terminal: Walk, *, data: Path, password: str, lab: Lab | None) -> None:
    moor, step = terminal.moor, terminal.step

    step("The first admin signs in. The password was printed once, at the first start.")
    terminal.login("--email", "admin@localhost", "--password-stdin", given=password)

    step("Two tenants, each with an admin of its own. The platform's admin sees no further.")
    moor("orgs", "create", "acme", "--name", "Acme Labs", "--admin", "ada@acme.example")
    moor("orgs", "create", "rival", "--name", "Rival Works", "--admin", "rob@rival.example")

    step("Ada and Rob set their passwords with one-time codes and sign in.")
    for name, address in (("ada", "ada@acme.example"), ("rob", "rob@rival.example")):
        terminal.sign_in(name, address)

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
    terminal.login(*proof, "--profile", "ci")
    moor("projects", "get", "acme/research", "--profile", "ci")

    step("What it may not, it is refused; the answer names the missing permission.")
    renaming = ("projects", "rename", "acme/research", "Mine", "--profile")
    moor(*renaming, "ci", expect=NOT_ALLOWED)

    step("Rob belongs to another tenant: for him Acme's project does not exist.")
    project = terminal.ask("projects", "get", "acme/research", "--profile", "ada")["id"]
    moor("projects", "get", project, "--profile", "rob", expect=NOT_FOUND)

    publish(terminal)
    use(terminal)
    demo_machines.walk(terminal, lab)

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
    demo_apps.pipeline(terminal)
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


@contextmanager
def platform(data: Path, host: str) -> Generator[tuple[str, str]]:
    """`moor up` in a process of its own: (address, the first admin's password)."""
    words = ["up", "--data", str(data), "--host", host, "--port", str(free_port(host))]
    command = [str(MOOR), *words]
    print(f"   $ moor {shlex.join(words)}", flush=True)
    process = subprocess.Popen(
        command,
        env=os.environ | {"MOORAGE_LOG__LEVEL": "warning"} | demo_machines.SETTINGS,
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


def free_port(host: str, wanted: int = 7700) -> int:
    for port in (wanted, 0):
        with socket.socket() as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return probe.getsockname()[1]
    sys.exit(f"No port is free on {host}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--once", action="store_true", help="stop after the walk")
    parser.add_argument("--ready", action="store_true", help="make ready for a walk of your own")
    parser.add_argument("--lab", default=demo_machines.LAB, help="what the lab is called")
    parser.add_argument("--env", default=Path(".cache/demo.env"), type=Path, help="for terminals")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="moorage-demo-") as place:
        Path(place).chmod(0o711)
        home = Path(place) / "home"
        home.mkdir(mode=0o700)
        data = Path(place) / "data"
        with demo_machines.hosts(arguments.lab) as lab:
            print("\n0. Start the platform on an empty folder.", flush=True)
            with platform(data, str(lab.layout.address) if lab else LOOPBACK) as (url, password):
                terminal = Walk(home, url, ca=data / "tls" / "ca.pem" if lab else None)
                if arguments.ready:
                    demo_ready.stay(terminal, password=password, lab=lab, env=arguments.env)
                    return
                walk(terminal, data=data, password=password, lab=lab)
                print("\nEvery step did what it should.", flush=True)
                if not arguments.once:
                    stay(terminal, password)


def stay(terminal: Walk, password: str) -> None:
    url, trust = terminal.url, " ".join(["", *terminal.trust])
    print(
        f"""
The platform stays up until you press Ctrl-C. What is in it is thrown away then.

  Console    {url}/    (admin@localhost, password {password})
  API        {url}/v1/openapi.json
  Sign in    moor login {url}{trust} --email admin@localhost
""",
        flush=True,
    )
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print("Stopping.")


if __name__ == "__main__":
    main()
