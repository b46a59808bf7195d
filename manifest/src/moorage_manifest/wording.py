"""What the models find wrong, at its place in the file and in words that help.

pydantic speaks to programmers; whoever writes a manifest is not one of ours.
"""

import difflib
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from moorage_manifest.document import Document
from moorage_manifest.faults import Fault, Place, listed

CONTAINERS: dict[type, str] = {dict: "fields", list: "a list", str: "text", bool: "true or false"}


def model_faults(read: Document, model: type[BaseModel]) -> Iterator[Fault]:
    """Each value of a document that a model does not take."""
    try:
        model.model_validate(read.data)
    except ValidationError as err:
        for error in err.errors(include_url=False):
            if error["type"] == "default_factory_not_called":
                continue  # Another field is at fault, and says so itself.
            yield _fault(read, error, model)


def _fault(read: Document, error: ErrorDetails, model: type[BaseModel]) -> Fault:
    kind, place = error["type"], error["loc"]
    if kind == "extra_forbidden":
        return read.fault(place, _unknown(place, model), key=True)
    if kind == "missing":
        return read.fault(place, _missing(place, model))
    at_key = place[-1:] == ("[key]",)  # pydantic's mark for a key that is wrong itself
    place = place[:-1] if at_key else place
    say = SAYINGS.get(kind)
    message = say(read, place, error) if say else error["msg"]
    return read.fault(place, message, key=at_key)


def _unknown(place: Place, model: type[BaseModel]) -> str:
    known = list(_fields(_model_at(place[:-1], model)))
    near = difflib.get_close_matches(str(place[-1]), known, n=1)
    if near:
        return f"there is no such field here: did you mean '{near[0]}'?"
    return f"there is no such field here; there is {', '.join(known)}"


def _missing(place: Place, model: type[BaseModel]) -> str:
    field = _fields(_model_at(place[:-1], model)).get(str(place[-1]))
    return f"is missing. {field.description}" if field and field.description else "is missing"


def _fields(model: Any) -> dict[str, Any]:
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return {}
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _model_at(place: Place, model: type[BaseModel]) -> Any:
    """The type that the models have for a place."""
    found: Any = model
    for part in place:
        fields = _fields(found)
        if fields:
            found = _inner(fields[str(part)].annotation) if str(part) in fields else None
        else:
            found = _inner(typing.get_args(found)[-1]) if typing.get_args(found) else None
    return found


def _inner(annotation: Any) -> Any:
    """A type without what is annotated to it, and without None beside it."""
    while typing.get_origin(annotation) in {typing.Annotated, typing.Union, types.UnionType}:
        annotation = typing.get_args(annotation)[0]
    return annotation


def _text(read: Document, place: Place, error: ErrorDetails) -> str:
    written = read.written.get(place)
    if written:
        return f"must be text: write it in quotes, '{written[:60]}'"
    return _instead(error, "text")


def _instead(error: ErrorDetails, wanted: str) -> str:
    given: Any = error["input"]
    if given is None:
        return f"must be {wanted}: nothing stands here. Fill it in, or leave it out"
    has = next((name for kind, name in CONTAINERS.items() if isinstance(given, kind)), "a number")
    return f"must be {wanted}, and is {has}"


def _choice(read: Document, place: Place, error: ErrorDetails) -> str:
    allowed = [
        word.strip("'") for word in _context(error, "expected").replace(" or ", ", ").split(", ")
    ]
    near = difflib.get_close_matches(str(error["input"])[:60], allowed, n=1)
    hint = f": did you mean '{near[0]}'?" if near else ""
    return f"must be {listed(allowed)}{hint}"


def _context(error: ErrorDetails, name: str) -> str:
    return str(error.get("ctx", {}).get(name, ""))


Saying = Callable[[Document, Place, ErrorDetails], str]

SAYINGS: dict[str, Saying] = {
    "string_type": _text,
    "literal_error": _choice,
    "int_type": lambda read, place, error: _instead(error, "a whole number"),
    "bool_type": lambda read, place, error: _instead(error, "true or false"),
    "list_type": lambda read, place, error: _instead(error, "a list"),
    "dict_type": lambda read, place, error: _instead(error, "fields"),
    "model_type": lambda read, place, error: _instead(error, "fields"),
    "too_short": lambda read, place, error: "must have at least one entry",
    "too_long": lambda read, place, error: (
        f"must have at most {_context(error, 'max_length')} entries"
    ),
    "greater_than_equal": lambda read, place, error: f"must be at least {_context(error, 'ge')}",
    "less_than_equal": lambda read, place, error: f"must be at most {_context(error, 'le')}",
}
