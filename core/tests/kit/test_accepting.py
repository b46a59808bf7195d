"""What a caller takes."""

import pytest

from moorage_core.kit import accepting


@pytest.mark.parametrize(
    ("header", "wanted", "takes"),
    [
        ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html", True),
        ("application/json, Text/HTML;q=0.5", "text/html", True),
        ("*/*", "text/html", False),
        ("application/json", "text/html", False),
        ("text/html;q=0", "text/html", False),
        ("", "text/html", False),
        ("gzip, deflate, br", "gzip", True),
        ("br;q=1.0, gzip;q=0.8", "gzip", True),
        ("gzip;q=0.0", "gzip", False),
    ],
)
def test_what_is_named_and_not_refused_is_taken(header: str, wanted: str, takes: bool) -> None:
    assert accepting.takes(header, wanted) is takes
