"""Which agent this is."""

from moorage_agent import __version__


def main() -> int:
    print(__version__)
    return 0
