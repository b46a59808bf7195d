"""Keeps our cookies out of the HTTP library's debug lines, which show an answer's headers whole."""

import logging
import re

LOGGERS = ("httpcore2.http11", "httpcore2.http2")
COOKIE = re.compile(r"(moorage_\w+=)[^;'\"\\]+")


def hide_cookies() -> None:
    """Safe to call often: a filter is added once."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_without_cookies)


def _without_cookies(record: logging.LogRecord) -> bool:
    if isinstance(record.msg, str):
        record.msg = COOKIE.sub(r"\1…", record.msg)
    return True
