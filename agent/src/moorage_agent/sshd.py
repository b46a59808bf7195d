"""The part of the SSH server's settings that is the platform's: whom it lets in by certificate.

Everything is in one drop-in and one folder of ours; the site's own settings are not touched. The
server reads authorities and principals at each login; only the drop-in needs a reload, and it is
put in place only if the server accepts it and then really uses it.
"""

import re
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from moorage_agent import commands, durable
from moorage_agent.commands import Run
from moorage_agent.tasks import Failed

_KEY = re.compile(r"((?:ssh|ecdsa|sk)-[a-z0-9@.-]+) ([A-Za-z0-9+/]+={0,3})(?: .*)?")
_SERVICES = ("ssh.service", "sshd.service")


@dataclass(frozen=True)
class Rules:
    """What the drop-in says."""

    strict: tuple[str, ...] = ()
    """People with accounts of ours and no right to forward anything."""
    forwarding: tuple[str, ...] = ()
    """People with accounts of ours who may forward ports."""


@dataclass(frozen=True)
class Server:
    """The SSH server of this host."""

    root: Path = Path("/")
    run: Run = commands.run

    @property
    def drop_in(self) -> Path:
        return self.root / "etc/ssh/sshd_config.d/50-moorage.conf"

    @property
    def folder(self) -> Path:
        return self.root / "etc/ssh/moorage"

    @property
    def authorities(self) -> Path:
        return self.folder / "authorities"

    @property
    def principals(self) -> Path:
        return self.folder / "principals"


def parse_authority(line: str) -> str:
    """A public key without its comment."""
    found = _KEY.fullmatch(line.strip())
    if not found:
        raise Failed("input_invalid", "An entry of `authorities` is no SSH public key.")
    return f"{found[1]} {found[2]}"


def render(rules: Rules) -> str:
    """The text of the drop-in. Pure.

    Keys in a home would outlive a grant, so people of ours have none. A block ends with the file.
    """
    lines = [
        "# Kept by moorage-agent. What you change here is lost.",
        "TrustedUserCAKeys /etc/ssh/moorage/authorities",
        "AuthorizedPrincipalsFile /etc/ssh/moorage/principals/%u",
        "ExposeAuthInfo yes",
    ]
    for people, disabled in ((rules.strict, "yes"), (rules.forwarding, "no")):
        if people:
            lines += [
                f"Match User {','.join(sorted(people))}",
                "    AuthenticationMethods publickey",
                "    AuthorizedKeysFile none",
                f"    DisableForwarding {disabled}",
            ]
    return "\n".join([*lines, ""])


def set_authorities(server: Server, keys: Collection[str]) -> bool:
    """Trust certificates of these authorities, and no others; whether that is new."""
    text = "".join(f"{key}\n" for key in sorted(set(keys)))
    return _set(server, server.authorities, text)


def set_principals(server: Server, login: str, principals: Collection[str]) -> bool:
    """Let in whoever has one of these principals in a certificate; nobody where there is none."""
    place = server.principals / login
    if not principals:
        return _remove(place)
    return _set(server, place, "".join(f"{one}\n" for one in sorted(set(principals))))


def list_principals(server: Server) -> list[str]:
    """The logins that somebody may use by certificate."""
    try:
        return sorted(place.name for place in server.principals.iterdir())
    except FileNotFoundError:
        return []


def _set(server: Server, place: Path, text: str) -> bool:
    for folder in (server.folder, server.principals):
        if not folder.is_dir():
            durable.private_folder(folder, mode=0o755)  # the server looks as the user
    if place.is_file() and place.read_text() == text:
        return False
    durable.write(place, text.encode(), mode=0o644)
    return True


def _remove(place: Path) -> bool:
    try:
        place.unlink()
    except FileNotFoundError:
        return False
    return True


def apply(server: Server, rules: Rules) -> bool:
    """Put the drop-in in place and let the server read it; whether it is new.

    Ends with the former one in place if the server will not have ours.
    """
    text = render(rules).encode()
    before = server.drop_in.read_bytes() if server.drop_in.exists() else None
    if before == text:
        return False
    durable.private_folder(server.folder, mode=0o755)
    if not server.authorities.exists():
        set_authorities(server, ())
    if not server.drop_in.parent.is_dir():
        durable.private_folder(server.drop_in.parent, mode=0o755)
    durable.write(server.drop_in, text, mode=0o644)
    try:
        _check(server)
        _reload(server)
    except Failed:
        _restore(server, before)
        raise
    return True


def _restore(server: Server, before: Optional[bytes]) -> None:
    if before is None:
        _remove(server.drop_in)
    else:
        durable.write(server.drop_in, before, mode=0o644)


def _check(server: Server) -> None:
    """That the server accepts its settings, and that ours are among those it uses."""
    tried = server.run(["sshd", "-t"])
    if tried.code == commands.ABSENT:
        raise Failed("sshd_missing", "The host has no SSH server: install openssh-server.")
    if not tried.ok:
        raise Failed("sshd_refused", f"The SSH server refuses its settings: {tried.words}")
    used = server.run(["sshd", "-T", "-C", "user=nobody,host=localhost,addr=127.0.0.1"])
    if "trustedusercakeys /etc/ssh/moorage/authorities" not in used.stdout.lower().splitlines():
        raise Failed(
            "sshd_conflict",
            "The SSH server does not use /etc/ssh/sshd_config.d/50-moorage.conf: sshd_config must "
            "include that folder, and nothing before it may set TrustedUserCAKeys.",
        )


def _reload(server: Server) -> None:
    """Tell the server that runs. One that systemd starts for each connection reads by itself."""
    for service in _SERVICES:
        if server.run(["systemctl", "is-active", "--quiet", service]).ok:
            told = server.run(["systemctl", "reload", service])
            if not told.ok:
                raise Failed("sshd_refused", f"{service} did not reload: {told.words}")
            return


def remove(server: Server) -> bool:
    """Take everything of ours away; whether there was anything."""
    found = _remove(server.drop_in)
    if found:
        _reload(server)
    if server.folder.is_dir():
        shutil.rmtree(server.folder)
        found = True
    return found
