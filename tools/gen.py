"""Writes every generated file of the repository, or checks that they are up to date.

    python -m tools.gen            write them
    python -m tools.gen --check    exit 1 and name each file that differs

What is generated is meant to be read in a diff: the contract, the permission matrix, the settings
page.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from moorage_core import api
from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import ROLES, SELF, SERVICE_ACCOUNT_PERMISSIONS
from moorage_core.events.registry import TYPES, EventType
from moorage_core.http.routing import PUBLIC
from moorage_core.main import build_api
from moorage_core.settings import Settings
from tools import gen_manifest, gen_pages, gen_sdk

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "core/tests/golden"
CLOUD_EVENT_STRINGS = (
    "id",
    "source",
    "subject",
    "time",
    "dataschema",
    "sequence",
    "correlationid",
    "orgid",
)


def outputs() -> Iterator[tuple[Path, str]]:
    """Every generated file and what it should hold."""
    document = build_api(Settings()).openapi()
    yield ROOT / "contract/openapi.json", _json(document)
    for event in TYPES.values():
        yield ROOT / f"contract/events/{event.type}.json", _json(event_schema(event))
    yield ROOT / "docs/reference/settings.md", gen_pages.settings_page()
    yield ROOT / "docs/reference/events.md", gen_pages.events_page()
    yield ROOT / "docs/reference/api.md", gen_pages.api_page(document)
    yield ROOT / "docs/reference/permissions.md", gen_pages.permissions_page()
    yield ROOT / "docs/reference/errors.md", gen_pages.errors_page(ROOT / "docs/runbooks")
    yield GOLDEN / "role_matrix.txt", role_matrix()
    yield GOLDEN / "routes.txt", route_table()
    yield from gen_manifest.outputs()
    yield from gen_sdk.outputs(document)


def event_schema(event: EventType) -> dict[str, Any]:
    """The JSON Schema of one event, envelope and data."""
    app = event.type.startswith("apps.")
    text = {"type": "string"}
    maybe = text if app else {"type": ["string", "null"]}
    properties: dict[str, Any] = {
        "specversion": {"const": "1.0"},
        "type": {"const": event.type},
        "datacontenttype": {"const": "application/json"},
        "subjectversion": {"type": "integer", "minimum": 1},
        "projectid": maybe,
        "appslug": maybe,
        "appinstanceid": maybe,
        "traceparent": {"type": ["string", "null"]},
        "data": {"$ref": "#/$defs/data"},
    } | dict.fromkeys(CLOUD_EVENT_STRINGS, text)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://moorage.dev/contract/events/{event.type}.json",
        "title": event.type,
        "description": event.summary,
        "type": "object",
        "required": sorted(set(properties) - {"traceparent"}),
        "properties": dict(sorted(properties.items())),
        "$defs": {"data": event.data.model_json_schema()},
    }


def role_matrix() -> str:
    """Role by key, and which keys a service account may be given."""
    roles = list(ROLES)
    width = max(len(key) for key in Permission)
    head = " ".join(f"{role:>14}" for role in [*roles, "self", "service_acc."])
    lines = [f"{'':{width}} {head}"]
    for key in Permission:
        held = [key in ROLES[role].permissions for role in roles]
        held += [key in SELF, key in SERVICE_ACCOUNT_PERMISSIONS]
        lines.append(f"{key:{width}} " + " ".join(f"{'yes' if has else '-':>14}" for has in held))
    return "\n".join([*lines, ""])


def route_table() -> str:
    """Route by class and key. A public route says why it is."""
    lines: list[str] = []
    for spec in sorted(api.specs(), key=lambda spec: (spec.path, spec.method)):
        key = f"public: {spec.why_public}" if spec.key == PUBLIC else spec.key
        secret = " (secret shown once)" if spec.rotate else ""
        lines.append(f"{spec.method:6} {spec.path:60} {spec.kind:8} {key}{secret}")
    return "\n".join([*lines, ""])


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    wanted = dict(outputs())
    stale = [path for path in (ROOT / "contract/events").glob("*.json") if path not in wanted]
    work: Callable[[dict[Path, str], list[Path]], int] = (
        _check if "--check" in arguments else _write
    )
    return work(wanted, stale)


def _write(wanted: dict[Path, str], stale: list[Path]) -> int:
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")
    for path in stale:
        path.unlink()
        print(f"removed {path.relative_to(ROOT)}")
    return 0


def _check(wanted: dict[Path, str], stale: list[Path]) -> int:
    differs = [p for p, text in wanted.items() if not p.exists() or p.read_text() != text] + stale
    for path in differs:
        print(f"{path.relative_to(ROOT)} is not up to date: run `make gen` and look at the diff")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
