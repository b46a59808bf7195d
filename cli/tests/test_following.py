"""`moor events --follow` as a process: events as they happen, until Ctrl-C."""

import json
import signal
import subprocess

import pytest

from cli.tests.conftest import Moor
from sdk.tests import running
from sdk.tests.running import MOOR


@pytest.mark.parametrize("form", ["table", "json"])
def test_events_are_shown_as_they_happen(admin: Moor, form: str) -> None:
    slug = f"f{running.free_port()}"
    org = admin("orgs", "create", slug, "--name", "F", "--admin", running.ADMIN, "-o", "json")
    # Whoever runs the tests in the background ignores Ctrl-C, and so would what they start.
    obeying = ["env", "--default-signal=INT"]
    command = [*obeying, *MOOR, "events", "--follow", "--after", "0", "--org", slug, "-o", form]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout is not None
        seen = [following.stdout.readline()]
        while "iam.org.created" not in seen[-1]:
            seen.append(following.stdout.readline())

        admin("orgs", "rename", slug, "Other")
        while "iam.org.updated" not in seen[-1]:
            seen.append(following.stdout.readline())

        following.send_signal(signal.SIGINT)
        code = following.wait(30)

    assert code == 130
    if form == "json":
        assert json.loads(seen[-1])["subject"] == org.json()["id"]
