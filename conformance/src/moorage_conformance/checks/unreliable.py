"""Lives on a bad road: answers that get lost, requests that arrive twice, fields nobody knows."""

from collections.abc import Hashable, Mapping
from typing import Any, cast

from moorage_conformance import life
from moorage_conformance.checks import crashed
from moorage_conformance.findings import Broken
from moorage_conformance.judging import Check, Judge
from moorage_conformance.life import Life
from moorage_conformance.road import Answer, Bend, Exchange, Forward
from moorage_conformance.stage import Stage
from moorage_conformance.world import World

LOST = Check("OP-3", "Whoever gets no answer to a request sends the same again.")
ADDED = Check("VS-3", "Fields that the app does not know are passed over.")

PATIENCE = 60.0
UNKNOWN = "x_conformance"
DATA = frozenset(
    {"adapter_detail", "arguments", "config", "endpoints", "input", "inventory", "result"}
)
"""What belongs to the app or to its user: nothing is added there, inside a contract or not."""
SHORT = frozenset(
    {"deploy", "add", "drain (wait)", "resume (wait)", "configure", "remove", "decommission"}
)


class LosesAnswers:
    """Each request arrives, and its answer is lost once. When it comes again, it arrives twice."""

    def __init__(self) -> None:
        self._met: set[Hashable] = set()

    async def __call__(self, exchange: Exchange, forward: Forward) -> Answer | None:
        places: set[Hashable] = set(crashed.places(exchange))
        if exchange.is_claim:
            answer = await forward()
            places = {(each["id"], each["fence"]) for each in answer.json.get("operations", ())}
            return answer if self._has_met(places) else None
        if not places:
            return await forward()
        if not self._has_met(places):
            await forward()
            return None
        await forward()
        return await forward()

    def _has_met(self, places: set[Hashable]) -> bool:
        new = places - self._met
        self._met |= places
        return not new


async def add_fields(exchange: Exchange, forward: Forward) -> Answer | None:
    """Every object of an answer has a field more than the app knows."""
    answer = await forward()
    is_document = answer.is_document and answer.json
    return answer.saying(with_unknown(answer.json)) if is_document else answer


def with_unknown(document: Any) -> Any:
    """The document of a later release of the platform, as far as anybody can tell."""
    if isinstance(document, list):
        return [with_unknown(each) for each in cast(list[Any], document)]
    if not isinstance(document, dict):
        return document
    known = cast(dict[str, Any], document)
    grown = {k: v if k in DATA else with_unknown(v) for k, v in known.items()}
    return grown | {UNKNOWN: {"since": "a later release"}}


async def lose(stage: Stage, judge: Judge, worlds: Mapping[str, World]) -> None:
    """A short life in which every answer is lost once."""
    await _live(stage, judge, LOST, LosesAnswers(), {k: worlds[k] for k in SHORT & worlds.keys()})


async def add(stage: Stage, judge: Judge, worlds: Mapping[str, World]) -> None:
    """A whole life with answers of a later release."""
    await _live(stage, judge, ADDED, add_fields, worlds)


async def _live(
    stage: Stage, judge: Judge, check: Check, bend: Bend, worlds: Mapping[str, World]
) -> None:
    """Live so; the world has to be what it is on a good road."""
    one = Life(stage)
    async with stage.acting():
        try:
            with judge.on(check), stage.road.bent(bend):
                for act in life.every_act(stage):
                    if act.name in worlds:
                        ended = await one.done(await act.ask(one), patience=PATIENCE)
                        different = _different(worlds[act.name], await one.look(), worlds)
                        if different:
                            raise Broken(
                                f"After {act.name} the world is what it is on a good road.",
                                f"{'; '.join(different)}.",
                                ended.correlation_id,
                            )
        finally:
            await one.end()


def _different(expected: World, seen: World, worlds: Mapping[str, World]) -> list[str]:
    """In a short life fewer members came and went before: names are compared in a whole one."""
    if worlds.keys() <= SHORT:
        return World(hosts=expected.hosts).differences(World(hosts=seen.hosts))
    return expected.differences(seen)
