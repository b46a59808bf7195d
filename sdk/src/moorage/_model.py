"""The base of all models, and the page."""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

T = TypeVar("T")

SECRETS = frozenset(
    {
        "access_token",
        "client_assertion",
        "client_secret",
        "code",
        "csrf_token",
        "current",
        "password",
        "private_key",
        "secret",
        "token",
    }
)
"""Fields whose value must not turn up in a log because somebody printed the object around it."""


class Model(BaseModel):
    """A shape of the contract.

    Fields that this release does not know are ignored, so that it works with a newer platform.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            hidden = name in SECRETS and value is not None
            yield name, "…" if hidden else value


class Page(Model, Generic[T]):
    """One page of a list."""

    items: list[T]
    next: str | None = None
    """Where the next page begins; None on the last."""


class HasId(Protocol):
    """An object of the platform."""

    @property
    def id(self) -> str: ...


class Versioned(HasId, Protocol):
    """An object that can be changed."""

    @property
    def version(self) -> int: ...


def id_of(thing: HasId | str) -> str:
    return thing if isinstance(thing, str) else thing.id


def version_of(thing: Versioned | str, version: int | None = None) -> int | None:
    """The version that a change is meant for: the one given, or the one that was read."""
    if version is not None or isinstance(thing, str):
        return version
    return thing.version


def words(given: Sequence[str] | None) -> list[str] | None:
    return None if given is None else [*given]
