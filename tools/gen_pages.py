"""Writes the pages of the reference that are tables of what the core has."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import ROLES, SELF
from moorage_core.errors import ApiError
from moorage_core.events.registry import TYPES
from moorage_core.settings import Group, Settings

CODE = re.compile(r"`([a-z][a-z0-9_]+)`")


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Generated from `core/src/moorage_core/settings.py`; `make gen` writes it.",
        "",
        "A setting stands in the TOML file named by `--config` or `MOORAGE_CONFIG`, under its",
        "group, or in the environment as `MOORAGE_<GROUP>__<NAME>`. A key that is not listed here",
        "stops the start.",
        "",
    ]
    groups: list[tuple[str, type[Any]]] = [("(top level)", Settings)]
    for name, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Group):
            groups.append((name, field.annotation))
    for name, group in groups:
        lines += [f"## {name}", "", (group.__doc__ or "").strip(), ""]
        lines += _head("Setting", "Default", "Meaning")
        for key, field in group.model_fields.items():
            if isinstance(field.annotation, type) and issubclass(field.annotation, Group):
                continue
            lines.append(f"| `{key}` | `{_default(field.default)}` | {field.description} |")
        lines.append("")
    return "\n".join(lines)


def _default(value: Any) -> str:
    return "none" if value is None else str(value) if value != () else "empty"


def events_page() -> str:
    """Types by what they are about, so that one can be found without reading all of them."""
    lines = [
        "# Events",
        "",
        "Generated from `core/src/moorage_core/events/registry.py`; `make gen` writes it.",
        "Each type has a JSON Schema in `contract/events/`. How they are read:",
        "[rules](../../contract/rules/events.md), [webhooks](../howto/receive-webhooks.md).",
        "",
    ]
    for noun, types in _grouped(sorted(TYPES), parts=2):
        lines += [f"## {noun}", "", *_head("Type", "When", "Data")]
        for type in types:
            fields = ", ".join(f"`{name}`" for name in TYPES[type].data.model_fields)
            lines.append(f"| `{type}` | {TYPES[type].summary} | {fields} |")
        lines.append("")
    return "\n".join(lines)


def api_page(document: dict[str, Any]) -> str:
    """Calls by what they are about."""
    lines = [
        "# API",
        "",
        "Generated from `contract/openapi.json`, which has every shape; a platform serves it as",
        "`/v1/openapi.json`. `make gen` writes this page. A *mutation* takes an",
        "[`Idempotency-Key`](../../contract/rules/idempotency.md); a *machine* route is a step of",
        "a protocol between programs. What a refusal looks like: [errors](errors.md).",
        "",
    ]
    calls: dict[str, list[str]] = defaultdict(list)
    for path, operations in sorted(document["paths"].items()):
        for method, operation in operations.items():
            summary = operation["description"].splitlines()[0]
            calls[operation["tags"][0]].append(
                f"| `{method.upper()} {path}` | {operation['x-route-class']} | "
                f"`{operation['x-permission']}` | {summary} |"
            )
    for tag in sorted(calls):
        lines += [f"## {tag.capitalize()}", "", *_head("Call", "Class", "Permission", "Does")]
        lines += [*calls[tag], ""]
    return "\n".join(lines)


def permissions_page() -> str:
    """Who holds what, looked up by key or by role."""
    lines = [
        "# Roles and permissions",
        "",
        "Generated from `core/src/moorage_core/authz/roles.py`; `make gen` writes it. Handlers ask",
        "for a key, never for a role. Everybody signed in holds on themselves: "
        + ", ".join(f"`{key}`" for key in sorted(SELF))
        + ".",
        "",
        "## Roles",
        "",
        *_head("Role", "Is for", "Given on", "Keys"),
    ]
    for each in ROLES.values():
        levels = ", ".join(sorted(each.levels))
        count = len(each.permissions)
        lines.append(f"| `{each.role}` | {each.description} | {levels} | {count} |")
    lines.append("")
    for area, keys in _grouped(sorted(Permission), parts=1):
        lines += [f"## {area}", "", *_head("Key", "Held by")]
        for key in keys:
            holders = [each.role for each in ROLES.values() if key in each.permissions]
            lines.append(f"| `{key}` | {', '.join(holders) or 'nobody by a role'} |")
        lines.append("")
    return "\n".join(lines)


def errors_page(runbooks: Path) -> str:
    """Every code that the API answers with. One that a runbook explains leads there."""
    runbook_of = dict(explained(runbooks))
    lines = [
        "# Errors",
        "",
        "Generated from the core; `make gen` writes it. An answer that says no is a problem",
        "document with `code`, `title`, `detail` and `correlation_id`",
        "([rules](../../contract/rules/errors.md)). `moor triage` takes the correlation id and",
        "says what came of the request.",
        "",
        *_head("Code", "Status", "Means", "Runbook"),
    ]
    found: dict[str, list[type[ApiError]]] = defaultdict(list)
    for each in _classes(ApiError):
        found[each.code].append(each)
    for code, classes in sorted(found.items()):
        statuses = ", ".join(sorted({str(each.status) for each in classes}))
        means = "; ".join(sorted({each.title() for each in classes if each.__doc__}))
        lines.append(
            f'| <a id="{code}"></a>`{code}` | {statuses} | {means} | {runbook_of.get(code, "")} |'
        )
    return "\n".join([*lines, ""])


def _classes(above: type[ApiError]) -> Iterator[type[ApiError]]:
    for each in above.__subclasses__():
        if "code" in vars(each):
            yield each
        yield from _classes(each)


def explained(runbooks: Path) -> Iterator[tuple[str, str]]:
    """Codes in the first column of a runbook's tables, and the way to that page."""
    for page in sorted(runbooks.glob("*.md"), reverse=True):
        if page.name == "README.md":
            continue
        text = page.read_text("utf-8")
        link = f"[{text.splitlines()[0].removeprefix('# ')}](../runbooks/{page.name})"
        for line in text.splitlines():
            if line.startswith("| "):
                yield from ((code, link) for code in CODE.findall(line.split("|")[1]))


def _head(*names: str) -> list[str]:
    return [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]


def _grouped(names: Iterable[str], *, parts: int) -> Iterator[tuple[str, list[str]]]:
    """Dotted names by their first parts."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        found[".".join(name.split(".")[:parts])].append(name)
    yield from sorted(found.items())
