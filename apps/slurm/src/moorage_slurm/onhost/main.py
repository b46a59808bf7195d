"""`tool.pyz MODULE.VERB`: JSON on the standard input, JSON on the standard output.

Ends with 0 and an answer, or with 3 and a refusal: `{"code": …, "message": …, "log": […]}`.
"""

import importlib
import json
import sys
from collections.abc import Sequence

from moorage_slurm.onhost.commands import Refused

REFUSED = 3
USED_WRONGLY = 2


def main(words: Sequence[str]) -> int:
    """Do what the one argument says."""
    module, _, verb = (words[0] if len(words) == 1 else "").partition(".")
    try:
        verbs = importlib.import_module(f"moorage_slurm.onhost.{module}").VERBS
        function = verbs[verb]
    except (ImportError, AttributeError, KeyError, ValueError):
        sys.stderr.write("usage: tool.pyz MODULE.VERB, with JSON on the standard input\n")
        return USED_WRONGLY
    text = "" if sys.stdin.isatty() else sys.stdin.read()
    try:
        said, code = function(json.loads(text or "{}")), 0
    except Refused as err:
        said, code = {"code": err.code, "message": err.message, "log": err.log}, REFUSED
    sys.stdout.write(f"{json.dumps(said)}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
