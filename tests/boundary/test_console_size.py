"""What a browser must fetch before the console shows its shell."""

import re
from pathlib import Path

import pytest

BUILT = Path(__file__).parents[2] / "core/src/moorage_core/console/app"
LIMIT = 300_000
SCRIPT = re.compile(r'(?:src|href)="(/assets/[^"]+\.js)"')
STATIC_IMPORT = re.compile(r'(?:^|[;}\s])(?:import|export)(?:[^;"()]*?from)?\s*"(\./[^"]+\.js)"')


def first_load(built: Path) -> set[Path]:
    """The scripts that the page names, and all that these cannot do without."""
    wanted = [
        built / name.lstrip("/") for name in SCRIPT.findall((built / "index.html").read_text())
    ]
    found: set[Path] = set()
    while wanted:
        script = wanted.pop()
        if script not in found:
            found.add(script)
            names = STATIC_IMPORT.findall(script.read_text())
            wanted += [(script.parent / name).resolve() for name in names]
    return found


@pytest.mark.skipif(not BUILT.exists(), reason="the console is not built: `make setup` builds it")
def test_the_shell_of_the_console_stays_small() -> None:
    sizes = {
        each.name: each.with_name(f"{each.name}.gz").stat().st_size for each in first_load(BUILT)
    }

    assert 0 < sum(sizes.values()) < LIMIT, sizes


def test_what_a_script_imports_counts_and_what_it_may_fetch_later_does_not(tmp_path: Path) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    (tmp_path / "index.html").write_text('<script type="module" src="/assets/a.js"></script>')
    (assets / "a.js").write_text('import{x}from"./b.js";const y=()=>import("./later.js");')
    (assets / "b.js").write_text('import"./c.js";export{z}from"./c.js";')
    (assets / "c.js").write_text("1")

    assert {each.name for each in first_load(tmp_path)} == {"a.js", "b.js", "c.js"}
