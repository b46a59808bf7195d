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
    people = {"root": 0, "nobody-of-that-name": 4_000_000}
    settings = {"people": people, "programs": ["no-such-program"]}

    assert accounting.absent(settings) == ["no-such-program", "nobody-of-that-name"]


def test_another_of_the_same_name_is_not_who_is_named() -> None:
    assert accounting.absent({"people": {"root": 4_000_000}, "programs": []}) == ["root"]


def test_who_is_not_on_the_host_yet_is_awaited_and_a_clash_is_not() -> None:
    people = {"root": 4_000_000, "ada-of-nowhere": 0, "bob-of-nowhere": 4_000_001}
    found = look.people({"people": people})

    assert found == {
        "missing": ["bob-of-nowhere"],
        "clashes": {
            "root": "root has the number 0 on the host, and 4000000 on the platform.",
            "ada-of-nowhere": "The number 0 of ada-of-nowhere is root's on the host.",
        },
    }
