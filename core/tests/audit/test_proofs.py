"""A tenant's proof: it holds for the sealed entry, and breaks with anything changed."""

from dataclasses import replace

import pytest

from core.tests.audit import sealing
from moorage_core.audit import proofs, rules
from moorage_core.audit.merkle import Step
from moorage_core.audit.proofs import Proof, ProofBroken

LOG = sealing.log(batches=2, size=5)
TRUSTED = sealing.KEYS.public


def make(seq: int) -> Proof:
    seal = LOG.seals[(seq - 1) // 5]
    batch = LOG.entries[seal.first_seq - 1 : seal.last_seq]
    leaves = [(entry.seq or 0, entry.leaf) for entry in batch]
    return proofs.make(rules.canonical(sealing.content(seq)), seq, leaves, seal, TRUSTED)


@pytest.mark.parametrize("seq", range(1, 11))
def test_every_sealed_entry_can_be_proved(seq: int) -> None:
    proofs.check(make(seq), trusted=TRUSTED)


@pytest.mark.parametrize(
    "changed",
    [
        replace(make(7), content=rules.canonical(sealing.content(7, action="forged"))),
        replace(make(7), seq=8),
        replace(make(7), seq=3),
        replace(make(7), path=make(8).path),
        replace(make(7), path=[*make(7).path, Step("left", bytes(32))]),
        replace(make(7), signed=make(2).signed),
        replace(make(7), signed=make(7).signed.replace('"entries":5', '"entries":6')),
        replace(make(7), signed=make(2).signed, signature=make(2).signature),
        replace(make(7), signature=bytes(64)),
        replace(make(7), signature=b""),
        replace(make(7), signed="null"),
        replace(make(7), signed="{"),
        replace(make(7), signed='{"format":"another"}'),
    ],
)
def test_a_proof_with_anything_changed_is_broken(changed: Proof) -> None:
    with pytest.raises(ProofBroken):
        proofs.check(changed, trusted=TRUSTED)


def test_a_proof_signed_by_a_stranger_is_broken_even_if_it_brings_its_key() -> None:
    thief = sealing.new_keys()
    log = sealing.entries(1, 1)
    seal = sealing.seal_after(None, log, keys=thief)
    content = rules.canonical(sealing.content(1))
    proof = proofs.make(content, 1, [(1, log[0].leaf)], seal, thief.public)

    with pytest.raises(ProofBroken, match="not trusted"):
        proofs.check(proof, trusted=TRUSTED)


def test_no_proof_is_made_of_an_entry_that_was_changed_after_its_seal() -> None:
    leaves = [(entry.seq or 0, entry.leaf) for entry in LOG.entries[:5]]
    forged = rules.canonical(sealing.content(2, action="forged"))

    with pytest.raises(ProofBroken, match="does not lead to the root of seal 1"):
        proofs.make(forged, 2, leaves, LOG.seals[0], TRUSTED)
