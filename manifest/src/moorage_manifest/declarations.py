"""What a version asks of a tenant, and how that differs from what the tenant accepted.

A declaration holds nothing but what consent is about: two versions that ask for the same have the
same digest, whatever else changed.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from moorage_manifest import canonical
from moorage_manifest.models import Manifest, Probe


class ProbeAsked(BaseModel):
    """A command that runs on machines without anybody asking for it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    component: str
    command: tuple[str, ...]


class Declaration(BaseModel):
    """What a version asks for. Every list is sorted and has each word once."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    families: tuple[str, ...] = ()
    keys: dict[str, tuple[str, ...]] = {}
    """Its own keys, each with the project roles that hold it by default."""
    family_grants: dict[str, tuple[str, ...]] = {}
    """Keys of families, each with the project roles that hold it by default."""
    family_keys: tuple[str, ...] = ()
    """Keys of families that a grant, an action or a view names."""
    scopes: tuple[str, ...] = ()
    touches: dict[str, tuple[str, ...]] = {}
    secrets: tuple[str, ...] = ()
    task_kinds: tuple[str, ...] = ()
    run_as: tuple[str, ...] = ()
    actions: dict[str, str] = {}
    """What can be run, each with the key that it takes. A key is worth what it opens."""
    views: dict[str, str] = {}
    """What can be seen, each with the key that it takes."""
    probes: dict[str, ProbeAsked] = {}

    @property
    def digest(self) -> str:
        """`sha256:…`: what a tenant consents to."""
        return canonical.digest(self.model_dump(mode="json"))


@dataclass(frozen=True)
class Difference:
    """One thing that one declaration asks for and another does not."""

    what: str
    """Which part: a field's name of the declaration."""
    value: str
    """What it is, with `what` exactly: two differences that agree in both are one."""
    sentence: str


@dataclass(frozen=True)
class Diff:
    """What changed between two declarations, both ways."""

    wider: list[Difference]
    narrower: list[Difference]

    def __str__(self) -> str:
        more = [f"+ {difference.sentence}" for difference in self.wider]
        less = [f"- {difference.sentence}" for difference in self.narrower]
        return "\n".join([*more, *less]) or "Nothing changes."


def declaration(manifest: Manifest) -> Declaration:
    """What a manifest asks for."""
    own = {permission.key: permission.grants for permission in manifest.permissions}
    named = [*(action.permission for action in manifest.actions)]
    named += [view.permission for view in manifest.views]
    foreign = {key for key in named if key not in own} | manifest.family_grants.keys()
    return Declaration(
        families=_words(manifest.families),
        keys=_grants(own),
        family_grants=_some(_grants(manifest.family_grants)),
        family_keys=_words(foreign),
        scopes=_words(manifest.scopes),
        touches=_some(_grants(manifest.touches)),
        secrets=_words(manifest.secrets),
        task_kinds=_words(manifest.tasks.kinds),
        run_as=_words(manifest.tasks.run_as),
        actions=dict(sorted((action.name, action.permission) for action in manifest.actions)),
        views=dict(sorted((view.name, view.permission) for view in manifest.views)),
        probes={probe.name: _probe(probe) for probe in sorted(manifest.probes, key=_name)},
    )


def wider(declaration: Declaration, accepted: Declaration) -> list[Difference]:
    """What a declaration asks for beyond what was accepted; nothing where it stays within."""
    had = {(difference.what, difference.value) for difference in _asks(accepted)}
    return [each for each in _asks(declaration) if (each.what, each.value) not in had]


def diff(declaration: Declaration, accepted: Declaration) -> Diff:
    """What a declaration adds to what was accepted, and what it does without."""
    return Diff(wider(declaration, accepted), wider(accepted, declaration))


def _name(probe: Probe) -> str:
    return probe.name


def _probe(probe: Probe) -> ProbeAsked:
    return ProbeAsked(component=probe.component, command=tuple(probe.command))


def _words(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words)))


def _grants(grants: Mapping[Any, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {key: _words(roles) for key, roles in sorted(grants.items())}


def _some(grants: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Without the empty ones, which ask for nothing."""
    return {key: words for key, words in grants.items() if words}


def _asks(asked: Declaration) -> Iterator[Difference]:
    """Everything that a declaration asks for, one by one."""
    yield from _asks_for_people(asked)
    yield from _asks_for_the_app(asked)


def _asks_for_people(asked: Declaration) -> Iterator[Difference]:
    """Keys, who holds them, and what they open."""
    for name in asked.families:
        yield Difference("families", name, f"It belongs to the family {name}.")
    for key, roles in asked.keys.items():
        yield Difference("keys", key, f"It has a permission key {key}.")
        for role in roles:
            sentence = f"By default, {role} holds {key}."
            yield Difference("keys", f"{key}: {role}", sentence)
    for key in asked.family_keys:
        yield Difference("family_keys", key, f"It uses the family key {key}.")
    for key, roles in asked.family_grants.items():
        for role in roles:
            sentence = f"By default, {role} holds {key} on this app."
            yield Difference("family_grants", f"{key}: {role}", sentence)
    for name, key in asked.actions.items():
        yield Difference("actions", f"{name}: {key}", _opens(asked, key, f"run {name}"))
    for name, key in asked.views.items():
        yield Difference("views", f"{name}: {key}", _opens(asked, key, f"see {name}"))


def _opens(asked: Declaration, key: str, deed: str) -> str:
    """Who can do something that takes a key."""
    roles = asked.keys.get(key) or asked.family_grants.get(key)
    if not roles:
        return f"Whoever holds {key} can {deed}."
    return f"By default, {' and '.join(roles)} can {deed}, which needs {key}."


def _asks_for_the_app(asked: Declaration) -> Iterator[Difference]:
    """What the app itself may do."""
    for scope in asked.scopes:
        yield Difference("scopes", scope, f"It has the scope {scope}.")
    for kind, components in asked.touches.items():
        for component in components:
            sentence = f"{kind} may run tasks on members of {component}."
            yield Difference("touches", f"{kind}: {component}", sentence)
    for purpose in asked.secrets:
        yield Difference("secrets", purpose, f"It uses a secret for {purpose}.")
    for kind in asked.task_kinds:
        yield Difference("task_kinds", kind, f"It runs {kind} tasks on hosts.")
    for user in asked.run_as:
        yield Difference("run_as", user, f"Its tasks run as {user}.")
    for name, probe in asked.probes.items():
        # As JSON, so that no argument can be taken for two, or for a line of its own.
        command = json.dumps(probe.command, ensure_ascii=False)
        sentence = f"Its probe {name} runs {command} on members of {probe.component}."
        yield Difference("probes", f"{name}: {probe.component}: {command}", sentence)
