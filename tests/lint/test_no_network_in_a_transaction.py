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
]


@pytest.mark.parametrize("text", GOOD)
def test_reading_an_address_is_no_call(text: str) -> None:
    assert samples.lines(no_network_in_a_transaction.check, {"webhooks/rules.py": text}) == []


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("name", ["commands.py", "rules.py", "store.py"])
def test_a_call_from_inside_a_transaction_is_found(name: str, text: str) -> None:
    assert samples.lines(no_network_in_a_transaction.check, {f"webhooks/{name}": text}) == [1]


@pytest.mark.parametrize("name", ["routes.py", "sweeps.py"])
def test_routes_and_sweeps_may_call_out(name: str) -> None:
    texts = {f"webhooks/{name}": "import httpx2"}

    assert samples.lines(no_network_in_a_transaction.check, texts) == []
