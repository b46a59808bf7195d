"""Writes what there is to know about manifests: the schema, the reference page, the families.

The families of the contract are copied into the package, so that a publisher's machine knows them
without a platform to ask.
"""

import json
import textwrap
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from moorage_manifest import document, forms, schemas
from moorage_manifest.models import Family, Manifest
from moorage_manifest.vocabulary import OPERATION_KINDS, RESERVED_SLUGS, OperationKind

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "manifest/src/moorage_manifest/shipped"
KINDS: dict[Any, str] = {str: "text", int: "number", bool: "true or false"}
FORMS: dict[Any, str] = {
    forms.SLUG: "slug",
    forms.KEY: "key",
    forms.COMPONENT: "component key",
    forms.LINE: "line",
    forms.PROSE: "text",
    forms.DIGEST: "digest",
    forms.ARTIFACT_NAME: "name",
    forms.MEDIA_TYPE: "media type",
    forms.RELATIVE: "path",
    forms.USER: "user",
    forms.UNIT: "unit",
    forms.FIELD: "field",
    forms.WORD: "word",
}

HEAD = f"""# Manifest

Generated from `moorage_manifest`; `make gen` writes it. The same as a JSON Schema, for editors:
[`contract/manifest.schema.json`](../../contract/manifest.schema.json). How to write one:
[Write a manifest](../howto/write-a-manifest.md).

`manifest.yaml` is what one version of an app says about itself. `moor app validate DIR` names every
fault with its file, line and column; the platform applies the same rules.

## The file

It is YAML that JSON could say as well: UTF-8, one document, no anchors, aliases, tags or merge
keys, no key twice, at most {document.LARGEST // 1024} KiB, {document.MOST_NODES:,} values and
{document.DEEPEST} levels. Plain words mean what YAML 1.2 says: `no` is text, and `1.10` is a
number, so a version stands in quotes. Fields that are not listed here are refused.

## Names

The *namespace* of an app is its slug with `_` for `-`. Permission keys and the names of actions,
views, probes and meters are written in full and begin with the namespace and a dot:
`echo.greeting.read`, `echo.say`. Actions and views name the permission that they need: a key of the
app's own, or one of a family that stands under `families`. Nothing else can be named, so a manifest
gives nobody a key of the platform or of another app.

These slugs are taken: {", ".join(f"`{word}`" for word in sorted(RESERVED_SLUGS))}, and the name of
every family.

| Form | Looks like |
|---|---|
"""

SCHEMAS = f"""## Schemas in a manifest

`config.schema` and the `input` and `output` of actions are JSON Schema 2020-12 with `type: object`.

- `$ref` leads to `#/$defs/name` in the same schema and nowhere else; definitions stand at the top
  and do not go round in a circle.
- With every reference written out, a schema holds at most {schemas.HEAVIEST:,} schemas,
  {schemas.DEEPEST} deep.
- Patterns have no look-around and no references back, so that matching takes time in proportion to
  the text; a manifest has at most {schemas.MOST_PATTERNS}. A pattern is found anywhere in a text,
  unless it begins with `^` and ends with `$`.
- Not taken: {", ".join(f"`{word}`" for word in sorted(schemas.REFUSED))}. A word that JSON Schema
  does not know is refused, unless it begins with `x-`.
- `format` is shown and not judged. Hints for forms stand in `x-ui`.

"""


def outputs() -> Iterator[tuple[Path, str]]:
    """Every generated file about manifests."""
    yield ROOT / "contract/manifest.schema.json", manifest_schema()
    yield ROOT / "docs/reference/manifest.md", page()
    for file in sorted((ROOT / "contract/families").glob("*.yaml")):
        yield SHIPPED / file.name, file.read_text()


def manifest_schema() -> str:
    """The JSON Schema of a manifest; it cannot say what parts say about each other."""
    head = {
        "$schema": schemas.DIALECT,
        "$id": "https://moorage.dev/contract/manifest.schema.json",
    }
    schema = head | _closed(Manifest.model_json_schema(by_alias=True))
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _closed(schema: Any) -> Any:
    """A schema in which names that match no pattern are refused, as the models refuse them."""
    if isinstance(schema, list):
        return [_closed(part) for part in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    closed = {word: _closed(part) for word, part in cast(dict[str, Any], schema).items()}
    return closed | ({"additionalProperties": False} if "patternProperties" in closed else {})


def page() -> str:
    """The reference page."""
    head, rules = (_filled(text) for text in (HEAD, SCHEMAS))
    seen: list[type[BaseModel]] = []
    lines = [head, *_form_rows(), "", "## Fields", "", *_table(Manifest, seen)]
    for model in seen:
        lines += [
            f"### {model.__name__}",
            "",
            (model.__doc__ or "").strip(),
            "",
            *_table(model, seen),
        ]
    lines += [rules, ""]
    family: list[type[BaseModel]] = []
    lines += ["## Families", "", (Family.__doc__ or "").strip(), ""]
    lines += ["Each is a file in `contract/families/`.", "", *_table(Family, family)]
    for model in family:
        lines += [
            f"### {model.__name__}",
            "",
            (model.__doc__ or "").strip(),
            "",
            *_table(model, family),
        ]
    return "\n".join(lines).rstrip() + "\n"


def _filled(text: str) -> str:
    """Paragraphs and points broken anew, now that numbers and words stand in them."""
    broken: list[str] = []
    for paragraph in text.strip().split("\n\n"):
        for point in paragraph.split("\n- ") if paragraph.startswith("- ") else [paragraph]:
            words = " ".join(point.removeprefix("- ").split())
            mark = "- " if paragraph.startswith("- ") else ""
            broken.append(paragraph if paragraph[0] in "|#" else _broken(words, mark))
        broken.append("")
    return "\n".join(broken[:-1])


def _broken(words: str, mark: str) -> str:
    return textwrap.fill(
        words,
        width=100,
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _form_rows() -> Iterator[str]:
    for form, name in FORMS.items():
        if name not in {"line", "text", "field"}:
            looks = form.says.removeprefix("must be ")
            yield f"| {name} | {looks}; at most {form.longest} characters |"
    kinds = ", ".join(f"`{kind}`" for kind in OPERATION_KINDS)
    yield f"| operation kind | one of {kinds} |"
    yield "| time | a number of seconds, or such as `90s`, `30m` or `2h`; at most 7 days |"


def _table(model: type[BaseModel], seen: list[type[BaseModel]]) -> list[str]:
    rows = ["| Field | Holds | Default | Meaning |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        parts: list[Any] = [field.annotation, *field.metadata]
        holds = _holds(typing.Annotated[*parts] if field.metadata else field.annotation, seen)
        default = "required" if field.is_required() else _default(field)
        rows.append(f"| `{field.alias or name}` | {holds} | {default} | {field.description} |")
    return [*rows, ""]


def _default(field: Any) -> str:
    if field.default_factory is not None:
        return "the slug"
    if field.default is None or isinstance(field.default, BaseModel) or field.default in ([], {}):
        return "-"
    return (
        f"`{json.dumps(field.default)}`"
        if not isinstance(field.default, str)
        else f"`{field.default}`"
    )


def _holds(annotation: Any, seen: list[type[BaseModel]]) -> str:
    """A type as a reader of the page wants it; models are noted, to have tables of their own."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return next((FORMS[part] for part in parts[1:] if part in FORMS), None) or (
            "time"
            if any(getattr(part, "func", None) is forms.seconds for part in parts[1:])
            else _holds(parts[0], seen)
        )
    if origin in {typing.Union, types.UnionType}:
        return _holds(parts[0], seen)
    if annotation is OperationKind:
        return "operation kind"
    if origin is typing.Literal:
        return " ".join(f"`{part}`" for part in parts)
    if origin is list:
        return f"list of {_holds(parts[0], seen)}"
    if origin is dict:
        inner = _holds(parts[1], seen) if parts[1] is not Any else ""
        return f"{_holds(parts[0], seen)} → {inner}" if inner else "schema"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation not in seen:
            seen.append(annotation)
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    return KINDS.get(annotation, "value")
