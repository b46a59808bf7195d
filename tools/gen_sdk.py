"""Writes what the SDK takes from the contract: models, error classes, the table of operations.

An SDK has to work with a platform newer than itself. So the models keep what a *type* is and drop
what a value must look like: lengths, patterns and, in answers, closed lists of words. The platform
checks requests.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from datamodel_code_generator import generate
from datamodel_code_generator.config import GenerateConfig
from datamodel_code_generator.enums import (
    DataModelType,
    InputFileType,
)
from datamodel_code_generator.format import Formatter, PythonVersion
from datamodel_code_generator.parser import LiteralType

from tools import gen_cli

ROOT = Path(__file__).resolve().parent.parent
SDK = ROOT / "sdk/src/moorage"
HEADER = "# Generated from contract/openapi.json by tools/gen_sdk.py; `make gen` writes it."

SHAPES = '"""The shapes of requests and answers."""'

Schema = dict[str, Any]

CONSTRAINTS = frozenset(
    {
        "additionalProperties",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "pattern",
        "propertyNames",
        "title",
        "uniqueItems",
        "writeOnly",
    }
)
AGENTS = "agent"
"""The tag of the routes that agents call: docs/reference/agent-protocol.md."""
PAGE = "PageRead_"
"""Pages of a list are one generic class of the SDK's own."""
PROBLEM = frozenset({"FaultRead", "Problem"})
"""Refusals are exceptions in the SDK."""
BASES = {
    400: "BadRequest",
    401: "Unauthenticated",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Gone",
    412: "Stale",
    413: "TooLarge",
    416: "RangeNotSatisfiable",
    422: "Unprocessable",
    428: "IfMatchRequired",
    429: "TooManyRequests",
    503: "Busy",
}
"""The hand-written class of each status in `moorage._problem`; the codes stand below it."""


def outputs(document: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Every generated file of the SDK and what it should hold."""
    document = without_agents(document)
    for name, text in (
        ("models.py", models(document)),
        ("errors.py", errors(document)),
        ("_operations.py", operations(document)),
    ):
        yield SDK / name, formatted(text, name=name)
    yield from gen_cli.outputs()


def without_agents(document: dict[str, Any]) -> dict[str, Any]:
    """The contract without the protocol of agents: nobody who writes an app speaks it."""
    paths = {
        path: kept
        for path, methods in document["paths"].items()
        if (kept := {m: op for m, op in methods.items() if AGENTS not in op.get("tags", ())})
    }
    schemas = document["components"]["schemas"]
    waiting = set(_references(paths)) | PROBLEM
    used: set[str] = set()
    while waiting:
        used.add(name := waiting.pop())
        waiting |= set(_references(schemas[name])) - used
    shown = {name: schema for name, schema in schemas.items() if name in used}
    return {**document, "paths": paths, "components": {"schemas": shown}}


def models(document: dict[str, Any]) -> str:
    """The shapes of requests and answers as pydantic models."""
    text = generate(
        {"openapi": "3.1.0", "info": {}, "paths": {}, "components": {"schemas": shapes(document)}},
        config=GenerateConfig(
            input_file_type=InputFileType.OpenAPI,
            output_model_type=DataModelType.PydanticV2BaseModel,
            target_python_version=PythonVersion.PY_311,
            base_class="moorage._model.Model",
            custom_file_header=f"{HEADER}\n{SHAPES}",
            disable_future_imports=True,
            enum_field_as_literal=LiteralType.All,
            formatters=[Formatter.BUILTIN],
            keep_model_order=True,
            use_double_quotes=True,
            use_schema_description=True,
            use_single_line_docstring=True,
        ),
    )
    assert isinstance(text, str)
    return text


def shapes(document: dict[str, Any]) -> dict[str, Schema]:
    """The component schemas, loosened, without what the SDK has classes of its own for."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    asked = _asked(document)
    plain = {name for name, schema in schemas.items() if "properties" not in schema}
    # An answer about many things may carry a refusal of one of them: that one is a shape.
    carried = {r for name in schemas.keys() - PROBLEM for r in _references(schemas[name])}
    refusals = frozenset[str]() if "Problem" in carried else PROBLEM
    kept = {
        name: _loosened(schema, schemas, closed=name in asked)
        for name, schema in schemas.items()
        if not name.startswith(PAGE) and name not in refusals | plain
    }
    return dict(sorted(kept.items()))


def _asked(document: dict[str, Any]) -> set[str]:
    """Names of the schemas that stand in request bodies."""
    schemas = document["components"]["schemas"]
    waiting = {
        name
        for _, _, operation in _operations(document)
        for name in _references(operation.get("requestBody", {}))
    }
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= set(_references(schemas[name])) - found
    return found


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in cast(Schema, node).items():
            if key == "$ref":
                yield str(value).rpartition("/")[2]
            else:
                yield from _references(value)
    elif isinstance(node, list):
        for value in cast(list[Any], node):
            yield from _references(value)


def _loosened(schema: Schema, schemas: Mapping[str, Schema], *, closed: bool) -> Schema:
    """The schema without constraints; unless `closed`, without lists of allowed words too."""
    kept: Schema = {key: value for key, value in schema.items() if key not in CONSTRAINTS}
    if kept.get("format") == "password":
        del kept["format"]
    if "$ref" in kept:
        target = schemas[kept["$ref"].rpartition("/")[2]]
        # A named type that is no object (a list of words) is written out where it is used.
        return kept if "properties" in target else _loosened(target, schemas, closed=closed)
    if not closed and ("enum" in kept or "const" in kept):
        kept = {"type": "string"}
    for key in ("anyOf", "oneOf", "allOf"):
        if key in kept:
            kept[key] = [_loosened(part, schemas, closed=closed) for part in kept[key]]
    if isinstance(kept.get("items"), dict):
        kept["items"] = _loosened(kept["items"], schemas, closed=closed)
    if "properties" in kept:
        kept["properties"] = {
            name: _loosened(part, schemas, closed=closed)
            for name, part in kept["properties"].items()
        }
    elif kept.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        value = _loosened(schema["additionalProperties"], schemas, closed=closed)
        kept["additionalProperties"] = value
    if len(named := kept.pop("patternProperties", {})) == 1:
        # Names of a shape are names: the platform says which.
        (value,) = named.values()
        kept["additionalProperties"] = _loosened(value, schemas, closed=closed)
    return kept


def errors(document: dict[str, Any]) -> str:
    """A class for each code, under the class of its status."""
    codes = sorted(_codes(document).items())
    bases = sorted({base for _, (base, _) in codes})
    named = [(class_name(code), code, base, title) for code, (base, title) in codes]
    own = [entry for entry in named if entry[0] not in bases]
    lines = [
        HEADER,
        '"""The platform\'s refusals by their `code`, each below the class of its status."""',
        "",
        f"from moorage._problem import {', '.join(sorted({'ApiError', *bases}))}",
        "",
    ]
    for name, _, base, title in own:
        lines += [f"class {name}({base}):", f'    """{title}."""', ""]
    lines += ["BY_CODE: dict[str, type[ApiError]] = {"]
    lines += [f'    "{code}": {name},' for name, code, _, _ in named]
    lines += ["}", '"""The class of each code that the contract names."""']
    exported = sorted({"BY_CODE", *bases, *(name for name, *_ in named)})
    return "\n".join([*lines, "", f"__all__ = {exported!r}", ""])


def _codes(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Each code's base class and title, as the routes describe their refusals."""
    found: dict[str, tuple[str, str]] = {}
    for _, _, operation in _operations(document):
        for status, response in operation["responses"].items():
            if not status.isdigit() or int(status) < 400:
                continue
            base = BASES.get(int(status), "ServerFault" if int(status) >= 500 else "ApiError")
            for code, title in re.findall(r"`([a-z_]+)`: ([^;]+)", response["description"]):
                found[code] = (base, title.strip())
    return found


def class_name(code: str) -> str:
    """`slug_taken` is `SlugTaken`."""
    return "".join(word.capitalize() for word in code.split("_"))


def operations(document: dict[str, Any]) -> str:
    """A constant for each operation: where it is and of which class."""
    lines = [
        HEADER,
        '"""Every operation of the contract: where it is and of which class."""',
        "",
        "from moorage._operation import Operation",
        "",
    ]
    entries = sorted(
        (op["operationId"], method, path, op) for path, method, op in _operations(document)
    )
    for name, method, path, operation in entries:
        kind = operation["x-route-class"]
        public = ", public=True" if operation["x-permission"] == "public" else ""
        lines.append(
            f'{name.upper()} = Operation("{name}", "{method.upper()}", "{path}", "{kind}"{public})'
        )
    return "\n".join([*lines, ""])


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def formatted(text: str, *, name: str) -> str:
    """The text as `ruff` wants it: imports in order, then the layout."""
    ruff = [str(Path(sys.executable).parent / "ruff")]
    target = ["--stdin-filename", str(SDK / name), "-"]
    for step in (["check", "--quiet", "--fix-only", "--select", "I,UP"], ["format", "--quiet"]):
        done = subprocess.run(
            [*ruff, *step, *target],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        text = done.stdout
    # The contract's own words may be longer than a line of ours.
    long = any(len(line) > 100 for line in text.splitlines())
    return text.replace(HEADER, f"{HEADER}\n# ruff: noqa: E501") if long else text
