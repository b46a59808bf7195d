"""Runs every rule over the repository; exit status 1 where one is broken."""

import sys
from pathlib import Path

from tools.lint import (
    commit_at_the_edge,
    no_bare_keys,
    no_network_in_a_transaction,
    rules_are_pure,
    settings_come_in,
    sources,
    sql_in_stores,
    tenant_argument,
)

RULES = (
    commit_at_the_edge,
    no_bare_keys,
    no_network_in_a_transaction,
    rules_are_pure,
    settings_come_in,
    sql_in_stores,
    tenant_argument,
)


def main() -> int:
    tree = sources.read(Path.cwd())
    broken = 0
    for rule in RULES:
        findings = list(rule.check(tree))
        broken += len(findings)
        if findings:
            print(f"\n{(rule.__doc__ or '').splitlines()[0]}  (tools/lint, {rule.__name__})")
        for finding in findings:
            print(f"  {finding}")
    print(f"{len(RULES)} rules, {len(tree.sources)} modules, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
