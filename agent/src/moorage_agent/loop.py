"""The agent at work: ask for tasks, do them, say what became of them.

One thread asks; each task has a thread that does it and one that sends what it says; one thread
minds the time, one the host's own journal. All state that matters is on disk before it matters, so
the agent may be killed anywhere, and the next one goes on.
"""

import functools
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Optional

from moorage_agent import (
    __version__,
    ballast,
    baseline,
    delivery,
    durable,
    evidence,
    host,
    inventory,
    log,
    ready,
    runner,
    systemd,
    tasks,
    trust,
    turns,
    units,
)
from moorage_agent.connections import Connections
from moorage_agent.held import RECEIVED, RUNNING, Held
from moorage_agent.journal import Entry, Journal
from moorage_agent.kinds import exec as exec_kind
from moorage_agent.places import Places
from moorage_agent.platform import Refused, Unreachable
from moorage_agent.session import Conflict, Retired, Session
from moorage_agent.tasks import Failed, Task

WAIT = 15
INVENTORY_EVERY = 600.0
_SLACK = 15.0


class Agent:
    """Everything that the agent has in hand. `_lock` guards the tasks and their turns."""

    def __init__(self, session: Session, places: Places) -> None:
        self._session, self._places = session, places
        self._run_id = secrets.token_hex(8)
        self._tasks: dict[str, Held] = {}
        self._lock = threading.RLock()
        self._started = threading.Condition(self._lock)
        self._refilling = threading.Lock()
        self._connections = Connections()
        self._binding: Optional[str] = None
        self._inventory: dict[str, Any] = {}
        self._inventory_told: Optional[dict[str, Any]] = None
        durable.private_folder(places.state)
        durable.private_folder(places.tasks)
        durable.private_folder(places.run, mode=0o711)
        self._journal = Journal(places.journal)

    def run(self) -> None:
        """Work until the node is retired."""
        self._recover()
        self._inventory = inventory.collect()
        for act in (self._mind_time, self._tell_evidence, self._mind_inventory):
            _thread(_for_ever, act)
        attempt, complaint = 0, ""
        while True:
            try:
                self.poll()
                attempt, complaint = 0, ""
            except (Unreachable, Refused, Conflict, OSError) as err:
                if str(err) != complaint:
                    complaint = str(err)
                    log.line(_trouble(err), reason=complaint)
                is_conflict = isinstance(err, Conflict)
                time.sleep(delivery.CONFLICT_WAIT if is_conflict else delivery.delay(attempt))
                attempt += 1

    # --- asking ----------------------------------------------------------------------------------

    def poll(self, *, wait: float = WAIT) -> None:
        """Ask once, and begin what is to be done."""
        present = self._inventory
        body = {
            "wait": wait,
            "run_id": self._run_id,
            "boot_id": host.boot_id(self._places.root),
            "agent_version": __version__,
            "trust": trust.digest(self._places.ca),
            "holds": self._holds(),
            **({"inventory": present} if present != self._inventory_told else {}),
        }
        answer = self._session.call("POST", "/v1/agent/poll", body, timeout=wait + _SLACK)
        ballast.keep(self._places.state)
        self._inventory_told = present
        self._take(answer)
        if answer.get("want_inventory"):
            self._inventory, self._inventory_told = inventory.collect(), None
        if answer.get("trust") != body["trust"]:
            self._follow_trust(answer.get("trust"))

    def _holds(self) -> list[dict[str, str]]:
        with self._lock:
            return [{"task": held.task.id, "state": held.status} for held in self._tasks.values()]

    def _take(self, answer: dict[str, Any]) -> None:
        binding: Optional[dict[str, Any]] = answer.get("binding")
        allocation = binding["allocation_id"] if binding else None
        self._look_before(allocation)
        with self._lock:
            self._binding = allocation
            for task_id in answer.get("cancel") or ():
                self._cancel(task_id)
            self._forget(answer.get("forget") or ())
            for given in answer.get("tasks") or ():
                self._receive(given)
            self._start_next()

    def _look_before(self, allocation: Optional[str]) -> None:
        """Remember the host's packages before its new holder does anything on it."""
        if allocation in (None, self._binding):
            return
        try:
            if baseline.renew_for(self._places.state, str(allocation), root=self._places.root):
                log.line("somebody new holds this host", allocation=allocation)
        except OSError as err:
            log.line("the baseline is an older one", reason=str(err))

    def _follow_trust(self, wanted: Optional[str]) -> None:
        try:
            trust.follow(self._session.platform, self._places.ca, wanted)
            log.line("the platform's authority has changed", trust=wanted)
        except (trust.WrongAuthority, Unreachable, Refused, OSError) as err:
            log.line("the platform's new authority is not usable", reason=str(err))
            time.sleep(delivery.delay(2))

    # --- tasks -----------------------------------------------------------------------------------

    def _receive(self, given: dict[str, Any]) -> None:
        if given.get("id") in self._tasks:
            return
        try:
            task = tasks.parse(given)
        except (KeyError, TypeError, ValueError) as err:
            log.line("the platform sent a task that is none", reason=str(err))
            return
        held = self._tasks[task.id] = Held(task, self._places, self._session, self._connections)
        try:
            self._check(task)
            held.give_secrets(given.get("secrets") or {})
        except Failed as err:
            self._refuse(held, err)

    def _check(self, task: Task) -> None:
        if task.kind not in runner.KINDS:
            raise Failed("unknown_kind", f"This agent knows no tasks of the kind {task.kind!r}.")
        if self._journal.is_stale(task):
            raise Failed("stale_fence", "A successor has worked on this operation here already.")
        if task.allocation_id is not None and task.allocation_id != self._binding:
            raise Failed("wrong_allocation", "This node is not held by the task's allocation.")

    def _refuse(self, held: Held, err: Failed) -> None:
        log.of(held.task, "refused", code=err.code)
        held.end(runner.report(held.task, "failed", code=err.code, message=err.message))
        _thread(self._tell_end, held)

    def _start_next(self) -> None:
        """Begin what may begin now. What starts is in the journal before it does."""
        with self._lock:
            waiting = [held for held in self._tasks.values() if held.status == RECEIVED]
            running = [held for held in self._tasks.values() if held.status == RUNNING]
            if any(held.task.kind == turns.ALONE for held in waiting):
                for held in running:
                    held.stopping.stop("wiped")
            order = [(held.task.id, held.task.kind) for held in waiting]
            kinds = [held.task.kind for held in running]
            chosen = [self._tasks[task_id] for task_id in turns.next_up(order, kinds)]
            if chosen and self._write_started(chosen):
                for held in chosen:
                    self._begin(held, runner.do, seconds=held.task.timeout)

    def _write_started(self, chosen: Sequence[Held]) -> bool:
        try:
            self._put_down(chosen)
        except OSError as err:
            for held in chosen:
                said = f"The agent cannot write its journal, so it starts nothing: {err.strerror}."
                self._refuse(held, Failed("disk_full", said))
            return False
        return True

    def _put_down(self, chosen: Sequence[Held]) -> None:
        """Write that these start. What clears the host is worth the room that is kept for it."""
        try:
            self._journal_start(chosen)
        except OSError:
            is_urgent = any(held.task.kind in turns.CLEARING for held in chosen)
            if not is_urgent or not ballast.spend(self._places.state):
                raise
            self._journal_start(chosen)

    def _journal_start(self, chosen: Sequence[Held]) -> None:
        for held in chosen:
            held.make_folders()
        self._journal.start([held.task for held in chosen], time.time())

    def _begin(
        self, held: Held, act: Callable[[Task, Held], dict[str, Any]], *, seconds: float
    ) -> None:
        held.start(seconds=seconds)
        self._started.notify_all()
        _thread(self._do, held, act)

    def _do(self, held: Held, act: Callable[[Task, Held], dict[str, Any]]) -> None:
        """See one task through: do it, write down how it ended, tell the platform."""
        follower = _thread(delivery.follow, self._session, held)
        log.of(held.task, "started")
        report = act(held.task, held)
        if held.task.kind == "exec":
            report["result"]["dropped"] = held.outputs.dropped()
        if held.outputs.is_disk_full:
            report["result"]["disk_full"] = True
        self._end(held, report)
        follower.join()
        self._tell_end(held)
        if held.task.kind == "exec":
            self._make_ready()

    def _make_ready(self) -> None:
        """Have units ready for the next commands. Without them all is well, but slower."""
        try:
            with self._refilling:
                ready.refill(self._places.run, self._connections)
        except (OSError, systemd.Gone, systemd.Said) as err:
            log.line("no unit can be made ready", reason=str(err))

    def _end(self, held: Held, report: dict[str, Any]) -> None:
        with self._lock:
            self._note(lambda: self._journal.end(held.task.id, report))
            held.end(report)
            self._start_next()
        log.of(held.task, "ended", state=report["state"])

    def _tell_end(self, held: Held) -> None:
        delivery.finish(self._session, held, functools.partial(self._answered, held))

    def _answered(self, held: Held, outcome: str) -> None:
        """The platform knows of the end. It says later when the task may be forgotten."""
        with self._lock:
            held.answered = True
            self._note(lambda: self._journal.answer(held.task.id))
            if held.is_unwanted or outcome == "refused":
                self._drop([held])

    def _cancel(self, task_id: str) -> None:
        held = self._tasks.get(task_id)
        if held is None or held.report:
            return
        held.stopping.stop("cancelled")
        if held.status == RECEIVED:
            said = "The task was cancelled before it began."
            held.end(runner.report(held.task, "cancelled", code="cancelled", message=said))
            _thread(self._tell_end, held)

    def _forget(self, task_ids: Sequence[str]) -> None:
        held = [self._tasks[task_id] for task_id in task_ids if task_id in self._tasks]
        self._drop([one for one in held if one.answered])
        for one in held:
            if not one.answered:
                one.is_unwanted = True
                one.stopping.stop("cancelled")

    def _drop(self, gone: Sequence[Held]) -> None:
        self._note(lambda: self._journal.forget([held.task.id for held in gone]))
        for held in gone:
            del self._tasks[held.task.id]
            held.remove()

    def _note(self, write: Callable[[], None]) -> None:
        """Write what is only a help after a crash: a full disk must not keep a task from ending."""
        try:
            write()
        except OSError as err:
            log.line("the agent's files cannot be written", reason=str(err))

    # --- after a start ---------------------------------------------------------------------------

    def _recover(self) -> None:
        """Take up what an earlier run of the agent left."""
        entries = dict(self._journal.kept.entries)
        for folder in (self._places.tasks, self._places.run):
            for path in folder.iterdir():
                if path.name not in entries and path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
        known = [exec_kind.unit_of(one, self._places.tasks / one) for one in entries]
        try:
            units.clear(keep=known)
        except systemd.Gone as err:
            log.line("commands cannot be run here", reason=str(err))
        with self._lock:
            for entry in entries.values():
                self._take_up(entry)

    def _take_up(self, entry: Entry) -> None:
        held = self._tasks[entry.task.id] = Held(
            entry.task, self._places, self._session, self._connections
        )
        if entry.end is None:
            left = entry.task.timeout - (time.time() - entry.started_at)
            self._begin(held, runner.resume, seconds=min(max(left, 0), entry.task.timeout))
            return
        held.end(entry.end)
        held.answered = entry.answered
        if not held.answered:
            _thread(self._tell_end, held)

    # --- beside the tasks ------------------------------------------------------------------------

    def _mind_time(self) -> None:
        """Stop tasks whose time is over, also while the platform is out of reach."""
        with self._lock:
            while True:
                now = time.monotonic()
                running = [held for held in self._tasks.values() if held.status == RUNNING]
                for held in running:
                    if held.deadline <= now:
                        held.stopping.stop("timed_out")
                left = [held.deadline - now for held in running if held.deadline > now]
                self._started.wait(min(left) if left else None)

    def _mind_inventory(self) -> None:
        while True:
            time.sleep(INVENTORY_EVERY)
            self._inventory = inventory.collect()

    def _tell_evidence(self) -> None:
        """Send what the host's journal says of logins, each line until it was answered."""
        place, stop = self._places.cursor, threading.Event()
        cursor = place.read_text() if place.exists() else None
        for items in evidence.follow(cursor, stop):
            if items:
                delivery.insist(self._session, "/v1/agent/evidence", {"items": items})
                key = str(items[-1]["key"]).encode()
                self._note(functools.partial(durable.write, place, key))


def work(session: Session, places: Places) -> int:
    """Work until nobody wants it; the exit code, which keeps systemd from starting it anew."""
    try:
        Agent(session, places).run()
    except Retired as err:
        log.line("this node is retired; the agent stops", reason=str(err))
    except OSError as err:
        log.line("the agent cannot start; systemd tries again", reason=str(err))
        return 1
    return 78


def _trouble(err: Exception) -> str:
    if isinstance(err, OSError):
        return "the agent cannot write its own files; it tries again until there is room"
    return "the platform cannot be worked for"


def _for_ever(act: Callable[[], None]) -> None:
    """Do what has no end, again where it breaks: nobody else would notice that it is missing."""
    while True:
        try:
            act()
        except Exception as err:  # noqa: BLE001 - whatever it is, the next try may do better
            log.line("something beside the tasks broke", what=act.__name__, reason=str(err))
        time.sleep(delivery.delay(4))


def _thread(act: Callable[..., None], *given: Any) -> threading.Thread:
    thread = threading.Thread(target=act, args=given, daemon=True)
    thread.start()
    return thread
