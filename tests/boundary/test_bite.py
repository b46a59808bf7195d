"""The boundary checks bite: a copy of the tree with one line too many does not pass."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.lint import sources

REPO = Path(__file__).parents[2]
READ_BY_THE_CHECKS = [
    ".importlinter",
    "Makefile",
    "apps",
    "cli/src",
    "contract",
    "core/src",
    "lab/src",
    "manifest/src",
    "requirements",
    "sdk/src",
    "tools",
]
CORE = "core/src/moorage_core"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of everything that the boundary checks read."""
    root = tmp_path_factory.mktemp("copy")
    for name in READ_BY_THE_CHECKS:
        if (REPO / name).is_dir():
            shutil.copytree(REPO / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(REPO / name, root / name)
    return root


def check(tree: Path) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", "boundaries", f"VENV={sys.prefix}"]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)


def check_with(tree: Path, *, place: str, text: str) -> str:
    """What the checks print once `text` stands at the end of the file `place`."""
    file = tree / place
    before = file.read_text() if file.exists() else None
    file.write_text((before or "") + text)
    try:
        result = check(tree)
    finally:
        file.unlink() if before is None else file.write_text(before)
    assert result.returncode != 0, result.stdout
    return " ".join(result.stdout.split())


def test_the_tree_as_it_is_passes(tree: Path) -> None:
    result = check(tree)

    assert result.returncode == 0, result.stdout + result.stderr


def test_an_app_word_in_core_fails_with_the_sentence(tree: Path) -> None:
    place = f"{CORE}/intruder.py"

    printed = check_with(tree, place=place, text='"""Writes what slurm reads."""\n')

    assert "The platform names no app: move this behind the app boundary" in printed
    assert f"{place}:1: 'slurm'" in printed


def test_an_app_imported_by_core_fails_with_both_sentences(tree: Path) -> None:
    printed = check_with(tree, place=f"{CORE}/intruder.py", text="import moorage_slurm\n")

    assert "The platform names no app" in printed
    assert "The core platform knows no app, no SDK and no client BROKEN" in printed
    assert "moorage_core.intruder -> moorage_slurm" in printed


@pytest.mark.parametrize(
    ("place", "line", "sentence"),
    [
        (f"{CORE}/intruder.py", "import moorage_echo", "The core platform knows no app"),
        (f"{CORE}/intruder.py", "import moorage", "The core platform knows no app"),
        ("sdk/src/moorage/intruder.py", "import moorage_core", "The SDK stands on the public"),
        ("cli/src/moorage_cli/intruder.py", "import moorage_core.kit", "through the SDK only"),
        (f"{CORE}/kit/intruder.py", "import moorage_core.tenancy", "The kit has no domain"),
        (f"{CORE}/kit/intruder.py", "import moorage_manifest", "The kit has no domain"),
        (
            "manifest/src/moorage_manifest/intruder.py",
            "import moorage",
            "knows manifests and nothing",
        ),
        ("lab/src/moorage_lab/intruder.py", "import moorage_core", "The lab makes hosts"),
        (f"{CORE}/intruder.py", "import moorage_lab", "The core platform knows no app"),
        ("apps/echo/src/moorage_echo/intruder.py", "import moorage_core", "An app uses the SDK"),
        ("apps/echo/src/moorage_echo/intruder.py", "import moorage_trio", "Apps know nothing"),
        (f"{CORE}/tenancy/intruder.py", "import moorage_core.people.store", "another slice's"),
        (f"{CORE}/tenancy/store.py", "import moorage_core.tenancy.commands", "Inside a slice"),
        (f"{CORE}/tenancy/rules.py", "import moorage_core.tenancy.store", "Inside a slice"),
    ],
)
def test_a_forbidden_import_fails_with_its_sentence(
    tree: Path, place: str, line: str, sentence: str
) -> None:
    printed = check_with(tree, place=place, text=f"{line}\n")

    broken = [part.rpartition("KEPT ")[2] for part in printed.split(" BROKEN")[:-1]]
    assert any(sentence in part for part in broken), printed


def test_a_host_in_a_lock_fails_with_the_sentence(tree: Path) -> None:
    line = "--index-url https://mirror.example/simple\n"

    printed = check_with(tree, place="requirements/dev.lock", text=line)

    assert "A lock file names packages and hashes, never a host" in printed


def test_every_slice_stands_in_the_import_contracts() -> None:
    contracts = (REPO / ".importlinter").read_text()
    folders = {path.parent.name for path in (REPO / CORE).glob("*/__init__.py")}

    missing = {
        name
        for name in folders - sources.NOT_SLICES
        if contracts.count(f"    moorage_core.{name}\n") < 2
    }

    assert missing == set(), "name the slice in both contracts of .importlinter"
