"""Log lines: one JSON object each, with correlation and trace id, and never a secret.

Scrubbing is the last resort, not the plan: secrets are kept out of log calls in the first place. A
value is masked when its key names a secret or when it looks like one of our tokens, a JWT or a
credential header, also inside longer text. What an exception says is not written at all: databases
repeat what they were given, and that is tenants'. Class, code and trace are enough to find it
by.
"""

import errno
import logging
import re
import sys
import traceback
from collections.abc import Mapping, MutableMapping
from typing import Any, cast

import psycopg
import structlog

from moorage_core.errors import ApiError

MASK = "[secret]"
_KEYS = re.compile(
    r"(^|[_.-])(password|passwd|passphrase|secret|token|authorization|cookie|credential|assertion"
    r"|api_?key|private_?key|code_verifier)$",
    re.I,
)
_VALUES = re.compile(
    r"moor_[a-z]{3}_[A-Za-z0-9_-]{16,}"
    r"|whsec_[A-Za-z0-9+/=]{16,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=Basic )[A-Za-z0-9+/=]{8,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----"
    r"|(?<=://)[^\s:/@]*:[^\s/@]+(?=@)"
    r"|(?<=password=)('[^']*'|[^\s&;']+)"
)


def scrub(value: Any, *, key: str = "") -> Any:
    """The value with everything secret masked."""
    if isinstance(value, str):
        return MASK if value and _KEYS.search(key) else _VALUES.sub(MASK, value)
    if isinstance(value, Mapping):
        items = cast(Mapping[Any, Any], value).items()
        return {name: scrub(item, key=str(name)) for name, item in items}
    if isinstance(value, list | tuple | set | frozenset):
        return [scrub(item, key=key) for item in cast(list[Any], value)]
    if isinstance(value, int | float | bool | type(None)):
        return value
    return MASK if _KEYS.search(key) else _VALUES.sub(MASK, str(value))


def named(err: BaseException) -> str:
    """What an error is, without what it says: its class, and its code where it has one."""
    code = None
    if isinstance(err, psycopg.Error):
        code = err.sqlstate
    elif isinstance(err, ApiError):
        code = err.code
    elif isinstance(err, OSError):
        code = errno.errorcode.get(err.errno or 0)
    return f"{type(err).__name__} {code}" if code else type(err).__name__


def trace(err: BaseException) -> str:
    """Where an error came from, with what caused it first, and without what any of them says."""
    parts, seen = list[str](), set[int]()
    at: BaseException | None = err
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        frames = "".join(traceback.format_tb(at.__traceback__))
        parts.append(f"Traceback (most recent call last):\n{frames}{named(at)}")
        if isinstance(at, BaseExceptionGroup):
            group = cast(BaseExceptionGroup[BaseException], at)
            parts += [f"Part of it: {trace(each)}" for each in group.exceptions]
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return "\n\n".join(reversed(parts))


def _scrub_line(_: Any, __: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {name: scrub(value, key=name) for name, value in line.items()}


def configure(*, level: str = "info", format: str = "json") -> None:
    """Send every line, ours and the libraries', through one chain to standard error."""
    chain: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.ExceptionRenderer(lambda exc_info: trace(exc_info[1])),
        _scrub_line,
    ]
    renderer = (
        structlog.processors.JSONRenderer() if format == "json" else structlog.dev.ConsoleRenderer()
    )
    threshold = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*chain, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=chain)
    )
    logging.basicConfig(handlers=[handler], level=max(threshold, logging.WARNING), force=True)
