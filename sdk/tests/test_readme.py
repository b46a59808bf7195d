"""The example in the README runs."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from moorage import Client
from sdk.tests.running import Platform

README = Path(__file__).resolve().parents[1] / "README.md"


async def test_the_example_does_what_it_says(
    platform: Platform, token: str, admin: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    found = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {}
    exec(found.group(1), names)
    main: Callable[[str, str], Awaitable[None]] = names["main"]

    await main(platform.url, token)

    said = capsys.readouterr().out
    assert "acme Acme & Sons" in said
    assert "slug_taken" in said
