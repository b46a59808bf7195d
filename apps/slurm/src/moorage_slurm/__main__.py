"""`moor-slurm`: a replica of the controller."""

import sys

from moorage import __main__ as runner


def main() -> int:
    return runner.main(["run", "moorage_slurm.controller:app"])


if __name__ == "__main__":
    sys.exit(main())
