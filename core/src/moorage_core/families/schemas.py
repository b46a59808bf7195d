"""Wire shapes of families and admissions."""

from typing import Annotated

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import AppId
from moorage_core.kit.wire import SHOWN, Input, Moment, Output
from moorage_manifest import forms

MAX_KEYS = 200

FamilyName = Annotated[str, StringConstraints(max_length=40, pattern=f"^{forms.SLUG.pattern}$")]
Key = Annotated[str, StringConstraints(max_length=120, pattern=f"^{forms.KEY.pattern}$")]
Line = Annotated[str, StringConstraints(max_length=200, pattern=SHOWN)]
Prose = Annotated[
    str,
    StringConstraints(
        max_length=4000,
        pattern=r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x08\x0b-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$",
    ),
]
"""Lines of text for people: no control characters but tabs and line ends."""


class FamilyKeyWrite(Input):
    key: Key
    """In full: it begins with the family's name, hyphens written as underscores."""
    description: Line
    """What its holder can do."""
    means: Key | None = None
    """The platform's key that it stands for, limited to apps of the family. Null: it is checked by
    the actions and views that name it."""


class FamilyWrite(Input):
    """The family as it should be. Keys may be added and reworded, never taken away."""

    description: Prose
    """What its apps have in common."""
    keys: Annotated[list[FamilyKeyWrite], Field(min_length=1, max_length=MAX_KEYS)]


class FamilyKeyRead(Output):
    key: str
    description: str
    means: str | None


class FamilyRead(Output):
    name: str
    description: str
    keys: list[FamilyKeyRead]
    version: int
    created_at: Moment
    updated_at: Moment


class AdmissionWrite(Input):
    keys: Annotated[list[Key], Field(max_length=MAX_KEYS)]
    """The most of the family's keys that a version of the app may use."""


class AdmissionRead(Output):
    family: str
    app_id: AppId
    slug: str
    """Of the app."""
    keys: list[str]
    version: int
    created_at: Moment
    updated_at: Moment
