"""Do one task and say how it ended. Whatever a kind does, this returns a report."""

import importlib
import traceback
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, Optional

from moorage_agent import ballast, log, platform
from moorage_agent.kinds import exec as exec_kind
from moorage_agent.kinds import put
from moorage_agent.tasks import Failed, Lost, Outcome, Stop, Task, Work

Kind = Callable[[Task, Work], Outcome]
KINDS = {
    "exec": "exec",
    "put": "put",
    "get": "get",
    "packages": "packages",
    "service": "service",
    "access-sync": "access_sync",
    "probe": "probe",
    "wipe": "wipe",
}
_STOPPED = {
    "cancelled": ("cancelled", "The task was cancelled."),
    "timed_out": ("timed_out", "The task was not done in its time."),
    "wiped": ("cancelled", "The host is being wiped."),
}


def kind_of(task: Task) -> Kind:
    """The function that does this kind of task."""
    found: Kind = importlib.import_module(f"moorage_agent.kinds.{KINDS[task.kind]}").run
    return found


def do(task: Task, work: Work) -> dict[str, Any]:
    """Do the task."""
    return _reported(task, work, lambda: kind_of(task)(task, work))


def resume(task: Task, work: Work) -> dict[str, Any]:
    """Go on with a task that an earlier run of the agent began."""
    return _reported(task, work, lambda: _resumed(task, work))


def _resumed(task: Task, work: Work) -> Outcome:
    if task.kind != "exec":
        put.tidy(task, work)
        raise Lost("The agent was started anew while it did this.")
    return exec_kind.resume(task, work)


def _reported(task: Task, work: Work, act: Callable[[], Outcome]) -> dict[str, Any]:
    try:
        outcome = act()
    except Failed as err:
        return failed(task, work, err)
    except Lost as err:
        return report(task, "unknown", code="lost", message=str(err))
    except (platform.Unreachable, platform.Refused) as err:
        missing = Failed("content_unreachable", f"The content did not come: {err}")
        return failed(task, work, missing)
    except Exception as err:  # noqa: BLE001 - a kind with a bug must not take the agent with it
        if isinstance(err, OSError) and err.errno in ballast.FULL:
            return failed(task, work, Failed("disk_full", "The host's disk is full."))
        log.of(task, "a kind of task broke", error=type(err).__name__, at=_place(err))
        said = f"The agent broke on this task: {type(err).__name__}. Its journal says where."
        return failed(task, work, Failed("agent_broke", said))
    return report(task, "succeeded", changed=outcome.changed, result=outcome.result)


def failed(task: Task, work: Work, err: Failed) -> dict[str, Any]:
    """A task that fails after it was told to stop has been stopped."""
    because = work.cancelled.because if isinstance(work.cancelled, Stop) else ""
    if because in _STOPPED:
        state, message = _STOPPED[because]
        return report(task, state, code=because, message=message, result=err.result)
    return report(task, "failed", code=err.code, message=err.message, result=err.result)


def report(
    task: Task,
    state: str,
    *,
    changed: Optional[bool] = None,
    result: Optional[dict[str, Any]] = None,
    code: str = "",
    message: str = "",
) -> dict[str, Any]:
    """What the platform is told."""
    return {
        "task": task.id,
        "fence": task.fence,
        "state": state,
        "at": datetime.now(timezone.utc).isoformat(),
        "changed": changed,
        "result": result or {},
        "error": {"code": code, "message": message} if code else None,
    }


def _place(err: BaseException) -> str:
    """Where it happened; the message may hold what is nobody's business."""
    last = traceback.extract_tb(err.__traceback__)[-1]
    return f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
