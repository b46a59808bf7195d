"""What a call is made of: the operation, what it says, and the options that go with any call."""

import re
from collections.abc import AsyncIterable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from moorage._model import Model

RouteClass = Literal["read", "mutation", "machine"]
Body = Model | Callable[[], Model] | None
"""A function is asked anew for every try: for proofs that can be used once."""

_FORMS = {
    "idempotency_key": re.compile(r"[!-~]{1,128}"),
    "correlation_id": re.compile(r"[A-Za-z0-9._-]{8,64}"),
    "traceparent": re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}"),
}


@dataclass(frozen=True)
class Operation:
    """One operation of the contract."""

    id: str
    method: str
    path: str
    kind: RouteClass
    public: bool = False
    """Needs no credentials, so none are sent."""


@dataclass(frozen=True)
class Arguments:
    """What one call says."""

    path: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Body = field(default=None, repr=False)
    content: Callable[[], AsyncIterable[bytes]] | None = field(default=None, repr=False)
    """Bytes as they are, in place of a body; asked for anew for every try."""
    version: int | None = None
    """The version that the change is made to, sent as If-Match."""
    wait: float = 0
    """Seconds that the platform may take before it answers."""


@dataclass(frozen=True)
class Options:
    """What may go with any call."""

    idempotency_key: str | None = None
    correlation_id: str | None = None
    traceparent: str | None = None

    def __post_init__(self) -> None:
        # The platform would replace a malformed id by its own, and the trail would be lost.
        for name, form in _FORMS.items():
            value = getattr(self, name)
            if value is not None and not form.fullmatch(value):
                raise ValueError(f"The {name} does not have the form {form.pattern}.")


def address(operation: Operation, arguments: Arguments) -> str:
    """The path with its ids in place, none of which can reach out of its segment."""
    for name, value in arguments.path.items():
        if value in {"", ".", ".."}:
            raise ValueError(f"{value!r} is not the id of a {name}.")
    filled = {name: quote(value, safe="") for name, value in arguments.path.items()}
    return operation.path.format_map(filled)


def query(arguments: Arguments) -> dict[str, Any]:
    """The query without what was left out."""
    return {name: value for name, value in arguments.query.items() if value not in (None, (), [])}


def body(arguments: Arguments) -> bytes | AsyncIterable[bytes] | None:
    """Bytes as they are, or JSON without what was left out."""
    if arguments.content is not None:
        return arguments.content()
    given = arguments.body() if callable(arguments.body) else arguments.body
    return None if given is None else given.model_dump_json(exclude_none=True).encode()
