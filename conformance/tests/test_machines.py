"""Which machines a run asks for."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime

import pytest

from moorage.models import RegionRead
from moorage_conformance import machines
from moorage_conformance.findings import CannotRun

NOW = datetime(2026, 11, 18, tzinfo=UTC)


async def regions(*slugs: str, retired: str | None = None) -> AsyncGenerator[RegionRead]:
    for slug in slugs:
        gone = NOW if slug == retired else None
        yield RegionRead(
            id=f"reg_{slug}",
            slug=slug,
            name=slug,
            created_at=NOW,
            updated_at=NOW,
            retired_at=gone,
            version=1,
        )


async def test_the_only_region_in_use_need_not_be_named() -> None:
    assert await machines.only(regions("here", "there", retired="there"), "region") == "here"


@pytest.mark.parametrize(
    ("slugs", "said"), [(("there", "here"), "here or there"), ((), "nothing yet")]
)
async def test_where_there_is_a_choice_it_is_not_the_kit_s(
    slugs: tuple[str, ...], said: str
) -> None:
    with pytest.raises(CannotRun, match=f"For --region there is {said}"):
        await machines.only(regions(*slugs), "region")
