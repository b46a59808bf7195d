"""The key that the daemons of a cluster share: where it is, and how another takes its place.

Its value is on no command line and in no answer. It comes as a file that the agent lays down for
one command. Munge reads it from a file of its own, Slurm's own way from a set of keys: there a
second one can be known before it is used, and the first still be known while it goes.
"""

import base64
import hashlib
import json
import os
import shutil
from pathlib import Path

from moorage_slurm.onhost.commands import Json, Refused, must, run

SECRET = "cluster_key"
MUNGE, SLURM = Path("/etc/munge/munge.key"), Path("/etc/slurm/slurm.jwks")
NEXT = MUNGE.with_suffix(".next")


def put(given: Json) -> Json:
    """Have this key and no other, and whoever checks it by munge run."""
    return _settle(given["auth"], _given())


def switch(given: Json) -> Json:
    """Use the key that the host has in the other way."""
    return _settle(given["auth"], current())


def start(given: Json) -> Json:
    """Have munge run. No task of a service does that: its first would find munge running, since
    `put`, and the wipe of a host that had munge before us would start it again."""
    must("systemctl", "start", "munge.service", code="daemon_silent")
    return {}


def take(given: Json) -> Json:
    """Have the next key lie ready; nobody uses it yet."""
    key = _given()
    if given["auth"] == "munge":
        _write(NEXT, key, "munge", 0o400)
        return {}
    used = _used() or key
    _write_set([used, key] if used != key else [key], default=used)
    return {}


def discard(given: Json) -> Json:
    """Undo that: the key that is in use stays, alone."""
    NEXT.unlink(missing_ok=True)
    used = _used()
    if used is not None:
        _write_set([used], default=used)
    return {}


def use(given: Json) -> Json:
    """From now on the key that lay ready. Done twice it is used as well."""
    if given["auth"] == "munge":
        if NEXT.exists():
            os.replace(NEXT, MUNGE)
        must("systemctl", "restart", "munge.service", code="daemon_silent")
    elif held := _held():
        _write_set(held, default=held[-1])
    return {}


def drop(given: Json) -> Json:
    """Forget every key but the newest."""
    held = _held()
    if held:
        _write_set(held[-1:], default=held[-1])
    return {}


def current() -> str:
    """The key that this host uses, in whichever way."""
    key = _used() or _read(MUNGE)
    if key is None:
        raise Refused("key_missing", "The host has no key of the cluster. Repair the instance.")
    return key


def _settle(auth: str, key: str) -> Json:
    run("systemctl", "disable", "--quiet", "--no-reload", "munge.service")  # the platform starts it
    if auth == "slurm":
        changed = _write_set([key], default=key)
        run("systemctl", "stop", "munge.service")
        for path in (MUNGE, NEXT):
            path.unlink(missing_ok=True)
        return {"changed": changed}
    # A worker that finds a key of Slurm's own asks for its configuration by it, whatever that says.
    SLURM.unlink(missing_ok=True)
    changed = _write(MUNGE, key, "munge", 0o400)
    NEXT.unlink(missing_ok=True)
    verb = "restart" if changed else "start"
    must("systemctl", verb, "munge.service", code="daemon_silent")
    return {"changed": changed}


def _given() -> str:
    return (Path(os.environ["MOORAGE_SECRETS"]) / SECRET).read_text()


def _read(path: Path) -> str | None:
    return path.read_text(errors="replace") if path.exists() else None


def _held() -> list[str]:
    """The keys of the set, the oldest first."""
    return [decoded(each["k"]) for each in _entries()]


def _used() -> str | None:
    """The key of the set with which everything is signed."""
    found = [decoded(each["k"]) for each in _entries() if each.get("use") == "default"]
    return found[0] if found else None


def _entries() -> list[Json]:
    text = _read(SLURM)
    return [] if text is None else json.loads(text)["keys"]


def _write_set(keys: list[str], *, default: str) -> bool:
    found = [_entry(key, is_default=key == default) for key in keys]
    return _write(SLURM, json.dumps({"keys": found}), "slurm", 0o600)


def _entry(key: str, *, is_default: bool) -> Json:
    name = hashlib.sha256(key.encode()).hexdigest()[:8]
    entry = {"alg": "HS256", "kty": "oct", "kid": name, "k": _encoded(key)}
    return entry | ({"use": "default"} if is_default else {})


def _encoded(key: str) -> str:
    return base64.b64encode(key.encode()).decode()


def decoded(text: str) -> str:
    return base64.b64decode(text).decode()


def _write(path: Path, text: str, owner: str, mode: int) -> bool:
    """Have a file that is its owner's alone; whether it was another."""
    if _read(path) == text:
        return False
    part = path.with_name(f".{path.name}.part")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o400), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    shutil.chown(part, owner, owner)
    part.chmod(mode)
    os.replace(part, path)
    return True


VERBS = {
    "put": put,
    "switch": switch,
    "start": start,
    "take": take,
    "discard": discard,
    "use": use,
    "drop": drop,
}
