"""An app's controller, played by a test.

It claims and reports through the same functions as the routes of controllers, so that a test of
instances or members need not speak their protocol.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from core.tests.site import Site
from moorage_core import unit
from moorage_core.errors import ApiError
from moorage_core.instances import briefing
from moorage_core.kit.ids import ReplicaId
from moorage_core.operations import claims, reports
from moorage_core.operations.report_shapes import ReportCreate

Brief = dict[str, Any]
Said = Mapping[str, Any]
SUCCEEDS: Said = {"state": "succeeded"}


@dataclass
class Controller:
    """One replica of the operator of an app."""

    site: Site
    operator: str
    replica: str = field(default_factory=ReplicaId.new)
    seen: list[Brief] = field(default_factory=list[Brief])
    """Everything that it was ever handed, in order."""

    async def claim(self, limit: int = 100) -> list[Brief]:
        platform = self.site.platform
        async with platform.database.sweep() as db:
            got = await claims.reserve(
                db,
                operator=self.operator,
                replica=self.replica,
                first=1,
                limit=limit,
                now=platform.clock.now(),
            )
        found: list[Brief] = []
        for org, group in groupby(sorted(got, key=lambda each: each.org_id), lambda e: e.org_id):
            ids = [each.id for each in group]
            async with unit.work(platform, org) as ctx:
                held = await claims.hand_over(ctx, ids, org=org, replica=self.replica)
                instances, told = await briefing.tell(ctx, held, [], org=org)
            found += [each | {"instance": _to_be(each, instances)} for each in told]
        self.seen += found
        return found

    async def report(self, brief: Brief, **said: Any) -> str:
        """Say something of an operation; its state afterwards."""
        brief["sequence"] += 1
        given = {"fence": brief["fence"], "sequence": brief["sequence"], **said}
        entry = reports.Entry(brief["id"], brief["grant"], ReportCreate.model_validate(given))
        (answer,) = await reports.take(self.site.platform, [entry])
        if isinstance(answer, ApiError):
            raise answer
        return answer.status

    async def run(self, says: Callable[[Brief], Said] = lambda _: SUCCEEDS) -> None:
        """Do whatever there is to do, as `says` has it, until nothing is left."""
        while found := await self.claim():
            for brief in found:
                await self.report(brief, **says(brief))


def _to_be(brief: Brief, instances: Mapping[str, Brief]) -> Brief:
    """The instance as it is to be after the operation."""
    return instances[brief["instance_id"]] | (brief["change"] or {})
