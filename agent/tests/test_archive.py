"""The agent is one file, the same for everybody who builds it from the same sources."""

import ast
import hashlib
import subprocess
import sys
from pathlib import Path

from moorage_agent import __main__ as start
from moorage_agent import archive, pasted


def test_the_same_sources_make_the_same_bytes(tmp_path: Path) -> None:
    first = archive.build()

    command = [sys.executable, "-m", "moorage_agent.archive", str(tmp_path / "agent.pyz")]
    subprocess.run(command, check=True)

    assert (tmp_path / "agent.pyz").read_bytes() == first


def test_the_file_runs_alone_and_tells_its_verbs(archive_file: Path) -> None:
    command = [sys.executable, "-I", str(archive_file), "nonsense"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert all(verb in ended.stderr for verb in ("install", "run", "probe", "task", "uninstall"))


def test_every_module_that_the_agent_needs_is_looked_for_before_it_starts() -> None:
    used = {name.split(".")[0] for path in archive.PACKAGE.rglob("*.py") for name in imports(path)}
    absent_from_a_small_python = {"http", "urllib", "shutil", "zipfile", "ctypes", "tempfile"}

    assert used & absent_from_a_small_python <= {name.split(".")[0] for name in start.NEEDED}


def imports(path: Path) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return found


def test_the_line_survives_a_shell_and_shows_no_token_to_others() -> None:
    line = archive.line("https://moor.example:8443", "a" * 64, "-", "mne_secret")

    words = subprocess.run(
        ["sh", "-c", "python3() { printf '%s\\n' \"$@\"; }; eval \"$(cat)\""],
        input=line, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip

    assert "\n" not in line
    assert words == f"-I\n-c\n{pasted.LOADER}\n"
    assert "mne_secret" not in words


def test_the_line_refuses_an_archive_that_it_does_not_name(tmp_path: Path) -> None:
    served = tmp_path / "v1/agent/agent.pyz"
    served.parent.mkdir(parents=True)
    served.write_bytes(b"import os; os.system('touch /tmp/moorage-owned')")
    line = archive.line(f"file://{tmp_path}", hashlib.sha256(b"x").hexdigest(), "-", "mne_x")

    ended = subprocess.run(["sh"], input=line, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert "not the file that this line names" in ended.stderr


def test_the_protocol_page_shows_the_line_as_it_is() -> None:
    page = Path(__file__).parents[2] / "docs/reference/agent-protocol.md"

    assert archive.line("{url}", "{agent_digest}", "{ca_digest}", "{token}") in page.read_text()
