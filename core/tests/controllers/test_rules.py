"""What a claim says, without a database."""

from datetime import UTC, datetime

import pytest

from core.tests.factories.catalog import manifest as written
from core.tests.factories.controllers import LIVELY
from moorage_core.controllers import rules
from moorage_core.controllers.models import Replica, Watch
from moorage_core.controllers.rules import Counter, Look
from moorage_core.controllers.schemas import UsageSaid
from moorage_manifest import Manifest, read

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def replica(handed: int) -> Replica:
    return Replica(
        id="rep_1",
        operator_id="opr_1",
        handed=handed,
        lease_expires_at=NOW,
        has_operations=False,
        has_watches=False,
        has_hints=False,
        has_cancels=False,
    )


def watch(handout: int) -> Watch:
    return Watch(f"ins_{handout}", "org_1", "prj_1", "opr_1", "rep_1", fence=1, handout=handout)


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    found = read(written("echo", more=LIVELY.replace("$app", "echo")), families={}).manifest
    assert found is not None
    return found


def test_a_replica_has_heard_everything_up_to_the_last_number() -> None:
    assert Look(replica(5), handed=7, watches=[watch(6), watch(7)]).next == 7


def test_where_not_all_watches_fit_the_rest_is_told_with_the_next_claim() -> None:
    look = Look(replica(300), handed=301, watches=[watch(1), watch(100)], more_watches=True)

    assert look.next == 100


def test_everything_gets_the_next_number() -> None:
    numbers = Counter(5)

    numbers.take(["a", "b"])

    assert (numbers.next, numbers.handed) == (8, 7)


def test_what_is_not_kept_is_lost() -> None:
    assert rules.lost(["a", "b", "c"], {"b"}) == ["a", "c"]


def test_usage_that_ends_before_it_begins_cannot_be(manifest: Manifest) -> None:
    said = UsageSaid(
        meter="echo.keys",
        key="k",
        quantity=1.0,
        from_at=NOW,
        until_at=NOW.replace(year=2025),
    )

    with pytest.raises(rules.UsageInvalid):
        rules.check_usage([said], manifest, project="prj_1")


def test_those_who_only_look_are_not_on_the_cluster() -> None:
    assert "viewer" not in rules.ON_CLUSTER
    assert {"project_member", "project_admin", "tenant_admin"} <= rules.ON_CLUSTER
