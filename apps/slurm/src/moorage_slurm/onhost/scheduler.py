"""The scheduler, as far as others wait for it."""

from moorage_slurm.onhost.commands import Json, connect, run


def reach(given: Json) -> Json:
    """On a worker: until the scheduler takes connections, or the time is over."""
    try:
        connect(given["address"], given["port"], within=given["seconds"]).close()
    except OSError:
        return {"reached": False}
    return {"reached": True}


def version(given: Json) -> Json:
    """The version of the scheduler that runs here, as it says itself."""
    return {"version": find_version() or ""}


def find_version() -> str | None:
    done = run("scontrol", "show", "config", within=10)
    for line in done.lines:
        name, _, value = line.partition("=")
        if name.strip() == "SLURM_VERSION":
            return value.strip()
    return None


VERBS = {"reach": reach, "version": version}
