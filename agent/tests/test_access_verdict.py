"""What a list of people that was not carried out whole is reported as."""

import pytest

from moorage_agent.kinds.access_sync import Told
from moorage_agent.tasks import Failed

CLASH = {"bob": "The host has a user bob of its own."}
REMAIN = Failed("sessions_remain", "Processes of alice outlive a kill.")
REFUSED = Failed("sudo_refused", "visudo refused the file.")


@pytest.mark.parametrize(
    ("clashes", "failures", "code"),
    [
        ({}, [], None),
        (CLASH, [], "login_clash"),
        ({}, [REFUSED], "sudo_refused"),
        (CLASH, [REFUSED], "sudo_refused"),
        (CLASH, [REMAIN], "sessions_remain"),
        (CLASH, [REFUSED, REMAIN], "sessions_remain"),
        ({}, [REFUSED, REMAIN], "sessions_remain"),
    ],
)
def test_a_clash_hides_nothing_that_was_not_done(
    clashes: dict[str, str], failures: list[Failed], code: str | None
) -> None:
    told = Told(clashes=clashes, failures=failures)

    failure = told.failure({"clashes": clashes})

    assert (failure and failure.code) == code
    if failure is not None and clashes:
        assert CLASH["bob"] in failure.message
        assert failure.result == {"clashes": CLASH}
