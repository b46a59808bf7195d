"""What a host is like: packages with versions, users, units, ports and files, to be compared."""

import time

from moorage_lab import Host
from tests.e2e.callers import pause

_LOOK = r"""
dpkg-query -W -f 'package ${Package} ${Version} ${db:Status-Abbrev}\n'
sed 's/^/user /' /etc/passwd; sed 's/^/group /' /etc/group
systemctl list-unit-files --no-legend --no-pager | awk '$2 != "transient" {print "unit", $1, $2}'
ss -Hltnu | awk '{print "port", $1, $5}'
find / -xdev \( \
    -path /proc -o -path /sys -o -path /run -o -path /dev -o -path /tmp -o -path /var/tmp -o \
    -path /export -o -path /home -o -path /var/lib/moorage-agent -o -path /var/log/journal -o \
    -path /var/cache/apt -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/log/apt -o \
    -path /var/cache/debconf -o -path /var/lib/ucf -o -path /var/log/dpkg.log -o \
    -path /etc/ssh/moorage -o -path /etc/ssh/sshd_config.d/50-moorage.conf -o \
    -path /var/log/alternatives.log -o -path /var/cache/ldconfig -o -path /etc/ld.so.cache \
    \) -prune -o -printf 'file %p %y %m\n'
"""
"""Left out: what changes by itself, what is the platform's (homes, and by what people enter once
anybody may), and what package managers note for themselves of what they did."""


def take(host: Host) -> frozenset[str]:
    """A line for everything that can be left behind."""
    return frozenset(host.run("sh", stdin=_LOOK.encode(), timeout=120).stdout.splitlines())


def difference(before: frozenset[str], after: frozenset[str]) -> list[str]:
    """What came and what went."""
    came = [f"+ {line}" for line in after - before]
    return sorted([*came, *(f"- {line}" for line in before - after)])


def until_as(before: frozenset[str], host: Host, *, seconds: float = 30) -> list[str]:
    """What still differs once a host is as before; the platform takes people's accounts back a
    moment after the last member has gone."""
    deadline = time.monotonic() + seconds
    while (left := difference(before, take(host))) and time.monotonic() < deadline:
        pause(0.5)
    return left
