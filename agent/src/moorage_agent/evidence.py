"""What the host's journal says of people: logins by certificate, their ends, and who was ended.

Only lines of root's own processes count: anybody can write a line that looks like the SSH server's,
but not as root. Whoever is root here can say anything, so the platform keeps this as the node's
word and no more.
"""

import json
import os
import re
import select
import subprocess
import syslog
import threading
from collections.abc import Generator, Iterator, Mapping
from datetime import datetime, timezone
from typing import IO, Any, Optional, cast

from moorage_agent import commands

Item = dict[str, Any]

_OURS = "moorage-access"
_SERVERS = ("sshd", "sshd-session")
_FIELDS = "MESSAGE,_PID,_COMM,SYSLOG_IDENTIFIER"
_LOGIN = re.compile(
    r"Accepted publickey for (?P<login>\S+) from (?P<address>\S+) port (?P<port>\d+) ssh2: "
    r"\S+-CERT (?:SHA256:\S+ )?ID (?P<key_id>.*) \(serial (?P<serial>\d+)\) CA \S+ (?P<ca>\S+)"
)
_LOGOUT = re.compile(r"pam_unix\(sshd:session\): session closed for user (?P<login>\S+)")
_AGAIN = 5.0
_LOOK = 1.0
_MOST = 100


def follow(cursor: Optional[str], stop: threading.Event) -> Iterator[list[Item]]:
    """What happens from the cursor on (or since the host's start), in small lots, until `stop`.

    The key of an item is its place in the journal: give the last one to go on after it.
    """
    reader = Reader()
    while not stop.is_set():
        for items in _run(cursor, reader, stop):
            cursor = str(items[-1]["key"])
            yield items
        stop.wait(_AGAIN)  # the journal was restarted, or the cursor is of one that is gone
        cursor = cursor if _is_known(cursor) else None


def note_ended(ended: Mapping[str, int], *, correlation_id: str) -> None:
    """Say in the host's journal whose sessions were ended. From there it becomes evidence."""
    syslog.openlog(_OURS, 0, syslog.LOG_AUTHPRIV)
    for login, count in ended.items():
        said = {"login": login, "processes": count, "correlation_id": correlation_id}
        syslog.syslog(syslog.LOG_NOTICE, json.dumps(said, sort_keys=True))


def command(cursor: Optional[str]) -> list[str]:
    """How the journal is asked. Pure."""
    start = ["--boot"] if cursor is None else [f"--after-cursor={cursor}"]
    servers = [word for name in _SERVERS for word in ("_UID=0", f"_COMM={name}", "+")]
    return [
        *("journalctl", "--follow", "--no-tail", "--output=json", f"--output-fields={_FIELDS}"),
        *start,
        *servers,
        *("_UID=0", f"SYSLOG_IDENTIFIER={_OURS}"),
    ]


def _is_known(cursor: Optional[str]) -> bool:
    if cursor is None:
        return True
    return commands.run(["journalctl", "--lines=1", f"--cursor={cursor}"]).ok


def _run(
    cursor: Optional[str], reader: "Reader", stop: threading.Event
) -> Generator[list[Item], None, None]:
    try:
        process = subprocess.Popen(
            command(cursor),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=commands.ENVIRONMENT,
            bufsize=0,
        )
    except FileNotFoundError:
        return  # a host without a journal has no evidence
    assert process.stdout is not None
    try:
        with process.stdout:
            for lines in _lots(process.stdout, stop):
                items = [item for item in map(reader.read, lines) if item]
                for start in range(0, len(items), _MOST):
                    yield items[start : start + _MOST]
    finally:
        process.kill()
        process.wait()


def _lots(pipe: IO[bytes], stop: threading.Event) -> Iterator[list[bytes]]:
    """Whole lines, as many as there are at a time."""
    rest = b""
    while not stop.is_set():
        if not select.select([pipe], [], [], _LOOK)[0]:
            continue
        chunk = os.read(pipe.fileno(), 65536)
        if not chunk:
            return
        *lines, rest = (rest + chunk).split(b"\n")
        yield lines


class Reader:
    """Understands the journal's lines, and remembers whose connection a process serves."""

    def __init__(self) -> None:
        self._served: dict[str, Item] = {}

    def read(self, line: bytes) -> Optional[Item]:
        """What a line means; None where it is nothing for the platform."""
        try:
            entry: dict[str, Any] = json.loads(line)
        except ValueError:
            return None
        message = entry.get("MESSAGE")
        if not isinstance(message, str):  # the journal writes bytes that are no text as numbers
            return None
        if entry.get("SYSLOG_IDENTIFIER") == _OURS:
            return _item("access.ended", entry, _said(message))
        return self._login(entry, message) or self._logout(entry, message)

    def _login(self, entry: Mapping[str, Any], message: str) -> Optional[Item]:
        found = _LOGIN.match(message)
        if not found:
            return None
        data: Item = {
            "login": found["login"],
            "key_id": found["key_id"],
            "serial": int(found["serial"]),
            "address": found["address"],
            "port": int(found["port"]),
            "authority": found["ca"],
        }
        self._served[str(entry.get("_PID"))] = data
        return _item("ssh.login", entry, data)

    def _logout(self, entry: Mapping[str, Any], message: str) -> Optional[Item]:
        found = _LOGOUT.match(message)
        data = self._served.pop(str(entry.get("_PID")), None) if found else None
        if found is None or data is None or data["login"] != found["login"]:
            return None
        return _item("ssh.logout", entry, data)


def _said(message: str) -> Item:
    """What this agent wrote there; nothing else of ours has that name."""
    try:
        said: object = json.loads(message)
    except ValueError:
        return {}
    pairs = cast("dict[str, object]", said).items() if isinstance(said, dict) else ()
    return {name: value for name, value in pairs if isinstance(value, (str, int))}


def _item(kind: str, entry: Mapping[str, Any], data: Item) -> Item:
    seconds = int(entry.get("__REALTIME_TIMESTAMP", 0)) / 1_000_000
    at = datetime.fromtimestamp(seconds, tz=timezone.utc).isoformat()
    return {"kind": kind, "at": at, "key": str(entry.get("__CURSOR", "")), "data": data}
