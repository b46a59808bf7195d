"""A machine on which the app cannot work: what it says then, and whether its runbook helps."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from moorage import MoorageError
from moorage.models import OperationRead
from moorage_conformance import runbook
from moorage_conformance.findings import Broken
from moorage_conformance.judging import Check, Judge
from moorage_conformance.life import Life
from moorage_conformance.road import Said
from moorage_conformance.stage import Stage

SAYS = Check("OP-12", "A failure has a code, a message, and says who acts next.")
MENDED = Check("OP-12", "Once the machine is mended, what failed is ended by a verb it offers.")
HELPS = Check("ON-7", "The runbook begins at the correlation id, and its commands run.")
CAUSE = Check("ON-7", "Triage by the correlation id names the cause.")
CHECKS = (SAYS, MENDED, HELPS, CAUSE)

IN_THE_WAY = b"A conformance run put this in the way.\n"
LOOK_AGAIN = 0.1
WITHIN = 60.0
TOKEN_SECONDS = 900


async def live(stage: Stage, judge: Judge) -> None:
    """A member is to join on a machine where the app's folder cannot be made."""
    verbs = stage.plan.manifest.components[stage.plan.said.grow].verbs
    if "add" not in verbs:
        return
    one = Life(stage)
    async with stage.acting():
        try:
            await one.done(await one.deploy())
            async with _in_the_way(stage, one.spare):
                mark = stage.road.mark()
                asked = await one.add()
                with judge.on(SAYS):
                    said = await _failure(stage, asked, mark)
                    _expect_words(said, asked)
                await _triage(stage, judge, one, asked)
            with judge.on(MENDED):
                await _mend(one, asked)
        finally:
            await one.end()


@contextlib.asynccontextmanager
async def _in_the_way(stage: Stage, machine: str) -> AsyncGenerator[None]:
    await stage.hosts.put(machine, stage.plan.fault, IN_THE_WAY)
    try:
        yield
    finally:
        await stage.hosts.clear(machine, stage.plan.fault)


async def _failure(stage: Stage, asked: OperationRead, mark: int) -> Said:
    """The first report that something failed."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(WITHIN):
            while True:
                for exchange in stage.road.since(mark):
                    for said in exchange.reports():
                        if said.status and said.report.get("state") in ("failed", "blocked"):
                            return said
                await asyncio.sleep(LOOK_AGAIN)
    raise Broken(
        f"On a machine with a file in the place of {stage.plan.fault} a member cannot join, and "
        "the app reports so.",
        f"Nothing was reported as failed within {WITHIN:g} seconds.",
        asked.correlation_id,
    )


def _expect_words(said: Said, asked: OperationRead) -> None:
    error: dict[str, Any] = said.report.get("error") or {}
    missing = [name for name in ("code", "message") if not error.get(name)]
    missing += [] if said.report.get("recovery") else ["recovery"]
    if missing:
        raise Broken(
            "A report of a failure has a code, a message and a recovery class.",
            f"It has no {', no '.join(missing)}.",
            asked.correlation_id,
        )


async def _triage(stage: Stage, judge: Judge, one: Life, asked: OperationRead) -> None:
    parts = await _parts(one, asked)
    failed = next((part for part in reversed(parts) if part.error), parts[-1])
    found = await one.client.triage.get(asked.correlation_id)
    judge.expect(
        CAUSE,
        found.cause is not None,
        "Triage names the cause of the failure.",
        "It names none.",
        asked.correlation_id,
    )
    ids = {
        "CORRELATION": asked.correlation_id,
        "INSTANCE": one.id,
        "OPERATION": failed.id,
        "MEMBER": failed.member_id or "",
        "ALLOCATION": one.other,
    }
    with judge.on(HELPS):
        await _follow(stage, ids)


async def _follow(stage: Stage, ids: dict[str, str]) -> None:
    lines = [*runbook.commands(stage.plan.runbook or "")]
    if not lines or "triage" not in lines[0].words or "CORRELATION" not in lines[0].words:
        raise Broken(
            "The first command of the runbook is `moor triage CORRELATION`.",
            f"It is `{lines[0].line}`." if lines else "It has no command.",
        )
    async with _token(stage) as token:
        for each in dict.fromkeys(lines):
            ran = await runbook.run(
                each.filled(ids), url=stage.client.url, token=token, ca=stage.ca
            )
            if ran.code:
                last = (ran.said.strip().splitlines() or ["it printed nothing"])[-1]
                raise Broken(f"`{each.line}` ends with 0.", f"It ends with {ran.code}: {last}")


@contextlib.asynccontextmanager
async def _token(stage: Stage) -> AsyncGenerator[str]:
    """What `moor` signs in with: the kit's own token, or one for the time of the block."""
    if stage.tenant.token is not None:
        yield stage.tenant.token
        return
    issued = await stage.client.access_tokens.create(
        name="Conformance: the runbook", expires_in=TOKEN_SECONDS
    )
    try:
        yield issued.token
    finally:
        with contextlib.suppress(MoorageError):
            await stage.client.access_tokens.revoke(issued)


async def _mend(one: Life, asked: OperationRead) -> None:
    """What the operation offers ends it; what is tried again by itself needs nobody."""
    for part in await _parts(one, asked):
        found = await one.client.operations.get(part)
        verb = next((verb for verb in ("retry", "resume") if verb in found.verbs), None)
        if verb is not None:
            with contextlib.suppress(MoorageError):
                await getattr(one.client.operations, verb)(found, reason="The machine is mended.")
    await one.done(await one.client.operations.get(asked), patience=WITHIN)


async def _parts(one: Life, asked: OperationRead) -> Sequence[OperationRead]:
    found = await one.client.operations.get(asked)
    return [found, *[each async for each in one.client.operations.children(found)]]
