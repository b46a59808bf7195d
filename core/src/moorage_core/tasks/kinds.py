"""What each kind of task takes. Pure: shapes, and the few things that can be read off an input.

The agent checks again. What is refused here never costs a way to a node.
"""

import base64
import binascii
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from moorage_core.kit.wire import WHOLE, Input

Text = Annotated[str, StringConstraints(max_length=65_536, pattern=r"^[^\x00]*$")]
Word = Annotated[str, StringConstraints(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
Path = Annotated[str, StringConstraints(max_length=4096, pattern=r"^/[^\x00]*$")]
SecretName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_.-]{0,62}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Package = Annotated[
    str, StringConstraints(max_length=200, pattern=r"^[a-z0-9][a-z0-9+.:-]*(=[A-Za-z0-9.+:~-]+)?$")
]
Account = Annotated[str, StringConstraints(pattern=r"^[a-z_][a-z0-9_-]{0,31}$")]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
Part = Literal["inventory", "residue", "services", "listening"]
Size = Annotated[int, Field(ge=0, le=1 << 40), WHOLE]


class SecretReference(Input):
    """A secret of the operation, by its name. Its value goes to the node alone."""

    name: SecretName = Field(alias="$secret")


class Exec(Input):
    argv: Annotated[list[Text], Field(min_length=1, max_length=1000)]
    cwd: Path | None = None
    env: dict[Variable, Text] = Field(default_factory=dict, max_length=200)
    stdin: Text | SecretReference | None = None
    secret_files: list[SecretName] = Field(default_factory=list, max_length=50)


class Put(Input):
    path: Path
    content: Annotated[str, StringConstraints(max_length=700_000)] | SecretReference | None = None
    digest: Digest | None = None
    size: Size | None = None
    mode: Annotated[str, StringConstraints(pattern=r"^0[0-7]{3}$")] | None = None
    owner: Account | None = None
    group: Account | None = None
    parents: bool = False

    @model_validator(mode="after")
    def _one_content(self) -> Self:
        if (self.content is None) == (self.digest is None):
            raise _wrong("give either content or digest")
        if isinstance(self.content, str):
            _check_base64(self.content)
        return _with_size(self, self.digest, self.size)


class Get(Input):
    path: Path
    limit: Annotated[int, Field(ge=1, le=1 << 26), WHOLE] | None = None


class Packages(Input):
    present: list[Package] = Field(default_factory=list, max_length=500)
    absent: list[Package] = Field(default_factory=list, max_length=500)
    start: bool = True
    digest: Digest | None = None
    size: Size | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.present or self.absent or self.digest):
            raise _wrong("name a package that is to be present or absent, or a digest")
        return _with_size(self, self.digest, self.size)


class Service(Input):
    unit: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9@._:-]{1,200}\.[a-z]{4,9}$")]
    state: Literal["started", "stopped", "restarted", "reloaded"] | None = None
    enabled: bool | None = None
    content: Text | None = None


class AccessSync(Input):
    """Empty when it is asked for: what goes to the node is made when it is handed over."""


class Probe(Input):
    parts: list[Part] = Field(default_factory=list, max_length=4)
    argv: list[Word] = Field(default_factory=list, max_length=100)

    @model_validator(mode="after")
    def _one_wish(self) -> Self:
        if bool(self.parts) == bool(self.argv):
            raise _wrong("give either parts or argv")
        return self


class Wipe(Input):
    """Nothing to say: everything goes."""


KINDS: dict[str, type[Input]] = {
    "exec": Exec,
    "put": Put,
    "get": Get,
    "packages": Packages,
    "service": Service,
    "access-sync": AccessSync,
    "probe": Probe,
    "wipe": Wipe,
}
PLATFORMS_OWN = frozenset({"access-sync", "wipe"})
"""Kinds that only the platform itself asks for."""
IN_QUARANTINE = frozenset({"access-sync"})
"""What goes to a node that was taken out, too: whoever lost access loses it there as well."""
ENSURING = frozenset({"put", "get", "packages", "service", "access-sync", "probe", "wipe"})
"""Kinds that can be asked for again when nobody knows how they ended."""


def secret_names(kind: str, given: dict[str, Any]) -> list[str]:
    """The secrets that an input refers to."""
    field = {"exec": "stdin", "put": "content"}.get(kind, "")
    value: Any = given.get(field)
    named: set[str] = {value["$secret"]} if isinstance(value, dict) else set()
    if kind == "exec":
        named |= set(given.get("secret_files", []))
    return sorted(named)


def digest_of(given: dict[str, Any]) -> str | None:
    """The artifact that an input names."""
    return given.get("digest")


def _check_base64(content: str) -> None:
    try:
        base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as err:
        raise _wrong("content is not base64") from err


def _with_size(wish: Any, digest: str | None, size: int | None) -> Any:
    if (digest is None) != (size is None):
        raise _wrong("digest and size belong together")
    return wish


def _wrong(why: str) -> PydanticCustomError:
    return PydanticCustomError("task_input", "{why}", {"why": why})
