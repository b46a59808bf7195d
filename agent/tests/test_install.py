"""The pasted line on a real host."""

import json
from collections.abc import Iterator

import pytest

from agent.tests import certificates, running, standin
from moorage_agent import archive
from moorage_lab import Host, Lab

pytestmark = pytest.mark.lab

STATE = "/var/lib/moorage-agent"


@pytest.fixture
def site(lab: Lab, host: Host, authority: certificates.Authority) -> Iterator[standin.Platform]:
    """A platform that the host can reach, and a host without agent."""
    running.uninstall(host)
    with running.platform_for(lab, authority) as platform:
        yield platform
        running.uninstall(host)
    assert platform.complaints == []


def test_one_line_makes_a_host_a_node(site: standin.Platform, host: Host) -> None:
    code, said = running.paste(host, running.line(site))

    site.until(lambda: site.polls)
    assert (code, "gpu-07" in said) == (0, True)
    service = host.run("systemctl is-enabled moorage-agent; systemctl is-active moorage-agent")
    assert service.stdout == "enabled\nactive\n"
    modes = host.run(f"stat -c '%a %U %n' {STATE} {STATE}/key.pem {STATE}/identity.json").stdout
    assert [line.split()[:2] for line in modes.splitlines()] == [
        ["700", "root"],
        ["600", "root"],
        ["600", "root"],
    ]


def test_the_token_is_in_no_file_and_no_journal_of_the_host(
    site: standin.Platform, host: Host
) -> None:
    token = site.new_token()

    running.paste(host, running.line(site, token))

    looked = f"grep -rl {token} {STATE} /usr/local/lib/moorage-agent /run/systemd /etc/systemd /tmp"
    assert host.run(looked, check=False).stdout == ""
    assert token not in host.run("journalctl --no-pager -o cat -t python3 -u moorage-agent").stdout


def test_the_same_line_twice_is_one_node(site: standin.Platform, host: Host) -> None:
    line = running.line(site)

    assert running.paste(host, line)[0] == running.paste(host, line)[0] == 0

    assert len(site.nodes) == 1


def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key(
    site: standin.Platform, host: Host
) -> None:
    line = running.line(site)
    site.lost_answers = ["/v1/agent/enrol"]

    first, second = running.paste(host, line), running.paste(host, line)

    assert (first[0], second[0]) == (1, 0)
    assert "cannot be reached" in first[1]
    assert len(site.nodes) == 1


def test_another_line_changes_an_enrolled_host_only_if_told_to(
    site: standin.Platform, host: Host
) -> None:
    running.paste(host, running.line(site))
    other = running.line(site)

    code, said = running.paste(host, other)
    assert code == 1
    assert "enrolled already: node gpu-07" in said
    assert len(site.nodes) == 1

    assert running.paste(host, f"MOORAGE_REENROL=1 {other}")[0] == 0
    assert len(site.nodes) == 2


def test_a_forged_or_used_token_is_refused_and_leaves_nothing(
    site: standin.Platform, host: Host
) -> None:
    code, said = running.paste(host, running.line(site, "mne_forged"))

    assert code == 1
    assert "The platform refuses" in said
    assert host.run(f"ls {STATE}", check=False).stdout == ""
    assert host.run("systemctl is-active moorage-agent", check=False).code != 0


def test_an_authority_that_the_line_does_not_name_gets_no_token(
    site: standin.Platform, host: Host
) -> None:
    line = running.line(site).replace(site.authority.digest, "0" * 64)

    code, said = running.paste(host, line)

    assert code == 1
    assert "not the one that the line names" in said
    assert site.nodes == {}


def test_an_archive_that_was_changed_on_the_way_is_not_run(
    site: standin.Platform, host: Host
) -> None:
    line = running.line(site)
    site.agent = archive.build() + b"\n"

    code, said = running.paste(host, line)

    assert code == 1
    assert "not the file that this line names" in said


def test_somebody_with_sudo_may_paste_the_line(site: standin.Platform, host: Host) -> None:
    host.run("useradd -m pat; echo 'pat ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/pat")
    line = running.line(site)
    try:
        ended = host.run("runuser -u pat -- sh", stdin=line.encode(), check=False)
    finally:
        host.run("rm /etc/sudoers.d/pat; userdel -r pat", check=False)

    assert (ended.code, "gpu-07" in ended.stdout) == (0, True)


def test_somebody_without_any_right_reads_a_sentence(site: standin.Platform, host: Host) -> None:
    host.run("python3 -c 'import urllib.request'")
    host.put(site.agent, "/tmp/agent.pyz")

    ended = host.run(
        "runuser -u nobody -- env MOORAGE_URL=https://x MOORAGE_CA=- MOORAGE_TOKEN=t "
        "python3 -I /tmp/agent.pyz install",
        check=False,
    )

    assert ended.code == 1
    assert "as root" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_python_that_others_can_change_does_not_become_the_service_s(
    site: standin.Platform, host: Host
) -> None:
    host.run("useradd -m pat; echo 'pat ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/pat")
    host.run("runuser -u pat -- sh -c 'mkdir ~/bin; ln -s /usr/bin/python3 ~/bin/python3'")
    line = f"PATH=/home/pat/bin:$PATH; {running.line(site)}"
    try:
        ended = host.run("runuser -u pat -- sh", stdin=line.encode(), check=False)
        unit = host.run("systemctl cat moorage-agent").stdout
    finally:
        host.run("rm /etc/sudoers.d/pat; userdel -r pat", check=False)

    assert ended.code == 0
    assert "ExecStart=/usr/bin/python3 -I " in unit


def test_uninstall_leaves_nothing_of_the_agent(site: standin.Platform, host: Host) -> None:
    running.paste(host, running.line(site))
    site.until(lambda: site.polls)
    site.ended(site.send(input={"argv": ["true"]}))

    running.uninstall(host)

    found = host.run(
        f"ls -d {STATE} /usr/local/lib/moorage-agent /run/moorage-agent "
        "/etc/systemd/system/moorage-agent.service; "
        "systemctl list-units --all --no-legend 'moorage-*.service'; pgrep -f agent.pyz",
        check=False,
    )
    assert found.stdout == ""


def test_status_says_who_the_host_is_and_no_secret(site: standin.Platform, host: Host) -> None:
    running.paste(host, running.line(site))
    site.until(lambda: site.polls)

    said = host.run("python3 -I /usr/local/lib/moorage-agent/agent.pyz status").stdout

    (node,) = site.nodes.values()
    status = json.loads(said)
    assert status["node"] == {"id": node.id, "name": "gpu-07", "url": site.url}
    assert status["service"] == "active"
    assert node.nonce not in said
