"""A proof of an audit entry is checked on the reader's side, and a changed one is found."""

import asyncio
from typing import Any

import pytest

import moorage
from moorage import Client, proofs
from moorage.models import OrgRead, ProofRead, StepRead
from moorage.proofs import KeyUnknown, ProofBroken

WITHIN = 30


@pytest.fixture
async def proof(admin: Client, org: OrgRead) -> ProofRead:
    """The proof that the org was created, once that is sealed."""
    async with asyncio.timeout(WITHIN):
        while True:
            async for entry in admin.audit.list(org=org.id, action="iam.org.create"):
                try:
                    return await admin.audit.get_proof(entry)
                except moorage.errors.NotSealedYet:
                    pass
            await asyncio.sleep(0.1)


def changed(proof: ProofRead, **fields: Any) -> ProofRead:
    return proof.model_copy(update=fields)


async def test_a_proof_shows_the_entry_that_was_sealed(proof: ProofRead, org: OrgRead) -> None:
    entry = proofs.check(proof, known=[proof.public_key.id])

    assert (entry["target"], entry["action"]) == (org.id, "iam.org.create")


async def test_the_key_is_one_that_the_platform_publishes(admin: Client, proof: ProofRead) -> None:
    page = await admin.audit.list_seals(page_size=5)

    assert proof.public_key in page.keys
    assert page.items


async def test_a_key_that_the_reader_does_not_know_is_named(proof: ProofRead) -> None:
    with pytest.raises(KeyUnknown, match=proof.public_key.id):
        proofs.check(proof, known=["another"])


async def test_a_kept_proof_is_as_good(proof: ProofRead) -> None:
    kept = proofs.load(proof.model_dump_json())

    assert proofs.check_seal(kept) == proofs.check_seal(proof)


async def test_every_change_of_a_proof_is_found(proof: ProofRead) -> None:
    seal, key = proof.seal, proof.public_key
    other = "0" * 64
    broken = [
        changed(proof, content=proof.content.replace("iam.org.create", "iam.org.delete")),
        changed(proof, seq=proof.seq + 1),
        changed(proof, seq=proof.seq + 10_000),
        changed(proof, path=[*proof.path, StepRead(side="left", hash=other)]),
        changed(proof, entry=proof.entry.model_copy(update={"actor_id": "usr_other"})),
        changed(proof, seal=seal.model_copy(update={"signed": seal.signed.replace("1", "2")})),
        changed(proof, seal=seal.model_copy(update={"signed": "[]"})),
        changed(proof, seal=seal.model_copy(update={"signed": "{"})),
        changed(proof, seal=seal.model_copy(update={"signature": other * 2})),
        changed(proof, seal=seal.model_copy(update={"signature": "not hex"})),
        changed(proof, public_key=key.model_copy(update={"raw": other})),
        changed(proof, public_key=key.model_copy(update={"id": other})),
        changed(proof, public_key=key.model_copy(update={"raw": "abcd"})),
    ]

    for number, forgery in enumerate(broken):
        with pytest.raises(ProofBroken):
            pytest.fail(f"forgery {number}: {proofs.check(forgery, known=[key.id])}")


def test_what_is_no_proof_is_refused() -> None:
    with pytest.raises(ProofBroken, match="not a proof"):
        proofs.load("{}")
