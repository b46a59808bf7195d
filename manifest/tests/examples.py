"""Manifests that the tests start from."""

import json
from typing import Any

from moorage_manifest import Fault, Reading, read

DIGEST = f"sha256:{'0' * 64}"

SMALL: dict[str, Any] = {
    "contract": 1,
    "slug": "echo",
    "version": "1.2.3",
    "name": "Echo",
    "summary": "Says it again.",
    "modes": [{"operating_mode": "dedicated", "scope": "project"}],
}

WHOLE: dict[str, Any] = SMALL | {
    "families": ["scheduler"],
    "runtime_backend": "echo-runtime",
    "components": {
        "head": {"min": 1, "max": 1, "may_share_host_with": ["worker"]},
        "worker": {"min": 0, "verbs": ["add", "drain", "remove"], "description": "Repeats."},
    },
    "touches": {"member.add": ["head"], "instance.repair": ["head", "worker"]},
    "config": {
        "schema": {
            "type": "object",
            "properties": {
                "greeting": {"type": "string", "pattern": "^[A-Z]", "x-ui": {"rows": 2}},
                "limits": {"$ref": "#/$defs/limits"},
            },
            "$defs": {"limits": {"type": "object", "properties": {"jobs": {"type": "integer"}}}},
        },
        "effects": {"greeting": "none", "/limits/jobs": "reconfigure"},
    },
    "artifacts": [
        {
            "name": "echo.tar.gz",
            "digest": DIGEST,
            "size": 7,
            "media_type": "application/gzip",
            "file": "artifacts/echo.tar.gz",
        }
    ],
    "permissions": [
        {"key": "echo.greeting.read", "description": "Read it.", "grants": ["viewer"]},
        {"key": "echo.greeting.say", "description": "Say it."},
    ],
    "family_grants": {"scheduler.queue.read": ["project_member", "viewer"]},
    "scopes": ["principals.read"],
    "tasks": {"kinds": ["exec", "probe"], "run_as": ["root"]},
    "actions": [
        {
            "name": "echo.say",
            "title": "Say",
            "input": {"type": "object", "properties": {"word": {"type": "string"}}},
            "permission": "echo.greeting.say",
            "lock": "member",
            "component": "worker",
        },
        {"name": "echo.submit", "title": "Submit", "permission": "scheduler.queue.submit"},
    ],
    "views": [
        {
            "name": "echo.words",
            "title": "Words",
            "columns": [
                {"name": "id", "title": "Id"},
                {"name": "at", "title": "At", "type": "time"},
            ],
            "key": "id",
            "permission": "echo.greeting.read",
        }
    ],
    "probes": [
        {"name": "echo.alive", "component": "head", "command": ["echo", "--alive"], "timeout": "5s"}
    ],
    "meters": [{"name": "echo.words_said", "unit": "words", "description": "Words that it said."}],
    "secrets": ["join"],
    "access": {"template": "ssh {login}@{head_address} -- {{}}"},
    "timeouts": {"instance.deploy": "30m", "member.add": 90},
    "rollback": {"supported": True, "loses": ["Words said since the upgrade."]},
    "runbook": "docs/runbook.md",
}


def text(document: Any) -> str:
    """A document as YAML: JSON is some."""
    return json.dumps(document)


def judge(**changes: Any) -> Reading:
    """Read the whole manifest with other sections in place of its own; `...` takes one out."""
    changed = {name: value for name, value in (WHOLE | changes).items() if value is not ...}
    return read(text(changed))


def said(reading: Reading) -> dict[str, str]:
    """The faults of a reading, by path."""
    assert reading.manifest is None
    return {fault.path: fault.message for fault in reading.faults}


def only(faults: list[Fault]) -> Fault:
    assert len(faults) == 1, faults
    return faults[0]
