"""Tests of controllers without a platform: a world in, a world out.

world = testing.World(
    hosts=[testing.Host("h1")],
    members=[testing.Member("worker-1", "worker", host="h1")],
    operations=[testing.drain("worker-1")],
)

after = testing.run(app, world)

assert after.member("worker-1").status == "drained"
"""

from moorage.testing.hosts import Command, File, Host, Output, Service
from moorage.testing.running import every_cancel, every_crash, look, run
from moorage.testing.worlds import (
    ImpossibleWorld,
    Member,
    Operation,
    World,
    act,
    add,
    configure,
    decommission,
    deploy,
    drain,
    remove,
    repair,
    replace,
    restart,
    resume,
    rollback,
    rotate,
    start,
    stop,
    upgrade,
)

__all__ = [
    "Command",
    "File",
    "Host",
    "ImpossibleWorld",
    "Member",
    "Operation",
    "Output",
    "Service",
    "World",
    "act",
    "add",
    "configure",
    "decommission",
    "deploy",
    "drain",
    "every_cancel",
    "every_crash",
    "look",
    "remove",
    "repair",
    "replace",
    "restart",
    "resume",
    "rollback",
    "rotate",
    "run",
    "start",
    "stop",
    "upgrade",
]
