"""Writes the SDK's models from the OpenAPI document."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any


def outputs(document: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    yield from ()
