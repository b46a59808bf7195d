"""Writes what there is to know about `moor` without running it: its reference page, its help tree.

The golden tree holds the CLI's own commands. The page holds those of this repository's other
packages too, taken from their pyproject files: what happens to be installed makes no difference.
"""

import importlib
import itertools
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from moorage_cli import main, tree
from moorage_cli.tree import Deferred, Plugin

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/cli.md"
GOLDEN = ROOT / "cli/tests/golden/help.txt"
EVERYWHERE = frozenset({"help", "output", "profile"})
"""Options that every command of the CLI's own has; the page explains them once."""

HEAD = """# Command line

Generated from `moor` itself; `make gen` writes it.

`moor` speaks to a platform through the SDK. `moor login` signs you in and keeps a token in
`$XDG_CONFIG_HOME/moorage/credentials.json`, which only you can read. Objects go by id, or by what
people call them: orgs by slug, projects as `ORG/PROJECT`, people by e-mail.

## Everywhere

| Option | Meaning |
|---|---|
| `--output`, `-o` | `table` for people, or `json`: one document on standard output |
| `--profile` | whose credentials to use; `default` if left out |
| `--help` | what a command takes |

Both of the first two may stand before or after the command. As JSON, an object is as the API
shows it, a list is `{"items": [...]}`, and events that are followed are one document a line.

| Variable | Meaning |
|---|---|
| `MOOR_URL` | the platform's address, in place of the profile's |
| `MOOR_TOKEN` | a personal access token, in place of the profile's |
| `MOOR_CA` | a file with the certificate of the platform's own authority |
| `MOOR_PROFILE` | which profile to use |

With `MOOR_URL` and `MOOR_TOKEN` no profile is needed. A profile's credentials are sent to the
profile's own platform and to no other. Plain HTTP is for this machine only; any other address needs
https.

Secrets are read from a prompt, a file or standard input, never from an argument. A secret that the
platform shows once is printed only with `--show-secret`, or written with `--secret-file`.

## Exit codes

| Code | Means | Statuses of the API |
|---|---|---|
| 0 | done | 2xx |
| 1 | the command is wrong: change it | 400, 413, 422, 428 |
| 2 | the platform or the network is at fault; trying again may help | 429, 5xx, no answer |
| 3 | not signed in, or not allowed | 401, 403 |
| 4 | not found, or not yours to see | 404 |
| 5 | the state or a concurrent change forbids it; a proof or an app is unsound | 409, 410, 412 |
| 130 | stopped with Ctrl-C | |

Errors go to standard error: one line with the code and the correlation id, or, with `--output`
`json`, the problem document with `exit_code` added.
"""


@dataclass(frozen=True)
class Entry:
    """One command."""

    path: tuple[str, ...]
    command: Any

    @property
    def parameters(self) -> list[Any]:
        return [p for p in self.command.params if p.name not in EVERYWHERE and not p.hidden]

    @property
    def usage(self) -> str:
        return " ".join(["moor", *self.path, *(_usage(p) for p in self.parameters)])


def outputs() -> Iterator[tuple[Path, str]]:
    """Every generated file about the command line."""
    try:
        yield GOLDEN, help_tree()
        yield PAGE, page()
    except (ImportError, AttributeError) as err:
        # The models must be written even while the code that uses them has not followed yet.
        print(f"The command line cannot be described before it can be loaded: {err}")


def help_tree() -> str:
    """The CLI's own commands, each with its usage and summary."""
    lines: list[str] = []
    for entry in entries([]):
        lines += [entry.usage, f"    {_summary(entry)}"]
    return "\n".join([*lines, ""])


def page() -> str:
    """The reference page: a part for each noun, so that its menu can be read."""
    lines = [HEAD]
    known = sorted(entries(plugins()), key=lambda entry: entry.path)
    for noun, below in itertools.groupby(known, key=lambda entry: entry.path[0]):
        lines += [f"## moor {noun}", ""]
        for entry in below:
            if len(entry.path) > 1:
                lines += [f"### moor {' '.join(entry.path)}", ""]
            lines += [_text(entry), "", "```", entry.usage, "```", "", *_table(entry)]
    return "\n".join(lines).rstrip() + "\n"


def entries(plugins: list[Plugin]) -> Iterator[Entry]:
    """Every command of the tree that does something."""
    yield from _below(tree.grow(main.root(), plugins), ())


def _below(group: TyperGroup, path: tuple[str, ...]) -> Iterator[Entry]:
    for name, found in group.commands.items():
        command: Any = found.load() if isinstance(found, Deferred) else found
        if isinstance(command, TyperGroup):
            yield from _below(command, (*path, name))
        else:
            yield Entry((*path, name), command)


def plugins() -> list[Plugin]:
    """The commands that this repository's packages bring."""
    found: list[Plugin] = []
    for file in sorted(ROOT.glob("*/pyproject.toml")):
        project = tomllib.loads(file.read_text())["project"]
        points = project.get("entry-points", {}).get(tree.ENTRY_POINTS, {})
        found += [_plugin(project["name"], name, target) for name, target in points.items()]
    return found


def _plugin(package: str, name: str, target: str) -> Plugin:
    module, _, attribute = target.partition(":")
    path = tuple(name.split("."))

    def load() -> Any:
        return tree.command_of(getattr(importlib.import_module(module), attribute), path[-1])

    return Plugin(path, target, package, load)


def _usage(parameter: Any) -> str:
    word = parameter.metavar or str(parameter.name).upper()
    if parameter.param_type_name == "argument":
        return word if parameter.required else f"[{word}]"
    name = max(parameter.opts, key=len)
    if parameter.secondary_opts:
        text = f"{name}|{parameter.secondary_opts[0]}"
    else:
        text = name if parameter.is_flag else f"{name} {word}"
    text = f"{text}..." if parameter.multiple else text
    return text if parameter.required else f"[{text}]"


def _summary(entry: Entry) -> str:
    return str(entry.command.help or "").strip().splitlines()[0]


def _text(entry: Entry) -> str:
    return "\n".join(line.strip() for line in str(entry.command.help or "").strip().splitlines())


def _table(entry: Entry) -> list[str]:
    rows = [
        f"| `{_names(parameter)}` | {_meaning(parameter)} |"
        for parameter in entry.parameters
        if parameter.help
    ]
    return ["| | Meaning |", "|---|---|", *rows, ""] if rows else []


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or str(parameter.name).upper())
    return "`, `".join([*parameter.opts, *parameter.secondary_opts])


def _meaning(parameter: Any) -> str:
    shown = parameter.default
    plain = isinstance(shown, str | int) and not isinstance(shown, bool)
    return f"{parameter.help} Default: `{shown}`." if plain else str(parameter.help)
