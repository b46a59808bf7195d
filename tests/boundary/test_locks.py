"""Lock files: whole, hashed, and from nowhere in particular."""

import json
import tomllib
from pathlib import Path

import pytest

from tools.boundary import locks

REPO = Path(__file__).parents[2]
OURS = {"moorage", "moorage-core", "moorage-cli", "moorage-manifest"}
HASH = "    --hash=sha256:00"


def write_lock(repo: Path, text: str) -> None:
    (repo / "requirements").mkdir()
    (repo / "requirements/dev.lock").write_text(text)


def write_npm_lock(repo: Path, **entry: str) -> None:
    packages = {"": {"name": "x"}, "node_modules/a": {"version": "1.0.0", **entry}}
    (repo / "package-lock.json").write_text(json.dumps({"packages": packages}))


def test_no_lock_of_ours_names_a_host_or_lacks_a_hash() -> None:
    assert list(locks.find(REPO)) == [], locks.SENTENCE


@pytest.mark.parametrize(
    "text",
    [
        f"--index-url https://mirror.example/simple\na==1 \\\n{HASH}\n",
        f"--find-links wheels\na==1 \\\n{HASH}\n",
        f"a @ https://mirror.example/a.whl \\\n{HASH}\n",
        f"# from https://mirror.example\na==1 \\\n{HASH}\n",
        f"a==1\nb==2 \\\n{HASH}\n",
    ],
    ids=["index", "links", "address", "comment", "no hash"],
)
def test_a_host_or_a_missing_hash_is_found(tmp_path: Path, text: str) -> None:
    write_lock(tmp_path, text)

    assert len(list(locks.find(tmp_path))) == 1


def test_a_resolved_npm_package_is_found(tmp_path: Path) -> None:
    write_npm_lock(tmp_path, resolved="https://mirror.example/a.tgz", integrity="sha512-0")

    assert len(list(locks.find(tmp_path))) == 1


def test_an_npm_package_without_a_hash_is_found(tmp_path: Path) -> None:
    write_npm_lock(tmp_path)

    assert len(list(locks.find(tmp_path))) == 1


@pytest.mark.parametrize("package", ["core", "sdk", "cli", "manifest"])
@pytest.mark.parametrize("lock", ["dev", "runtime"])
def test_each_dependency_of_a_package_is_locked(package: str, lock: str) -> None:
    project = tomllib.loads((REPO / package / "pyproject.toml").read_text())["project"]
    locked = locks.entries((REPO / f"requirements/{lock}.lock").read_text())

    wanted = {locks.normal(locks.name_of(line)) for line in project["dependencies"]}

    assert wanted - OURS - locked.keys() == set()


def test_both_locks_agree_on_every_version() -> None:
    dev, runtime = (
        locks.entries((REPO / f"requirements/{lock}.lock").read_text())
        for lock in ("dev", "runtime")
    )

    differing = {name for name in runtime if runtime[name].split()[0] != dev[name].split()[0]}

    assert differing == set()
