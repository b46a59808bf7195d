"""Checks the boundaries of the repository; exit status 1 where one is crossed."""

import sys
from pathlib import Path

from tools.boundary import locks, words


def main() -> int:
    crossed = 0
    for boundary in (words, locks):
        places = list(boundary.find(Path.cwd()))
        crossed += len(places)
        if places:
            print(boundary.SENTENCE, *places, sep="\n  ")
    print(f"boundaries: {crossed} crossed")
    return 1 if crossed else 0


if __name__ == "__main__":
    sys.exit(main())
