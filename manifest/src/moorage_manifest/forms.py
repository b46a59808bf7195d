"""The forms of words in a manifest: slugs, keys, digests, paths, times.

Each form says in its own words what it wants, because a pattern helps nobody who got it wrong. The
patterns are for JSON Schema too, so they keep to what every engine of regular expressions knows.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from moorage_manifest import versions
from moorage_manifest.vocabulary import CONTRACT

LONGEST_TIME = 7 * 24 * 3600
SECONDS = {"s": 1, "m": 60, "h": 3600}


def wrong(message: str) -> PydanticCustomError:
    """A fault in our own words, which may hold braces."""
    return PydanticCustomError("manifest", "{message}", {"message": message})


@dataclass(frozen=True)
class Form:
    """What a piece of text must look like, and how to say so."""

    pattern: str
    says: str
    longest: int = 200

    def check(self, value: str) -> str:
        if len(value) > self.longest:
            raise wrong(f"is longer than {self.longest} characters")
        if not re.fullmatch(self.pattern, value):
            raise wrong(self.says)
        return value

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "pattern": f"^(?:{self.pattern})$", "maxLength": self.longest}


SLUG = Form(
    r"[a-z][a-z0-9]*(-[a-z0-9]+)*",
    "must be lower-case letters, digits and single hyphens, beginning with a letter, "
    "such as 'batch-queue'",
    longest=40,
)
KEY = Form(
    r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){1,3}",
    "must be two to four words joined by dots, each of lower-case letters, digits and '_', "
    "such as 'echo.greeting.read'",
    longest=120,
)
COMPONENT = Form(
    r"[a-z][a-z0-9_]*(-[a-z0-9_]+)*",
    "must be lower-case letters, digits, '_' and single hyphens, beginning with a letter, "
    "such as 'worker'",
    longest=40,
)
LINE = Form(r"\S(.*\S)?", "must be one line of text, with no blanks around it")
PROSE = Form(r"\s*\S[\s\S]*", "must say something", longest=4000)
DIGEST = Form(
    r"sha256:[0-9a-f]{64}",
    "must be 'sha256:' and 64 hexadecimal digits in lower case; `sha256sum FILE` prints them",
    longest=71,
)
ARTIFACT_NAME = Form(
    r"[A-Za-z0-9][A-Za-z0-9._+-]*",
    "must be a plain name of letters, digits, '.', '_', '+' and '-', with no folder before it",
    longest=128,
)
MEDIA_TYPE = Form(
    r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*",
    "must be a media type in lower case, such as 'application/gzip'",
    longest=127,
)
RELATIVE = Form(
    r"(?!\.{0,2}(/|$))(?!.*/\.{0,2}(/|$))[^/\\:\x00-\x1f][^\\:\x00-\x1f]*",
    "must be a path inside the app's folder, with '/' between its parts: no leading '/', no '.' "
    "or '..', no backslash, no colon",
    longest=255,
)
USER = Form(
    r"[a-z_][a-z0-9_-]*", "must be the name of a user on the host, such as 'root'", longest=32
)
UNIT = Form(
    r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?",
    "must be a unit in lower case, such as 'gpu_seconds'",
    longest=40,
)
FIELD = Form(
    r"[^/\s][^/]*|(/[^/]+)+",
    "must be the name of a field of the schema, or the way to it, such as '/limits/jobs'",
)
WORD = Form(r"[a-z][a-z0-9_]*", "must be lower-case letters, digits and '_'", longest=40)


def check_version(value: str) -> str:
    try:
        return str(versions.parse(value))
    except versions.BadVersion as err:
        raise wrong(str(err)) from err


def seconds(value: Any) -> int:
    """A time as seconds: `90`, `90s`, `30m` or `2h`."""
    if isinstance(value, str) and (match := re.fullmatch(r"([0-9]{1,6})([smh])", value)):
        value = int(match[1]) * SECONDS[match[2]]
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong("must be a number of seconds, or such as '90s', '30m' or '2h'")
    if not 1 <= value <= LONGEST_TIME:
        raise wrong("must be between 1 second and 7 days (168h)")
    return value


def known_contract(value: Any) -> Any:
    """Another contract is no slip of the pen: say which one the platform speaks."""
    if isinstance(value, int) and value != CONTRACT:
        raise wrong(f"is another contract than the platform speaks, which is contract {CONTRACT}")
    return value


Slug = Annotated[str, SLUG]
Key = Annotated[str, KEY]
ComponentKey = Annotated[str, COMPONENT]
Line = Annotated[str, LINE]
Prose = Annotated[str, PROSE]
Digest = Annotated[str, DIGEST]
ArtifactName = Annotated[str, ARTIFACT_NAME]
MediaType = Annotated[str, MEDIA_TYPE]
RelativePath = Annotated[str, RELATIVE]
UserName = Annotated[str, USER]
Unit = Annotated[str, UNIT]
FieldName = Annotated[str, FIELD]
Word = Annotated[str, WORD]
Contract = Annotated[Literal[1], BeforeValidator(known_contract)]
VersionNumber = Annotated[
    str,
    Field(json_schema_extra={"pattern": versions.PATTERN, "maxLength": versions.LONGEST}),
    BeforeValidator(lambda value: check_version(value) if isinstance(value, str) else value),
]
Seconds = Annotated[
    int,
    BeforeValidator(
        seconds,
        json_schema_input_type=Annotated[int, Field(ge=1, le=LONGEST_TIME)]
        | Annotated[str, Field(pattern="^[0-9]{1,6}[smh]$")],
    ),
]
