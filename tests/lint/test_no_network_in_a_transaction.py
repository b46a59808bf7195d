import pytest

from tests.lint import samples
from tools.lint import no_network_in_a_transaction

GOOD = ["import urllib.parse", "from urllib.parse import urlsplit", "import ipaddress"]
BAD = [
    "import httpx2",
    "import socket",
    "import smtplib",
    "import urllib.request",
    "from urllib.request import urlopen",
    "from urllib import request",
    "asyncio.open_connection('example.org', 443)",
    "loop.getaddrinfo('example.org', 443)",
    "asyncssh.connect('example.org')",
    "import hvac",
]
TRANSACTIONS = [
    "from moorage_core.kit.db import Db",
    "from moorage_core.context import Context",
    "from moorage_core.people import store",
    "from moorage_core.tasks import node_store",
]


@pytest.mark.parametrize("text", GOOD)
def test_reading_an_address_is_no_call(text: str) -> None:
    assert samples.lines(no_network_in_a_transaction.check, {"webhooks/rules.py": text}) == []


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("name", ["commands.py", "rules.py", "store.py", "node_store.py"])
def test_a_call_from_inside_a_transaction_is_found(name: str, text: str) -> None:
    assert samples.lines(no_network_in_a_transaction.check, {f"webhooks/{name}": text}) == [1]


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("given", TRANSACTIONS)
def test_whatever_is_given_a_transaction_calls_nobody(given: str, text: str) -> None:
    texts = {"people/signin.py": f"{given}\n{text}"}

    assert samples.lines(no_network_in_a_transaction.check, texts) == [2]


def test_a_module_that_knows_no_transaction_may_call_out() -> None:
    texts = {"webhooks/deliver.py": "import httpx2\nfrom moorage_core.webhooks import rules"}

    assert samples.lines(no_network_in_a_transaction.check, texts) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from moorage_core.webhooks import deliver", [1]),
        ("from moorage_core.kit import outbound", [1]),
        ("from moorage_core.webhooks.deliver import Road", []),
    ],
)
def test_a_call_by_way_of_another_module_is_one(text: str, found: list[int]) -> None:
    texts = {
        "webhooks/commands.py": text,
        "webhooks/deliver.py": "import httpx2",
        "kit/outbound.py": "import socket",
    }

    assert samples.lines(no_network_in_a_transaction.check, texts) == found


def test_who_opens_transactions_and_closes_them_before_says_so() -> None:
    said = '"""A worker.\n\nTransaction-less: none is open while it speaks.\n"""'
    texts = {"credentials/worker.py": f"{said}\n{TRANSACTIONS[0]}\nimport socket"}

    assert samples.lines(no_network_in_a_transaction.check, texts) == []


@pytest.mark.parametrize("name", ["routes.py", "sweeps.py"])
def test_routes_and_sweeps_may_call_out(name: str) -> None:
    texts = {f"webhooks/{name}": f"{TRANSACTIONS[0]}\nimport httpx2"}

    assert samples.lines(no_network_in_a_transaction.check, texts) == []
