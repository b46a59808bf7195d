"""A Slurm cluster as its users see it: the platform's API, and shells on its hosts."""

import re
import sys
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import moorage_slurm
from moorage_lab import Host
from tests.e2e import shop, work, world
from tests.e2e.callers import Caller, wait_until
from tests.e2e.deployed import Deployed
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant

LONG = 300.0
ENDS = ("succeeded", "failed", "cancelled", "blocked")
"""From where an operation goes nowhere by itself."""
STOCK = """set -e
    printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d
    mkdir /root/stock && cd /root/stock && tar -x
    DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends ./*.deb >log 2>&1
    rm -r /root/stock /usr/sbin/policy-rc.d /etc/munge/munge.key
    systemctl -q disable munge mariadb slurmctld slurmd slurmdbd
"""
Held = tuple[Member, str]
"""A machine, and the allocation by which the project has it."""


@dataclass
class Person:
    """Somebody with a login."""

    caller: Caller
    login: str
    uid: int


@dataclass
class People:
    """Who has to do with the project."""

    ada: Person
    bob: Person
    stranger: Caller

    @classmethod
    def make(cls, site: Site, admin: Caller, tenant: Tenant) -> "People":
        ada, bob = (make_person(site, admin, tenant) for _ in range(2))
        stranger = world.make_tenant(site, admin, "strangers").admin
        return cls(ada, bob, stranger)


def make_person(site: Site, admin: Caller, tenant: Tenant, role: str = "project_member") -> Person:
    """Somebody new in the project, with a login."""
    email = f"p{uuid.uuid4().hex[:6]}@{tenant.org[-6:]}.example"
    given = {"email": email, "role": role}
    tenant.admin.post(f"/v1/projects/{tenant.project}/memberships", given)
    caller = world.make_person(site, admin, email)
    user = caller.get("/v1/me")["id"]
    path = f"/v1/orgs/{tenant.org}/logins"
    known = {each["user_id"]: each for each in tenant.admin.get(f"{path}?limit=200")["items"]}
    login = known.get(user) or tenant.admin.post(path, {"user": user})
    return Person(caller, login["login"], login["uid"])


DAEMONS = ("munge", "mariadb", "slurmdbd", "slurmctld", "slurmd")
COMPLAINT = re.compile(r"(?i)\b(error|warning|fatal|fail(ed)?)\b")
RUNBOOK = Path(moorage_slurm.__file__).with_name("runbook.md")


def complaints(host: Host, since: str) -> list[str]:
    """What daemons complain of, and the runbook does not explain."""
    units = [f"--unit={name}" for name in DAEMONS]
    said = host.run(["journalctl", "-q", "-o", "cat", f"--since={since}", *units]).stdout
    assert "slurm" in said, "daemons have started since"
    table = RUNBOOK.read_text().partition("## Warnings that mean nothing")[2].partition("\n## ")[0]
    known = [phrase.split("…") for phrase in re.findall("`([^`]+)`", table)]
    explained = re.compile("|".join(".*".join(map(re.escape, parts)) for parts in known))
    return [
        line for line in said.splitlines() if COMPLAINT.search(line) and not explained.search(line)
    ]


@dataclass
class Cluster(Deployed):
    """An instance of Slurm, and the hosts that it stands on."""

    tenant: Tenant
    id: str
    hosts: dict[str, Host]
    """By the name of the member."""
    allocations: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self.admin = self.tenant.admin

    @property
    def login(self) -> str:
        """The member that schedules, where people log in."""
        return next(name for name in self.hosts if name.startswith("controller"))

    @property
    def controller(self) -> Host:
        return self.hosts[self.login]

    def run(self, *words: str, user: str | None = None, check: bool = True, **more: Any) -> str:
        """What a command says on the login host, as root or as somebody."""
        argv = ["runuser", "-u", user, "--", *words] if user else [*words]
        return self.controller.run(argv, check=check, timeout=60, **more).stdout

    def act(
        self,
        name: str,
        given: dict[str, Any],
        *,
        by: Caller | None = None,
        member: str | None = None,
    ) -> dict[str, Any]:
        """Ask for an action, and wait for how it ended."""
        body: dict[str, Any] = {"input": given}
        if member is not None:
            body["member"] = self.members()[member]["id"]
        path = f"{self.path}/actions/{name}"
        asked = (by or self.admin).post(path, body, headers={"prefer": "wait=10"})
        return shop.ended(self.admin, asked["id"], seconds=60)

    def view(self, name: str, *, by: Caller | None = None) -> list[dict[str, Any]]:
        path = f"{self.path}/views/{name}?limit=200"
        return [row.get("row", row) for row in (by or self.admin).get(path)["items"]]

    def learn(self, held: list[tuple[Member, str]]) -> None:
        """On which hosts its members stand now."""
        hosts = {allocation: node.host for node, allocation in held}
        at = {name: each["allocation_id"] for name, each in self.members().items()}
        self.allocations = {name: each for name, each in at.items() if each in hosts}
        self.hosts = {name: hosts[each] for name, each in self.allocations.items()}

    def wait(self, operation: dict[str, Any], *, seconds: float = LONG) -> dict[str, Any]:
        """How an operation ended, which is well; what keeps it from its end is raised at once."""
        path, deadline = f"/v1/operations/{operation['id']}", time.monotonic() + seconds
        found = self.admin.get(path)
        while found["ended_at"] is None:
            listed = self.admin.get(f"/v1/operations?instance={self.id}&limit=100")["items"]
            new = [each for each in listed if each["created_at"] >= found["created_at"]]
            assert not [each for each in new if each["status"] in ("blocked", "failed")], new
            assert time.monotonic() < deadline, found
            found = self.admin.get(f"{path}?since_version={found['version']}&wait=1")
        assert found["status"] == "succeeded", found
        return found

    def reach(self, operation: dict[str, Any], status: str) -> dict[str, Any]:
        """An operation once it is in a state. One that came to another end is shown at once."""
        path, ends = f"/v1/operations/{operation['id']}", {status, *ENDS}
        found = self.admin.until(path, lambda each: each["status"] in ends, seconds=LONG)
        assert found["status"] == status, found
        return found

    def configure(self, **fields: Any) -> dict[str, Any]:
        """Ask for other values of some fields of the configuration; the operation."""
        config = {**self.read()["config"], **fields}
        return self.admin.post(f"{self.path}/configure", {"config": config})

    def ask(self, verb: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.wait(self.admin.post(f"{self.path}/{verb}", body or {}))


def request(
    tenant: Tenant,
    app: Shop,
    name: str,
    machines: dict[str, list[tuple[Member, str]]],
    *,
    config: dict[str, Any] | None = None,
    version: str = "1.0.0",
) -> tuple[Cluster, dict[str, Any]]:
    """Ask for a cluster on machines that the project holds; it, and the operation."""
    wish = {
        "name": name,
        "app": app.app,
        "version": version,
        "operator": app.operator,
        "config": config or {},
        "components": {
            key: {"allocations": [allocation for _, allocation in held]}
            for key, held in machines.items()
        },
    }
    made = tenant.admin.post(f"/v1/projects/{tenant.project}/instances", wish)
    found = Cluster(tenant, made["id"], {})
    found.learn([each for held in machines.values() for each in held])
    return found, made["last_operation"]


def deploy(
    tenant: Tenant, app: Shop, name: str, machines: dict[str, list[tuple[Member, str]]], **more: Any
) -> Cluster:
    """A cluster that runs."""
    found, operation = request(tenant, app, name, machines, **more)
    found.wait(operation)
    return found


def stock(host: Host, packages: Path) -> None:
    """Have a host as an image with Slurm's packages leaves it: nothing runs, nothing has a key."""
    host.run(STOCK, stdin=packages.read_bytes(), timeout=LONG)


def hold(admin: Caller, tenant: Tenant, nodes: list[Member]) -> list[Held]:
    """Let the project have these machines."""
    return [(node, work.allocate(admin, tenant, node)) for node in nodes]


@contextmanager
def holding(admin: Caller, tenant: Tenant, nodes: list[Member]) -> Generator[list[Held]]:
    """Machines of the project, which go back clean: those that nobody gave back meanwhile."""
    found = hold(admin, tenant, nodes)
    yield found
    ids = [allocation for _, allocation in found]
    kept = [id for id in ids if tenant.admin.get(f"/v1/allocations/{id}")["status"] == "active"]
    give_back(tenant, kept)


def give_back(tenant: Tenant, allocations: list[str]) -> None:
    """Give machines back, which end clean; what each host said where one does not."""
    for left in work.release_all(tenant, allocations, seconds=LONG):
        said = tenant.admin.get(f"/v1/allocations/{left['id']}/evidence")
        assert left["status"] == "released", (left, said)


def renew(admin: Caller, tenant: Tenant, held: list[Held], at: int) -> None:
    """Give a machine back that was dead, and have it again as if nobody had had it."""
    node, allocation = held[at]
    tenant.admin.until(f"/v1/allocations/{allocation}", lambda found: found["node"]["reachable"])
    give_back(tenant, [allocation])
    held[at] = (node, work.allocate(admin, tenant, node))


def python(*words: str) -> list[str]:
    """A program of this environment's Python."""
    return [sys.executable, *words]


def until_runs(cluster: Cluster, login: str) -> str:
    """What a job of somebody's says, once they are on every host and in the books."""
    words = ["runuser", "-u", login, "--", "srun", "id", "-un"]
    said: list[str] = []

    def runs() -> bool:
        done = cluster.controller.run(words, check=False)
        said.append(done.stdout)
        return done.code == 0

    wait_until(runs, seconds=60)
    return said[-1]


def until_unknown(cluster: Cluster, login: str) -> None:
    """Until no host knows somebody, and the books do not."""
    for host in cluster.hosts.values():
        wait_until(lambda host=host: host.run(["id", login], check=False).code, seconds=60)
    asked = ("sacctmgr", "-nP", "show", "assoc", f"user={login}", "format=user")
    wait_until(lambda: not cluster.run(*asked).strip(), seconds=60)
