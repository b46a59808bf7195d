"""Text of others on a terminal: whatever stands in it, it is read and not obeyed."""

import re

UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters, which move the cursor or rewrite the screen
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that turn the reading direction
    "\u2028\u2029"  # line and paragraph ends
    "\ud800-\udfff]"  # halves of characters, which cannot be written at all
)


def plain(text: str) -> str:
    """The text with everything that a terminal would act on spelled out."""
    return UNSAFE.sub(lambda found: _spelled(found.group()), text)


def plain_json(document: str) -> str:
    """The same for JSON: there such characters stand only inside strings, where an escape fits."""
    return "\n".join(
        UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", line)
        for line in document.split("\n")
    )


def _spelled(letter: str) -> str:
    number = ord(letter)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
