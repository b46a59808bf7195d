"""An instance that is looked at: what can be asked of it, and what can be published about it.

A watch changes nothing on a machine. To mend something, ask for a repair.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import PrivateAttr

from moorage.controller.briefs import Instance, Member
from moorage.controller.holds import Rows, WatchHold
from moorage.controller.machine import Done
from moorage.controller.outcomes import Fail
from moorage.controller.reports import Usage
from moorage_manifest.models import Manifest, View

Row = Mapping[str, Any]


@dataclass
class Published:
    """What a view's readers have: the rows by key, as they were sent last."""

    generation: int = 0
    rows: dict[str, str] = field(default_factory=dict[str, str])

    def change(
        self, view: View, rows: Iterable[Row], *, generation: int, total: int | None = None
    ) -> Rows:
        """From what was sent to what is so. The first time everything goes."""
        wanted = {str(row[view.key]): dict(row) for row in rows}
        said = {key: json.dumps(row, sort_keys=True) for key, row in wanted.items()}
        first = self.generation == 0
        upserts = [wanted[key] for key, text in said.items() if self.rows.get(key) != text]
        deletes = [] if first else [key for key in self.rows if key not in said]
        self.generation, self.rows = generation, said
        there = len(said) if total is None else total
        return Rows(generation, upserts, deletes, complete=first, total=there)


class WatchedInstance(Instance):
    """An instance as it is to be, and the ways to find out how it is."""

    _hold: WatchHold = PrivateAttr()
    _manifest: Manifest = PrivateAttr()
    _views: dict[str, Published] = PrivateAttr(default_factory=dict[str, Published])
    _told: set[tuple[str, str]] = PrivateAttr(default_factory=set[tuple[str, str]])
    _generation: int = PrivateAttr(default=1)

    @classmethod
    def over(
        cls,
        instance: Instance,
        hold: WatchHold,
        manifest: Manifest,
        *,
        views: dict[str, Published],
        told: set[tuple[str, str]],
        generation: int,
    ) -> "WatchedInstance":
        """The instance for one look. `views` and `told` are kept from look to look."""
        watched = cls.model_validate(instance.model_dump())
        watched._hold, watched._manifest = hold, manifest  # noqa: SLF001 - being made here
        watched._views, watched._told = views, told  # noqa: SLF001
        watched._generation = generation  # noqa: SLF001
        return watched

    async def probe(self, name: str, member: Member | str) -> Done:
        """Run a probe that the manifest declares on a member's machine."""
        if name not in {probe.name for probe in self._manifest.probes}:
            raise ValueError(f"The manifest declares no probe {name}.")
        ids = {known.name: known.id for known in self.members}
        named = member.id if isinstance(member, Member) else member
        ended, stdout = await self._hold.probe(name, ids.get(named, named))
        code = ended.result.get("exit_code")
        if code is None:
            why = ended.error_message or ended.status
            raise Fail(ended.error_code or ended.status, f"{name}: {why}", recovery="retryable")
        return Done(int(code), stdout.decode("utf-8", "replace"))

    async def publish(self, view: str, rows: Iterable[Row], *, total: int | None = None) -> None:
        """Make these the rows of a view. Only what changed since the last time is sent.

        Args:
            total: How many there are, where these are not all of them.
        """
        found = [known for known in self._manifest.views if known.name == view]
        if not found:
            raise ValueError(f"The manifest declares no view {view}.")
        published = self._views.setdefault(view, Published())
        change = published.change(found[0], rows, generation=self._generation, total=total)
        try:
            await self._hold.put_view(view, change)
        except BaseException:
            # Nobody knows what arrived: the next time everything goes.
            self._views.pop(view)
            raise

    async def principals(self) -> list[dict[str, Any]]:
        """Who may be on the instance's machines: login, uid, projects."""
        return await self._hold.principals()

    async def report_usage(self, records: Iterable[Usage]) -> None:
        """Say what was used. A record that was said before counts once, and is not sent again."""
        said = {(record.meter, record.key): record for record in records}
        new = [record for name, record in said.items() if name not in self._told]
        if new:
            await self._hold.usage(new)
        self._told.clear()
        self._told.update(said)

    async def request_repair(self, reason: str, members: Iterable[Member] = ()) -> None:
        """Ask the platform for a repair, which this controller will then be handed.

        Args:
            reason: What is wrong. While a repair for the same reason has not ended, it is that one.
            members: Those that it is about; without any, all that there is to mend.
        """
        await self._hold.request_repair(reason, [member.id for member in members])
