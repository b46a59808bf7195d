"""The verbs of `agent.pyz`. Each module is loaded when its verb is asked for: a start is short."""

import importlib
import json
import sys
from collections.abc import Sequence

VERBS = {
    "install": "enrol this host and start the agent; the pasted line leads here",
    "run": "work for the platform until told to stop; the service does this",
    "probe": "print what this machine is, as JSON",
    "task": "do one task, read from standard input",
    "status": "print what the agent here is and does, as JSON",
    "baseline": "remember this host as it is now: what is there is no residue from now on",
    "uninstall": "stop the agent and remove everything of it",
    "version": "print the agent's version",
}
USAGE = "usage: agent.pyz VERB\n\n" + "\n".join(f"  {verb:10} {VERBS[verb]}" for verb in VERBS)


def main(words: Sequence[str]) -> int:
    """Run a verb; the exit code."""
    if len(words) != 1 or words[0] not in VERBS:
        print(USAGE, file=sys.stderr)
        return 0 if list(words) in (["-h"], ["--help"]) else 2
    verb = importlib.import_module(f"moorage_agent.verbs.{words[0]}")
    return int(verb.main())


def show(value: object) -> None:
    """Print JSON for people and programs."""
    print(json.dumps(value, indent=2, sort_keys=True))
