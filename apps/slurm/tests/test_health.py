"""What a look makes of the answers of hosts, and when a repair is asked for."""

import itertools
from typing import Any

import moorage
from moorage_slurm import cluster, health
from moorage_slurm.health import Answer
from moorage_slurm.patience import FORGOTTEN, PAUSES, Patience

IDLE = {
    "states": ["IDLE", "DYNAMIC_NORM"],
    "reason": "",
    "by": "",
    "version": "24.11.5",
    "cpus": 2,
    "cpus_used": 0,
}
REBOOTED = "Node unexpectedly rebooted"
HOST = {"free_mb": 9000, "resolves_in": 0.0, "misnamed": "", "homes": ""}
WELL = {**HOST, "slurmd": True, "munge": True, "complaints": []}


def member(name: str, **more: Any) -> moorage.Member:
    component = name.partition("-")[0]
    given: dict[str, Any] = {
        "allocation_id": f"alc_{name}",
        "host_address": "10.0.0.1",
        "status": "ready",
    }
    return moorage.Member(id=f"mem_{name}", name=name, component=component, **(given | more))


def instance(*workers: moorage.Member, **more: Any) -> moorage.Instance:
    members = [member("controller-1"), *(workers or (member("worker-1"),))]
    given = {
        "id": "ins_1",
        "name": "lab",
        "org_id": "org_1",
        "project_id": "prj_1",
        "app_slug": "slurm",
        "app_version": "1.0.0",
        "config": {"auth": "munge"},
        "members": members,
    }
    return moorage.Instance(**(given | more))


def said(**more: Any) -> dict[str, Any]:
    """What the host of a cluster says that is well."""
    return {
        **HOST,
        "daemons": dict.fromkeys(("munge", "mariadb", "slurmdbd", "slurmctld"), "active"),
        "up": True,
        "accounting": True,
        "books": "lab",
        "version": "24.11.5",
        "nodes": [{"node": "worker-1", **IDLE}],
        "complaints": [],
        **more,
    }


def judge(answer: Answer, worker: Answer | None = None, **more: Any) -> health.Judgement:
    asked = {} if worker is None else {"worker-1": worker}
    return health.judge(instance(**more), answer, asked)


def test_a_cluster_of_which_nobody_complains_is_healthy() -> None:
    found = judge(Answer(said()), Answer(WELL))

    assert (found.observed.health, found.observed.reasons) == ("healthy", [])
    assert found.mend == {}


def test_parts_are_as_their_members() -> None:
    well = judge(Answer(said()), Answer(WELL)).observed.components
    ill = judge(Answer(said()), Answer({**WELL, "homes": "Homes are not mounted."}))
    down = judge(Answer(said(up=False, ping="it is DOWN"))).observed.components

    assert {key: each.health for key, each in well.items()} == {
        "controller": "healthy",
        "worker": "healthy",
    }
    assert ill.observed.components["controller"].health == "healthy"
    assert ill.observed.components["worker"].health == "degraded"
    assert ill.observed.components["worker"].summary == "1 of 1 not well"
    assert (down["controller"].health, down["worker"].health) == ("unhealthy", "unknown")


def test_homes_that_are_not_served_are_mended() -> None:
    found = judge(Answer(said(homes="Homes are not served: port 2049 does not answer.")))

    assert found.observed.health == "degraded"
    assert found.observed.reasons == [
        "controller-1: Homes are not served: port 2049 does not answer."
    ]
    assert found.mend == {"controller-1": ["homes"]}


def test_a_worker_without_its_homes_is_degraded_and_mended() -> None:
    worker = Answer({**WELL, "homes": "Homes are not mounted from 10.0.0.1:/home."})

    found = judge(Answer(said()), worker)

    assert found.observed.members["mem_worker-1"].health == "degraded"
    assert found.observed.reasons == ["worker-1: Homes are not mounted from 10.0.0.1:/home."]
    assert found.mend == {"worker-1": ["homes"]}
    assert not health.is_well(worker)


def test_without_a_scheduler_a_cluster_is_unhealthy_and_can_be_mended() -> None:
    daemons = said()["daemons"] | {"slurmctld": "inactive"}
    found = judge(Answer(said(up=False, ping="it is DOWN", daemons=daemons)))

    assert found.observed.health == "unhealthy"
    assert found.observed.reasons == [
        "controller-1: slurmctld is inactive. slurmctld does not answer: it is DOWN."
    ]
    assert found.mend == {"controller-1": ["slurmctld", "scheduler"]}


def test_without_accounting_jobs_run_and_the_cluster_is_degraded() -> None:
    found = judge(Answer(said(accounting=False, books="Connection refused")))

    assert found.observed.health == "degraded"
    assert found.observed.members["mem_worker-1"].health == "healthy"
    assert found.mend == {"controller-1": ["accounting"]}


def test_munge_may_be_silent_where_slurm_proves_who_is_who_itself() -> None:
    daemons = said()["daemons"] | {"munge": "inactive"}

    assert judge(Answer(said(daemons=daemons)), config={"auth": "slurm"}).mend == {}
    assert judge(Answer(said(daemons=daemons))).mend == {"controller-1": ["munge"]}


def test_what_a_person_has_to_see_to_is_named_and_not_mended() -> None:
    for trouble, word in (
        ({"free_mb": 3}, "/var has only 3 MB free"),
        ({"resolves_in": 4.0}, "Looking up names"),
        ({"misnamed": "203.0.113.9"}, "leads to 203.0.113.9"),
    ):
        found = judge(Answer(said(up=False, ping="no", **trouble)))

        assert word in found.observed.reasons[0]
        assert found.mend == {}


def test_a_host_that_nobody_hears_is_not_mended_from_here() -> None:
    lost = Answer(why="Its host does not answer the platform.", lost=True)
    silent = Answer(why="Nobody answers at port 817.")

    assert judge(lost).mend == {}
    assert judge(silent).mend == {"controller-1": ("program",)}
    assert judge(silent).observed.health == "unhealthy"


def test_a_worker_that_slurm_marks_down_is_ill_for_slurms_reason() -> None:
    node = {"node": "worker-1", **IDLE, "states": ["DOWN"], "reason": REBOOTED, "by": "slurm"}
    found = judge(Answer(said(nodes=[node])), Answer(WELL))

    assert found.observed.health == "degraded"
    assert found.observed.reasons == [f"worker-1: Slurm says DOWN: {REBOOTED}."]
    assert found.mend == {"worker-1": ["node"]}


def test_a_dead_daemon_is_seen_before_slurm_hears_of_it() -> None:
    found = judge(Answer(said()), Answer({**WELL, "slurmd": False}))

    assert found.observed.members["mem_worker-1"].reasons == ["slurmd does not run."]
    assert found.mend == {"worker-1": ["slurmd"]}


def test_a_worker_whose_clock_is_wrong_is_told_so() -> None:
    answer = Answer(said(nodes=[], complaints=["Munge decode failed: Expired credential"]))
    silent = {**WELL, "slurmd": False}
    found = judge(answer, Answer({**silent, "complaints": ["Protocol authentication error"]}))
    other = judge(answer, Answer({**silent, "complaints": ["Unable to bind a port"]}))

    assert "differ by more than munge allows" in found.observed.reasons[0]
    assert found.mend == {}
    assert "slurmd says: Unable to bind a port." in other.observed.reasons[0]


def test_clocks_are_compared_with_that_of_the_controllers_host() -> None:
    together = judge(Answer(said(), skew=50), Answer(WELL, skew=55))
    apart = judge(Answer(said(), skew=0), Answer(WELL, skew=-400))

    assert together.observed.health == "healthy"
    assert "nobody believes its credentials" in apart.observed.reasons[0]


def test_the_time_that_an_answer_takes_is_no_skew() -> None:
    assert health.skew(103, sent=100, received=110) == 0
    assert health.skew(90, sent=100, received=110) == -10
    assert health.skew(500, sent=100, received=110) == 390


def test_a_drain_of_somebody_is_shown_and_left_alone() -> None:
    node = {"node": "worker-1", **IDLE, "states": ["IDLE", "DRAIN"], "reason": "new disk"}
    found = judge(Answer(said(nodes=[node])), Answer(WELL))

    assert found.observed.reasons == ["worker-1: It is drained in Slurm: new disk."]
    assert found.mend == {}


def test_a_node_that_somebody_took_down_is_shown_and_left_alone() -> None:
    shut = {"states": ["DOWN"], "reason": "bad memory", "by": "root"}
    found = judge(Answer(said(nodes=[{"node": "worker-1", **IDLE, **shut}])), Answer(WELL))

    [reason] = found.observed.reasons
    assert reason.startswith("worker-1: root set it DOWN in Slurm: bad memory. ")
    assert found.mend == {}


def test_what_was_odd_when_a_worker_joined_stays_with_it() -> None:
    odd = member("worker-1", adapter_detail={"node": "worker-1", "warnings": ["A clock."]})
    found = health.judge(instance(odd), Answer(said()), {"worker-1": Answer(WELL)})

    assert found.observed.members["mem_worker-1"].adapter_detail == {
        "node": "worker-1",
        "state": "IDLE+DYNAMIC_NORM",
        "reason": "",
        "warnings": ["A clock."],
    }


def test_a_drain_of_slurms_own_is_shown_with_what_helps_and_left_to_a_person() -> None:
    full = {"states": ["IDLE", "DRAIN"], "reason": "SlurmdSpoolDir is full"}
    found = judge(Answer(said(nodes=[{"node": "worker-1", **IDLE, **full}])), Answer(WELL))

    [reason] = found.observed.reasons
    assert reason.startswith("worker-1: It is drained in Slurm: SlurmdSpoolDir is full. ")
    assert "slurm.node.resume" in reason
    assert found.mend == {}


def test_a_finished_bootstrap_is_never_progressing() -> None:
    deploying = health.before_a_look(instance(status="deploying"))

    assert deploying is not None
    assert deploying.health == "progressing"
    assert health.before_a_look(instance(status="running")) is None


def test_a_cluster_that_is_stopped_is_not_ill() -> None:
    stopped = health.before_a_look(instance(status="stopped"))

    assert stopped is not None
    assert stopped.reasons == ["It is stopped."]


# Whom to ask


def test_of_a_thousand_workers_few_are_asked_and_each_has_its_turn() -> None:
    workers = [member(f"worker-{number}") for number in range(1000)]
    nodes = [{"node": each.name, **IDLE} for each in workers]
    rounds = [
        {each.name for each in health.whom_to_ask(nodes, workers, ill=set(), turn=turn)}
        for turn in range(1000 // health.MOST_ASKED)
    ]

    assert max(map(len, rounds)) == health.MOST_ASKED
    assert len(set[str]().union(*rounds)) == 1000


def test_those_that_seem_ill_are_asked_first() -> None:
    workers = [member(f"worker-{number}") for number in range(100)]
    nodes = [{"node": each.name, **IDLE} for each in workers if each.name != "worker-7"]
    nodes[0] = nodes[0] | {"states": ["DOWN"]}
    asked = health.whom_to_ask(nodes, workers, ill={"worker-50"}, turn=3)

    assert {"worker-0", "worker-7", "worker-50"} <= {each.name for each in asked}
    assert len(asked) == health.MOST_ASKED


def test_nobody_asks_a_host_that_does_not_answer() -> None:
    gone = member("worker-1", reachable=False)

    assert health.whom_to_ask([], [gone], ill=set(), turn=0) == []
    assert health.judge_worker(gone, None, None, clock=0).mend == ()


# Patience


def test_what_did_not_help_is_asked_for_less_and_less_often() -> None:
    patience, now, times = Patience(), 0.0, []
    while now < 3600:
        if patience.due(["worker-1"], now=now):
            patience.asked(["worker-1"], now=now)
            times.append(now)
        now += 5

    assert [b - a for a, b in itertools.pairwise(times)] == [*PAUSES]
    assert len(times) < 6, "the platform grants six in an hour"


def test_another_trouble_does_not_wait_for_the_first() -> None:
    patience = Patience()
    patience.asked(["worker-1"], now=0)

    assert patience.due(["worker-1", "worker-2"], now=10) == ["worker-2"]


def test_what_was_mended_long_ago_is_new_again() -> None:
    patience = Patience()
    patience.asked(["worker-1"], now=0)

    assert patience.due([], now=FORGOTTEN) == []
    assert patience.due(["worker-1"], now=FORGOTTEN + 1) == ["worker-1"]
    assert patience.words("worker-1", now=FORGOTTEN + 1) is None


def test_a_repair_that_did_not_help_is_spoken_of() -> None:
    patience = Patience()
    patience.asked(["worker-1"], now=0)

    assert patience.words("worker-1", now=1) is None, "it has only begun"
    assert patience.words("worker-1", now=60) == (
        "A repair did not help; the next is asked for at 00:01 UTC."
    )


# Hosts, before anything is done with them


def test_a_host_is_warned_of_before_it_joins() -> None:
    look = {**HOST, "resolves_in": 4.0, "misnamed": "203.0.113.9", "clock": 1000.0}

    assert cluster.warnings(look, now=1400.0) == [
        (
            "Looking up names takes it 4 s or more: daemons start slowly and answer late."
            " Check /etc/resolv.conf."
        ),
        "Its own name leads to 203.0.113.9, which is not its address. Check /etc/hosts.",
        "Its clock is -400 s from ours.",
    ]


PEOPLE = [{"login": "ada"}, {"login": "bob"}]


def test_who_is_not_in_the_books_is_named_and_a_repair_helps() -> None:
    found = health.strays(said(people=["ada"], absent=[]), PEOPLE, ())
    judged = health.judge(instance(), Answer(said()), {}, strays=found)

    assert judged.observed.reasons == ["controller-1: bob cannot use Slurm: not in its books."]
    assert judged.mend == {"controller-1": (health.PEOPLE,)}


def test_who_has_no_account_on_the_host_is_named_and_no_repair_helps() -> None:
    found = health.strays(said(people=["ada"], absent=["bob"]), PEOPLE, ())
    judged = health.judge(instance(), Answer(said()), {}, strays=found)

    assert "bob cannot use Slurm: its host has no account" in judged.observed.reasons[0]
    assert judged.mend == {}


def test_who_left_and_is_in_the_books_is_named_and_a_program_is_not() -> None:
    found = health.strays(said(people=["ada", "bob", "eve", "ci"], absent=[]), PEOPLE, ["ci"])

    assert found == health.Strays(surplus=frozenset({"eve"}))


def test_whoever_comes_just_now_is_no_stray() -> None:
    before = health.Strays(missing=frozenset({"bob"}))
    now = health.Strays(missing=frozenset({"bob", "eve"}))

    assert now.lasting(before) == before
