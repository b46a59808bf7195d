"""How much a decision looks at: no more than it must, whatever a publisher has piled up."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.policy.places import Publisher, entitle, explain, make_publisher
from core.tests.policy.worlds import artifact, facts, release, want
from core.tests.policy.worlds import entitle as entitled
from core.tests.site import Site
from moorage_core.catalog.models import Version
from moorage_core.policy import rules
from moorage_core.policy.facts import Facts

MANY = [f"1.{n}.0" for n in range(300)]


def counting(known: Facts) -> tuple[Facts, list[str]]:
    """The same facts, and what was picked out of their versions."""
    picked: list[str] = []
    order = known.order

    def counted(given: Sequence[Version]) -> Iterator[Version]:
        for each in order(given):
            picked.append(each.number)
            yield each

    return replace(known, order=counted), picked


def test_the_first_good_version_ends_the_search() -> None:
    known, picked = counting(
        facts(
            versions=[release(number) for number in MANY],
            artifacts=[artifact("1.299.0", trust="revoked")],
            entitlement=entitled(),
        )
    )

    decision = rules.judge(known, want())

    assert decision.version is not None
    assert (decision.allowed, decision.version.number) == (True, "1.298.0")
    assert set(picked) == {"1.299.0", "1.298.0"}


def test_a_search_that_finds_nothing_ends() -> None:
    known, picked = counting(
        facts(
            versions=[release(number) for number in MANY],
            artifacts=[artifact(number, trust="revoked") for number in MANY],
            entitlement=entitled(),
        )
    )

    decision = rules.judge(known, want())

    assert not decision.allowed
    assert len(set(picked)) == rules.TRIED


def test_what_layers_rule_out_by_its_number_is_not_tried() -> None:
    known = facts(
        versions=[release(number) for number in ("0.9.0", *MANY)],
        entitlement=entitled(),
        chain={"org": {"versions": {"echo": "<1"}}},
    )

    decision = rules.judge(known, want())

    assert decision.version is not None
    assert (decision.allowed, decision.version.number) == (True, "0.9.0")


def test_only_what_a_request_can_come_down_to_is_in_question() -> None:
    known = facts(versions=[release(number) for number in MANY], entitlement=entitled())

    named = rules.in_question(known, want(version="1.7.0"))
    free = rules.in_question(known, want())

    assert [each.number for each in named] == ["1.7.0"]
    assert [each.number for each in free] == [f"1.{n}.0" for n in range(299, 299 - rules.TRIED, -1)]


@pytest.fixture
async def publisher(site: Site) -> Publisher:
    return await make_publisher(site)


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def test_an_entitlement_stays_with_what_was_accepted_however_much_else_is_declared(
    site: Site, tenant: Tenant, publisher: Publisher
) -> None:
    first = await publisher.publish("1.0.0")
    await entitle(tenant, publisher)
    await site.rows(
        """
        INSERT INTO app_versions (id, app_id, org_id, project_id, number, status, manifest_text,
            manifest_digest, manifest, declaration, declaration_digest, runbook, created_at,
            updated_at, published_at)
        SELECT 'ver_7' || lpad(n::text, 25, '0'), app_id, org_id, project_id, '2.' || n || '.0',
            status, manifest_text, manifest_digest, manifest,
            declaration || jsonb_build_object('run_as', jsonb_build_array('u' || n)),
            'sha256:' || n, runbook, created_at, updated_at, published_at
        FROM app_versions, generate_series(1, 510) n WHERE id = %s
        """,
        first["id"],
    )

    decision = await explain(tenant.admin, tenant, publisher.app["id"])
    named = await explain(tenant.admin, tenant, publisher.app["id"], version="2.7.0")

    assert (decision["allowed"], decision["version"]["number"]) == (True, "1.0.0")
    assert (decision["held_back"]["number"], decision["held_back"]["layer"]) == (
        "2.510.0",
        "consent",
    )
    assert "Its tasks run as u7." in str(named["verdicts"])
