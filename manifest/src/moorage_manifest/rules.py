"""What the parts of a manifest say about each other. Pure.

The wall against escalation is here: a manifest that these rules pass names no permission key
outside its own namespace and the families that it belongs to.

A rule names the section that it judges and those that it looks things up in. It is left out where
the first is blank, or one of the others is not whole: it would miss what is only misspelt.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from moorage_manifest import canonical, declarations, schemas
from moorage_manifest.faults import Place
from moorage_manifest.models import Family, Manifest
from moorage_manifest.partial import Partial
from moorage_manifest.vocabulary import CORE_AREAS, RESERVED_SLUGS

CONFIG_SCHEMA: Place = ("config", "schema")
LARGEST_DECLARATION = 32 * 1024
"""Bytes of canonical JSON."""
DECLARED_IN = {
    "keys": "permissions",
    "family_keys": "actions",
    "task_kinds": "tasks",
    "run_as": "tasks",
}
"""Which section a part of a declaration comes from, where it is not called the same."""
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}|(\{|\})")


@dataclass(frozen=True)
class Found:
    """A fault, before it is known where in the file it stands."""

    place: Place
    message: str
    at_key: bool = False


@dataclass(frozen=True)
class Judged:
    """A manifest with what it is judged by."""

    manifest: Manifest
    families: Mapping[str, Family]
    reserved: Mapping[str, Family]


Rule = Callable[[Judged], Iterator[Found]]
_RULES: list[tuple[str, frozenset[str], Rule]] = []


def judges(section: str, *looks_in: str) -> Callable[[Rule], Rule]:
    """Register a rule about a section, with those that it looks things up in."""

    def register(rule: Rule) -> Rule:
        _RULES.append((section, frozenset(looks_in), rule))
        return rule

    return register


def manifest_faults(
    partial: Partial, families: Mapping[str, Family], *, reserved: Mapping[str, Family]
) -> Iterator[Found]:
    """Everything that the rules find in as much of a manifest as there is.

    No app is called like one of `reserved`, whether or not it is among the families that there are.
    """
    judged = Judged(partial.manifest, families, reserved)
    for section, looks_in, rule in _RULES:
        if section not in partial.blank and looks_in.isdisjoint(partial.changed):
            yield from rule(judged)


def family_faults(family: Family) -> Iterator[Found]:
    """What is wrong with a family that its model takes."""
    if family.namespace in CORE_AREAS:
        yield Found(("name",), "is a word of the platform's own: choose another")
    keys = [key.key for key in family.keys]
    yield from _twice(("keys",), keys, "key")
    for index, key in enumerate(family.keys):
        if not key.key.startswith(f"{family.namespace}."):
            yield Found(("keys", index, "key"), f"must begin with '{family.namespace}.'")
        if key.means is not None and key.means.partition(".")[0] not in CORE_AREAS:
            said = f"must be a key of the platform, in one of {', '.join(sorted(CORE_AREAS))}"
            yield Found(("keys", index, "means"), said)


@judges("slug")
def slug_is_free(judged: Judged) -> Iterator[Found]:
    own = judged.manifest.namespace
    if own in RESERVED_SLUGS:
        yield Found(("slug",), f"'{judged.manifest.slug}' is a word of the platform's own")
    elif own in {f.namespace for f in (*judged.families.values(), *judged.reserved.values())}:
        yield Found(("slug",), f"'{judged.manifest.slug}' is the name of a family")


@judges("families")
def families_exist(judged: Judged) -> Iterator[Found]:
    yield from _repeated(("families",), judged.manifest.families)
    for index, name in enumerate(judged.manifest.families):
        if name not in judged.families:
            known = ", ".join(sorted(judged.families)) or "none"
            yield Found(("families", index), f"there is no family '{name}'; there is {known}")


@judges("modes")
def modes_differ(judged: Judged) -> Iterator[Found]:
    pairs = [f"{mode.operating_mode} for {mode.scope}" for mode in judged.manifest.modes]
    yield from _repeated(("modes",), pairs)


@judges("components")
def components_have_room(judged: Judged) -> Iterator[Found]:
    for key, component in judged.manifest.components.items():
        at: Place = ("components", key)
        if component.max is not None and component.min > component.max:
            yield Found((*at, "min"), f"is {component.min}, and max is {component.max}")
        yield from _repeated((*at, "verbs"), component.verbs)


@judges("components", "components")
def components_share_hosts_with_components(judged: Judged) -> Iterator[Found]:
    for key, component in judged.manifest.components.items():
        at: Place = ("components", key, "may_share_host_with")
        yield from _components(at, component.may_share_host_with, judged)


@judges("touches", "components")
def touches_name_components(judged: Judged) -> Iterator[Found]:
    for kind, touched in judged.manifest.touches.items():
        yield from _components(("touches", kind), touched, judged)


@judges("every schema")
def schemas_are_sound(judged: Judged) -> Iterator[Found]:
    allowance = schemas.Allowance()
    unsound: set[Place] = set()
    for at, schema in _schemas(judged.manifest):
        for place, message in schemas.schema_faults(schema, allowance):
            unsound.add(at)
            yield Found((*at, *place), message)
    config = judged.manifest.config
    if config is not None and CONFIG_SCHEMA not in unsound:
        for name in schemas.lacking(config.json_schema, config.effects):
            said = "the schema has no such field"
            yield Found(("config", "effects", name), said, at_key=True)


@judges("artifacts")
def artifacts_differ(judged: Judged) -> Iterator[Found]:
    names = [artifact.name for artifact in judged.manifest.artifacts]
    yield from _twice(("artifacts",), names, "name")


@judges("permissions", "slug")
def permissions_are_its_own(judged: Judged) -> Iterator[Found]:
    permissions = judged.manifest.permissions
    keys = [permission.key for permission in permissions]
    yield from _own(judged, "permissions", keys, "key")
    for index, permission in enumerate(permissions):
        yield from _repeated(("permissions", index, "grants"), permission.grants)


@judges("family_grants", "slug", "families")
def family_grants_are_of_its_families(judged: Judged) -> Iterator[Found]:
    for key, roles in judged.manifest.family_grants.items():
        yield from _repeated(("family_grants", key), roles)
        if key.startswith(f"{judged.manifest.namespace}."):
            said = "is a key of the app's own: grant it under permissions"
            yield Found(("family_grants", key), said, at_key=True)
        elif refusal := _not_in_a_family(judged, key):
            yield Found(("family_grants", key), refusal, at_key=True)


@judges("scopes")
def scopes_differ(judged: Judged) -> Iterator[Found]:
    yield from _repeated(("scopes",), judged.manifest.scopes)


@judges("secrets")
def secrets_differ(judged: Judged) -> Iterator[Found]:
    yield from _repeated(("secrets",), judged.manifest.secrets)


@judges("tasks")
def tasks_say_who_runs(judged: Judged) -> Iterator[Found]:
    tasks = judged.manifest.tasks
    yield from _repeated(("tasks", "kinds"), tasks.kinds)
    yield from _repeated(("tasks", "run_as"), tasks.run_as)
    if tasks.kinds and not tasks.run_as:
        yield Found(("tasks", "run_as"), "is missing: say which users the tasks run as")
    if tasks.run_as and not tasks.kinds:
        yield Found(("tasks", "kinds"), "is missing: say which kinds of tasks there are")


@judges("actions", "slug")
def actions_are_its_own(judged: Judged) -> Iterator[Found]:
    actions = judged.manifest.actions
    yield from _own(judged, "actions", [action.name for action in actions], "name")


@judges("actions", "components")
def actions_name_components(judged: Judged) -> Iterator[Found]:
    for index, action in enumerate(judged.manifest.actions):
        at: Place = ("actions", index, "component")
        if action.lock == "member" and action.component is None:
            yield Found(at, "is missing: with 'lock: member' say which component's member")
        if action.component is not None and action.component not in judged.manifest.components:
            yield Found(at, _no_component(action.component, judged))


@judges("actions", "slug", "families", "permissions")
def actions_need_a_key_of_its_own_or_a_family(judged: Judged) -> Iterator[Found]:
    for index, action in enumerate(judged.manifest.actions):
        yield from _permission(judged, ("actions", index, "permission"), action.permission)


@judges("views", "slug")
def views_are_its_own(judged: Judged) -> Iterator[Found]:
    views = judged.manifest.views
    yield from _own(judged, "views", [view.name for view in views], "name")
    for index, view in enumerate(views):
        columns = [column.name for column in view.columns]
        yield from _twice(("views", index, "columns"), columns, "name")
        if view.key not in columns:
            said = f"the view has no column '{view.key}'; it has {', '.join(columns[:20])}"
            yield Found(("views", index, "key"), said)


@judges("views", "slug", "families", "permissions")
def views_need_a_key_of_its_own_or_a_family(judged: Judged) -> Iterator[Found]:
    for index, view in enumerate(judged.manifest.views):
        yield from _permission(judged, ("views", index, "permission"), view.permission)


@judges("probes", "slug", "components", "tasks")
def probes_can_run(judged: Judged) -> Iterator[Found]:
    probes = judged.manifest.probes
    yield from _own(judged, "probes", [probe.name for probe in probes], "name")
    if probes and "probe" not in judged.manifest.tasks.kinds:
        yield Found(("probes",), "need 'probe' among tasks.kinds", at_key=True)
    for index, probe in enumerate(probes):
        if probe.component not in judged.manifest.components:
            said = _no_component(probe.component, judged)
            yield Found(("probes", index, "component"), said)


@judges("meters", "slug")
def meters_are_its_own(judged: Judged) -> Iterator[Found]:
    yield from _own(judged, "meters", [meter.name for meter in judged.manifest.meters], "name")


@judges(
    "declaration",
    "families",
    "permissions",
    "family_grants",
    "touches",
    "tasks",
    "actions",
    "views",
    "probes",
)
def declaration_can_be_read_by_people(judged: Judged) -> Iterator[Found]:
    """Tenants read it before they consent; decisions hold it against what they accepted."""
    asked = declarations.declaration(judged.manifest).model_dump(mode="json")
    size = len(canonical.text(asked).encode())
    if size > LARGEST_DECLARATION:
        parts = {name: len(canonical.text(part)) for name, part in asked.items()}
        largest = max(parts, key=lambda name: parts[name])
        said = (
            f"what the version asks tenants for has {size:,} bytes as JSON and may have "
            f"{LARGEST_DECLARATION:,}; most of it comes from here: ask for less"
        )
        yield Found((DECLARED_IN.get(largest, largest),), said, at_key=True)


@judges("access")
def access_has_whole_placeholders(judged: Judged) -> Iterator[Found]:
    access = judged.manifest.access
    lost = (match[2] for match in PLACEHOLDER.finditer(access.template)) if access else ()
    if brace := next(filter(None, lost), None):
        said = f"'{brace}' belongs to no {{placeholder}}; write two for one in the text"
        yield Found(("access", "template"), said)


@judges("rollback")
def rollback_loses_only_where_there_is_one(judged: Judged) -> Iterator[Found]:
    rollback = judged.manifest.rollback
    if rollback is not None and rollback.loses and not rollback.supported:
        yield Found(("rollback", "loses"), "rollback is not supported: there is nothing to lose")


@judges("runbook")
def runbook_is_markdown(judged: Judged) -> Iterator[Found]:
    runbook = judged.manifest.runbook
    if runbook is not None and not runbook.endswith(".md"):
        yield Found(("runbook",), "must be a Markdown file, whose name ends in '.md'")


def _schemas(manifest: Manifest) -> Iterator[tuple[Place, schemas.Schema]]:
    """Every schema in a manifest, with its place."""
    if manifest.config is not None:
        yield CONFIG_SCHEMA, manifest.config.json_schema
    for index, action in enumerate(manifest.actions):
        for side, schema in (("input", action.input), ("output", action.output)):
            if schema is not None:
                yield ("actions", index, side), schema


def _own(judged: Judged, section: str, names: Sequence[str], field: str) -> Iterator[Found]:
    """Names that must stand in the app's namespace, and once."""
    own = judged.manifest.namespace
    yield from _twice((section,), names, field)
    for index, name in enumerate(names):
        if not name.startswith(f"{own}."):
            said = f"'{name}' must begin with '{own}.', the namespace of this app"
            yield Found((section, index, field), said)


def _permission(judged: Judged, at: Place, key: str) -> Iterator[Found]:
    manifest = judged.manifest
    if key.startswith(f"{manifest.namespace}."):
        if key not in {permission.key for permission in manifest.permissions}:
            yield Found(at, f"'{key}' is not among permissions: declare it there")
    elif refusal := _not_in_a_family(judged, key):
        yield Found(at, refusal)


def _not_in_a_family(judged: Judged, key: str) -> str | None:
    """Why a key that is not the app's own may not be used; None if it may."""
    manifest = judged.manifest
    area = key.partition(".")[0]
    family = next((f for f in judged.families.values() if f.namespace == area), None)
    if family is None:
        own = manifest.namespace
        return f"'{key}' is neither a key of this app ('{own}.…') nor of a family"
    if family.name not in manifest.families:
        return f"'{key}' is a key of the family {family.name}: name it under families"
    known = [known.key for known in family.keys]
    if key not in known:
        return f"the family {family.name} has no key '{key}'; it has {', '.join(known)}"
    return None


def _components(at: Place, keys: Sequence[str], judged: Judged) -> Iterator[Found]:
    yield from _repeated(at, keys)
    for index, key in enumerate(keys):
        if key not in judged.manifest.components:
            yield Found((*at, index), _no_component(key, judged))


def _no_component(key: str, judged: Judged) -> str:
    known = ", ".join(list(judged.manifest.components)[:20]) or "none"
    return f"there is no component '{key}'; there is {known}"


def _repeated(at: Place, words: Sequence[str]) -> Iterator[Found]:
    """Words of a list that stand there before."""
    seen: set[str] = set()
    for index, word in enumerate(words):
        if word in seen:
            yield Found((*at, index), f"'{word}' stands here a second time")
        seen.add(word)


def _twice(at: Place, names: Sequence[str], field: str) -> Iterator[Found]:
    """Entries of a list whose name another one has."""
    for found in _repeated(at, names):
        yield Found((*found.place, field), found.message)
