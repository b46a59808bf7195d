"""What one controller's host leaves to the next: a copy of state and database, sent between hosts.

It may be large, so it goes from host to host. Both ends have the cluster's key from the platform
and speak TLS with what is made of it: whoever has not the key can neither read nor answer.
"""

import hashlib
import hmac
import os
import re
import shutil
import socket
import ssl
import sys
import tarfile
import time
from pathlib import Path

from moorage_slurm.onhost import copies
from moorage_slurm.onhost.commands import Json, Refused

MOVED = "moved"
"""The name of the copy that is handed on, beside those of releases."""
COPY = copies.COPIES / MOVED
SECRET = "cluster_key"
KEYS = (Path("/etc/munge/munge.key"), Path("/etc/slurm/slurm.key"))
CONF = Path("/etc/slurm/slurm.conf")
CIPHERS = "ECDHE-PSK-CHACHA20-POLY1305"
DONE = b"got it\n"
CALM = 0.1


def send(given: Json) -> Json:
    """Send the copy to the host that waits for it, until that has it."""
    shutil.copy(CONF, COPY / CONF.name)
    until = time.monotonic() + given["seconds"]
    while True:
        try:
            plain = socket.create_connection((given["address"], given["port"]), timeout=5)
            break
        except OSError as err:
            if time.monotonic() > until:
                place = f"{given['address']} port {given['port']}"
                raise Refused("successor_silent", f"{place} takes nothing: {err}") from err
            time.sleep(CALM)
    plain.settimeout(given["seconds"])
    try:
        with _client().wrap_socket(plain) as channel:
            with channel.makefile("wb") as out, tarfile.open(fileobj=out, mode="w|") as archive:
                archive.add(COPY, arcname=".")
            if channel.recv(len(DONE)) != DONE:
                raise OSError("it did not say that it has everything")
    except OSError as err:
        raise Refused("successor_silent", f"The state did not arrive: {err}.") from err
    return {}


def receive(given: Json) -> Json:
    """Wait for a copy, and keep it. Whoever has not the key is not listened to."""
    until = time.monotonic() + given["seconds"]
    with socket.create_server(("", given["port"])) as server:
        while (left := until - time.monotonic()) > 0:
            server.settimeout(left)
            try:
                plain, _ = server.accept()
                plain.settimeout(given["seconds"])
                with _server().wrap_socket(plain, server_side=True) as channel:
                    _keep(channel)
                    channel.sendall(DONE)
                return came({})
            except TimeoutError:
                break
            except (OSError, tarfile.TarError):
                continue
    raise Refused("nothing_came", "Nobody sent the state of the controller.")


def _keep(channel: ssl.SSLSocket) -> None:
    part = COPY.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    copies.setup.HOME.chmod(0o700)
    with channel.makefile("rb") as content, tarfile.open(fileobj=content, mode="r|") as archive:
        archive.extractall(part, filter="data")
    os.sync()
    shutil.rmtree(COPY, ignore_errors=True)
    part.rename(COPY)


def came(given: Json) -> Json:
    """What is known of the copy that was handed on; nothing where there is none."""
    known = copies.find(MOVED)
    if known is None:
        return {"copy": None}
    return {"copy": {**known, **chosen((COPY / CONF.name).read_text())}}


def chosen(conf: str) -> Json:
    """What was chosen once, for the life of a cluster, and stands in its file."""
    first = re.search(r"(?m)^FirstJobId=(\d+)", conf)
    return {
        "processes": "cgroup" if "=proctrack/cgroup" in conf else "linuxproc",
        "first_job": int(first[1]) if first else 1,
    }


def drop(given: Json) -> Json:
    """What was handed on is in its place, and needs no copy any more."""
    shutil.rmtree(COPY, ignore_errors=True)
    return {}


# --- who may listen ------------------------------------------------------------------------------


def _secret() -> bytes:
    """Made of the cluster's key: given with the task, or as it lies on the host."""
    given = os.environ.get("MOORAGE_SECRETS")
    files = [*([Path(given) / SECRET] if given else []), *KEYS]
    for file in files:
        if file.exists():
            return hmac.digest(file.read_bytes(), b"moorage-slurm: state", hashlib.sha256)
    raise Refused("key_missing", "The host has no key of the cluster.")


def _context(side: int) -> ssl.SSLContext:
    context = ssl.SSLContext(side)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # both sides prove the key, and have no certificates
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(CIPHERS)
    return context


def _client() -> ssl.SSLContext:
    context, secret = _context(ssl.PROTOCOL_TLS_CLIENT), _secret()
    if sys.version_info >= (3, 13):
        context.set_psk_client_callback(lambda hint: (None, secret))
    return context


def _server() -> ssl.SSLContext:
    context, secret = _context(ssl.PROTOCOL_TLS_SERVER), _secret()
    if sys.version_info >= (3, 13):
        context.set_psk_server_callback(lambda identity: secret)
    return context


VERBS = {"send": send, "receive": receive, "came": came, "drop": drop}
