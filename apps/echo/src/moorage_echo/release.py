"""Cut a version of echo: the folder that `moor app publish` takes.

A version is the manifest, the program with its number in it, and the runbook. The numbers that only
follow from the files (the digest and the size of the program) are written here, so that a change of
the program cannot be published with the digest of another.

    python -m moorage_echo.release 0.2.0 DIRECTORY
"""

import hashlib
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
FILES = ("manifest.yaml", "echod.py", "runbook.md")


def cut(version: str, folder: Path) -> Path:
    """Write the version into a folder, which is made where it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    program = stamp(HERE.joinpath("echod.py").read_text(), version)
    manifest = declare(HERE.joinpath("manifest.yaml").read_text(), version, program)
    folder.joinpath("echod.py").write_text(program)
    folder.joinpath("manifest.yaml").write_text(manifest)
    folder.joinpath("runbook.md").write_bytes(HERE.joinpath("runbook.md").read_bytes())
    return folder


def stamp(program: str, version: str) -> str:
    """The program with this number."""
    return re.sub(r'^VERSION = ".*"$', f'VERSION = "{version}"', program, flags=re.MULTILINE)


def declare(manifest: str, version: str, program: str) -> str:
    """The manifest of this number, with this program."""
    content = program.encode()
    lines = {
        r'^version: ".*"$': f'version: "{version}"',
        r"^(    digest: )sha256:.*$": rf"\g<1>sha256:{hashlib.sha256(content).hexdigest()}",
        r"^(    size: ).*$": rf"\g<1>{len(content)}",
    }
    for pattern, line in lines.items():
        manifest = re.sub(pattern, line, manifest, flags=re.MULTILINE)
    return manifest


if __name__ == "__main__":
    cut(sys.argv[1], Path(sys.argv[2]))
