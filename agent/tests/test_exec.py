"""Commands on a real host: they end when they should, with all they started, whatever happens."""

import base64
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agent.tests import certificates, running, standin
from lab.tests.waiting import wait_until
from moorage_lab import Host, Lab

pytestmark = pytest.mark.lab

SECRET = "planted-secret-52c1"
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def site(lab: Lab, authority: certificates.Authority) -> Iterator[standin.Platform]:
    """A platform, and an agent on the lab's host that works for it."""
    host = lab.hosts[0]
    running.uninstall(host)
    with running.platform_for(lab, authority) as platform:
        code, said = running.paste(host, running.line(platform))
        assert code == 0, said
        platform.until(lambda: platform.polls)
        yield platform
        running.uninstall(host)
    assert platform.complaints == []


@pytest.fixture
def run(site: standin.Platform) -> Callable[..., standin.Sent]:
    def run(script: str, *, input: dict[str, Any] | None = None, **given: Any) -> standin.Sent:  # noqa: A002 - the task's own word
        return site.send(input={"argv": ["sh", "-c", script], **(input or {})}, **given)

    return run


Run = Callable[..., standin.Sent]


def units(host: Host) -> list[str]:
    shown = "systemctl list-units --all --no-legend --plain 'moorage-task-*'"
    lines = [line.split() for line in host.run(shown).stdout.splitlines()]
    return [line[0] for line in lines if "-ready-" not in line[0] or "running" not in line]


def test_words_reach_the_command_as_they_are(site: standin.Platform) -> None:
    words = ["$HOME", "%n", "`id`", "it's", "", "a\nb", "ünï"]
    given = {"argv": ["printf", "<%s>", *words], "env": {"X": "%H $X"}, "cwd": "/usr"}

    for environment in ({"X": "1"}, {"IFS": "1"}):  # by a ready unit, and by one of its own
        sent = site.send(input={**given, "env": environment})
        end = site.ended(sent)

        assert end["result"] == {"exit_code": 0, "signal": None, "dropped": {}}
        assert sent.output["stdout"].decode() == "".join(f"<{word}>" for word in words)


def test_a_command_finds_its_folder_its_variables_and_its_input(
    site: standin.Platform, run: Run
) -> None:
    sent = run(
        'pwd; echo "$NAME $HOME $USER"; cat',
        input={"cwd": "/usr", "env": {"NAME": "a'b"}, "stdin": "typed\n"},
    )

    site.ended(sent)

    assert sent.output["stdout"] == b"/usr\na'b /root root\ntyped\n"


@pytest.mark.parametrize(
    ("script", "code", "number"), [("exit 7", 7, None), ("kill -9 $$", None, 9)]
)
def test_a_command_that_fails_says_how(
    script: str, code: int, number: int, site: standin.Platform, run: Run
) -> None:
    end = site.ended(run(script))

    assert (end["state"], end["error"]["code"]) == ("failed", "exit_nonzero")
    assert (end["result"]["exit_code"], end["result"]["signal"]) == (code, number)


@pytest.mark.parametrize(
    ("code", "given", "run_as"),
    [
        ("command_not_found", {"argv": ["no-such-program"]}, "root"),
        ("cwd_missing", {"argv": ["true"], "cwd": "/no/such"}, "root"),
        ("user_missing", {"argv": ["true"]}, "nosuch"),
        ("input_invalid", {"argv": []}, "root"),
        ("secret_missing", {"argv": ["cat"], "stdin": {"$secret": "NONE"}}, "root"),
    ],
)
def test_what_cannot_be_started_is_named(
    code: str, given: dict[str, Any], run_as: str, site: standin.Platform
) -> None:
    end = site.ended(site.send(input=given, run_as=run_as))

    assert (end["state"], end["error"]["code"]) == ("failed", code)


def test_secrets_are_for_the_command_alone(site: standin.Platform, run: Run, host: Host) -> None:
    host.run("id pat 2>/dev/null || useradd -m pat")
    values = {name: base64.b64encode(SECRET.encode()).decode() for name in ("FILE", "INPUT")}
    sent = run(
        'id -un; cat "$MOORAGE_SECRETS/FILE"; echo; cat; echo; sleep 1',
        input={"secret_files": ["FILE"], "stdin": {"$secret": "INPUT"}},
        secrets=values,
        run_as="pat",
    )
    site.until(lambda: sent.output.get("stdout", b"").count(b"\n") == 3)

    shown = host.run(
        f"systemctl show '*{sent.id}*'; ps axeww; "
        "journalctl --no-pager; ls -R /run/moorage-agent; "
        "runuser -u nobody -- sh -c 'cat /run/moorage-agent/*/* /run/moorage-agent/*/*/*' 2>&1; "
        "grep -rl planted-secret /var /etc /tmp /run/systemd",
        check=False,
    ).stdout
    site.ended(sent)

    assert sent.output["stdout"].decode() == f"pat\n{SECRET}\n{SECRET}\n"
    assert sent.id in shown
    assert SECRET not in shown
    assert host.run(f"ls /run/moorage-agent/{sent.id}", check=False).code != 0


def test_what_a_command_leaves_behind_ends_with_it(
    site: standin.Platform, run: Run, host: Host
) -> None:
    sent = run("sleep 4001 & setsid --fork sleep 4002; (setsid sleep 4003 &) & echo started")

    end = site.ended(sent)

    assert end["state"] == "succeeded"
    assert sent.output["stdout"] == b"started\n"
    assert host.run("pgrep -fx 'sleep 400[123]'", check=False).stdout == ""


def test_a_child_that_never_stops_writing_ends_with_its_command(
    site: standin.Platform, run: Run, host: Host
) -> None:
    sent = run("yes & yes >&2 & sleep 0.2", output_limit=1000)

    end = site.ended(sent)

    assert end["state"] == "succeeded"
    assert end["result"]["dropped"]["stdout"] > 0
    assert host.run("pgrep -x yes", check=False).stdout == ""


def test_the_last_words_of_a_child_are_kept(site: standin.Platform, run: Run) -> None:
    sent = run("(sleep 0.3; echo late) & echo early")

    site.ended(sent)

    assert sent.output["stdout"] == b"early\nlate\n"


def test_cancelling_ends_the_whole_tree_also_what_ignores_it(
    site: standin.Platform, run: Run, host: Host
) -> None:
    sent = run("trap '' TERM; setsid --fork sleep 4004; setsid sh -c 'trap \"\" TERM; sleep 4005'")
    site.until(lambda: sent.reports)

    site.cancel.append(sent.id)
    with site.changed:
        site.changed.notify_all()

    end = site.ended(sent)
    assert (end["state"], end["error"]["code"]) == ("cancelled", "cancelled")
    assert host.run("pgrep -fx 'sleep 400[45]'", check=False).stdout == ""
    wait_until(lambda: units(host) == [])


def test_a_command_that_takes_too_long_is_ended(
    site: standin.Platform, run: Run, host: Host
) -> None:
    end = site.ended(run("sleep 4006", timeout=0.5))

    assert (end["state"], end["error"]["code"]) == ("timed_out", "timed_out")
    assert host.run("pgrep -fx 'sleep 4006'", check=False).stdout == ""


def test_a_gibibyte_of_output_fills_neither_disk_nor_memory(
    site: standin.Platform, run: Run, host: Host
) -> None:
    used = "df --output=used -B1 /var/lib/moorage-agent | tail -1"
    before = int(host.run(used).stdout)

    sent = run(
        f"head -c 1073741824 /dev/zero; {used} >&2; "
        "grep VmHWM /proc/$(pgrep -f '[a]gent.pyz run')/status >&2",
        output_limit=MIB,
        timeout=120,
    )
    end = site.ended(sent, seconds=120)

    assert end["result"]["dropped"] == {"stdout": 1073741824 - MIB}
    assert len(sent.output["stdout"]) == MIB
    after, peak = sent.output["stderr"].decode().splitlines()
    assert int(after) - before < 8 * MIB
    assert int(peak.split()[1]) < 100 * 1024


def test_output_comes_while_the_command_runs(site: standin.Platform, run: Run) -> None:
    sent = run("echo one; read line </tmp/moorage-gate; echo two")
    site.until(lambda: sent.output.get("stdout") == b"one\n")

    gate = site.send(input={"argv": ["sh", "-c", "echo go >/tmp/moorage-gate"]})
    site.ended(gate)

    site.ended(sent)
    assert sent.output["stdout"] == b"one\ntwo\n"


@pytest.fixture(autouse=True)
def gate(host: Host) -> None:
    """A pipe by which one command can wait for another."""
    host.run("test -p /tmp/moorage-gate || mkfifo /tmp/moorage-gate")


def test_forty_commands_run_and_none_is_lost(site: standin.Platform, run: Run, host: Host) -> None:
    tasks = [run(f"echo {number}") for number in range(40)]

    ends = [site.ended(task, seconds=60) for task in tasks]

    assert {end["state"] for end in ends} == {"succeeded"}
    said = [task.output["stdout"] for task in tasks]
    assert said == [f"{number}\n".encode() for number in range(40)]
    wait_until(lambda: units(host) == [])


# --- the agent goes away -------------------------------------------------------------------------

OPEN_GATE = "echo go >/tmp/moorage-gate"


def test_a_command_outlives_an_agent_that_is_killed(
    site: standin.Platform, run: Run, host: Host
) -> None:
    sent = run("echo one; read line </tmp/moorage-gate; echo two; exit 5")
    site.until(lambda: sent.output.get("stdout") == b"one\n")
    earlier = site.polls[-1]["run_id"]

    host.run("systemctl kill -s KILL moorage-agent")
    site.until(lambda: site.polls[-1]["run_id"] != earlier)
    host.run(OPEN_GATE)

    end = site.ended(sent)
    assert (end["state"], end["result"]["exit_code"]) == ("failed", 5)
    assert sent.output["stdout"] == b"one\ntwo\n"


def test_what_ended_while_the_agent_was_away_is_told_when_it_is_back(
    site: standin.Platform, run: Run, host: Host
) -> None:
    sent = run("echo one; read line </tmp/moorage-gate; seq 10000; exit 6")
    site.until(lambda: sent.output.get("stdout") == b"one\n")

    host.run("systemctl stop moorage-agent")
    host.run(OPEN_GATE)
    host.run("while pgrep -fx 'seq 10000' || pgrep -f moorage-[g]ate; do sleep 0.1; done")
    host.run("systemctl start moorage-agent")

    end = site.ended(sent)
    assert (end["state"], end["result"]["exit_code"]) == ("failed", 6)
    assert sent.output["stdout"].endswith(b"\n9999\n10000\n")
    wait_until(lambda: units(host) == [])


def test_a_command_outlives_systemd_being_executed_anew(
    site: standin.Platform, run: Run, host: Host
) -> None:
    sent = run("echo one; read line </tmp/moorage-gate; echo two; exit 4")
    site.until(lambda: sent.output.get("stdout") == b"one\n")

    host.run("systemctl daemon-reexec")
    host.run(OPEN_GATE)

    end = site.ended(sent)
    assert (end["state"], end["result"]["exit_code"]) == ("failed", 4)
    assert sent.output["stdout"] == b"one\ntwo\n"


def test_systemd_executed_anew_again_and_again_costs_no_command(
    site: standin.Platform, run: Run, host: Host
) -> None:
    host.run(
        "mkfifo /root/enough; systemd-run --collect --unit reexecs sh -c '"
        "while test -p /root/enough; do systemctl daemon-reexec; sleep 0.1; done'"
    )
    try:
        # By ready units and by units of their own; some end at once, some meet several of them.
        tasks = [
            run(f"echo {number}; sleep {number % 3}; echo end; exit {number % 2}", input=given)
            for number in range(24)
            for given in ({}, {"env": {"IFS": "1"}})
        ]
        ends = [site.ended(task, seconds=120) for task in tasks]
    finally:
        # The last of them may still be under way, and answers nobody then.
        host.run(
            "rm /root/enough; "
            'until test "$(systemctl show -p MainPID --value reexecs)" = 0; do sleep 0.1; done'
        )

    codes = [(end["state"], end["result"].get("exit_code")) for end in ends]
    expected = [("failed", 1) if number % 2 else ("succeeded", 0) for number in range(24)]
    assert codes == [one for one in expected for _ in range(2)], [end["error"] for end in ends]
    assert [task.output["stdout"].count(b"\n") for task in tasks] == [2] * 48
    wait_until(lambda: units(host) == [])


@pytest.mark.parametrize("lose", [Host.reboot, Host.crash])
def test_a_command_that_was_lost_with_its_host_is_unknown(
    lose: Callable[[Host], None], site: standin.Platform, run: Run, host: Host
) -> None:
    sent = run("echo one; sleep 4007")
    site.until(lambda: sent.output.get("stdout") == b"one\n")

    lose(host)
    host.power_on()

    end = site.ended(sent, seconds=60)
    assert (end["state"], end["error"]["code"]) == ("unknown", "lost")


def test_a_host_that_is_cut_off_tells_all_when_it_is_back(
    site: standin.Platform, run: Run, host: Host
) -> None:
    sent = run("echo one; read line </tmp/moorage-gate; echo two")
    site.until(lambda: sent.output.get("stdout") == b"one\n")

    host.run("echo shut >/root/opened")
    host.run(f"systemd-run -q sh -c 'sleep 2; {OPEN_GATE}; echo opened >/root/opened'")
    host.cut()
    wait_until(lambda: host.get("/root/opened") == b"opened\n", seconds=20)
    host.mend_network()

    end = site.ended(sent, seconds=60)
    assert end["state"] == "succeeded"
    assert sent.output["stdout"] == b"one\ntwo\n"


def test_on_a_full_disk_a_command_is_not_started_or_its_output_is_dropped_and_that_is_said(
    site: standin.Platform, run: Run, host: Host
) -> None:
    site.ended(run("true"))

    host.fill_disk()
    full = site.ended(run("head -c 1000000 /dev/zero"))
    host.mend_disk()
    mended = site.ended(run("echo x"))

    # What fits into the journal's last block is begun; its output is dropped, and that is said.
    code = (full["error"] or {}).get("code")
    assert code == "disk_full" or full["result"].get("disk_full"), full
    assert (mended["state"], mended["result"]["dropped"]) == ("succeeded", {})


def test_a_clock_that_is_wrong_by_minutes_does_not_matter(
    site: standin.Platform, run: Run, host: Host
) -> None:
    polls = len(site.polls)
    host.skew_clock(-600, "moorage-agent")
    try:
        site.until(lambda: len(site.polls) > polls, seconds=40)
        end = site.ended(run("echo x"), seconds=40)
    finally:
        host.mend_clock()

    assert end["state"] == "succeeded"


def test_a_clock_that_is_wrong_by_years_is_named_in_the_log(
    site: standin.Platform, host: Host
) -> None:
    host.skew_clock(-5 * 365 * 86400, "moorage-agent")
    try:
        said = host.run(
            "for i in $(seq 100); do journalctl -u moorage-agent --no-pager -o cat | "
            'grep -m1 "this host\'s clock" && break; sleep 0.1; done'
        ).stdout
    finally:
        host.mend_clock()

    assert "the server says it is" in said
    site.until(lambda: site.polls)


def test_an_agent_that_is_stopped_by_signal_leaves_its_commands(
    site: standin.Platform, run: Run, host: Host
) -> None:
    sent = run("read line </tmp/moorage-gate")
    site.until(lambda: sent.reports)

    host.run(f"systemctl kill -s {int(signal.SIGTERM)} moorage-agent")
    host.run(OPEN_GATE)

    assert site.ended(sent)["state"] == "succeeded"
