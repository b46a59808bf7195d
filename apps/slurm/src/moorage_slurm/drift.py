"""How the files of a host differ from what they should be. Pure."""

import difflib
import hashlib
from collections.abc import Mapping

Changed = Mapping[str, Mapping[str, str]]
"""By the name of a member and the path of a file: what somebody changed there."""
LONGEST = 4000
"""Characters of a difference that are shown."""


def differences(wanted: Mapping[str, str], said: Mapping[str, str]) -> dict[str, str]:
    """For each file that is another than it should be, what changed, as `diff -u` shows it."""
    found: dict[str, str] = {}
    for path in sorted({*wanted, *said}):
        should, has = wanted.get(path, ""), said.get(path, "")
        if has.startswith("sha256:"):
            if has != f"sha256:{hashlib.sha256(should.encode()).hexdigest()}":
                found[path] = f"--- {path}\n(It is too long to be shown.)"
        elif has != should:
            found[path] = _diff(path, should, has)
    return found


def _diff(path: str, should: str, has: str) -> str:
    names = (path, f"{path} (on the host)")
    lines = difflib.unified_diff(should.splitlines(), has.splitlines(), *names, lineterm="", n=1)
    text = "\n".join(lines)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n(and more)"


def rows(changed: Changed) -> list[dict[str, str]]:
    """What people see of it."""
    return [
        {"place": f"{name}:{path}", "member": name, "file": path, "change": text}
        for name, files in sorted(changed.items())
        for path, text in sorted(files.items())
    ]
