"""Worlds of the sample app."""

from moorage import testing
from moorage.testing import Command, Host, Member, Operation, Output, World


def commands(host: Host, command: Command) -> Output | str | None:
    """What the sample's programs do on a host."""
    match command.argv:
        case ("jobs",):
            return str(host.state.get("jobs", 0))
        case ("alive",):
            return Output(exit_code=0 if host.running("word.service") else 1)
        case ("announce", *_) | ("resume",):
            return Output(exit_code=host.state.get("exit_code", 0), stderr="it is broken")
        case _:
            return None


def host(name: str, **state: object) -> Host:
    return Host(name, commands=commands, state=dict(state))


def fresh(*, workers: int = 2) -> World:
    """Nothing is there yet but the wish for a deployment."""
    names = [f"worker-{n}" for n in range(1, workers + 1)]
    return World(
        status="requested",
        config={"word": "moor"},
        hosts=[host("h0"), *(host(f"h{n}") for n in range(1, workers + 1))],
        members=[
            Member("keeper-1", "keeper", host="h0", status="requested"),
            *(
                Member(name, "worker", host=f"h{n}", status="requested")
                for n, name in enumerate(names, 1)
            ),
        ],
        operations=[testing.deploy()],
    )


def running(*operations: Operation, **state: object) -> World:
    """A keeper and a worker at work, and one more host."""
    return World(
        config={"word": "moor"},
        hosts=[host("h0", **state), host("h1", **state), host("h2", **state)],
        members=[
            Member("keeper-1", "keeper", host="h0"),
            Member("worker-1", "worker", host="h1"),
            Member("worker-2", "worker", host="h2", status="requested"),
        ],
        secrets={"key": 1},
        operations=[*operations],
    )
