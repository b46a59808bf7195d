"""Which file an address means, and what goes out with it."""

import base64
import hashlib
from pathlib import PurePosixPath

import pytest

from moorage_core.console import rules
from moorage_core.console.rules import Area


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("/", Area.CONSOLE),
        ("/projects/prj_1/instances", Area.CONSOLE),
        ("/docsite", Area.CONSOLE),
        ("/v1", Area.API),
        ("/v1/nowhere", Area.API),
        ("/metrics", Area.API),
        ("/.well-known/jwks.json", Area.API),
        ("/docs", Area.DOCS),
        ("/docs/howto/", Area.DOCS),
        ("/assets/index-abc.js", Area.ASSETS),
    ],
)
def test_the_first_word_says_whose_an_address_is(path: str, area: Area) -> None:
    assert rules.area(path) is area


@pytest.mark.parametrize(
    "path",
    [
        "/../secret",
        "/assets/../../secret",
        "/assets/./a.js",
        "/assets//etc/passwd",
        "/.git/config",
        "/assets/a\x00.js",
        "/assets/a\\..\\b",
        "/assets/" + "a" * 300,
        "/assets/\ud800.js",
        "/",
    ],
)
def test_an_address_that_could_lead_out_names_no_file(path: str) -> None:
    assert rules.relative(path) is None


def test_a_plain_address_names_a_file() -> None:
    assert rules.relative("/assets/index-1a.js") == PurePosixPath("assets/index-1a.js")


@pytest.mark.parametrize(
    ("given", "known"),
    [('"a"', True), ('W/"a"', True), ('"b", "a"', True), ("*", True), ('"b"', False), ("", False)],
)
def test_a_tag_says_whether_the_caller_has_the_file(given: str, known: bool) -> None:
    assert rules.is_known(given, '"a"') is known


def test_scripts_that_stand_in_a_page_are_allowed_by_their_digest() -> None:
    page = b'<script src="/a.js"></script><script type="module">go()</script>'

    found = rules.policy(rules.inline_scripts(page))

    digest = base64.b64encode(hashlib.sha256(b"go()").digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in found


def test_no_page_may_evaluate_text_or_be_framed() -> None:
    found = rules.policy(())

    assert "unsafe-eval" not in found
    assert "script-src 'self';" in found
    assert "frame-ancestors 'none'" in found
