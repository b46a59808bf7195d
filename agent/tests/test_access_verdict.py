"""What a list of people that was not carried out whole is reported as."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from moorage_agent import commands
from moorage_agent.accounts import Host
from moorage_agent.commands import Completed
from moorage_agent.kinds import access_sync
from moorage_agent.kinds.access_sync import Told
from moorage_agent.people import Person
from moorage_agent.sshd import Server
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


def nothing_installed(
    argv: Sequence[str], *, stdin: bytes | None = None, timeout: float = 30
) -> Completed:
    return Completed(commands.ABSENT)


@pytest.mark.parametrize(
    ("principals", "codes"), [((), []), (("grn_1",), ["sshd_missing"])], ids=["account", "way in"]
)
def test_a_host_without_an_ssh_server_has_accounts_and_no_ways_in(
    tmp_path: Path, principals: tuple[str, ...], codes: list[str]
) -> None:
    told = Told()
    wanted = [Person("root", None, principals=principals, external=True)]
    host, server = Host(tmp_path, nothing_installed), Server(tmp_path, nothing_installed)

    access_sync.sync(tmp_path, wanted, [], told, host=host, server=server)

    assert told.present == ["root"]
    assert [failure.code for failure in told.failures] == codes
