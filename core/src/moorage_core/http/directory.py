"""Finds a request's route by the words of its path.

The framework tries one route after the other, and there are hundreds. Here a path is followed word
by word, a parameter standing for any word, to the few routes that it can be. Those are tried as the
framework would try them, in the order in which they were declared. What none of them takes in full
goes the framework's own way, which knows how to refuse it.
"""

from collections.abc import Iterable

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

_ANY = "{}"


class Directory:
    """Stands in front of a router, and knows the way of it."""

    def __init__(self, routes: Iterable[APIRoute], otherwise: ASGIApp) -> None:
        self._otherwise = otherwise
        self._routes = list(routes)
        self._top = _Shelf()
        for number, route in enumerate(self._routes):
            self._top.add(route.path.split("/"), number)

    def find(self, path: str) -> list[APIRoute]:
        """The routes that can be meant by a path, the one declared first before the others."""
        shelves = [self._top]
        for word in path.split("/"):
            shelves = [below for shelf in shelves for below in shelf.under(word)]
        return [self._routes[number] for number in sorted(n for one in shelves for n in one.here)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope.get("root_path"):
            for route in self.find(scope["path"]):
                match, found = route.matches(scope)
                if match is Match.FULL:
                    scope.update(found)
                    await route.handle(scope, receive, send)
                    return
        await self._otherwise(scope, receive, send)


class _Shelf:
    """What stands below some words: more words, and the routes that end here."""

    def __init__(self) -> None:
        self.here: list[int] = []
        self._below: dict[str, _Shelf] = {}

    def add(self, words: list[str], number: int) -> None:
        if not words:
            self.here.append(number)
            return
        if ":path}" in words[0]:
            raise ValueError("A parameter that spans words has no place in the directory.")
        first = _ANY if "{" in words[0] else words[0]
        self._below.setdefault(first, _Shelf()).add(words[1:], number)

    def under(self, word: str) -> "list[_Shelf]":
        names = (word,) if word == _ANY else (word, _ANY)
        return [self._below[name] for name in names if name in self._below]


def methods(app: FastAPI, scope: Scope) -> set[str]:
    """Every method that a request's address takes."""
    front = app.router.middleware_stack
    found = front.find(scope["path"]) if isinstance(front, Directory) else []
    meant = [route for route in found if route.matches(scope)[0] is not Match.NONE]
    return {method for route in meant for method in route.methods or ()}


def install(app: FastAPI, routes: Iterable[APIRoute]) -> None:
    """Put a directory of these routes in front of the application's own router."""
    app.router.middleware_stack = Directory(routes, otherwise=app.router.middleware_stack)
