"""Versions as ETags: an update says which version it changes, so no change is lost to another."""

from typing import Annotated

from fastapi import Depends, Header
from starlette.responses import Response

from moorage_core.errors import ApiError, ConditionMissing, Stale

ERRORS: tuple[type[ApiError], ...] = (ConditionMissing, Stale)


def of(version: int) -> str:
    return f'"{version}"'


def put(response: Response, version: int) -> None:
    response.headers["etag"] = of(version)


ETAG = r'^(W/)?"[0-9]{1,9}"$'


async def _required_version(
    if_match: Annotated[
        str | None,
        Header(pattern=ETAG, description='The ETag that you read, for example `"3"`. Required.'),
    ] = None,
) -> int:
    version = _version(if_match)
    if version is None:
        raise ConditionMissing(
            "Send the ETag of the version that you read in the If-Match header, "
            "so that a change made by somebody else in between is not lost."
        )
    return version


async def _optional_version(
    if_match: Annotated[
        str | None,
        Header(pattern=ETAG, description="The ETag that you read. Optional."),
    ] = None,
) -> int | None:
    return _version(if_match)


def _version(value: str | None) -> int | None:
    return None if value is None else int(value.removeprefix("W/").strip('"'))


ExpectedVersion = Annotated[int, Depends(_required_version)]
OptionalVersion = Annotated[int | None, Depends(_optional_version)]


def check(noun: str, id: str, *, have: int, expected: int | None) -> None:
    """Refuse an update of a version that is no longer the newest."""
    if expected is not None and have != expected:
        raise Stale(
            f"The {noun} {id} is at version {have}, you read version {expected}."
            " Read it again, then decide."
        )
