"""What no database keeps as text is refused at the door, wherever in a request it stands.

JSON can spell NUL and halves of surrogate pairs; so can an address. Left in, they would come back
as a fault of ours from whatever stores them.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from fastapi import Request

from moorage_core.errors import Fault, Malformed
from moorage_core.kit.counting import counted

SENTENCE = "holds \\u0000 or half of a surrogate pair"
MOST = 20
"""Places that a refusal names."""
_SUSPECT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])|\xed[\xa0-\xbf]|\x00")
"""How such a character can be spelled. A NUL as a byte: the text is in another encoding."""
_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")


def check_query(request: Request) -> None:
    given = request.query_params.multi_items()
    _refuse([f"query.{name}" for name, value in given if _NO_TEXT.search(name + value)])


def check_body(body: bytes) -> None:
    """Look only where there is something to suspect, which hardly ever is."""
    if not _SUSPECT.search(body):
        return
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        return  # Whoever reads it says what is wrong.
    _refuse(list(_places(given, "body")))


def _places(given: object, at: str) -> Iterator[str]:
    """Where such characters stand. What a key would spoil is named by what it stands in."""
    if isinstance(given, str) and _NO_TEXT.search(given):
        yield at
    elif isinstance(given, list):
        for number, each in enumerate(cast(list[object], given)):
            yield from _places(each, f"{at}.{number}")
    elif isinstance(given, dict):
        for key, value in cast(dict[str, Any], given).items():
            if _NO_TEXT.search(key):
                yield at
            else:
                yield from _places(value, f"{at}.{key}")


def _refuse(places: list[str]) -> None:
    if places:
        one, many = "text in the request is none", "texts in the request are none"
        things = counted(len(places), one, many)
        faults = [Fault(place, SENTENCE) for place in places[:MOST]]
        raise Malformed(f"{things} that could be kept; see errors.", errors=faults)
