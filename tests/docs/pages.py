"""A page taken apart: its fenced blocks in their order, with what each is for."""

import re
from dataclasses import dataclass

FENCE = re.compile(r"^(`{3,})(\w*)([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
PROMPT = re.compile(r"^[$#] ")


@dataclass(frozen=True)
class Block:
    """One fenced block. Its title is a file's name, or that of another terminal."""

    language: str
    title: str
    text: str


@dataclass(frozen=True)
class Typed:
    """A command line, and what the page shows of the answer."""

    command: str
    shown: tuple[str, ...]


def blocks(page: str) -> list[Block]:
    found = FENCE.findall(page)
    return [Block(language, _title(info), text) for _, language, info, text in found]


def _title(info: str) -> str:
    match = TITLE.search(info)
    return match[1] if match else ""


def without_blocks(page: str) -> str:
    """The words between the blocks."""
    return FENCE.sub("", page)


def typed(text: str) -> list[Typed]:
    """The command lines of a block. Without a prompt every line is one, and nothing is shown."""
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    if not any(PROMPT.match(line) for line in lines):
        return [Typed(line, ()) for line in lines if line.strip()]
    found: list[Typed] = []
    for line in lines:
        if PROMPT.match(line):
            found.append(Typed(PROMPT.sub("", line), ()))
        elif found:
            last = found.pop()
            found.append(Typed(last.command, (*last.shown, line)))
    return found
