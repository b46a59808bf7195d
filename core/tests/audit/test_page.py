"""The page about the audit log tells the truth: its code checks proofs, its tables are complete."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.tests.audit import sealing
from core.tests.audit.conftest import Do, Seal
from core.tests.callers import ActorMaker
from core.tests.factories.tenancy import OrgRow
from moorage_core.audit import keyring, report, rules, seals
from moorage_core.audit.keyring import AuditKeys
from moorage_core.audit.sweeps import BATCH
from moorage_core.settings import AuditSettings

PAGE = Path(__file__).parents[3] / "docs/explanation/audit.md"
TEXT = PAGE.read_text()


def snippet() -> Callable[[dict[str, Any], dict[str, str]], dict[str, Any]]:
    """The function that the page shows."""
    [code] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, PAGE.name, "exec"), names)
    return names["entry_of"]


async def test_the_page_s_code_checks_a_proof(
    actor: ActorMaker, acme: OrgRow, do: Do, seal: Seal
) -> None:
    admin = await actor("tenant_admin", org=acme)
    await do(target="Ä → 漢", times=5)
    await seal()
    listed = (await admin.get("/v1/audit")).json()["items"]
    keys = (await admin.get("/v1/audit/seals")).json()["keys"]
    known = {key["id"]: key["raw"] for key in keys}
    proof = (await admin.get(f"/v1/audit/{listed[3]['id']}/proof")).json()
    entry_of = snippet()

    entry = entry_of(proof, known)

    assert (entry["id"], entry["target"]) == (listed[3]["id"], "Ä → 漢")
    for broken in (
        proof | {"content": proof["content"].replace("user", "system")},
        proof | {"seq": 3},
        proof | {"path": proof["path"][1:]},
        proof | {"seal": proof["seal"] | {"signature": "00" * 64}},
        proof | {"seal": proof["seal"] | {"signed": proof["seal"]["signed"].replace("5", "6")}},
    ):
        with pytest.raises(ValueError, match=r"."):
            entry_of(broken, known)
    with pytest.raises(ValueError, match="do not know"):
        entry_of(proof, {})


def test_the_page_names_every_finding_and_every_note() -> None:
    for code in (*report.CODES, *report.NOTES):
        assert f"`{code}`" in TEXT, code


def test_the_page_names_the_numbers_in_force() -> None:
    assert AuditSettings().seal_every.total_seconds() == 10
    assert "Every ten seconds" in TEXT
    assert f"up to {BATCH:,} at a time" in TEXT


def test_the_page_names_every_key_of_both_texts() -> None:
    seal = json.loads(seals.text(sealing.log().seals[0]))
    formats = TEXT.partition("## The formats")[2]
    entry_text, _, seal_text = formats.partition("**Seal text.**")

    assert set(re.findall(r"`([a-z_]+)`", entry_text)) - {"null"} == set(rules.FIELDS)
    assert set(seal) <= set(re.findall(r"`([a-z_]+)`", seal_text))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl command here")
def test_the_page_s_way_to_rotate_makes_keys_that_we_read(tmp_path: Path) -> None:
    keyring.add(tmp_path, number=1)
    before = keyring.read(tmp_path)

    run_in(tmp_path, *commands())

    after: AuditKeys = keyring.read(tmp_path)
    assert before.signer_id in after.public
    assert after.signer_id != before.signer_id
    assert not (tmp_path / "audit-1.pem").exists()


def commands() -> list[str]:
    """The lines with openssl, as the page shows them."""
    return re.findall(r"^openssl .*$", TEXT, re.MULTILINE)


def run_in(folder: Path, *lines: str) -> None:
    for line in lines:
        subprocess.run(["sh", "-c", line], cwd=folder, check=True, capture_output=True)
