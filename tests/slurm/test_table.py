"""What can be asked of members, by where they stand: every line of the table has its tests."""

from collections.abc import Callable
from pathlib import Path

from tests.slurm import test_places as places
from tests.slurm.working import test_controller_replace as controllers
from tests.slurm.working import test_members as members

PAGE = Path(__file__).parents[2] / "apps/slurm/components.md"
TESTS: dict[str, tuple[Callable[..., None], Callable[..., None]]] = {
    "add a worker": (
        places.test_a_worker_elsewhere_joins_with_its_gpus_and_the_same_homes,
        members.test_several_workers_join_at_once_while_a_job_runs,
    ),
    "drain, resume the worker": (
        places.test_jobs_wait_while_the_only_worker_is_drained,
        members.test_a_drain_waits_for_jobs_and_says_in_slurm_whose_it_is,
    ),
    "remove the worker": (
        places.test_the_only_worker_can_go_and_come_back_while_the_controller_stays,
        members.test_a_worker_that_is_removed_does_not_come_back,
    ),
    "replace the worker": (
        places.test_the_worker_beside_the_controller_is_replaced_onto_another_host,
        members.test_a_worker_is_replaced_by_a_new_one_that_comes_first,
    ),
    "replace the worker, host lost": (
        places.test_a_lost_worker_is_not_replaced_before_the_controller_that_was_beside_it,
        members.test_a_dead_host_is_replaced_and_holds_no_key_when_it_comes_back,
    ),
    "remove the controller": (
        places.test_nobody_removes_the_controller_of_one_host,
        members.test_nobody_removes_the_controller,
    ),
    "replace the controller": (
        places.test_the_controller_moves_to_another_host_and_the_worker_beside_it_stays,
        controllers.test_the_live_state_moves_and_jobs_never_hear_of_it,
    ),
    "replace the controller, host lost": (
        places.test_a_host_that_was_lost_with_everything_is_replaced_controller_first,
        controllers.test_a_dead_host_loses_no_job_that_workers_know_and_runs_none_twice,
    ),
}
"""By verb: where all members stand on one host, and where they do not."""


def rows(page: str) -> list[list[str]]:
    """The table of verbs, without the line below its head."""
    table = page[page.index("| Verb |") :].partition("\n\n")[0]
    head, _, *lines = (
        [cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()
    )
    return [head, *lines]


def test_every_line_of_the_table_has_a_test_for_each_mode() -> None:
    head, *lines = rows(PAGE.read_text())

    assert head == ["Verb", "`single_node`", "`split`"]
    assert [verb for verb, *_ in lines] == list(TESTS)
    assert all(all(cells) and len(cells) == len(TESTS[verb]) for verb, *cells in lines)
