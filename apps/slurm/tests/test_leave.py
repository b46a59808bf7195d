"""What is taken off a host, and what is not ours to take."""

from moorage_slurm.onhost import leave


def test_the_databases_of_a_host_that_had_a_server_before_stay() -> None:
    gone = leave.ours(leave.PATHS["controller"], ["mariadb-server", "vim"])

    assert leave.DATABASE.isdisjoint(gone)
    assert "/var/lib/slurm/slurmctld" in gone


def test_our_own_databases_go() -> None:
    assert leave.ours(leave.PATHS["controller"], ["vim"]) == [*leave.PATHS["controller"]]
