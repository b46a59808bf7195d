"""Where `agent.pyz` starts. It looks at what Python there is before it imports the rest.

A host may have a Python that is too old, or one without most of its standard library: both shall
read a sentence and no traceback.
"""

import importlib
import importlib.util
import sys

OLDEST = (3, 9)
NEEDED = (
    "base64", "ctypes", "hashlib", "http.client", "json", "queue", "select", "shutil", "socket",
    "ssl", "subprocess", "tempfile", "threading", "urllib.parse", "zipfile", "zlib",
)  # fmt: skip


def main() -> None:
    """Run the verb that the command line names."""
    sentence = lacking()
    if sentence:
        sys.exit(sentence)
    sys.exit(importlib.import_module("moorage_agent.verbs").main(sys.argv[1:]))


def lacking() -> str:
    """What stands in the way of the agent, as a sentence; empty where nothing does."""
    if sys.version_info < OLDEST:
        version = ".".join(str(part) for part in sys.version_info[:2])
        return "The agent needs Python 3.9 or newer; this is " + version + "."
    absent = [name for name in NEEDED if not _is_there(name)]
    if absent:
        names = ", ".join(absent)
        return "This Python lacks " + names + ". Install all of it: `apt-get install python3`."
    return ""


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


if __name__ == "__main__":
    main()
