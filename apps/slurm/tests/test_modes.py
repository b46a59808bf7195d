"""What is refused where controller and worker stand on one host: a world in, a world out."""

from typing import Any

import pytest

from moorage import testing
from moorage_slurm.controller import app


def config() -> dict[str, Any]:
    """What stands in a configuration that nobody has changed."""
    assert app.manifest.config is not None
    fields = app.manifest.config.json_schema["properties"]
    return {name: each["default"] for name, each in fields.items()}


def world(*operations: testing.Operation, apart: bool = False) -> testing.World:
    """A controller and a worker, on one host or apart, and a worker that may come."""
    places = {"controller-1": "h1", "worker-1": "h2" if apart else "h1", "worker-2": "h3"}
    hosts = [testing.Host("h1"), testing.Host("h2", reachable=False), testing.Host("h3")]
    hosts[0].reachable = apart
    return testing.World(
        hosts=hosts,
        members=[testing.Member(name, name[:-2], host) for name, host in places.items()],
        operations=[*operations],
        config=config(),
    )


def replacement(*, apart: bool) -> testing.World:
    made = world(testing.replace("worker-1", by="worker-2", lost=True), apart=apart)
    made.member("worker-2").status = "requested"
    return made


def removal(*, apart: bool) -> testing.World:
    asked = testing.remove("worker-1")
    asked.input["lost"] = True
    return world(asked, apart=apart)


def test_a_lost_worker_is_not_replaced_before_the_controller_that_was_beside_it() -> None:
    after = testing.run(app, replacement(apart=False))

    asked = after.operations[0]
    assert (asked.status, asked.error) == ("blocked", "controller_lost")
    assert "replace controller-1 as lost, and then worker-1" in str(asked.error_message)
    back = testing.run(app, after.cancel("member.replace"))
    assert (back.operations[0].status, back.member("worker-1").status) == ("cancelled", "ready")


def test_a_lost_worker_is_not_removed_before_the_controller_that_was_beside_it() -> None:
    after = testing.run(app, removal(apart=False))

    asked = after.operation("worker-1")
    assert (asked.status, asked.error) == ("blocked", "controller_lost")


@pytest.mark.parametrize("made", [replacement(apart=True), removal(apart=True)])
def test_where_the_controller_is_elsewhere_it_is_asked_to_forget_a_lost_worker(
    made: testing.World,
) -> None:
    after = testing.run(app, made)

    assert after.operation("worker-1").steps[0].name == "let the scheduler forget it"


def test_a_controller_is_replaced_and_never_removed() -> None:
    with pytest.raises(testing.ImpossibleWorld, match="remove"):
        testing.run(app, world(testing.remove("controller-1")))


def test_a_worker_on_a_host_that_is_lost_is_not_asked_even_if_nobody_saw_it_die() -> None:
    """Nobody waits for a host that cannot answer."""
    asked = testing.replace("controller-1", by="controller-2", lost=True)
    asked.input["policy"] = "force"
    made = world(asked)
    made.host("h1").reachable = True
    made.members[2:] = [testing.Member("controller-2", "controller", "h3", status="requested")]

    after = testing.run(app, made)

    assert after.operation("controller-1").status == "succeeded"
    assert after.host("h1").ran == []
    assert ("the key of before", "worker-1") in [
        (each.what, each.where) for each in after.operation("controller-1").residue
    ]


def test_nothing_is_changed_before_somebody_agrees_to_what_a_dead_host_takes_along() -> None:
    made = world(testing.replace("controller-1", by="controller-2", lost=True))
    made.members[2:] = [testing.Member("controller-2", "controller", "h3", status="requested")]

    after = testing.run(app, made)

    asked = after.operation("controller-1")
    assert (asked.status, asked.error) == ("blocked", "losses_to_accept")
    assert [step.name for step in asked.steps] == ["look what is lost"]
