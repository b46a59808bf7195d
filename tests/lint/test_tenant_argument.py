import pytest

from tests.lint import samples
from tools.lint import tenant_argument

GOOD = {
    "an org": "async def list_keys(db, *, org): ...",
    "a project, keyword-only": "async def add(db, *, project, new): ...",
    "a scope, positional": "async def find(db, scope): ...",
    "the orgs that the caller may see": "async def find(db, id, *, orgs): ...",
    "private": "async def _lock(db): ...",
    "no database": "def columns(): ...",
    "a reason": '''
        async def try_lock(db):
            """Take the sequencer's lock.

            Tenant-less: an advisory lock belongs to nobody.
            """
    ''',
}
BAD = {
    "neither": "async def list_keys(db): ...",
    "an id alone": "async def get_key(db, *, id): ...",
    "a plain function": "def statement(db, limit): ...",
    "a word without a reason": '''
        async def try_lock(db):
            """Tenant-less:"""
    ''',
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_a_store_function_that_names_its_tenant_passes(text: str) -> None:
    assert samples.lines(tenant_argument.check, {"people/store.py": text}) == []


@pytest.mark.parametrize("place", ["people/store.py", "tasks/node_store.py"])
@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_a_store_function_without_a_tenant_is_found(text: str, place: str) -> None:
    assert samples.lines(tenant_argument.check, {place: text}) == [1]


@pytest.mark.parametrize("place", ["kit/store.py", "people/commands.py", "store.py"])
def test_only_the_stores_of_slices_are_asked(place: str) -> None:
    assert samples.lines(tenant_argument.check, {place: "async def every(db): ..."}) == []
