"""A systemd unit of the host: its file, whether it runs, whether it starts with the host.

A changed unit file is read by systemd at once, but a service that runs goes on as it was started:
ask for `restarted` where the new one shall count.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

from moorage_agent import changes, commands, inputs, programs
from moorage_agent.commands import Run
from moorage_agent.kinds import put
from moorage_agent.kinds.put import Wish
from moorage_agent.tasks import Failed, Outcome, Task, Work

FOLDER = "/etc/systemd/system"
_UNIT = re.compile(r"[A-Za-z0-9:_.@\\-]{1,200}\.(?:service|socket|timer|path|target|mount|slice)")
_OURS = re.compile(r"moorage-agent\.service|moorage\.slice|moorage-task-.*")
_VERBS = {"started": "start", "stopped": "stop", "restarted": "restart", "reloaded": "reload"}
_RUNS = ("active", "reloading", "activating")
_STARTS = ("enabled", "enabled-runtime", "alias", "generated")
_LAST_WORDS = "20"


def run(task: Task, work: Work) -> Outcome:
    """Make the unit be as the input says."""
    unit = _unit(inputs.get_text(task.input, "unit"))
    state, enabled = _state(task.input), inputs.find_flag(task.input, "enabled")
    content = inputs.find_text(task.input, "content")
    before = show(unit)
    if content is None:
        _check(unit, before)
    _record(task, work, unit, before)
    disabled = enabled is False and _disable(unit, before)
    written = content is not None and _write(task, work, unit, content)
    # To one that is to run it matters at the next start of the host, which reads everything anew.
    is_wanted = disabled and state not in ("started", "restarted")
    is_stale = is_wanted or written or _is_behind(unit, before)
    now = _read_anew(unit, before) if is_stale else before
    _check(unit, now)
    enabled_anew = enabled is True and _enable(unit, now)
    moved = _move(work, unit, now, state)
    changed = disabled or written or enabled_anew or moved
    told = _told(show(unit) if disabled or enabled_anew or moved else now)
    return Outcome(changed=changed, result={"changed": changed, **told})


def _unit(name: str) -> str:
    full = name if "." in name else f"{name}.service"
    if not _UNIT.fullmatch(full):
        raise inputs.invalid("unit", "the name of a systemd unit, as `name.service`")
    if _OURS.fullmatch(full):
        raise Failed("unit_protected", f"{full} is the agent's own: a task may not change it.")
    return full


def _state(given: Mapping[str, Any]) -> Optional[str]:
    state = inputs.find_text(given, "state")
    if state is not None and state not in _VERBS:
        raise inputs.invalid("state", "started, stopped, restarted, reloaded or null")
    return state


def show(unit: str, *, run: Run = commands.run) -> dict[str, str]:
    """What systemd says of a unit."""
    names = "LoadState,ActiveState,SubState,UnitFileState,LoadError,NeedDaemonReload,FragmentPath"
    answer = run(["systemctl", "show", f"--property={names}", "--", unit])
    if not answer.ok:
        raise Failed("systemd_refused", f"systemd says nothing of {unit}: {answer.words}")
    return dict(line.split("=", 1) for line in answer.stdout.splitlines() if "=" in line)


def _write(task: Task, work: Work, unit: str, content: str) -> bool:
    text = content.encode()
    wish = Wish(
        path=f"{FOLDER}/{unit}",
        digest=inputs.hexdigest(text),
        size=len(text),
        mode=0o644,
        uid=0,
        gid=0,
    )
    return put.place(task, work, wish, [text])


def _is_behind(unit: str, before: Mapping[str, str]) -> bool:
    """Whether systemd works by another file than the host has now. It says so itself, except where
    the unit of a package has got one in its place."""
    path = Path(FOLDER, unit)
    is_hidden = path.is_file() and not path.is_symlink() and before.get("FragmentPath") != str(path)
    return is_hidden or before.get("NeedDaemonReload") == "yes"


def _read_anew(unit: str, before: Mapping[str, str]) -> dict[str, str]:
    """What systemd says of a unit whose files were changed.

    It reads one that it did not know as soon as it is asked about it. To have it read all units of
    the host takes many times as long, so that is for those that it had read already.
    """
    now = show(unit) if before.get("LoadState") == "not-found" else {}
    if now.get("LoadState") == "loaded":
        return now
    _systemctl(unit, "daemon-reload")
    return show(unit)


def _record(task: Task, work: Work, unit: str, before: Mapping[str, str]) -> None:
    """Keep how the unit was, so that a wipe can leave it so."""
    state = {
        "active": before.get("ActiveState") in _RUNS,
        "enabled": before.get("UnitFileState", ""),
        "loaded": before.get("LoadState") == "loaded",
    }
    changes.record(work.state, task, what="unit", name=unit, before=state)


def _check(unit: str, now: Mapping[str, str]) -> None:
    load = now.get("LoadState")
    if load == "masked":
        raise Failed("unit_masked", f"{unit} is masked on this host: unmask it first.")
    if load == "not-found":
        raise Failed(
            "unit_missing", f"The host has no unit {unit}. Give its content, or install it."
        )
    if load != "loaded":
        raise Failed("unit_invalid", f"systemd cannot read {unit}: {now.get('LoadError', load)}")


def _disable(unit: str, before: Mapping[str, str]) -> bool:
    """Keep the unit from starting with the host. systemd is told by whoever goes on."""
    state = before.get("UnitFileState")
    if state not in _STARTS:
        return False
    _systemctl(unit, "disable", "--no-reload", unit, old=state == "generated")
    return True


def _enable(unit: str, now: Mapping[str, str]) -> bool:
    state = now.get("UnitFileState")
    if state in _STARTS:
        return False
    if state in ("static", "indirect"):
        raise Failed("unit_invalid", f"{unit} has no [Install] section, so it cannot be enabled.")
    _systemctl(unit, "enable", unit)
    return True


def _systemctl(unit: str, *words: str, old: bool = False) -> None:
    """Ask systemd for something.

    Args:
        old: Whether the unit is made from a script of another init system. For others the links of
            that system mean nothing, and to keep them the same takes longer than all the rest.
    """
    given = [] if old else ["env", "SYSTEMCTL_SKIP_SYSV=1"]
    done = commands.run([*given, "systemctl", "--quiet", *words])
    if not done.ok:
        raise Failed("systemd_refused", f"`systemctl {words[0]}` for {unit}: {done.words}")


def _move(work: Work, unit: str, now: Mapping[str, str], state: Optional[str]) -> bool:
    if state is None or _is_there_already(now, state):
        return False
    moved = programs.follow(["systemctl", "--quiet", _VERBS[state], "--", unit], work)
    after = show(unit)
    stands = after.get("ActiveState") in _RUNS or _is_done(after)
    if not moved.ok or (state in ("started", "restarted") and not stands):
        _tell(work, unit)
        raise Failed(
            "service_failed",
            f"{unit} did not become {state}: it is {after.get('ActiveState')} "
            f"({after.get('SubState')}). Its last words are in the task's stderr.",
            result=_told(after),
        )
    return True


def _is_there_already(now: Mapping[str, str], state: str) -> bool:
    active = now.get("ActiveState")
    if state == "started":
        return active in ("active", "reloading")
    return state == "stopped" and active in ("inactive", "failed")


def _is_done(after: Mapping[str, str]) -> bool:
    """A unit that runs once and ends well is inactive when it has."""
    return after.get("ActiveState") == "inactive" and after.get("SubState") == "dead"


def _tell(work: Work, unit: str) -> None:
    """Put the service's last words into the task's output, where its own words belong."""
    words = commands.run(["journalctl", "--no-pager", "-o", "cat", "-n", _LAST_WORDS, "-u", unit])
    work.output("stderr", words.stdout.encode())


def _told(now: Mapping[str, str]) -> dict[str, Any]:
    return {
        "active_state": now.get("ActiveState"),
        "sub_state": now.get("SubState"),
        "enabled": now.get("UnitFileState") in _STARTS,
    }
