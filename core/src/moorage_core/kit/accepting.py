"""What a caller takes, as headers such as `Accept` and `Accept-Encoding` say it."""

import re

_REFUSED = re.compile(r"q=0(\.0*)?")


def takes(header: str, wanted: str) -> bool:
    """Whether the header names this and does not refuse it. `*` is not counted: programs that
    take anything say so, and only people's browsers ask for a page by name."""
    return any(_is_about(part, wanted) for part in header.lower().split(","))


def _is_about(part: str, wanted: str) -> bool:
    name, *options = (word.strip() for word in part.split(";"))
    return name == wanted and not any(_REFUSED.fullmatch(option) for option in options)
