"""Every command that a page tells people to type is there, with the options that it names."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tools import gen_cli
from tools.gen_cli import Entry

REPO = Path(__file__).resolve().parents[2]
DOCS = REPO / "docs"
PAGES = sorted(
    page
    for page in (
        *DOCS.glob("howto/*.md"),
        *DOCS.glob("runbooks/*.md"),
        *DOCS.glob("explanation/*.md"),
        *REPO.glob("apps/**/runbook.md"),
    )
)
BLOCK = re.compile(r"```(?:console|sh)\n(.*?)```", re.DOTALL)
INLINE = re.compile(r"`(moor [a-z][^`\n]*)`")
EVERYWHERE = {"-o", "--output", "--profile", "--help"}


def typed(page: str) -> list[str]:
    """Commands in blocks and in sentences, without what follows in a pipe or as a remark."""
    blocks = "\n".join(BLOCK.findall(page)).replace("\\\n", " ")
    lines = [line.removeprefix("$ ") for line in blocks.splitlines()]
    lines += INLINE.findall(BLOCK.sub("", page))
    return [re.split(r" [<>|&#]", line)[0] for line in lines if line.startswith("moor ")]


@pytest.fixture(scope="module")
def entries() -> dict[tuple[str, ...], Entry]:
    return {entry.path: entry for entry in gen_cli.entries(gen_cli.plugins())}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPO)))
@pytest.mark.rule("ON-7")
def test_what_a_page_says_to_type_can_be_typed(
    page: Path, entries: dict[tuple[str, ...], Entry]
) -> None:
    faults: list[str] = []
    groups = {path[:1] for path in entries}
    for line in typed(page.read_text()):
        words = shlex.split(line)[1:]
        if tuple(words) in groups:
            continue
        path = next((tuple(words[:n]) for n in (3, 2, 1) if tuple(words[:n]) in entries), None)
        if path is None:
            faults.append(f"no such command: {line}")
            continue
        known = {name for each in entries[path].command.params for name in _spellings(each)}
        own = words[: words.index("--")] if "--" in words else words
        named = {word.partition("=")[0] for word in own if re.match(r"--?[a-z]", word)}
        faults += [f"no {name}: {line}" for name in named - known - EVERYWHERE]

    assert faults == []


def _spellings(parameter: Any) -> list[str]:
    return [*parameter.opts, *parameter.secondary_opts]
