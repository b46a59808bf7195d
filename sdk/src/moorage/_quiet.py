"""Keeps what proves somebody out of the HTTP library's own log lines.

Its debug lines show an answer's headers whole, and so a new session's cookie; its request lines
show addresses whole, and so the code that a sign-in provider gave. What is not ours stays as it is.
"""

import logging
import re

HEADERS = ("httpcore2.http11", "httpcore2.http2")
REQUESTS = "httpx2"
COOKIE = re.compile(r"(moorage_\w+=)[^;'\"\\]+")
SIGN_IN = "/v1/auth/"


def hide_secrets() -> None:
    """Safe to call often: a filter is added once."""
    for name in HEADERS:
        logging.getLogger(name).addFilter(_without_cookies)
    logging.getLogger(REQUESTS).addFilter(_without_query)


def _without_cookies(record: logging.LogRecord) -> bool:
    if isinstance(record.msg, str):
        record.msg = COOKIE.sub(r"\1…", record.msg)
    return True


def _without_query(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple(
            str(part).partition("?")[0] if SIGN_IN in str(part) else part for part in record.args
        )
    return True
