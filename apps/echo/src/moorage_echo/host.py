"""Verbs on a host of echo. Each is safe to run twice; none decides anything."""

import json
from datetime import UTC, datetime
from typing import Any

import moorage
from moorage_echo import cluster, echod

Json = dict[str, Any]
PYTHON = "/usr/bin/python3"


async def ensure(machine: moorage.Machine, wanted: Json, key: moorage.Secret) -> None:
    """Have a server that is what it should be; a replica is on the leader's list."""
    await put_files(machine, wanted, key)
    await bring_up(machine, wanted)
    if wanted["settings"]["role"] == cluster.REPLICA:
        await _run(machine, "join")  # while the leader is away, it is told later


async def put_back(machine: moorage.Machine, wanted: Json, key: moorage.Secret) -> None:
    """Undo a change of settings."""
    await ensure(machine, {**wanted, "settings": wanted["before"]}, key)


async def turn_off(machine: moorage.Machine, wanted: Json, key: moorage.Secret) -> None:
    """Undo the start of a server that was stopped."""
    await stop(machine)


async def put_files(machine: moorage.Machine, wanted: Json, key: moorage.Secret) -> None:
    """Everything that the server reads, and the unit that starts it."""
    settings = cluster.text(wanted["settings"])
    await machine.put(cluster.PROGRAM, artifact="echod.py", mode="0755", parents=True)
    await machine.put(cluster.SETTINGS, settings, mode="0644", parents=True)
    await machine.put(cluster.KEY, key, mode="0600", owner="root")
    await machine.service(cluster.UNIT, content=cluster.UNIT_TEXT)


async def take_off(machine: moorage.Machine, wanted: Json, key: moorage.Secret) -> None:
    """Undo putting files."""
    await clear(machine)


async def bring_up(machine: moorage.Machine, wanted: Json) -> Json:
    """Have the server run as it should, with no more of an interruption than that needs."""
    started = await machine.service(cluster.UNIT, "started", enabled=True)
    said = await find_status(machine, wait=started.changed)
    need = cluster.mending(said, wanted=wanted)
    if need == "reload":
        await ask(machine, "reload")
        said = await find_status(machine)
        need = cluster.mending(said, wanted=wanted)
    if need != "nothing":
        await restart(machine)
        said = await find_status(machine)
    if said is None or cluster.mending(said, wanted=wanted) != "nothing":
        raise moorage.Fail(
            "server_differs",
            f"The server of {machine.name} does not run with its version and settings.",
            recovery="repairable",
        )
    return {"version": said["version"]}


async def start(machine: moorage.Machine) -> None:
    """Undo a stop."""
    await machine.service(cluster.UNIT, "started", enabled=True)
    await ask(machine, "await")


async def restart(machine: moorage.Machine) -> None:
    """Start the server anew, and wait until it answers."""
    await machine.service(cluster.UNIT, "restarted")
    await ask(machine, "await")


async def stop(machine: moorage.Machine) -> None:
    await machine.service(cluster.UNIT, "stopped", enabled=False)


async def ask(machine: moorage.Machine, verb: str, given: Json | None = None) -> Json:
    """What the program on the host answers. Raises where it refuses or does not answer."""
    code, said = await _run(machine, verb, given)
    if code == 0:
        return said
    recovery = "retryable" if code == echod.NO_ANSWER else "operator"
    raise moorage.Fail(said["code"], f"{machine.name}: {said['message']}", recovery=recovery)


async def find_status(machine: moorage.Machine, *, wait: bool = False) -> Json | None:
    """The server's status, or None where it does not answer, or not with this key."""
    code, said = await _run(machine, "await" if wait else "status")
    return said if code == 0 else None


async def join(machine: moorage.Machine) -> None:
    await ask(machine, "join")


async def strike_off(leader: moorage.Machine, names: list[str]) -> None:
    """Take replicas off the leader's list that are no members any more."""
    for name in names:
        await ask(leader, "leave", {"name": name})


async def leave(machine: moorage.Machine) -> None:
    """Take a replica off the leader's list. Without a leader there is no list to be taken off."""
    await _run(machine, "leave")


async def drain(machine: moorage.Machine) -> str:
    """Send the replica no more writes; since when."""
    await ask(machine, "drain")
    return datetime.now(UTC).isoformat()


async def resume(machine: moorage.Machine) -> None:
    await ask(machine, "resume")


async def wait_for_readers(machine: moorage.Machine, policy: str, overdue: bool) -> list[str]:
    """Until the replica may go; who was cut off."""
    holds: list[str] = (await ask(machine, "status"))["holds"]
    if cluster.is_drained(holds, policy=policy, overdue=overdue):
        return holds
    raise moorage.Wait(f"waiting for {', '.join(holds)} to finish reading", recheck=2)


async def clear(machine: moorage.Machine) -> None:
    """Take everything of echo off the host."""
    await machine.exec(
        "systemctl", "disable", "--now", "--quiet", cluster.UNIT, check=False, repeatable=True
    )
    await machine.exec("rm", "-rf", "--", cluster.UNIT_FILE, *cluster.FOLDERS, repeatable=True)
    await machine.exec("systemctl", "daemon-reload", repeatable=True)


async def scan(machine: moorage.Machine, port: int) -> list[str]:
    """What is still there of echo."""
    paths = (cluster.UNIT_FILE, *cluster.FOLDERS)
    listed = await machine.exec("ls", "-d", "--", *paths, check=False, repeatable=True)
    seen = await machine.inspect("services", "listening")
    return cluster.left(listed.stdout, seen, port=port)


async def _run(machine: moorage.Machine, verb: str, given: Json | None = None) -> tuple[int, Json]:
    done = await machine.exec(
        PYTHON,
        cluster.PROGRAM,
        verb,
        stdin=json.dumps(given or {}),
        timeout=60,
        repeatable=True,
        check=False,
    )
    if done.exit_code not in (0, echod.REFUSED, echod.NO_ANSWER):
        raise moorage.Fail(
            "program_broken",
            f"{machine.name}: `echod.py {verb}` ended with {done.exit_code}.",
            recovery="repairable",
            log=done.stderr.splitlines()[-20:],
        )
    return done.exit_code, json.loads(done.stdout)
