"""How PostgreSQL goes about a statement: for tests that say what may not be read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, LiteralString, TypeVar, cast

from moorage_core.kit.db import Db, Params

T = TypeVar("T")


@dataclass(frozen=True)
class Node:
    """One step of a plan, as it really ran."""

    kind: str
    table: str | None
    rows: float
    """Rows that came out of it, and rows that it read and threw away."""


class ExplainingDb(Db):
    """Notes the plan of each statement that runs through it."""

    def __init__(self, inner: Db) -> None:
        super().__init__(inner.connection)
        self.nodes: list[Node] = []

    @property
    def tables_read_whole(self) -> set[str | None]:
        return {node.table for node in self.nodes if node.kind == "Seq Scan"}

    @property
    def most_rows(self) -> float:
        return max(node.rows for node in self.nodes)

    async def run(self, sql: LiteralString, params: Params = None) -> int:
        await self._explain(sql, params)
        return await super().run(sql, params)

    async def find(self, model: type[T], sql: LiteralString, params: Params = None) -> T | None:
        await self._explain(sql, params)
        return await super().find(model, sql, params)

    async def all(self, model: type[T], sql: LiteralString, params: Params = None) -> list[T]:
        await self._explain(sql, params)
        return await super().all(model, sql, params)

    async def row(self, sql: LiteralString, params: Params = None) -> dict[str, Any] | None:
        await self._explain(sql, params)
        return await super().row(sql, params)

    async def rows(self, sql: LiteralString, params: Params = None) -> list[dict[str, Any]]:
        await self._explain(sql, params)
        return await super().rows(sql, params)

    async def value(self, sql: LiteralString, params: Params = None) -> Any:
        await self._explain(sql, params)
        return await super().value(sql, params)

    async def _explain(self, sql: LiteralString, params: Params) -> None:
        explain = cast(LiteralString, f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        await self.connection.execute("SAVEPOINT explained")
        found = await (await self.connection.execute(explain, params)).fetchone()
        await self.connection.execute("ROLLBACK TO explained")
        assert found is not None
        self.nodes += _nodes(found[0][0]["Plan"])


def _nodes(plan: dict[str, Any]) -> Iterator[Node]:
    removed = sum(value for key, value in plan.items() if key.startswith("Rows Removed"))
    rows = (plan["Actual Rows"] + removed) * plan["Actual Loops"]
    yield Node(plan["Node Type"], plan.get("Relation Name"), rows)
    for below in plan.get("Plans", ()):
        yield from _nodes(below)
