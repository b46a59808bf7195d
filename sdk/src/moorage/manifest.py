"""What an app says about itself: read a manifest, judge it, compare what versions ask for.

The platform judges by the same rules: where `folder.validate` finds nothing wrong, neither does it.
Not imported with `moorage` itself: most programs need none of it.
"""

from moorage_manifest import (
    BadConstraint,
    BadVersion,
    Constraint,
    Declaration,
    Diff,
    Difference,
    Family,
    FamilyKey,
    FamilyReading,
    Fault,
    Manifest,
    Reading,
    ValueFault,
    Version,
    config_faults,
    declaration,
    diff,
    folder,
    read,
    read_family,
    shipped,
    versions,
    wider,
)

__all__ = [
    "BadConstraint",
    "BadVersion",
    "Constraint",
    "Declaration",
    "Diff",
    "Difference",
    "Family",
    "FamilyKey",
    "FamilyReading",
    "Fault",
    "Manifest",
    "Reading",
    "ValueFault",
    "Version",
    "config_faults",
    "declaration",
    "diff",
    "folder",
    "read",
    "read_family",
    "shipped",
    "versions",
    "wider",
]
