"""How arguments and results of steps become JSON, and how a function is known by name. Pure.

A machine or a member is written as the member's id, a secret as its name. A function is known as
`module:name`, so that any replica can run it; it is looked for in what the app has imported, and
nothing is imported because a journal says so.
"""

import inspect
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from moorage.controller.briefs import Member
from moorage.controller.outcomes import Fail

MACHINE, MEMBER, SECRET = "$machine", "$member", "$secret"
LARGEST_RESULT = 64 * 1024

Function = Callable[..., Awaitable[Any]]


def name_of(function: Function) -> str:
    """`module:name` of a function that any replica can find."""
    module, name = function.__module__, function.__qualname__
    if "." in name or "<" in name:
        raise ValueError(
            f"{name} of {module} cannot be found by its name. An undo is a function at the top of "
            "its module, so that another replica can run it."
        )
    if not inspect.iscoroutinefunction(function):
        raise ValueError(f"{module}:{name} is not an `async def`.")
    return f"{module}:{name}"


def function_of(name: str) -> Function:
    """The function that `name_of` named, in this process."""
    module, _, attribute = name.partition(":")
    found = getattr(sys.modules.get(module), attribute, None)
    if not inspect.iscoroutinefunction(found):
        raise Fail(
            "undo_missing",
            f"This release of the controller has no function {name}. Run one that has it.",
        )
    return cast(Function, found)


def written(value: Any) -> Any:
    """A value as JSON, with machines, members and secrets as what they refer to."""
    if isinstance(value, Member):
        return {MEMBER: value.id}
    reference = getattr(value, "reference", None)
    if isinstance(reference, dict):
        return cast(dict[str, str], reference)
    if isinstance(value, Mapping):
        pairs = cast(Mapping[Any, Any], value)
        return {str(key): written(each) for key, each in pairs.items()}
    if isinstance(value, list | tuple):
        return [written(each) for each in cast(list[Any], value)]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(
        f"A {type(value).__name__} cannot be kept in the journal. Steps take and return JSON: "
        "text, numbers, lists, objects; and machines, members and secrets as arguments."
    )


def read(value: Any, resolve: Callable[[str, str], Any]) -> Any:
    """The value that was written; `resolve(kind, id)` finds what a reference stands for."""
    if isinstance(value, list):
        return [read(each, resolve) for each in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    pairs = cast(dict[str, Any], value)
    if len(pairs) == 1:
        ((kind, named),) = pairs.items()
        if kind in {MACHINE, MEMBER, SECRET}:
            return resolve(kind, str(named))
    return {key: read(each, resolve) for key, each in pairs.items()}


def result(value: Any) -> Any:
    """A step's result as every later run finds it: what JSON makes of it."""
    text = json.dumps(written(value))
    if len(text) > LARGEST_RESULT:
        raise ValueError(
            f"The result of a step has {len(text)} bytes; {LARGEST_RESULT} are kept at most. "
            "Return what the next steps need."
        )
    return json.loads(text)
