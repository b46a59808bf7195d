"""Who calls the API in tests, and where their database is."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx2

from core.tests.factories.tenancy import Person


@dataclass(frozen=True)
class Urls:
    """The URLs of one test's database."""

    owner: str
    app: str
    system: str
    super: str


class Caller:
    """Somebody who calls the API: adds the token, and a fresh idempotency key to every change."""

    kind = "user"
    """What the audit log says they are."""

    def __init__(self, client: httpx2.AsyncClient, person: Person | None) -> None:
        self.client = client
        self.person = person

    @property
    def id(self) -> str:
        assert self.person is not None
        return self.person.id

    @property
    def proof(self) -> dict[str, str]:
        """The headers that say who calls."""
        return {} if self.person is None else {"authorization": f"Bearer {self.person.token}"}

    async def call(self, method: str, path: str, **options: Any) -> httpx2.Response:
        headers = {"idempotency-key": uuid.uuid4().hex} if method != "GET" else {}
        headers |= self.proof | options.pop("headers", {})
        return await self.client.request(method, path, headers=headers, **options)

    async def get(self, path: str, **options: Any) -> httpx2.Response:
        return await self.call("GET", path, **options)

    async def post(self, path: str, json: Any = None, **options: Any) -> httpx2.Response:
        return await self.call("POST", path, json=json, **options)

    async def put(self, path: str, json: Any, **options: Any) -> httpx2.Response:
        return await self.call("PUT", path, json=json, **options)

    async def patch(self, path: str, json: Any, *, version: int, **options: Any) -> httpx2.Response:
        headers = {"if-match": f'"{version}"'} | options.pop("headers", {})
        return await self.call("PATCH", path, json=json, headers=headers, **options)

    async def delete(self, path: str, **options: Any) -> httpx2.Response:
        return await self.call("DELETE", path, **options)


class Bearer(Caller):
    """Whoever holds a token, person or not."""

    def __init__(self, client: httpx2.AsyncClient, token: str) -> None:
        super().__init__(client, None)
        self.token = token

    @property
    def proof(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}


ActorMaker = Callable[..., Awaitable[Caller]]
