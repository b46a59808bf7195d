"""How the methods of a resource become calls: each declares its operation and says what goes where.

    @call(operations.GET_ORG, models.OrgRead)
    def get(self, org: str) -> Arguments:
        return Arguments(path={"org": org})

is, to its caller, `async def get(self, org: str) -> models.OrgRead`.
"""

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import httpx2
from pydantic import ValidationError

from moorage._model import Model, Page
from moorage._operation import Arguments, Operation, Options
from moorage._problem import BadAnswer
from moorage._transport import Transport

P = ParamSpec("P")
M = TypeVar("M", bound=Model)
G = TypeVar("G", bound="Group")


@dataclass(frozen=True)
class Redirect:
    """An answer for browsers: where to go, and the cookies to take along."""

    location: str
    cookies: Mapping[str, str] = field(repr=False)


A = TypeVar("A", str, Redirect, dict[str, Any])


class Group:
    """The methods of one kind of object."""

    def __init__(self, transport: Transport, options: Options) -> None:
        self._transport = transport
        self._options = options

    async def _send(self, operation: Operation, arguments: Arguments) -> httpx2.Response:
        return await self._transport.send(operation, arguments, self._options)


class Pages(Generic[M]):
    """A list, fetched page by page while you go through it with `async for`."""

    def __init__(self, fetch: Callable[[str | None], Coroutine[Any, Any, Page[M]]]) -> None:
        self._fetch = fetch

    async def __aiter__(self) -> AsyncIterator[M]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def pages(self) -> AsyncIterator[Page[M]]:
        """The list as the platform cuts it."""
        after: str | None = None
        while True:
            page = await self._fetch(after)
            yield page
            if page.next is None:
                return
            after = page.next

    async def all(self) -> list[M]:
        """Everything at once."""
        return [item async for item in self]


@overload
def call(
    operation: Operation, answer: type[M]
) -> Callable[
    [Callable[Concatenate[G, P], Arguments]], Callable[Concatenate[G, P], Coroutine[Any, Any, M]]
]: ...
@overload
def call(
    operation: Operation, answer: None
) -> Callable[
    [Callable[Concatenate[G, P], Arguments]], Callable[Concatenate[G, P], Coroutine[Any, Any, None]]
]: ...
@overload
def call(
    operation: Operation, answer: type[A]
) -> Callable[
    [Callable[Concatenate[G, P], Arguments]], Callable[Concatenate[G, P], Coroutine[Any, Any, A]]
]: ...
def call(operation: Operation, answer: type[Any] | None) -> Any:
    """Make a method one call of an operation, answered by a model or by what stands in A."""

    def declare(arguments: Callable[..., Arguments]) -> Callable[..., Coroutine[Any, Any, Any]]:
        @functools.wraps(arguments)
        async def method(self: Group, *args: Any, **kwargs: Any) -> Any:
            response = await self._send(operation, arguments(self, *args, **kwargs))  # pyright: ignore[reportPrivateUsage]
            return answer if answer is None else _read(answer, response)

        return _declared(method, operation, answer)

    return declare


def listing(
    operation: Operation, item: type[M]
) -> Callable[[Callable[Concatenate[G, P], Arguments]], Callable[Concatenate[G, P], Pages[M]]]:
    """Make a method a list of an operation's items."""
    page = Page[item]

    def declare(
        arguments: Callable[Concatenate[G, P], Arguments],
    ) -> Callable[Concatenate[G, P], Pages[M]]:
        @functools.wraps(arguments)
        def method(self: G, *args: P.args, **kwargs: P.kwargs) -> Pages[M]:
            asked = arguments(self, *args, **kwargs)

            async def fetch(after: str | None) -> Page[M]:
                query = asked.query if after is None else {**asked.query, "after": after}
                said = Arguments(path=asked.path, query=query)
                return read(page, await self._send(operation, said))  # pyright: ignore[reportPrivateUsage]

            return Pages(fetch)

        return _declared(method, operation, Pages[item])

    return declare


F = TypeVar("F", bound=Callable[..., Any])


def _declared(method: F, operation: Operation, answer: Any) -> F:
    """Mark the method with its operation, and show what it returns to whoever asks for help."""
    signature = inspect.signature(method)
    method.__dict__["operation"] = operation
    method.__dict__["__signature__"] = signature.replace(return_annotation=answer)
    return method


def _read(answer: type[Any], response: httpx2.Response) -> Any:
    if answer is str:
        return response.text
    if answer == dict[str, Any]:
        return response.json()
    if answer is Redirect:
        return Redirect(response.headers.get("location", ""), dict(response.cookies))
    return read(answer, response)


def read(answer: type[M], response: httpx2.Response) -> M:
    """The answer as a model, whatever else stands in it."""
    try:
        return answer.model_validate_json(response.content)
    except ValidationError as err:
        places = ", ".join(".".join(map(str, fault["loc"])) or "body" for fault in err.errors())
        raise BadAnswer(
            f"The answer does not have the form that this release of the SDK knows: {places}. "
            "Is this a Moorage platform, and is it older than the SDK?",
            correlation_id=response.headers.get("x-correlation-id", "none"),
        ) from err
