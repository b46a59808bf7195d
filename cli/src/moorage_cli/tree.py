"""The tree of commands, of which nothing is loaded before it is called.

Our own nouns stand in a table. Other packages bring theirs as entry points of the group
`moorage.commands`; a dotted name such as `audit.verify` is a verb below a noun. What is ours cannot
be replaced by them.
"""

import ast
import importlib
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

ENTRY_POINTS = "moorage.commands"

OURS: dict[str, tuple[str, str]] = {
    "login": ("signing_in:login", "Sign in to a platform and remember it."),
    "logout": ("signing_in:logout", "Revoke the token and forget the platform."),
    "whoami": ("signing_in:whoami", "Who you are to the platform and what you hold where."),
    "password": ("password:app", "Set or change your password."),
    "orgs": ("orgs:app", "Orgs: the tenants of the platform."),
    "projects": ("projects:app", "Projects: where the things of an org live."),
    "memberships": ("memberships:app", "Memberships: who holds which role in an org or a project."),
    "roles": ("roles:app", "Roles: named sets of permission keys."),
    "users": ("users:app", "Users: accounts of people."),
    "service-accounts": ("service_accounts:app", "Service accounts: programs and their keys."),
    "app": ("app:app", "Apps: their folders here, and their versions in the catalog."),
    "artifacts": ("artifacts:app", "Artifacts: bytes by digest, signed and revoked."),
    "publisher-keys": ("publisher_keys:app", "Publisher keys: what artifacts are signed with."),
    "pulls": ("pulls:app", "Pulls: fetching artifacts that a project may use."),
    "entitlements": ("entitlements:app", "Entitlements: which apps a project may use."),
    "policy": ("policy:app", "Policy: what layers allow, and why something is refused."),
    "operators": ("operators:app", "Operators: who claims an app's operations."),
    "families": ("families:app", "Families: permission keys that several apps share."),
    "sources": ("sources:app", "Sources: registries and web servers of artifacts."),
    "regions": ("regions:app", "Regions: where machines stand."),
    "skus": ("skus:app", "SKUs: classes of machines and their price."),
    "nodes": ("nodes:app", "Nodes: the platform's machines."),
    "allocations": ("allocations:app", "Allocations: machines that a project holds."),
    "deploy": ("deploy:app", "Deploy an app onto machines."),
    "plan": ("plan:app", "What a change of an instance would do."),
    "instances": ("instances:app", "Instances: deployed apps."),
    "members": ("members:app", "Members: the parts of an instance."),
    "actions": ("actions:app", "Actions: an app's own verbs."),
    "views": ("views:app", "Views: what an app publishes for reading."),
    "triage": ("triage:app", "Triage: what came of one request, and what to do next."),
    "node-sessions": ("node_sessions:app", "Sessions: an admin's work on machines."),
    "operations": ("operations:app", "Operations: wishes to change something, and their ends."),
    "tasks": ("tasks:app", "Tasks: things that are done on machines."),
    "run": ("run:app", "Run a command on machines, and show what it prints."),
    "ssh": ("ssh:app", "Enter a machine as yourself."),
    "access": ("access:app", "Access: who may enter which machine."),
    "logins": ("logins:app", "Logins: people's names on an org's machines."),
    "credentials": ("credentials:app", "Access credentials: SSH keys for machines without agent."),
    "ssh-hosts": ("ssh_hosts:app", "Machines without agent: how they are reached."),
    "tokens": ("tokens:app", "Tokens: your personal access tokens."),
    "audit": ("audit:app", "Audit: who did what, or was refused it."),
    "events": ("events:app", "Events: what happened, in order."),
    "webhooks": ("webhooks:app", "Webhooks: events pushed to a URL."),
    "oidc-providers": ("oidc_providers:app", "OIDC providers: where people can sign in."),
    "status": ("status:status", "Whether the platform can serve."),
    "version": ("status:show_version", "Which release of moor this is."),
}


class Unloadable(Exception):
    """A command's package cannot be loaded."""


class Deferred(TyperCommand):
    """A command that is known by name and summary, and loaded when it is called."""

    def __init__(self, name: str, *, summary: str, load: Callable[[], Any]) -> None:
        super().__init__(name, help=summary)
        self.load = load

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        return self.load().make_context(info_name, args, parent=parent, **extra)


@dataclass(frozen=True)
class Plugin:
    """A command of another package."""

    path: tuple[str, ...]
    target: str
    package: str
    load: Callable[[], Any]

    @property
    def name(self) -> str:
        return self.path[-1]


def grow(root: TyperGroup, plugins: Iterable[Plugin]) -> TyperGroup:
    """Hang all commands on `moor`, each to be loaded when it is called."""
    found = sorted(plugins, key=lambda plugin: plugin.path)
    names = [*OURS, *sorted({plugin.path[0] for plugin in found} - set(OURS))]
    for name in names:
        root.add_command(_top(name, [plugin for plugin in found if plugin.path[0] == name]), name)
    return root


def discover() -> list[Plugin]:
    """The commands that installed packages bring."""
    return [_plugin(point) for point in entry_points(group=ENTRY_POINTS)]


def _plugin(point: EntryPoint) -> Plugin:
    package = point.dist.name if point.dist else point.module
    path = tuple(point.name.split("."))
    return Plugin(path, point.value, package, lambda: command_of(point.load(), path[-1]))


def _top(name: str, plugins: list[Plugin]) -> Deferred:
    below = [plugin for plugin in plugins if len(plugin.path) > 1]
    if name in OURS:
        target, summary = OURS[name]
        return Deferred(name, summary=summary, load=lambda: _joined(_own(name, target), below))
    if below:
        verbs = ", ".join(plugin.name for plugin in below)
        nothing = TyperGroup(name=name, help=verbs)
        return Deferred(name, summary=verbs, load=lambda: _joined(nothing, below))
    return _deferred(plugins[0])


def _own(name: str, target: str) -> Any:
    module, _, attribute = target.partition(":")
    loaded = importlib.import_module(f"moorage_cli.commands.{module}")
    return command_of(getattr(loaded, attribute), name)


def _joined(group: Any, plugins: Iterable[Plugin]) -> Any:
    for plugin in plugins:
        if isinstance(group, TyperGroup) and plugin.name not in group.commands:
            group.add_command(_deferred(plugin), plugin.name)
    return group


def _deferred(plugin: Plugin) -> Deferred:
    def load() -> Any:
        try:
            return plugin.load()
        except (ImportError, AttributeError) as err:
            raise Unloadable(
                f"`moor {' '.join(plugin.path)}` comes with {plugin.package}, which cannot be "
                f"loaded here: {err}"
            ) from err

    return Deferred(plugin.name, summary=summary_of(plugin), load=load)


def command_of(loaded: Any, name: str) -> Any:
    """A command of what a module offers: a function, an app, or a command already."""
    if isinstance(loaded, typer.Typer):
        command = typer.main.get_command(loaded)
    elif isinstance(loaded, TyperCommand | TyperGroup):
        return loaded
    else:
        app = typer.Typer(add_completion=False)
        app.command(name)(loaded)
        command = typer.main.get_command(app)
    command.name = name
    return command


def summary_of(plugin: Plugin) -> str:
    """The first line of the function's docstring, read and not run: a server loads slowly."""
    module, _, attribute = plugin.target.partition(":")
    nameless = f"Comes with {plugin.package}."
    try:
        spec = importlib.util.find_spec(module)
        tree = ast.parse(Path(spec.origin).read_text("utf-8")) if spec and spec.origin else None
    except (ImportError, OSError, SyntaxError, ValueError):
        tree = None
    for node in tree.body if tree else ():
        if isinstance(node, ast.FunctionDef) and node.name == attribute:
            return (ast.get_docstring(node) or nameless).splitlines()[0]
    return nameless
