"""What this machine is. Needs neither root nor an identity."""

from moorage_agent import inventory, verbs


def main() -> int:
    verbs.show(inventory.collect())
    return 0
