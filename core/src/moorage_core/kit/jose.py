"""Looking into a token before it is trusted."""

from typing import Any, cast

from joserfc.errors import JoseError
from joserfc.jws import extract_compact

LONGEST = 8_000


def header_of(token: str) -> dict[str, Any] | None:
    """The protected header of a compact token; None for anything that is not one.

    What a stranger sends may be any JSON, nested as deep as it likes.
    """
    if len(token) > LONGEST:
        return None
    try:
        # The library promises a dict and gives whatever JSON there was.
        header = cast(object, extract_compact(token.encode()).protected)
    except (JoseError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    return cast(dict[str, Any], header) if isinstance(header, dict) else None
