"""Which bytes a Range header means."""

import pytest

from moorage_core.pulls import rules
from moorage_core.pulls.rules import Span

ETAG = '"sha256:00"'


@pytest.mark.parametrize(
    ("wanted", "start", "end"),
    [
        (None, 0, 10),
        ("bytes=0-", 0, 10),
        ("bytes=3-", 3, 10),
        ("bytes=3-5", 3, 6),
        ("bytes=3-3", 3, 4),
        ("bytes=9-", 9, 10),
        ("bytes=3-1000", 3, 10),
        ("bytes=-4", 6, 10),
        ("bytes=-1000", 0, 10),
        (" bytes=3- ", 3, 10),
    ],
)
def test_a_range_means_these_bytes(wanted: str | None, start: int, end: int) -> None:
    assert rules.span(wanted, size=10, etag=ETAG) == Span(start, end, 10)


@pytest.mark.parametrize(
    "wanted",
    ["", "bytes=", "bytes=a-b", "bytes=5-3", "items=0-", "bytes=0-1,3-4", "bytes=٣-", "bytes=--1"],
)
def test_a_range_that_cannot_be_read_means_everything(wanted: str) -> None:
    assert rules.span(wanted, size=10, etag=ETAG) == Span(0, 10, 10)


@pytest.mark.parametrize("wanted", ["bytes=10-", "bytes=99-100", "bytes=-0"])
def test_bytes_that_are_not_there_are_refused(wanted: str) -> None:
    with pytest.raises(rules.RangeNotSatisfiable) as refused:
        rules.span(wanted, size=10, etag=ETAG)

    assert refused.value.headers == {"Content-Range": "bytes */10"}


def test_a_range_of_nothing_is_refused() -> None:
    assert rules.span(None, size=0, etag=ETAG) == Span(0, 0, 0)
    with pytest.raises(rules.RangeNotSatisfiable):
        rules.span("bytes=0-", size=0, etag=ETAG)


def test_a_range_of_other_bytes_means_everything() -> None:
    assert rules.span("bytes=3-", size=10, etag=ETAG, if_range=ETAG).start == 3
    assert rules.span("bytes=3-", size=10, etag=ETAG, if_range='"other"').start == 0


def test_a_part_says_which_part_it_is() -> None:
    assert Span(3, 6, 10).headers == {"content-length": "3", "content-range": "bytes 3-5/10"}
    assert Span(0, 10, 10).headers == {"content-length": "10"}
