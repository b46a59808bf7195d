"""One text for one value, so that a digest means the value and not how it was written."""

import hashlib
import json
from typing import Any


def text(value: Any) -> str:
    """JSON with sorted names and no blanks."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(value: Any) -> str:
    """`sha256:…` of a value's canonical text."""
    return f"sha256:{hashlib.sha256(text(value).encode()).hexdigest()}"
