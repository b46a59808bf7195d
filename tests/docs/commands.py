"""What the pages say to type: command lines in fenced blocks, and mentions in the text."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.docs import pages

REPO = Path(__file__).parents[2]
SHELLS = ("", "console", "sh", "text")
MENTION = re.compile(r"`(moor [^`]+)`")
BREAKS = frozenset({"&&", "||", "|", ";", "<", ">", ">>", "2>", "&", "$(", ")"})


@dataclass(frozen=True)
class Line:
    """One command line of a page."""

    page: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)}"


def all_pages() -> list[Path]:
    """Every page that tells people what to type. The reference of `moor` is made from it."""
    globs = ("*.md", "*/README.md", "docs/**/*.md", "apps/*/**/*.md", "contract/**/*.md")
    found = {path for each in globs for path in REPO.glob(each)}
    found.discard(REPO / "docs/reference/cli.md")
    return sorted(path for path in found if "node_modules" not in path.parts)


def command_lines(page: Path) -> Iterator[Line]:
    """Each call of `moor` in the fenced blocks of a page."""
    name = page.relative_to(REPO).as_posix()
    for block in pages.blocks(page.read_text("utf-8")):
        if block.language in SHELLS:
            for line in pages.typed(block.text):
                yield from (Line(name, words) for words in _calls(line.command))


def mentions(page: Path) -> Iterator[Line]:
    """Each call of `moor` in the text of a page. Some are only the beginning of one."""
    name = page.relative_to(REPO).as_posix()
    for mention in MENTION.findall(pages.without_blocks(page.read_text("utf-8"))):
        yield from (Line(name, words) for words in _calls(" ".join(mention.split())))


def _calls(line: str) -> Iterator[tuple[str, ...]]:
    """The calls of `moor` in one line of a shell; other programs' are passed over."""
    if "moor " not in line:
        return
    lexer = shlex.shlex(line.replace("$(", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    call: list[str] = []
    for word in [*lexer, ";"]:
        if word not in BREAKS:
            call.append(word)
            continue
        if call and call[0] == "moor":
            yield tuple(call[1:])
        call = []
