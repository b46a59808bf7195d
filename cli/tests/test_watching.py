"""Following an operation through an outage of the platform."""

from collections.abc import Awaitable, Callable

import pytest

import moorage
from cli.tests.test_sight import operation
from moorage_cli import watching
from moorage_cli.sight import Sight

AWAY = moorage.Unreachable("Nobody answers.", sent=True, correlation_id="c")
REFUSED = moorage.CertificateRefused("Who is that?", sent=False, correlation_id="c")
STRANGE = moorage.Unauthenticated(
    "Sign in.", status=401, code="unauthenticated", correlation_id="c"
)
RUNS, ENDED = Sight(operation(status="running")), Sight(operation(status="succeeded"))


def looking(*answers: Sight | Exception) -> Callable[[Sight | None], Awaitable[Sight]]:
    """What comes of one look after the other."""
    left = list(answers)

    async def look(after: Sight | None) -> Sight:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return look


async def test_an_outage_is_outlasted_and_said_once() -> None:
    said: list[str] = []

    seen = [
        each
        async for each in watching.looks(
            looking(RUNS, AWAY, AWAY, AWAY, RUNS, AWAY, ENDED), say=said.append, pause=0
        )
    ]

    assert [each.operation.status for each in seen] == ["running", "running", "succeeded"]
    assert said == [watching.AWAY, watching.BACK, watching.AWAY, watching.BACK]


@pytest.mark.parametrize("answers", [(AWAY,), (RUNS, REFUSED), (RUNS, STRANGE)])
async def test_what_no_waiting_mends_ends_the_showing(
    answers: tuple[Sight | Exception, ...],
) -> None:
    said: list[str] = []

    with pytest.raises(moorage.MoorageError):
        async for _ in watching.looks(looking(*answers), say=said.append, pause=0):
            pass

    assert said == []
