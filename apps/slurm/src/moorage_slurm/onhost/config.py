"""The configuration of a cluster on its controller's host: tried first, then made to count."""

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from moorage_slurm.onhost.commands import Json, Refused, comes_up, run
from moorage_slurm.onhost.drift import UNITS

CONF = "/etc/slurm/slurm.conf"
LOG = Path("/var/log/slurm/slurmctld.log")
_PLUGINS = re.compile(r"[a-z_]+/[a-z0-9_]+(?:,[a-z_]+/[a-z0-9_]+)*")


def rehearse(given: Json) -> Json:
    """Refuse files that Slurm would refuse, before anything is replaced."""
    with tempfile.TemporaryDirectory(prefix="moorage-slurm-") as folder:
        for path, text in given["files"].items():
            (Path(folder) / Path(path).name).write_text(text)
        conf = str(Path(folder) / Path(CONF).name)
        said = run("scontrol", "ping", env={"SLURM_CONF": conf}, within=30)
    if "fatal:" in said.stderr:
        raise Refused("configuration_refused", f"Slurm does not take it: {_words(said.stderr)}")
    missing = [each for each in plugins(given["files"][CONF]) if not _has_plugin(each)]
    if missing:
        raise Refused(
            "configuration_refused", f"Slurm has no plugin {', '.join(missing)} on this host."
        )
    return {}


def plugins(text: str) -> Iterator[str]:
    """The plugins that a slurm.conf names."""
    for line in text.splitlines():
        value = line.partition("=")[2].strip()
        if line[:1].isalpha() and " " not in value and _PLUGINS.fullmatch(value):
            yield from (each for each in value.split(",") if not each.endswith("/none"))


def _has_plugin(name: str) -> bool:
    kind, _, own = name.partition("/")
    folders = [*Path("/usr/lib").glob("*/slurm-wlm")]
    return not folders or any((each / f"{kind}_{own}.so").exists() for each in folders)


def change(given: Json) -> Json:
    """Have these files count. Where the scheduler does not come back with them, those of before."""
    changed = write(given["files"])
    said = run("scontrol", "reconfigure", within=60)
    if said.ok and comes_up():
        return {"changed": changed}
    why = said.words if "rror" in said.words else ""
    log = [line for line in _tail() if "error" in line or "fatal" in line][-10:]
    write(given["before"])
    run("systemctl", "restart", "slurmctld.service", within=90)
    back = "Its files are those of before again" if comes_up() else "It is not back yet"
    fatal = next((line.partition("fatal: ")[2] for line in reversed(log) if "fatal" in line), why)
    raise Refused(
        "configuration_refused",
        f"The scheduler did not come up with this configuration: {fatal or 'no word'}. {back}.",
        log=log,
    )


def mend(given: Json) -> Json:
    """Have these files, and nothing beside these units that changes them.

    The scheduler reads anew what was another; units that something changed are returned.
    """
    changed = write(given["files"])
    if changed and run("systemctl", "is-active", "slurmctld.service").ok:
        run("scontrol", "reconfigure", within=60)
    overridden = [unit for unit in given["units"] if _clear(UNITS / f"{unit}.d")]
    if overridden:
        run("systemctl", "daemon-reload")
    return {"changed": changed, "overridden": overridden}


def _clear(folder: Path) -> bool:
    found = [*folder.glob("*.conf")]
    for file in found:
        file.unlink(missing_ok=True)
    return bool(found)


def write(files: Mapping[str, str]) -> list[str]:
    """Have these files, for everybody to read; which of them were others."""
    changed: list[str] = []
    for path, text in sorted(files.items()):
        file = Path(path)
        if file.exists() and file.read_text(errors="replace") == text:
            continue
        part = file.with_name(f".{file.name}.part")
        part.write_text(text)
        part.chmod(0o644)
        os.replace(part, file)
        changed.append(path)
    return changed


def _tail() -> list[str]:
    try:
        return LOG.read_text(errors="replace").splitlines()[-40:]
    except OSError:
        return []


def _words(text: str) -> str:
    """What a command of Slurm complains of, without its own name."""
    lines = [re.sub(r"^\w+: (?:error|fatal): (?:_\w+: )?", "", line) for line in text.splitlines()]
    return ". ".join(line for line in lines if not line.startswith("Unable to process"))[-500:]


VERBS = {"rehearse": rehearse, "change": change, "mend": mend}
