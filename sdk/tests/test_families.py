"""Families and admissions through the client."""

import pytest

from moorage import Client, errors, manifest
from moorage.models import FamilyKeyWrite, ProjectRead
from sdk.tests.conftest import new_slug


def keys(name: str, *words: str) -> list[FamilyKeyWrite]:
    return [FamilyKeyWrite(key=f"{name}.job.{word}", description=f"May {word}.") for word in words]


async def test_a_family_is_added_and_extended_by_whoever_read_it(admin: Client) -> None:
    name = new_slug()
    made = await admin.families.put(name, description="Queues.", keys=keys(name, "read"))

    more = await admin.families.put(made, description="Queues.", keys=keys(name, "read", "cancel"))

    assert (made.version, more.version) == (1, 2)
    assert more == await admin.families.get(made)
    assert name in [family.name async for family in admin.families.list(page_size=1)]
    with pytest.raises(errors.Stale):
        await admin.families.put(made, description="Queues.", keys=keys(name, "read", "cancel"))
    with pytest.raises(errors.FamilyKeysStay) as refusal:
        await admin.families.put(more, description="Queues.", keys=keys(name, "read"))
    assert f"{name}.job.cancel" in str(refusal.value)


async def test_the_family_of_the_contract_is_one_that_a_platform_takes(admin: Client) -> None:
    scheduler = manifest.shipped()["scheduler"]
    name = f"{new_slug()}"
    renamed = [
        FamilyKeyWrite(
            key=entry.key.replace("scheduler.", f"{name}."),
            description=entry.description,
            means=entry.means,
        )
        for entry in scheduler.keys
    ]

    made = await admin.families.put(name, description=scheduler.description, keys=renamed)

    assert [entry.means for entry in made.keys] == [entry.means for entry in scheduler.keys]


async def test_an_app_is_admitted_changed_and_withdrawn(
    admin: Client, project: ProjectRead
) -> None:
    name = new_slug()
    family = await admin.families.put(name, description="Queues.", keys=keys(name, "read"))
    app = await admin.apps.create(project, slug=new_slug(), name="App", summary="An app.")

    first = await admin.families.admit(family, app, keys=[f"{name}.job.read"])
    second = await admin.families.admit(family, app, keys=[], version=first.version)
    listed = await admin.families.list_admissions(family).all()
    await admin.families.withdraw(family, app, version=second.version)

    assert (first.slug, first.keys) == (app.slug, [f"{name}.job.read"])
    assert listed == [second]
    with pytest.raises(errors.NotFound):
        await admin.families.get_admission(family, app)
