"""What the author of an app imports, as `moorage.App` and so on."""

from moorage.controller.app import App, ManifestUnusable
from moorage.controller.briefs import Component, Instance, Member, Previous, Requester
from moorage.controller.machine import Done, Installed, Machine, Secret, ServiceState
from moorage.controller.operation import (
    ActionOperation,
    BatchOperation,
    InstanceOperation,
    MemberOperation,
    Operation,
)
from moorage.controller.outcomes import Fail, Lost, Retry, Wait
from moorage.controller.reports import (
    ComponentSeen,
    Condition,
    MemberSeen,
    Observed,
    Residue,
    Usage,
)
from moorage.controller.watching import WatchedInstance

__all__ = [
    "ActionOperation",
    "App",
    "BatchOperation",
    "Component",
    "ComponentSeen",
    "Condition",
    "Done",
    "Fail",
    "Installed",
    "Instance",
    "InstanceOperation",
    "Lost",
    "Machine",
    "ManifestUnusable",
    "Member",
    "MemberOperation",
    "MemberSeen",
    "Observed",
    "Operation",
    "Previous",
    "Requester",
    "Residue",
    "Retry",
    "Secret",
    "ServiceState",
    "Usage",
    "Wait",
    "WatchedInstance",
]
