"""Rows of families and admissions."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class FamilyRow:
    name: str
    description: str
    keys: list[dict[str, str | None]]
    """Each with `key`, `description` and `means`: the generic key it stands for, or null."""
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Admission:
    family: str
    app_id: str
    slug: str
    """Of the app."""
    keys: list[str]
    """The most of the family's keys that a version of the app may use."""
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Candidate:
    """An app as those see it who admit it, whoever's it is."""

    id: str
    org_id: str
    project_id: str
    slug: str
