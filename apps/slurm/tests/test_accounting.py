"""Who comes into Slurm's books."""

from moorage_slurm.onhost import accounting, look

ACCOUNTS = """\
root:x:0:0:root:/root:/bin/bash
admin:x:1000:1000::/home/admin:/bin/bash
ada:x:200000:200000:Ada:/home/ada:/bin/bash
bob:x:299999:299999:Bob:/home/bob:/bin/bash
far:x:300000:300000::/home/far:/bin/bash
+::::::
"""


def test_newcomers_are_those_with_the_platforms_numbers() -> None:
    assert accounting.newcomers(ACCOUNTS, 200000, 299999) == {"ada", "bob"}


def test_who_is_named_and_not_on_the_host_is_absent() -> None:
    settings = {"people": ["root", "nobody-of-that-name"], "programs": ["no-such-program"]}

    assert accounting.absent(settings) == ["no-such-program", "nobody-of-that-name"]


def test_people_are_looked_for_by_name() -> None:
    assert look.people({"logins": ["root", "nobody-of-that-name"]}) == {
        "missing": ["nobody-of-that-name"]
    }
