"""Keeps a backup of this release's data for the tests of later releases.

    python -m tools.release_data

Run it when a release is made. It starts the platform, puts a tenant with a service account into it,
and writes `core/tests/migrations/releases/<version>.tar`, with the facts that a test needs beside.
From then on every later release must restore and migrate that file.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2

from moorage_core import __version__
from tools import demo

ROOT = Path(__file__).resolve().parent.parent
RELEASES = ROOT / "core/tests/migrations/releases"


def main() -> None:
    RELEASES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="moorage-release-") as place:
        Path(place).chmod(0o711)
        data = Path(place) / "data"
        with demo.platform(data, demo.LOOPBACK) as (url, password):
            facts = fill(url, password)
            wait_for_seal(url, facts.pop("token"))
            target = RELEASES / f"{__version__}.tar"
            target.unlink(missing_ok=True)
            moor = Path(sys.executable).parent / "moor"
            subprocess.run([moor, "backup", target, "--data", data], check=True)
    (RELEASES / f"{__version__}.json").write_text(json.dumps(facts, indent=2) + "\n")


def fill(url: str, password: str) -> dict[str, str]:
    """A tenant, a project and a service account with a secret."""
    with httpx2.Client(base_url=url, trust_env=False) as client:
        signed_in = client.post(
            "/v1/auth/login", json={"email": "admin@localhost", "password": password}
        ).json()
        client.headers["x-csrf-token"] = signed_in["csrf_token"]

        def post(path: str, body: dict[str, object]) -> dict[str, str]:
            answer = client.post(path, json=body, headers={"idempotency-key": path})
            return answer.raise_for_status().json()

        org = post("/v1/orgs", {"slug": "kept", "name": "Kept", "admin_email": "admin@localhost"})
        project = post(f"/v1/orgs/{org['id']}/projects", {"slug": "old", "name": "Old"})
        account = post(
            f"/v1/projects/{project['id']}/service-accounts",
            {"name": "robot", "permissions": ["iam.project.read"]},
        )
        key = post(f"/v1/service-accounts/{account['id']}/keys", {})
        token = post("/v1/access-tokens", {"name": "release", "expires_in": 600})
    return {
        "project": project["id"],
        "service_account": account["id"],
        "key": key["id"],
        "secret": key["secret"],
        "token": token["token"],
    }


def wait_for_seal(url: str, token: str) -> None:
    """Until the newest entry has its place in a sealed batch."""
    headers = {"authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=url, trust_env=False, headers=headers, timeout=70) as client:
        newest = client.get("/v1/audit?newest_first=true&limit=1").json()["items"][0]["id"]
        while client.get(f"/v1/audit/{newest}/proof").status_code != 200:
            client.get("/v1/events?after=latest&wait=1")


if __name__ == "__main__":
    main()
