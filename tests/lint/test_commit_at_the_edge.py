import pytest

from tests.lint import samples
from tools.lint import commit_at_the_edge

GOOD = {
    "an exception": "raise ValueError",
    "a nested block": "async with ctx.db.connection.transaction(): ...",
    "a savepoint": 'await db.run("ROLLBACK TO SAVEPOINT before")',
    "a word in a message": 'log.info("commits are made at the edge")',
}
BAD = {
    "a commit": "await ctx.db.connection.commit()",
    "a rollback": "connection.rollback()",
    "a statement": 'await db.run("COMMIT")',
    "a statement with a tail": 'await db.run(" rollback work; ")',
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_a_command_that_leaves_the_transaction_open_passes(text: str) -> None:
    function = f"async def change(ctx, db, log, connection):\n    {text}"

    assert samples.lines(commit_at_the_edge.check, {"people/commands.py": function}) == []


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_a_command_that_ends_the_transaction_is_found(text: str) -> None:
    function = f"async def change(ctx, db, connection):\n    {text}"

    assert samples.lines(commit_at_the_edge.check, {"people/commands.py": function}) == [2]


@pytest.mark.parametrize("place", ["kit/db.py", "background/driver.py", "unit.py"])
def test_the_edge_may_commit(place: str) -> None:
    assert samples.lines(commit_at_the_edge.check, {place: "connection.commit()"}) == []
