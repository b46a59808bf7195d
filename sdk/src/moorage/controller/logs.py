"""Log lines of a controller: JSON, each with the operation and the correlation id it belongs to."""

import json
import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

_about: ContextVar[Mapping[str, str]] = ContextVar("moorage_about", default={})  # noqa: B039


@contextmanager
def about(**ids: str | None) -> Generator[None]:
    """Everything that is logged within is about these."""
    known = {name: value for name, value in ids.items() if value is not None}
    token = _about.set({**_about.get(), **known})
    try:
        yield
    finally:
        _about.reset(token)


class Lines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_about.get(),
        }
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False)


def to(stream: TextIO, *, level: int = logging.INFO) -> None:
    """Log to a stream, from here on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # A line for every request would bury the others.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
