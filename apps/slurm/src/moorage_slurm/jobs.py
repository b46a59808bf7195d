"""What people do with the queue and with nodes."""

from typing import Any

import moorage
from moorage_slurm import cluster, host
from moorage_slurm.app import app
from moorage_slurm.joining import scheduler

Json = dict[str, Any]


@app.action("slurm.submit")
async def submit(op: moorage.ActionOperation) -> Json:
    """Put a job into the queue as whoever asked. Asked twice, there is one job."""
    login, uid = await _identity(op)
    given = {
        "operation": op.id,
        "login": login,
        "uid": uid,
        "account": op.input.get("account") or cluster.account(op.instance),
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
    login, _ = await _identity(op)
    verb = op.action.rpartition(".")[2]
    given = {"job": op.input["job"], "verb": verb, "login": login}
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
    given = {"node": op.member.name, "by": _name(op), **op.input}
    return await _on_controller(op, verb, f"nodes.{verb}", given)


async def _on_controller(op: moorage.Operation, step: str, verb: str, given: Json) -> Json:
    return await op.step(step, host.ask, op.machine(scheduler(op)), verb, given)


async def _identity(op: moorage.ActionOperation) -> tuple[str, int | None]:
    """The login as which whoever asked works, and its number. Nobody else's will do."""
    who = op.requested_by
    if who is not None and who.kind == "service_account":
        login = op.instance.config["service_accounts"].get(who.name or "")
        if login is None:
            raise moorage.Fail(
                "no_identity",
                f"The service account {who.name} has no login on this cluster. Name one in the"
                " configuration, under `service_accounts`.",
                recovery="terminal",
            )
        return login, None
    for person in await op.principals():
        if who is not None and person["user_id"] == who.id:
            return person["login"], person["uid"]
    raise moorage.Fail(
        "no_identity",
        "Whoever asked is not among the people of this cluster. A role in its project that may"
        " use machines is needed.",
        recovery="terminal",
    )


def _name(op: moorage.ActionOperation) -> str:
    return (op.requested_by.name if op.requested_by else None) or "somebody"
