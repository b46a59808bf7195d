import pytest

from tests.lint import samples
from tools.lint import sql_in_stores

BAD = [
    'STATEMENT = "SELECT id FROM tasks"',
    "async def ask(db): await db.rows(text)",
    "async def ask(ctx): await ctx.db.value(text)",
    'clause = f"UPDATE tasks SET {what}"',
    "text = '''\\n    INSERT INTO tasks (id)'''",
]
GOOD = [
    "async def move(ctx): await ctx.db.set_scope(scope)",
    'said = "Select a region, and go on."',
    "async def ask(ctx): await store.find(ctx.db, id, org=org)",
    "found = names.get(key)",
]


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("place", ["tasks/commands.py", "tasks/delivery.py", "tasks/routes.py"])
def test_a_statement_outside_of_a_store_is_found(place: str, text: str) -> None:
    assert samples.lines(sql_in_stores.check, {place: text}) == [1]


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("place", ["tasks/store.py", "tasks/node_store.py", "kit/wakeups.py"])
def test_stores_and_what_is_no_slice_have_statements(place: str, text: str) -> None:
    assert samples.lines(sql_in_stores.check, {place: text}) == []


@pytest.mark.parametrize("text", GOOD)
def test_what_is_no_statement_passes(text: str) -> None:
    assert samples.lines(sql_in_stores.check, {"tasks/commands.py": text}) == []
