"""How a controller behaves on its road, in every pass: judged from what it asked for.

A rule of access is kept by the platform whatever an app does. An app that keeps it too never asks
for what it would be refused, so each refusal of that sort is a fault of the app's.
"""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from moorage_conformance.judging import Check, Judge
from moorage_conformance.road import Exchange

ONE_HOLDER = Check("OP-2", "Once an operation is another's, the replica says no more of it.")
IN_ORDER = Check("OP-3", "Reports are numbered without a gap; one that is sent again is the same.")
WRITTEN = Check("OP-6", "A step is in the journal before it begins; one that is done stays done.")
OWN_MACHINES = Check("MC-1", "Tasks are asked for on the machines of the operation alone.")
DECLARED = Check("MC-3", "Tasks are of kinds and users that the manifest declares.")
ENDED = Check("MC-4", "After the report that ends an operation nothing is asked with its grant.")
HEALTH = Check("WV-2", "What is observed is told as health and conditions.")
LOOKING = Check("WV-5", "Under a watch no task is asked for but probes.")
GENERATIONS = Check("WV-7", "The generation of a view never goes down.")
OWN_APP = Check("SO-1", "It claims for its own app alone.")
SCOPES = Check("SO-4", "It uses no scope that the manifest does not ask for.")
ONE_KEY = Check("SO-5", "It has one key, and reaches for nothing but the platform.")
CLAIMING = Check("ON-2", "Its account claims, reports and leaves, and does nothing else.")
OWN_THINGS = Check("ON-3", "It asks for nothing that it was not told of.")
BYTES = Check("ON-5", "No command of it fetches bytes from elsewhere.")
CHECKS = (
    *(ONE_HOLDER, IN_ORDER, WRITTEN, OWN_MACHINES, DECLARED, ENDED, HEALTH, LOOKING, GENERATIONS),
    *(OWN_APP, SCOPES, ONE_KEY, CLAIMING, OWN_THINGS, BYTES),
)

REFUSALS = {
    "sequence_gap": IN_ORDER,
    "step_final": WRITTEN,
    "allocation_foreign": OWN_MACHINES,
    "component_not_touched": OWN_MACHINES,
    "task_not_declared": DECLARED,
    "task_kind_not_allowed": DECLARED,
    "watch_changes_nothing": LOOKING,
    "generation_passed": GENERATIONS,
    "not_an_operator": OWN_APP,
    "scope_not_asked": SCOPES,
}
"""What only an app is refused that breaks a rule."""
LAST_WORDS = {"waiting", "blocked", "succeeded", "failed", "cancelled"}
OVER = {"grant_ended", "operation_ended", "watch_ended"}
OF_THE_ACCOUNT = re.compile(r"POST /v1/controller/(claims|reports)|DELETE /v1/controller/replicas/")
WATCHING = "moor_wgr_"
ID = re.compile(r"\b[a-z]{3}_[0-9a-z]{26}\b")
ADDRESS = re.compile(r'"host_address": ?"([^"]+)"')
URL = re.compile(r"https?://(?:[^/@\s]*@)?(\[[^\]]*\]|[^/:\s'\"\\]+)")
HERE = {"localhost", "127.0.0.1", "[::1]"}
IN_FLIGHT = 0.5
"""Seconds in which something may be on its way that was begun before an answer was read."""


@dataclass(frozen=True)
class Bounds:
    """What an app is: where its conduct begins and ends."""

    slug: str
    account: str
    reached_for: int = 0
    """How often a controller tried to reach something else than the platform."""


@dataclass
class _Heard:
    """What a controller has been told so far."""

    ids: set[str]
    hosts: set[str] = field(default_factory=set[str])
    own: set[str] = field(default_factory=set[str])
    """Tokens of its own account."""

    def hear(self, exchange: Exchange) -> None:
        if exchange.answer is None:
            return
        text = exchange.answer.content.decode(errors="replace")
        self.ids.update(ID.findall(text))
        self.hosts.update(ADDRESS.findall(text))
        if exchange.route == "/v1/auth/token" and "access_token" in exchange.answer.json:
            self.own.add(exchange.answer.json["access_token"])


def review(exchanges: Sequence[Exchange], judge: Judge, bounds: Bounds) -> None:
    """Judge everything that the controllers of a run asked for."""
    heard = _Heard({bounds.account})
    for exchange in exchanges:
        _refusal(exchange, judge)
        _access(exchange, judge, bounds, heard)
        _tasks(exchange, judge, heard)
        _looks(exchange, judge)
        heard.hear(exchange)
    _ends(exchanges, judge)
    _reports(exchanges, judge)
    _journal(exchanges, judge)
    judge.expect(
        ONE_KEY,
        not bounds.reached_for,
        "The controller connects to the platform and to nothing else.",
        "It tried to reach another address.",
    )


def _refusal(exchange: Exchange, judge: Judge) -> None:
    codes = {exchange.answer.json.get("code") if exchange.answer else None}
    codes |= {said.code for said in exchange.reports()}
    for code in codes & REFUSALS.keys():
        check = REFUSALS[str(code)]
        judge.broken(check, f"Nothing is refused with {code}.", exchange.words())


def _access(exchange: Exchange, judge: Judge, bounds: Bounds, heard: _Heard) -> None:
    """Who asks, with which key, and for what."""
    if exchange.is_claim:
        app = exchange.json.get("app")
        judge.expect(OWN_APP, app == bounds.slug, f"It claims for {bounds.slug}.", f"For {app}.")
        judge.kept(SCOPES)
    if exchange.route == "/v1/auth/token":
        account = exchange.json.get("service_account", bounds.account)
        seen = f"It proves to be {account}."
        judge.expect(ONE_KEY, account == bounds.account, "One account is used.", seen)
    if exchange.token in heard.own:
        fits = OF_THE_ACCOUNT.match(f"{exchange.method} {exchange.route}")
        expected = "With its own token the account claims, reports and leaves."
        judge.expect(CLAIMING, fits, expected, exchange.words())
    if exchange.token:
        strange = set(ID.findall(exchange.route)) - heard.ids
        expected = "Each id in a request stood in an answer before."
        judge.expect(OWN_THINGS, not strange, expected, exchange.words())


def _tasks(exchange: Exchange, judge: Judge, heard: _Heard) -> None:
    if not exchange.is_task:
        return
    judge.kept(OWN_MACHINES, DECLARED)
    known = HERE | heard.hosts
    for wish in exchange.json.get("tasks", ()):
        if wish.get("kind") == "exec":
            named: list[str] = URL.findall(json.dumps(wish.get("input")))
            strange = [host for host in named if host not in known]
            expected = "Commands fetch from no hosts but the app's own."
            judge.expect(
                BYTES, not strange, expected, f"A command fetches from {', '.join(strange)}."
            )


def _looks(exchange: Exchange, judge: Judge) -> None:
    """What is said under a watch."""
    if not exchange.token.startswith(WATCHING) or exchange.answer is None:
        return
    judge.expect(
        LOOKING, not exchange.is_task, "Only probes are asked for under a watch.", exchange.words()
    )
    if exchange.method == "PUT" and exchange.route.endswith("/observed"):
        fits = exchange.answer.status != HTTPStatus.UNPROCESSABLE_ENTITY
        expected = "What is observed has health, reasons and conditions, and no state."
        judge.expect(HEALTH, fits, expected, exchange.words())
    if exchange.method == "PUT" and "/views/" in exchange.route:
        judge.kept(GENERATIONS)


def _ends(exchanges: Sequence[Exchange], judge: Judge) -> None:
    """A grant that its holder has ended, or has been told is over, is used no more."""
    ended: dict[str, float] = {}
    lost: dict[str, float] = {}
    for exchange in exchanges:
        grants = {said.grant for said in exchange.reports()} or {exchange.token}
        for grant in grants - {""}:
            if grant in ended and exchange.at > ended[grant]:
                judge.broken(ENDED, "The last report is the last request.", exchange.words())
            elif grant in lost and exchange.at > lost[grant] + IN_FLIGHT:
                judge.broken(ONE_HOLDER, "It falls silent.", exchange.words())
        if exchange.answer is None or exchange.answered_at is None or not exchange.given:
            continue
        if exchange.answer.status == HTTPStatus.UNAUTHORIZED or _code(exchange) in OVER:
            for grant in grants - ended.keys():
                lost.setdefault(grant, exchange.answered_at)
                judge.kept(ONE_HOLDER)
        for said in exchange.reports():
            if said.code in OVER:
                lost.setdefault(said.grant, exchange.answered_at)
                judge.kept(ONE_HOLDER)
            elif said.status == HTTPStatus.OK and said.report.get("state") in LAST_WORDS:
                ended.setdefault(said.grant, exchange.answered_at)
                judge.kept(ENDED)


def _code(exchange: Exchange) -> str:
    return str((exchange.answer.json if exchange.answer else {}).get("code"))


def _reports(exchanges: Sequence[Exchange], judge: Judge) -> None:
    """A number stands for one report."""
    known: dict[tuple[str, int], Any] = {}
    for said in (each for exchange in exchanges for each in exchange.reports()):
        judge.kept(IN_ORDER)
        if said.status != HTTPStatus.OK:
            continue
        number = (said.grant, int(said.report.get("sequence", 0)))
        same = known.setdefault(number, said.report) == said.report
        expected = f"Report {number[1]} of an operation says the same each time."
        judge.expect(IN_ORDER, same, expected, "It says something else when it is sent again.")


def _journal(exchanges: Sequence[Exchange], judge: Judge) -> None:
    """A step has begun, by the journal, before anything is done for it or it has ended."""
    begun: dict[str, set[tuple[Any, ...]]] = defaultdict(set)
    for exchange in exchanges:
        if exchange.is_task and not exchange.token.startswith(WATCHING):
            (operation,) = exchange.operations
            expected = "A step is written down before its first task."
            seen = "A task is asked for, and the journal has no step."
            judge.expect(WRITTEN, begun[operation], expected, seen)
        for said in exchange.reports():
            for step in said.steps:
                name = (step.get("phase", "run"), step.get("number"), step.get("attempt", 1))
                if step.get("status") == "running":
                    begun[said.operation].add(name)
                elif step.get("status") == "succeeded":
                    expected = f"Step {step.get('name')} is written down before it begins."
                    seen = "It is written down at its end alone."
                    judge.expect(WRITTEN, name in begun[said.operation], expected, seen)
