"""Whatever a layer can limit, every growing verb keeps to it, in the words of `explain`.

Generated: a row for each dimension of an overlay, a column for each kind. What a cell should say is
what `explain` says to the same question; which cells must refuse is written down beside it, so that
a question that was put wrongly is found.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, get_args

import pytest

from core.tests.factories import machines
from core.tests.factories.instances import CLUSTER
from core.tests.members.clusters import Cluster, make_cluster
from core.tests.policy.places import explain, written
from core.tests.site import Site, fresh
from moorage_core.policy.limits import QUOTAS
from moorage_core.policy.models import Shrinking
from moorage_core.policy.schemas import OverlayDocument


@dataclass(frozen=True)
class Case:
    """A cluster and what its next request would use."""

    cluster: Cluster
    region: str
    sku: str
    machine: str
    """Held already, of that region and SKU, and nobody's."""
    newer: dict[str, Any]
    """A version to go to."""

    @property
    def app(self) -> str:
        return self.cluster.publisher.app["id"]


async def make_case(site: Site) -> Case:
    cluster = await make_cluster(site)
    newer = await cluster.publisher.publish("1.1.0", more=CLUSTER)
    region, sku, nodes = await machines.make_pool(site, 2, gpus=2)
    machine = await machines.make_allocation_row(cluster.tenant, nodes[0])
    return Case(cluster, region, sku, machine, newer)


async def narrow(case: Case, document: dict[str, Any]) -> None:
    path = f"/v1/projects/{case.cluster.tenant.project.id}/overlay"
    await written(case.cluster.tenant.admin, path, document)


# The rows: what a layer says, so that nothing of the case is left


Document = Callable[[Case], dict[str, Any]]
ROWS: dict[str, Document] = {
    "operations": lambda case: {"operations": {"allow": []}},
    "channels": lambda case: {"channels": {"allow": ["prod"]}},
    "artifact_sources": lambda case: {"artifact_sources": {"allow": []}},
    "regions": lambda case: {"regions": {"deny": [case.region]}},
    "skus": lambda case: {"skus": {"deny": [case.sku]}},
    "versions": lambda case: {"versions": {case.cluster.publisher.app["slug"]: ">=9.0.0"}},
    **{f"quotas.{name}": lambda case, name=name: {"quotas": {name: 0}} for name in QUOTAS},
}


def test_every_dimension_has_a_row() -> None:
    names = set(OverlayDocument.model_fields) - {"quotas"}

    assert set(ROWS) == names | {f"quotas.{name}" for name in QUOTAS}


# The columns: how each kind is asked for, and the same as a question


@dataclass(frozen=True)
class Column:
    ask: Callable[[Case], Awaitable[Any]]
    asked: Callable[[Case], list[dict[str, Any]]]
    refused_by: frozenset[str]
    """The rows that must refuse it."""


EVERYWHERE = frozenset(
    {"operations", "artifact_sources", "versions", "quotas.concurrent_operations"}
)
PLACED = frozenset({"regions", "skus"})


def _post(path: str, body: Callable[[Case], dict[str, Any]]) -> Callable[[Case], Awaitable[Any]]:
    async def ask(case: Case) -> Any:
        member = (await case.cluster.app.member("replica-1"))["id"]
        ids = {"instance": case.cluster.app.id, "project": case.cluster.tenant.project.id}
        to = path.format(**ids, member=member)
        return await case.cluster.tenant.admin.post(to, body(case))

    return ask


def _deployment(case: Case) -> dict[str, Any]:
    return {
        "name": f"e-{fresh()}",
        "app": case.app,
        "operator": case.cluster.app.controller.operator,
        "components": {"leader": {"allocations": [case.machine]}},
    }


def _of(kind: str, **more: Any) -> Callable[[Case], list[dict[str, Any]]]:
    """The question that a request on the instance comes down to."""
    return lambda case: [
        {"operation": kind, "app": case.app, "version": case.cluster.version["id"], **more}
    ]


def _placed(kind: str, **more: Any) -> Callable[[Case], list[dict[str, Any]]]:
    return lambda case: [
        {
            "operation": kind,
            "app": case.app,
            "version": case.cluster.version["id"],
            "region": case.region,
            "sku": case.sku,
            **more,
        }
    ]


def _allocated(case: Case) -> list[dict[str, Any]]:
    """The members, and then the machines for them."""
    machine = {"operation": "allocate", "app": None, "region": case.region, "sku": case.sku}
    return [*_placed("member.add", members=1)(case), machine]


COLUMNS: dict[str, Column] = {
    "deploy": Column(
        _post("/v1/projects/{project}/instances", _deployment),
        lambda case: [
            {
                "operation": "instance.deploy",
                "app": case.app,
                "region": case.region,
                "sku": case.sku,
                "members": 1,
            }
        ],
        EVERYWHERE | PLACED | {"channels", "quotas.instances", "quotas.members"},
    ),
    "configure": Column(
        _post("/v1/instances/{instance}/configure", lambda case: {"config": {"note": fresh()}}),
        _of("instance.configure"),
        EVERYWHERE,
    ),
    "upgrade": Column(
        _post("/v1/instances/{instance}/upgrade", lambda case: {"version": case.newer["id"]}),
        lambda case: [
            {"operation": "instance.upgrade", "app": case.app, "version": case.newer["id"]}
        ],
        EVERYWHERE | {"channels"},
    ),
    "rollback": Column(
        _post(
            "/v1/instances/{instance}/rollback",
            lambda case: {"to_revision": 1, "accept_losses": True},
        ),
        _of("instance.rollback"),
        EVERYWHERE,
    ),
    "add by id": Column(
        _post(
            "/v1/instances/{instance}/members",
            lambda case: {"component": "replica", "allocations": [case.machine]},
        ),
        _placed("member.add", members=1),
        EVERYWHERE | PLACED | {"quotas.members"},
    ),
    "add by count": Column(
        _post(
            "/v1/instances/{instance}/members",
            lambda case: {
                "component": "replica",
                "count": 1,
                "sku": case.sku,
                "region": case.region,
            },
        ),
        _allocated,
        EVERYWHERE | PLACED | {"quotas.members", "quotas.allocations", "quotas.gpus"},
    ),
    "replace": Column(
        _post(
            "/v1/members/{member}/replace",
            lambda case: {"allocation": case.machine, "reason": "test"},
        ),
        _placed("member.replace", members=1),
        EVERYWHERE | PLACED | {"quotas.members"},
    ),
    "artifact pull": Column(
        _post(
            "/v1/projects/{project}/pulls",
            lambda case: {"app": case.app, "artifact": "bundle"},
        ),
        lambda case: [{"operation": "artifact.pull", "app": case.app, "artifact": "bundle"}],
        frozenset({"artifact_sources", "versions", "channels", "operations"}),
    ),
}


@pytest.mark.parametrize("column", COLUMNS)
async def test_what_a_layer_limits_is_refused_as_explain_says(site: Site, column: str) -> None:
    """Row by row; what does not concern the kind is written all at once, and lets it pass."""
    case, how = await make_case(site), COLUMNS[column]
    if column == "rollback":
        await _go_on(case)

    for row in sorted(how.refused_by):
        await narrow(case, ROWS[row](case))
        refusals = await _refusals(case, how)
        answer = await how.ask(case)
        assert refusals, f"explain lets {column} pass under {row}"
        assert answer.status_code == 403, f"{row}: {answer.text}"
        assert answer.json()["code"] == "policy_refused"
        assert answer.json()["detail"].startswith(refusals[0])

    await narrow(case, _together(case, ROWS.keys() - how.refused_by))
    assert await _refusals(case, how) == []
    answer = await how.ask(case)
    assert answer.is_success, answer.text


async def _refusals(case: Case, how: Column) -> list[str]:
    """What explain has against it."""
    said = [
        await explain(case.cluster.tenant.admin, case.cluster.tenant, **question)
        for question in how.asked(case)
    ]
    return [v["sentence"] for each in said for v in each["verdicts"] if v["allowed"] is False]


def _together(case: Case, rows: Iterable[str]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    quotas: dict[str, int] = {}
    for row in rows:
        document |= ROWS[row](case)
        quotas |= ROWS[row](case).get("quotas", {})
    return document | ({"quotas": quotas} if quotas else {})


async def _go_on(case: Case) -> None:
    """Let there be a revision to go back from."""
    app = case.cluster.app
    await app.echo.ask(app.id, "configure", {"config": {"note": "before"}})
    await app.controller.run()


# Policy that changes after it was asked


@pytest.mark.parametrize("column", ["configure", "upgrade", "add by id", "replace"])
async def test_policy_is_asked_again_when_the_work_begins(site: Site, column: str) -> None:
    case, how = await make_case(site), COLUMNS[column]
    asked = await how.ask(case)
    await narrow(case, ROWS["operations"](case))

    await case.cluster.app.controller.run()

    failed = await case.cluster.app.operation(asked.json()["id"])
    assert (failed["status"], failed["error"]["code"]) == ("failed", "policy_refused")
    assert failed["recovery"] == "operator"
    assert case.cluster.app.controller.seen == []


@pytest.mark.parametrize("name", ["members", "concurrent_operations"])
async def test_what_was_allowed_does_not_count_against_itself(site: Site, name: str) -> None:
    """It is among what is in use by the time that its work begins."""
    case = await make_case(site)
    limit = {"members": 3, "concurrent_operations": 1}[name]
    await narrow(case, {"quotas": {name: limit}})

    asked = await COLUMNS["add by id"].ask(case)
    await case.cluster.app.controller.run()

    assert asked.status_code == 202, asked.text
    assert (await case.cluster.app.operation(asked.json()["id"]))["status"] == "succeeded"


# What gives back


NARROWEST: dict[str, Any] = {
    "operations": {"allow": []},
    "channels": {"allow": []},
    "artifact_sources": {"allow": []},
    "regions": {"allow": []},
    "skus": {"allow": []},
    "quotas": dict.fromkeys(QUOTAS, 0),
}


async def test_what_gives_back_passes_under_the_narrowest_policy_there_is(site: Site) -> None:
    case = await make_case(site)
    app, controller = case.cluster.app, case.cluster.app.controller
    never = {"versions": {case.cluster.publisher.app["slug"]: ">=9.0.0"}}
    await narrow(case, NARROWEST | never)
    done: list[str] = []

    async def do(verb: str, asked: Any) -> None:
        await controller.run()
        ended = await app.operation(asked["id"])
        assert ended["status"] == "succeeded", ended
        done.append(verb)

    await do("member.drain", await app.of("drain", "replica-1"))
    await do("member.remove", await app.of("remove", "replica-1"))
    await do("instance.stop", await app.echo.ask(app.id, "stop"))
    asked = await app.echo.ask(app.id, "decommission")
    cancelled = await app.admin.post(
        f"/v1/operations/{asked['id']}/cancel", {"reason": "not needed"}
    )
    assert cancelled.status_code == 200, cancelled.text
    await do("instance.decommission", await app.echo.ask(app.id, "decommission"))
    released = await app.admin.post(f"/v1/allocations/{case.machine}/release", {})
    assert released.status_code == 200, released.text

    assert {*done, "operation.cancel", "release"} == set(get_args(Shrinking))
