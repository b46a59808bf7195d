"""Builds the docs site; see the package."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tools.docs import links, pages

REPO = Path(__file__).resolve().parents[2]
WORK = Path(".cache/docs")
SITE = Path("core/src/moorage_core/console/docs")
STAMP = ".made-from"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
WARNING = re.compile(r"^Warning: (.+)\n.*\[ (\S+) \]", re.MULTILINE)
INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def main(arguments: list[str]) -> int:
    made_from = fingerprint(REPO)
    stamp = REPO / SITE / STAMP
    if "--check" not in arguments and stamp.exists() and stamp.read_text() == made_from:
        return 0
    faults = build(REPO, REPO / WORK)
    for fault in faults:
        print(f"docs: {fault}")
    (REPO / WORK / "site" / STAMP).write_text(made_from)
    put_in_place(REPO / WORK / "site", REPO / SITE)
    print(f"docs: {len(list((REPO / SITE).rglob('*.html')))} pages, {len(faults)} faults")
    return 1 if faults and "--check" in arguments else 0


def fingerprint(repo: Path) -> str:
    """What the site is made from: the pages, their settings, and what builds them."""
    site = pages.collect(repo)
    digest = hashlib.sha256()
    for path in sorted([repo / "mkdocs.yml", *(repo / "tools/docs").glob("*.py")]):
        digest.update(path.read_bytes())
    for place in sorted([*site.pages, *site.files]):
        page = site.pages.get(place)
        content = site.files[place].read_bytes() if page is None else page.encode()
        digest.update(f"{place}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()


def build(repo: Path, work: Path) -> list[str]:
    """Build the site into a folder below `work`; a sentence for each thing wrong with it."""
    site = pages.collect(repo)
    entries, faults = pages.menu(site.pages)
    shutil.rmtree(work, ignore_errors=True)
    for place, text in site.pages.items():
        _write(work / "pages" / place, text.encode())
    for place, source in site.files.items():
        _write(work / "pages" / place, source.read_bytes())
    settings: dict[str, Any] = yaml.safe_load((repo / "mkdocs.yml").read_text("utf-8"))
    settings |= {"docs_dir": "pages", "site_dir": "site", "nav": entries}
    (work / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False), "utf-8")
    faults += run_builder(work)
    for name in ("404.html", "sitemap.xml"):  # both would have to know the site's address
        (work / "site" / name).unlink(missing_ok=True)
    put_scripts_aside(work / "site")
    return [*faults, *links.find(work / "site")]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def run_builder(work: Path) -> list[str]:
    """Build the pages below `work`; what the builder warns of, each with its place."""
    command = [str(Path(sys.executable).parent / "zensical"), "build", "-f", "mkdocs.yml"]
    ran = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    said = COLOUR.sub("", ran.stdout + ran.stderr)
    if ran.returncode:
        sys.exit(f"docs: the site cannot be built.\n{said}")
    return [f"{place}: {what}" for what, place in WARNING.findall(said)]


def put_scripts_aside(site: Path) -> None:
    """Give each script that stands inside a page a file of its own.

    The platform tells browsers to run scripts from files of its own and no other, which is what
    keeps a stranger's from running. The few that the builder writes into every page are such files
    then; they still run at the same moment, since nothing defers them.
    """
    folder = site / "assets/javascripts/pages"
    folder.mkdir(parents=True, exist_ok=True)
    for path in site.rglob("*.html"):
        base = os.path.relpath(folder, path.parent)

        def aside(match: re.Match[str], base: str = base) -> str:
            name = f"{hashlib.sha256(match[1].encode()).hexdigest()[:12]}.js"
            (folder / name).write_text(match[1], "utf-8")
            return f'<script src="{base}/{name}"></script>'

        path.write_text(INLINE.sub(aside, path.read_text("utf-8")), "utf-8")


def put_in_place(built: Path, site: Path) -> None:
    """Put the built site where it is served from, with no moment at which there is half of one."""
    site.parent.mkdir(parents=True, exist_ok=True)
    before = built.with_name("before")
    if site.exists():
        site.rename(before)
    built.rename(site)
    shutil.rmtree(before, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
