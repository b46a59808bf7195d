"""Manifests and families: read, judge, compare. Pure: no network, no clock, no settings.

Only `folder` looks at files, and only at those below the folder that it is given.
"""

from moorage_manifest import canonical, folder, versions
from moorage_manifest.declarations import (
    Declaration,
    Diff,
    Difference,
    declaration,
    diff,
    wider,
)
from moorage_manifest.families import FamilyReading, read_family, shipped
from moorage_manifest.faults import Fault, ValueFault
from moorage_manifest.models import Artifact, Family, FamilyKey, Manifest, namespace
from moorage_manifest.reading import Reading, read
from moorage_manifest.values import config_faults
from moorage_manifest.versions import BadConstraint, BadVersion, Constraint, Version
from moorage_manifest.vocabulary import CORE_AREAS, OPERATION_KINDS, RESERVED_SLUGS, ROLES

__all__ = [
    "Artifact",
    "BadConstraint",
    "BadVersion",
    "CORE_AREAS",
    "Constraint",
    "Declaration",
    "Diff",
    "Difference",
    "Family",
    "FamilyKey",
    "FamilyReading",
    "Fault",
    "Manifest",
    "OPERATION_KINDS",
    "RESERVED_SLUGS",
    "ROLES",
    "Reading",
    "ValueFault",
    "Version",
    "canonical",
    "config_faults",
    "declaration",
    "diff",
    "folder",
    "namespace",
    "read",
    "read_family",
    "shipped",
    "versions",
    "wider",
]
