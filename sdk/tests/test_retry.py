"""When a request is sent again, decided without a network."""

from typing import Any

import pytest

from moorage import ApiError, CertificateRefused, Unreachable
from moorage._operation import RouteClass
from moorage._retry import LONGEST_PAUSE, Patience, may_repeat, pause

IDS: dict[str, Any] = {"correlation_id": "c0rrelation"}


def refusal(status: int, code: str = "whatever", **more: Any) -> ApiError:
    return ApiError("No.", status=status, code=code, **IDS, **more)


@pytest.mark.parametrize(
    ("error", "read", "mutation", "machine"),
    [
        (Unreachable("refused", sent=False, **IDS), True, True, True),
        (Unreachable("lost", sent=True, **IDS), True, True, False),
        (CertificateRefused("stranger", sent=False, **IDS), False, False, False),
        (refusal(429, "too_many_requests"), True, True, True),
        (refusal(503, "busy"), True, True, True),
        (refusal(503, "http_503"), True, True, False),
        (refusal(502, "http_502"), True, True, False),
        (refusal(504, "http_504"), True, True, False),
        (refusal(409, "in_progress"), True, True, True),
        (refusal(409, "slug_taken"), False, False, False),
        (refusal(500, "internal"), False, False, False),
        (refusal(401, "unauthenticated"), False, False, False),
        (refusal(404, "not_found"), False, False, False),
        (refusal(422, "malformed"), False, False, False),
    ],
)
def test_what_may_be_repeated(
    error: ApiError | Unreachable, *, read: bool, mutation: bool, machine: bool
) -> None:
    kinds: tuple[RouteClass, ...] = ("read", "mutation", "machine")

    assert [may_repeat(error, kind=kind) for kind in kinds] == [read, mutation, machine]


def test_a_machine_call_with_a_new_proof_for_each_try_may_be_repeated() -> None:
    lost = Unreachable("lost", sent=True, **IDS)

    assert may_repeat(lost, kind="machine", repeatable=True)


def test_pauses_double_and_scatter_and_end_somewhere() -> None:
    shortest = [pause(tries, asked=None, luck=0.0) for tries in range(1, 40)]
    longest = [pause(tries, asked=None, luck=1.0) for tries in range(1, 40)]

    assert longest[:4] == [0.1, 0.2, 0.4, 0.8]
    assert shortest == [length / 2 for length in longest]
    assert max(longest) == LONGEST_PAUSE


def test_a_pause_is_as_long_as_the_platform_asked() -> None:
    assert pause(1, asked=7.0, luck=0.5) == 7.0


def test_patience_ends_before_a_pause_that_would_outlast_it() -> None:
    patience = Patience(seconds=10)

    assert patience.next(refusal(429, retry_after=3.0), spent=0) == 3.0
    assert patience.next(refusal(429, retry_after=3.0), spent=8) is None
