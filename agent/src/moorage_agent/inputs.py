"""A task's input, taken apart. A field of the wrong form ends the task with `input_invalid`."""

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from typing import Any, Optional, cast

from moorage_agent.tasks import Failed, Task, Work

_MODE = re.compile(r"0?[0-7]{3,4}")
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


def invalid(name: str, wanted: str) -> Failed:
    """The refusal of a field. It never repeats the value, which may be a secret."""
    return Failed("input_invalid", f"The input's `{name}` must be {wanted}.")


def find_text(given: Mapping[str, Any], name: str) -> Optional[str]:
    """A text, or None where there is none."""
    value = given.get(name)
    if value is None or (isinstance(value, str) and "\0" not in value):
        return value
    raise invalid(name, "text")


def get_text(given: Mapping[str, Any], name: str) -> str:
    """A text that has to be there."""
    value = find_text(given, name)
    if not value:
        raise invalid(name, "text")
    return value


def find_flag(given: Mapping[str, Any], name: str) -> Optional[bool]:
    """True or false, or None where neither is said."""
    value = given.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise invalid(name, "true or false")


def find_number(given: Mapping[str, Any], name: str) -> Optional[int]:
    """A whole number, not below zero."""
    value = given.get(name)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise invalid(name, "a whole number")


def list_texts(given: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts, empty where there is none."""
    found: list[str] = []
    for one in list_items(given, name):
        if not isinstance(one, str) or not one or "\0" in one:
            raise invalid(name, "a list of texts")
        found.append(one)
    return found


def list_items(given: Mapping[str, Any], name: str) -> list[object]:
    """A list of anything, empty where there is none."""
    value = given.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise invalid(name, "a list")
    return cast("list[object]", value)


def find_mode(given: Mapping[str, Any]) -> Optional[int]:
    """A file's mode, as `0644`."""
    value = find_text(given, "mode")
    if value is None:
        return None
    if not _MODE.fullmatch(value):
        raise invalid("mode", "an octal mode such as 0644")
    return int(value, 8)


def find_digest(given: Mapping[str, Any]) -> Optional[str]:
    """The SHA-256 of an artifact, in hexadecimal, with or without its name before it."""
    value = find_text(given, "digest")
    if value is None:
        return None
    found = _DIGEST.fullmatch(value)
    if not found:
        raise invalid("digest", "a SHA-256 in hexadecimal")
    return found[1]


def find_content(task: Task, work: Work) -> Optional[bytes]:
    """The bytes that the input itself holds, or the secret that it names."""
    value = task.input.get("content")
    if value is None:
        return None
    if isinstance(value, dict):
        return work.secret(get_text(cast("dict[str, Any]", value), "$secret"))
    try:
        return base64.b64decode(str(value), validate=True)
    except (binascii.Error, ValueError) as error:
        raise invalid("content", "base64, or the name of a secret") from error


def is_secret(task: Task) -> bool:
    """Whether the content is a secret's value."""
    return isinstance(task.input.get("content"), dict)


def hexdigest(content: bytes) -> str:
    """The SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()
