"""What people do with the queue and with nodes."""

from collections.abc import Sequence
from typing import Any

import moorage
from moorage_slurm import cluster, host
from moorage_slurm.app import app
from moorage_slurm.joining import scheduler

Json = dict[str, Any]


@app.action("slurm.submit")
async def submit(op: moorage.ActionOperation) -> Json:
    """Put a job into the queue as whoever asked. Asked twice, there is one job."""
    given = {
        **await _identity(op),
        "operation": op.id,
        "account": cluster.account(op.instance),
        "job": op.input,
    }
    return await _on_controller(op, "submit", "queue.submit", given)


@app.action("slurm.list")
async def list_jobs(op: moorage.ActionOperation) -> Json:
    return await _on_controller(op, "list", "queue.list", op.input)


@app.action("slurm.inspect")
async def inspect(op: moorage.ActionOperation) -> Json:
    return await _on_controller(op, "inspect", "queue.inspect", op.input)


@app.action("slurm.cancel")
@app.action("slurm.hold")
@app.action("slurm.release")
async def change_own(op: moorage.ActionOperation) -> Json:
    """Slurm is asked as whoever asked, and refuses what is another's a second time."""
    verb = op.action.rpartition(".")[2]
    given = {**op.input, **await _identity(op), "verb": verb}
    return await _on_controller(op, verb, "queue.change", given)


@app.action("slurm.operate")
async def change_any(op: moorage.ActionOperation) -> Json:
    return await _on_controller(op, op.input["verb"], "queue.change", op.input)


@app.action("slurm.node.drain")
@app.action("slurm.node.resume")
@app.action("slurm.node.cordon")
@app.action("slurm.node.uncordon")
@app.action("slurm.node.label")
async def change_node(op: moorage.ActionOperation) -> Json:
    verb = op.action.rpartition(".")[2]
    member = op.member
    given = {**op.input, "node": member.name, "by": _name(op), "is_ready": member.status == "ready"}
    return await _on_controller(op, verb, f"nodes.{verb}", given)


async def _on_controller(op: moorage.Operation, step: str, verb: str, given: Json) -> Json:
    return await op.step(step, answer, op.machine(scheduler(op)), verb, given)


async def answer(machine: moorage.Machine, verb: str, given: Json) -> Json:
    """What the scheduler's host answers. A no is for good: who wants it otherwise asks anew."""
    try:
        return await host.ask(machine, verb, given)
    except moorage.Fail as err:
        if err.recovery != "operator":
            raise
        message = err.message.removeprefix(f"{machine.name}: ")
        raise moorage.Fail(err.code, message, recovery="terminal", log=err.log) from err


async def _identity(op: moorage.ActionOperation) -> Json:
    """The login as which whoever asked works, and its number."""
    if op.requested_by is None:
        raise nobody("Nobody is known to have asked.")
    people = await op.principals()
    return identity(op.requested_by, people, op.instance.config["service_accounts"])


def identity(who: moorage.Requester, people: Sequence[Json], programs: dict[str, str]) -> Json:
    """As whom somebody's jobs run. Nobody's run as somebody else. Pure."""
    if who.kind == "service_account":
        return _program(who, people, programs)
    for person in people:
        if person["user_id"] == who.id:
            return {"login": person["login"], "uid": person["uid"]}
    raise nobody(
        "Whoever asked is not among the people of this cluster. It takes a role in its project"
        " that may use machines."
    )


def _program(who: moorage.Requester, people: Sequence[Json], programs: dict[str, str]) -> Json:
    """A program's jobs run as the login that was declared for it, which is nobody's own."""
    login = programs.get(who.name or "")
    if login is None:
        raise nobody(
            f"The service account {who.name} has no login on this cluster. Name one in the"
            " configuration, under `service_accounts`."
        )
    if login in {person["login"] for person in people}:
        raise nobody(f"{login} is a person: the jobs of {who.name} cannot run in their name.")
    return {"login": login}


def nobody(why: str) -> moorage.Fail:
    return moorage.Fail("no_identity", why, recovery="terminal")


def _name(op: moorage.ActionOperation) -> str:
    return (op.requested_by.name if op.requested_by else None) or "somebody"
