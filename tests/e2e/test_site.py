"""The platform on the lab's address can be used by hosts that know its authority."""

import hashlib
import ssl

import pytest

from moorage_lab import Lab
from tests.e2e.callers import Caller
from tests.e2e.site import Site

pytestmark = pytest.mark.lab


def test_hosts_reach_the_platform_over_tls(site: Site, lab: Lab) -> None:
    host = lab.hosts[0]
    host.put(site.ca.read_bytes(), "/tmp/ca.pem")

    asking = "curl -sS --cacert /tmp/ca.pem -o /dev/null -w '%{http_code}'"
    seen = host.run(f"{asking} {site.url}/v1/status")

    assert seen.stdout == "200"
    host.run("rm /tmp/ca.pem")


def test_the_first_admin_is_there(admin: Caller) -> None:
    assert admin.get("/v1/me")["kind"] == "user"


def test_hosts_get_the_authority_and_the_agent_without_credentials(site: Site) -> None:
    anybody = site.anybody()

    bundle = anybody.answer("GET", "/v1/agent/ca.pem")
    archive = anybody.answer("GET", "/v1/agent/agent.pyz")

    assert ssl.PEM_cert_to_DER_cert(bundle.text) == ssl.PEM_cert_to_DER_cert(site.ca.read_text())
    assert hashlib.sha256(archive.content).hexdigest()
    assert archive.content.startswith((b"PK", b"#!"))
