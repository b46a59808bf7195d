"""What is taken off a host, and what is not ours to take."""

from moorage_slurm.onhost import leave, traces


def test_the_databases_of_a_host_that_had_a_server_before_stay() -> None:
    gone = leave.ours(traces.PATHS["controller"], ["/etc/munge", *traces.DATABASE])

    assert traces.DATABASE.isdisjoint(gone)
    assert "/var/lib/slurm/slurmctld" in gone


def test_our_own_databases_go() -> None:
    paths = traces.PATHS["controller"]

    assert leave.ours(paths, ["/etc/munge"]) == [*paths]


def test_packages_are_told_by_name_whatever_machines_they_are_for() -> None:
    packages = {"munge:amd64": "0.5", "mariadb-server:all": "11", "vim:amd64": "9"}
    picture = {"packages": packages, "users": ["root", "munge"]}

    assert traces.of_packages(picture) == [
        "package mariadb-server 11",
        "package munge 0.5",
        "user munge",
    ]
