"""Texts that people read in a diff: compared, or written anew when UPDATE_GOLDEN=1 is set."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def check(name: str, text: str) -> None:
    """Fail where the golden file says something else."""
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text)
    assert path.read_text() == text, (
        f"conformance/tests/golden/{name} differs. If the change is meant, run the test with "
        "UPDATE_GOLDEN=1 and read the diff."
    )
