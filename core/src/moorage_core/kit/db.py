"""One transaction at a time, seen through a scope.

The scope is written into the transaction (`SET LOCAL` in effect) in the same round trip that begins
it, and row-level security reads it there: a statement that forgot its WHERE still sees nothing of
another tenant. Nothing here commits in the middle; the block's end commits, an exception rolls
back.

Everything is plain SQL through psycopg. `Db` is the one thing that stores talk to, so the number of
statements of a request can be counted, and golden files keep it from growing unseen.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, LiteralString, TypeVar, cast

import psycopg
from psycopg.rows import class_row, dict_row, scalar_row, tuple_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from moorage_core.errors import ApiError, Busy

T = TypeVar("T")
Params = Sequence[Any] | Mapping[str, Any] | None
Connection = psycopg.AsyncConnection[Any]
Pool = AsyncConnectionPool[Connection]

# One snapshot for the whole of a read: two statements then never contradict each other.
_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_ID = re.compile(r"[a-z0-9_:-]*")


@dataclass(frozen=True)
class Scope:
    """What one transaction may see. The empty scope sees nothing that belongs to anybody."""

    principal: str = ""
    orgs: frozenset[str] = frozenset()
    """Orgs in which anything at all may be seen."""
    whole_orgs: frozenset[str] = frozenset()
    """Orgs that are seen with all their projects and the rows of no project."""
    projects: frozenset[str] = frozenset()

    def with_org(self, org: str) -> "Scope":
        """This scope and the whole of one more org."""
        return Scope(self.principal, self.orgs | {org}, self.whole_orgs | {org}, self.projects)

    def sql(self) -> str:
        """The statement that writes the scope into the transaction. Literals: one round trip."""
        named = {
            "principal": [self.principal],
            "orgs": sorted(self.orgs),
            "whole_orgs": sorted(self.whole_orgs),
            "projects": sorted(self.projects),
        }
        if not all(_ID.fullmatch(id) for ids in named.values() for id in ids):
            raise ValueError("A scope is made of ids and nothing else.")
        calls = (
            f"set_config('moorage.{name}', '{','.join(ids)}', true)" for name, ids in named.items()
        )
        return f"SELECT {', '.join(calls)}"


def org_scope(org: str, *, principal: str = "system") -> Scope:
    """The scope of work inside one whole org."""
    return Scope(principal, frozenset({org}), frozenset({org}))


@dataclass(frozen=True)
class Prelude:
    """Statements that share the round trip of BEGIN. The row of the last one is `Db.prelude`."""

    sql: str
    """Made of literals that need no quoting: simple protocol, no parameters."""
    when_locked: ApiError
    """Raised where one of them waits longer for a lock than a request may."""


class Db:
    """The connection of one transaction, and how many statements it has run."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.statements = 0
        self.prelude: tuple[Any, ...] | None = None

    async def begin(self, sql: str, prelude: Prelude | None) -> None:
        if prelude is None:
            await self.connection.execute(cast(LiteralString, sql))
            return
        try:
            cursor = await self.connection.execute(cast(LiteralString, f"{sql}; {prelude.sql}"))
        except psycopg.errors.LockNotAvailable as err:
            raise prelude.when_locked from err
        while cursor.nextset():
            pass
        self.prelude = await cursor.fetchone()

    async def run(self, sql: LiteralString, params: Params = None) -> int:
        """Run a statement; how many rows it touched."""
        self.statements += 1
        return (await self.connection.execute(sql, params)).rowcount

    async def find(self, model: type[T], sql: LiteralString, params: Params = None) -> T | None:
        """The only row, or None."""
        self.statements += 1
        async with self.connection.cursor(row_factory=class_row(model)) as cursor:
            return await (await cursor.execute(sql, params)).fetchone()

    async def get(self, model: type[T], sql: LiteralString, params: Params = None) -> T:
        """The only row, which a RETURNING or an aggregate always gives."""
        row = await self.find(model, sql, params)
        assert row is not None, "a statement that always returns a row returned none"
        return row

    async def all(self, model: type[T], sql: LiteralString, params: Params = None) -> list[T]:
        self.statements += 1
        async with self.connection.cursor(row_factory=class_row(model)) as cursor:
            return await (await cursor.execute(sql, params)).fetchall()

    async def rows(self, sql: LiteralString, params: Params = None) -> list[dict[str, Any]]:
        self.statements += 1
        async with self.connection.cursor(row_factory=dict_row) as cursor:
            return await (await cursor.execute(sql, params)).fetchall()

    async def row(self, sql: LiteralString, params: Params = None) -> dict[str, Any] | None:
        self.statements += 1
        async with self.connection.cursor(row_factory=dict_row) as cursor:
            return await (await cursor.execute(sql, params)).fetchone()

    async def value(self, sql: LiteralString, params: Params = None) -> Any:
        """The first column of the only row, or None."""
        self.statements += 1
        async with self.connection.cursor(row_factory=scalar_row) as cursor:
            return await (await cursor.execute(sql, params)).fetchone()

    async def set_scope(self, scope: Scope) -> None:
        """Let the rest of this transaction see through another scope."""
        self.statements += 1
        await self.connection.execute(cast(LiteralString, scope.sql()))


class Database:
    """The two pools: `app` for work inside a scope, `system` for sweeps that look for work."""

    def __init__(self, app: Pool, system: Pool) -> None:
        self.app = app
        self.system = system
        self.transactions = 0
        self.statements = 0
        self._patience = asyncio.Semaphore(max(1, app.max_size // 2))

    @asynccontextmanager
    async def transaction(
        self,
        scope: Scope,
        *,
        read_only: bool = False,
        prelude: Prelude | None = None,
        patient: bool = False,
    ) -> AsyncGenerator[Db]:
        """Work as moorage_app, seeing what `scope` names.

        `patient` work waits its turn for half of the connections at most: thousands of sleepers may
        wake at once, and nobody else should have to wait for them.
        """
        begin = f"{_BEGIN_READ if read_only else 'BEGIN'}; {scope.sql()}"
        turn = self._patience if patient else contextlib.nullcontext()
        async with turn, self._connection(self.app) as connection:
            db = Db(connection)
            await db.begin(begin, prelude)
            try:
                yield db
            finally:
                self.transactions += 1
                self.statements += db.statements

    @asynccontextmanager
    async def alone(self, *, patient: bool = False) -> AsyncGenerator[Db]:
        """For one statement that asks before anybody is known: one round trip in place of three.

        Without a transaction there is no scope, so it sees nothing that belongs to anybody, except
        through a function that looks with its owner's eyes.
        """
        turn = self._patience if patient else contextlib.nullcontext()
        async with turn, self._connection(self.app) as connection:
            db = Db(connection)
            try:
                yield db
            finally:
                self.transactions += 1
                self.statements += db.statements

    @asynccontextmanager
    async def sweep(self) -> AsyncGenerator[Db]:
        """Look as moorage_system: every row of named tables, no payload."""
        async with self._connection(self.system) as connection:
            await connection.execute("BEGIN")
            yield Db(connection)

    @asynccontextmanager
    async def _connection(self, pool: Pool) -> AsyncGenerator[Connection]:
        # Leaving the pool's block commits, or rolls back on an exception, or drops a broken
        # connection.
        try:
            async with pool.connection() as connection:
                yield connection
        except PoolTimeout as err:
            raise Busy("All database connections are in use. Try again shortly.") from err
        except psycopg.errors.LockNotAvailable as err:
            raise Busy("Another change holds this object. Try again shortly.") from err
        except (psycopg.errors.UniqueViolation, psycopg.errors.DeadlockDetected) as err:
            # Whoever looks again sees what the other change did, and gets the answer to that.
            raise Busy("Another change came in between. Try again shortly.") from err
        except psycopg.errors.QueryCanceled as err:
            raise Busy("The database took too long. Try again shortly.") from err
        except psycopg.OperationalError as err:
            raise Busy("The database cannot be reached. Try again shortly.") from err

    async def close(self) -> None:
        await self.app.close()
        await self.system.close()


async def open_database(
    app_url: str, system_url: str, *, pool_size: int, statement_timeout_ms: int
) -> Database:
    """Open both pools and wait until a connection stands in each."""
    # No JIT: to compile a short statement takes longer than to run it.
    options = f"-c jit=off -c statement_timeout={statement_timeout_ms} -c lock_timeout=2000"
    app = _pool(app_url, size=pool_size, options=options)
    system = _pool(system_url, size=max(2, pool_size // 4), options="-c statement_timeout=60000")
    await app.open(wait=True, timeout=15)
    await system.open(wait=True, timeout=15)
    return Database(app, system)


def _pool(url: str, *, size: int, options: str) -> Pool:
    return AsyncConnectionPool(
        url,
        min_size=1,
        max_size=size,
        timeout=5,
        max_idle=300,
        open=False,
        kwargs={
            "autocommit": True,
            "options": options,
            "prepare_threshold": 2,
            "row_factory": tuple_row,
            "application_name": "moorage",
        },
    )
