"""`python -m moorage run module:app`: a replica of an app's controller."""

import argparse
import asyncio
import importlib
import logging
import signal
import sys

from moorage._problem import MoorageError
from moorage.auth import ServiceAccount
from moorage.client import Client
from moorage.controller import logs
from moorage.controller.app import App, ManifestUnusable
from moorage.controller.runner import Runner
from moorage.controller.settings import Settings, SettingsWrong

log = logging.getLogger("moorage.controller")


class Unusable(ValueError):
    """What was named on the command line cannot be run."""


def main(arguments: list[str] | None = None) -> int:
    """Run a controller until it is told to stop. 0: it was; 1: it cannot run; 2: used wrongly."""
    parser = argparse.ArgumentParser(prog="python -m moorage", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", help="Run the controller of an app until it is told to stop.")
    run.add_argument("app", metavar="MODULE:APP", help="Where the `moorage.App` is.")
    said = parser.parse_args(arguments)
    logs.to(sys.stderr)
    try:
        asyncio.run(_serve(load(said.app), Settings.read()))
    except (Unusable, SettingsWrong, ManifestUnusable, MoorageError) as err:
        log.error("%s", err)
        return 1
    return 0


def load(name: str) -> App:
    """The app that `module:name` names, with a function for everything that it promises."""
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute or "app")
    except (ImportError, AttributeError) as err:
        raise Unusable(f"There is no app {name}: {err}.") from err
    if not isinstance(found, App):
        raise Unusable(f"{name} is not a moorage.App.")
    if gaps := found.missing():
        raise Unusable(f"The manifest promises what no function does: {', '.join(gaps)}.")
    return found


async def _serve(app: App, settings: Settings) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signalled in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signalled, stopping.set)
    async with _client(settings) as operator, _client(settings) as machines:
        await Runner(app, operator, machines, settings).run(stopping)


def _client(settings: Settings) -> Client:
    secret = settings.secret_file
    auth = ServiceAccount(
        settings.account,
        key=settings.key,
        private_key=settings.key_file,
        secret=None if secret is None else secret.read_text(encoding="utf-8").strip(),
        audience=settings.audience,
    )
    agent = f"moorage-controller/{settings.replica}"
    return Client(settings.url, auth=auth, ca=settings.ca, agent=agent)


if __name__ == "__main__":
    sys.exit(main())
