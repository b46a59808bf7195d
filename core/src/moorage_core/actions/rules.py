"""What can be asked for as an action, and what it may answer. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import moorage_manifest
from moorage_core.errors import ApiError, Conflict, Fault, NotFound
from moorage_core.instances.models import Instance
from moorage_core.operations.models import Lock

LOCKS: dict[str, Lock] = {"none": "none", "member": "shared", "instance": "exclusive"}
"""What an action keeps others from, as operations say it."""
RUNS = frozenset({"running", "configuring", "upgrading", "rolling_back", "restarting", "rotating"})
"""States of an instance in which there is somebody to ask."""
TIMEOUT = 600
"""Seconds, where the manifest says nothing."""


class ActionUnknown(NotFound):
    """The instance's version declares no such action."""

    code = "action_unknown"


class ActionInputInvalid(ApiError):
    """The input is not what the action takes."""

    status = 422
    code = "action_input_invalid"


class ActionOutputInvalid(ApiError):
    """The result is not what the action declares to answer."""

    status = 422
    code = "action_output_invalid"


class ActionNeedsMember(ApiError):
    """The action acts on a member of a component, or on none."""

    status = 422
    code = "action_needs_member"


class InstanceNotRunning(Conflict):
    """The instance is in no state in which an action could be done."""

    code = "instance_not_running"


def find(manifest: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The declaration of an action."""
    for action in manifest["actions"]:
        if action["name"] == name:
            return action
    raise ActionUnknown(f"This version of the app declares no action {name}.")


def timeout(manifest: Mapping[str, Any]) -> int:
    return manifest["timeouts"].get("action", TIMEOUT)


def check_running(instance: Instance) -> None:
    if instance.status not in RUNS:
        raise InstanceNotRunning(
            f"Instance {instance.id} is {instance.status}: nobody is there to do this."
        )


def check_input(action: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    schema = action["input"]
    if schema is None and not given:
        return
    faults = (
        [Fault("body.input", "the action takes no input")]
        if schema is None
        else _faults(schema, given, "body.input")
    )
    if faults:
        raise ActionInputInvalid(
            f"The input is not what {action['name']} takes. `errors` says where.", errors=faults
        )


def check_output(action: Mapping[str, Any], result: Any) -> None:
    if action["output"] is None:
        return
    if faults := _faults(action["output"], result, "result"):
        raise ActionOutputInvalid(
            f"The result is not what {action['name']} declares. `errors` says where.",
            errors=faults,
        )


def check_member(action: Mapping[str, Any], member: str | None, component: str | None) -> None:
    """An action of a component acts on one of its members, any other on none."""
    wanted = action["component"]
    if wanted is None and member is not None:
        raise ActionNeedsMember(f"{action['name']} acts on the instance and not on a member.")
    if wanted is not None and component != wanted:
        raise ActionNeedsMember(
            f"{action['name']} acts on a member of the component {wanted}. Name one.",
            errors=[Fault("body.member", f"must be a member of {wanted}")],
        )


def _faults(schema: dict[str, Any], value: Any, at: str) -> Sequence[Fault]:
    return [
        Fault(f"{at}.{fault.path}" if fault.path else at, fault.message)
        for fault in moorage_manifest.config_faults(schema, value)
    ]
