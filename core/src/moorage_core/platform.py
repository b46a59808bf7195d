"""The services that one process shares among its requests and sweeps. Put together in `main`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from moorage_core.allocations.hooks import Occupants
from moorage_core.artifacts.blobs import Blobs
from moorage_core.artifacts.transfers import Transfers
from moorage_core.catalog.published import Published
from moorage_core.http.principal_cache import PrincipalCache
from moorage_core.http.waiting import WaitingRoom
from moorage_core.kit.clock import Clock
from moorage_core.kit.db import Database
from moorage_core.kit.outbound import Resolver
from moorage_core.kit.ratelimit import Buckets
from moorage_core.kit.wakeups import Hub
from moorage_core.nodes.handout import Handout
from moorage_core.nodes.heartbeats import Heartbeats
from moorage_core.oidc.issuers import Issuers
from moorage_core.operations.hooks import Target
from moorage_core.secrets.custody import Custody
from moorage_core.secrets.keyring import Keyring
from moorage_core.secrets.openbao_store import OpenBaoStore
from moorage_core.settings import Settings
from moorage_core.signing.keyset import Keyset
from moorage_core.tasks.hooks import Hook


@dataclass(frozen=True)
class Platform:
    settings: Settings
    clock: Clock
    database: Database
    hub: Hub
    keyring: Keyring
    custody: Custody
    openbao: OpenBaoStore | None
    """Where it is set up, whether or not it is where new secrets go."""
    keyset: Keyset
    issuers: Issuers
    principals: PrincipalCache
    waiting: WaitingRoom
    by_principal: Buckets
    by_address: Buckets
    by_claim: Buckets
    """For whoever shows something that we made: no stranger at the same address takes from it."""
    by_guess: Buckets
    names: Resolver
    blobs: Blobs
    transfers: Transfers
    task_hooks: Mapping[str, Hook]
    """By kind of task: whoever fills in its input when it is handed over, and hears its end."""
    targets: Mapping[str, Target]
    """By the first word of a kind of operation: whoever owns what it changes."""
    occupants: Occupants
    """Whoever stands on allocated machines."""
    heartbeats: Heartbeats
    handout: Handout
    published: Published
    node_key: bytes = field(repr=False)
    """What nonces are made with, and what marks the tokens of nodes and operations as ours."""
