"""Somebody who calls the platform over its own TLS, with one line for each call."""

import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

WITHIN = 180.0


class Refused(Exception):
    """The platform answered with a problem."""

    def __init__(self, answer: httpx2.Response) -> None:
        document = answer.json()
        super().__init__(f"{answer.status_code} {document.get('code')}: {document.get('detail')}")
        self.status = answer.status_code
        self.code = document.get("code")


@dataclass
class Caller:
    """One person or program."""

    url: str
    ca: Path
    token: str = field(default="", repr=False)
    said: list[str] = field(default_factory=list[str], repr=False)
    """Every answer, for whoever looks for secrets in them."""

    def __post_init__(self) -> None:
        context = ssl.create_default_context(cafile=str(self.ca))
        self.http = httpx2.Client(base_url=self.url, verify=context, timeout=60, trust_env=False)

    def answer(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """The answer, whatever it is."""
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        if method != "GET":
            headers["idempotency-key"] = uuid.uuid4().hex
        headers |= options.pop("headers", {})
        answer = self.http.request(method, path, headers=headers, **options)
        self.said.append(answer.text)
        return answer

    def call(self, method: str, path: str, **options: Any) -> Any:
        """The document that was answered; a refusal is raised."""
        answer = self.answer(method, path, **options)
        if answer.status_code >= 400:
            raise Refused(answer)
        return answer.json() if answer.content else None

    def get(self, path: str, **options: Any) -> Any:
        return self.call("GET", path, **options)

    def post(self, path: str, json: Any = None, **options: Any) -> Any:
        return self.call("POST", path, json=json, **options)

    def patch(self, path: str, json: Any, *, version: int) -> Any:
        return self.call("PATCH", path, json=json, headers={"if-match": f'"{version}"'})

    def put(self, path: str, json: Any, **options: Any) -> Any:
        return self.call("PUT", path, json=json, **options)

    def delete(self, path: str, **options: Any) -> Any:
        return self.call("DELETE", path, **options)

    def until(self, path: str, is_so: Callable[[Any], object], *, seconds: float = WITHIN) -> Any:
        """Ask again until something is so of the answer; that answer."""
        tries = _tries(seconds)
        while not is_so(found := self.get(path)):
            assert next(tries), f"{path} never became so: {found}"
        return found


def wait_until(is_so: Callable[[], object], *, seconds: float = WITHIN) -> None:
    """Look again until it is so."""
    tries = _tries(seconds)
    while not is_so():
        assert next(tries), "it never became so"


def _tries(seconds: float) -> Iterator[bool]:
    """Pauses, which grow: whoever waits for long leaves the machine to what is waited for."""
    deadline, between = time.monotonic() + seconds, 0.05
    while time.monotonic() < deadline:
        pause(between)
        yield True
        between = min(between * 1.2, 0.5)
    yield False


def pause(seconds: float) -> None:
    threading.Event().wait(seconds)
